import { describe, expect, it } from 'vitest'
import { all } from '../../src/resources/entries.js'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean, looks, type Panel } from '../support/browser.js'
import { factories } from '../support/factories.js'

const app = await testApp()
const { services } = app
const { datatype, field } = factories(app)
const { datatype_id } = await datatype('Card')
const newest = async () => {
  const found = await all(services.space.fields.list({ parent_id: datatype_id }, { limit: 100 }))
  return found.at(-1)
}

const named = (seen: Panel, name: string) => seen.page.locator(`[name="${name}"]`)
const options = (seen: Panel) =>
  seen.page.$$eval('[name="data.options"]', all => all.map(one => (one as HTMLInputElement).value).join())
const chooseType = async (seen: Panel, type: string, member: string) => {
  const answer = seen.page.waitForResponse(response => response.request().method() === 'POST')
  await named(seen, 'field_type').selectOption(type)
  await answer
  await named(seen, member).first().waitFor({ state: 'attached' })
}

describe.skipIf(chromiumMissing)(
  `the settings of a field in a browser${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel } = await browserOf(app)

    it('are those of the type at once, what was typed stays, and options are rows', async () => {
      const seen = await panel({ as: 'admin' })
      const { page } = seen
      await seen.open(`/fields/new?of=${datatype_id}`)
      expect(await page.locator('[data-shows] button').isVisible()).toBe(false)
      await named(seen, 'label').fill('Mood')
      await chooseType(seen, 'number', 'data.integer')
      expect(await page.locator('#say').textContent()).toBe('Number: its settings are below')
      await named(seen, 'data.default').fill('7')
      await chooseType(seen, 'select', 'data.options')
      expect(await named(seen, 'label').inputValue()).toBe('Mood')
      expect(await page.locator('#saved').textContent()).toMatch(/^Unsaved changes/)

      const value = (row: number) => named(seen, 'data.options').nth(2 * row)
      const defaults = () =>
        page.$$eval('[name="data.default"] option', all => all.map(one => one.textContent))
      for (const [row, text] of ['calm', 'loud', 'bright'].entries()) await value(row).fill(text)
      await page.getByRole('button', { name: 'Add an option' }).click()
      await page.keyboard.type('last')
      expect(await options(seen)).toBe('calm,,loud,,bright,,last,,,')
      await page.keyboard.press('Alt+ArrowUp')
      expect(await options(seen)).toBe('calm,,loud,,last,,bright,,,')
      await page.keyboard.type('!')
      await page.locator('.text-rows li').nth(0).getByRole('button', { name: 'Move down' }).click()
      expect(await options(seen)).toBe('loud,,calm,,last!,,bright,,,')
      await named(seen, 'data.default').selectOption('calm')
      expect(await defaults()).toEqual(['–', 'loud', 'calm', 'last!', 'bright'])
      await value(1).fill('quiet')
      expect(await named(seen, 'data.default').inputValue()).toBe('quiet')
      await named(seen, 'data.options').nth(3).fill('Very quiet')
      expect(await defaults()).toEqual(['–', 'loud', 'Very quiet', 'last!', 'bright'])
      await page.locator('.text-rows li').nth(1).getByRole('button', { name: 'Remove' }).click()
      expect(await page.locator('#say').textContent()).toBe('quiet: removed')
      expect(await named(seen, 'data.default').inputValue()).toBe('')
      expect(await defaults()).toEqual(['–', 'loud', 'last!', 'bright'])
      await value(3).fill('loud')
      await expectClean(seen)

      await page.keyboard.press('Enter')
      await page.locator('#e-data\\.options').waitFor()
      expect(await page.locator('#e-data\\.options').textContent()).toContain('has "loud" twice')
      expect(await options(seen)).toBe('loud,,last!,,bright,,loud,,,,,')
      expect(await value(3).getAttribute('aria-invalid')).toBe('true')
      expect(await page.locator('[aria-invalid=true]').count()).toBe(1)
      await expectClean(seen)
      await value(3).fill('')
      await named(seen, 'data.default').selectOption('loud')
      await page.keyboard.press('Control+s')
      await page.waitForURL(/fields\/\w{26}/)
      expect((await newest())?.data).toEqual({ options: ['loud', 'last!', 'bright'], default: 'loud' })
      expect(await page.locator('#saved').textContent()).toMatch(/^Saved/)
    })

    it('come back after a crash, with as many rows as were typed', async () => {
      const { field_id } = await field(datatype_id, 'Crash', 'select', { data: { options: ['a'] } })
      const seen = await panel({ as: 'admin' })
      await seen.open(`/fields/${field_id}`)
      for (let row = 1; row < 6; row++)
        await named(seen, 'data.options')
          .nth(2 * row)
          .fill(`b${row}`)
      await seen.page.locator('#saved', { hasText: 'kept here' }).waitFor()
      seen.page.on('dialog', dialog => dialog.accept())
      await seen.page.reload()
      await seen.page.getByRole('button', { name: 'Restore' }).click()
      expect(await options(seen)).toMatch(/^a,,b1,,b2,,b3,,b4,,b5,,/)
      await seen.page.keyboard.press('Control+s')
      await seen.page.waitForURL(/saved|fields/)
      await seen.page.locator('#saved', { hasText: 'Saved' }).waitFor()
      expect((await services.space.fields.get(field_id)).data).toEqual({
        options: ['a', 'b1', 'b2', 'b3', 'b4', 'b5'],
      })
    })

    it('of a new field come back after a crash with the settings of its type', async () => {
      const seen = await panel({ as: 'admin' })
      await seen.open(`/fields/new?of=${datatype_id}`)
      await named(seen, 'label').fill('Taste')
      await chooseType(seen, 'select', 'data.options')
      for (const [row, text] of ['sweet', 'sour', 'salty', 'bitter'].entries())
        await named(seen, 'data.options')
          .nth(2 * row)
          .fill(text)
      await seen.page.locator('#saved', { hasText: 'kept here' }).waitFor()
      seen.page.on('dialog', dialog => dialog.accept())
      await seen.page.reload()
      await seen.page.getByRole('button', { name: 'Restore' }).click()
      await named(seen, 'data.options').first().waitFor()
      await expect.poll(() => options(seen)).toMatch(/^sweet,,sour,,salty,,bitter,,/)
      await seen.page.locator('#saved', { hasText: 'kept here' }).waitFor()
      await seen.page.keyboard.press('Control+s')
      await seen.page.waitForURL(/fields\/\w{26}/)
      expect(await newest()).toMatchObject({
        label: 'Taste',
        data: { options: ['sweet', 'sour', 'salty', 'bitter'] },
      })
    })

    it('show what somebody else has saved meanwhile beside what was typed', async () => {
      const { field_id } = await field(datatype_id, 'Two', 'select', { data: { options: ['a'] } })
      const seen = await panel({ as: 'admin' })
      await seen.open(`/fields/${field_id}`)
      await named(seen, 'data.options').nth(1).fill('Mine')
      const data = { options: [{ value: 'a', label: 'Theirs' }, 'b'] }
      await app.call('PUT', `/api/v1/fields?q=${field_id}`, { body: { data } })
      await seen.page.keyboard.press('Control+s')
      await seen.page.locator('[data-conflict="data.options"]').waitFor()
      expect(await seen.page.locator('.conflict .sides').textContent()).toMatch(/a, Mine.*a, Theirs\s*b/s)
      await expectClean(seen)
      await seen.page.getByRole('button', { name: 'Take theirs' }).click()
      expect(await options(seen)).toMatch(/^a,Theirs,b,,/)
      await seen.page.keyboard.press('Control+s')
      await seen.page.locator('#saved', { hasText: 'Saved' }).waitFor()
      expect((await services.space.fields.get(field_id)).data).toEqual(data)
    })

    it('are made without the script', async () => {
      const seen = await panel({ as: 'admin', javaScriptEnabled: false })
      const { page } = seen
      await seen.open(`/fields/new?of=${datatype_id}`)
      await named(seen, 'label').fill('Plain')
      await named(seen, 'field_type').selectOption('select')
      await page.getByRole('button', { name: 'Show settings' }).click()
      await named(seen, 'data.options').nth(0).fill('one')
      await named(seen, 'data.options').nth(2).fill('two')
      await named(seen, 'data.options').nth(4).fill('three')
      await page.locator('.text-rows li').nth(2).getByRole('button', { name: 'Move up' }).click()
      await page.getByRole('button', { name: 'Add an option' }).click()
      await named(seen, 'data.options').nth(6).fill('four')
      // Enter saves, and is not the first button of the rows.
      await named(seen, 'data.options').nth(7).press('Enter')
      await page.waitForURL(/fields\/\w{26}/)
      expect((await newest())?.data).toEqual({ options: ['one', 'three', 'two', 'four'] })
    })

    it('are saved on a phone, whose bar has place for all that it says', async () => {
      const { field_id } = await field(datatype_id, 'Small', 'text')
      const seen = await panel({ ...looks.phone, as: 'admin' })
      await seen.open(`/fields/${field_id}`)
      await named(seen, 'data.maxLength').fill('9')
      await seen.page.locator('#saved', { hasText: 'kept here' }).waitFor()
      await seen.page.getByRole('button', { name: 'Save', exact: true }).click({ timeout: 180_000 })
      await seen.page.locator('#saved', { hasText: /^Saved/ }).waitFor()
      expect((await services.space.fields.get(field_id)).data).toEqual({ maxLength: 9 })
    })

    for (const [look, how] of Object.entries(looks))
      it(`fit the screen, and axe finds nothing: ${look}`, async () => {
        const seen = await panel({ ...how, as: 'admin' })
        await seen.open(`/fields/new?of=${datatype_id}`)
        for (const [type, member] of [
          ['text', 'data.pattern'],
          ['number', 'data.integer'],
          ['select', 'data.options'],
          ['media', 'data.kinds'],
          ['relation', 'data.target'],
          ['richtext', 'data.default'],
          ['datetime', 'data.max'],
          ['json', 'data.default'],
        ] as const) {
          await chooseType(seen, type, member)
          if (type === 'richtext') await seen.page.locator('.rich-text').waitFor()
          const over = await seen.page.evaluate('document.documentElement.scrollWidth - innerWidth')
          expect([type, over]).toEqual([type, 0])
          await expectClean(seen)
        }
      })
  },
)
