import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing } from '../support/browser.js'
import { factories } from '../support/factories.js'

const app = await testApp({ publish_mode: 'staged' })
const { call } = app
const { datatype, field, route, entry } = factories(app)

const { datatype_id } = await datatype('Note')
await field(datatype_id, 'Text', 'text')
await field(datatype_id, 'Count', 'number')

async function note(slug: string): Promise<{ id: string; path: string }> {
  const { route_id } = await route(slug)
  const { content_data_id: id } = await entry(datatype_id, { route_id }, { fields: { text: 'x' } })
  return { id, path: `/content/entry/${id}` }
}

const stored = async (id: string): Promise<string[]> =>
  (await call('GET', `/api/v1/content-fields?content_data_id=${id}`)).body.map(
    (one: { field_value: string }) => one.field_value,
  )
const text = (page: Page) => page.locator('[id="f-fields.text"]')
const bar = (page: Page, words: RegExp) =>
  expect.poll(() => page.locator('#saved').textContent()).toMatch(words)

/** What waited for a response would have been sent by then. */
const rest = (page: Page) => page.evaluate(() => new Promise(resolve => setTimeout(resolve, 100)))

/** The first write waits until it is let go. @returns the addresses of all writes, and what lets the first go */
async function held(page: Page): Promise<{ sent: string[]; go(): void }> {
  let go = () => {}
  const isGone = new Promise<void>(resolve => (go = resolve))
  const sent: string[] = []
  await page.route(/\/admin\/(content|datatypes)\//, async (one, request) => {
    if (request.method() === 'POST' && sent.push(new URL(request.url()).pathname) === 1) await isGone
    await one.continue()
  })
  return { sent, go }
}

describe.skipIf(chromiumMissing)(
  `a slow connection${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel } = await browserOf(app)

    it('what is typed into a field during a save is marked as unsaved after it', async () => {
      const { id, path } = await note('/typed')
      const { page, open, problems } = await panel({ as: 'admin' })
      await open(path)
      const { go } = await held(page)
      await text(page).fill('xa')
      await page.keyboard.press('Control+s')
      await page.keyboard.type('b')
      go()
      await bar(page, /^Unsaved changes/)
      expect([await text(page).inputValue(), await stored(id)]).toEqual([
        'xab',
        expect.arrayContaining(['xa']),
      ])
      expect(problems).toEqual([])
    })

    it('saves during a save become one after it, and find no other author', async () => {
      const { id, path } = await note('/saves')
      const { page, open, problems } = await panel({ as: 'admin' })
      await open(path)
      const { sent, go } = await held(page)
      await text(page).focus()
      await page.keyboard.press('End')
      for (const letter of 'abcd') {
        await page.keyboard.type(letter)
        await page.keyboard.press('Control+s')
      }
      go()
      await expect.poll(() => stored(id)).toContain('xabcd')
      await bar(page, /^\s*Saved/)
      expect([await text(page).inputValue(), sent.length]).toEqual(['xabcd', 2])
      expect(problems).toEqual([])
    })

    it('a publication during a save comes after it', async () => {
      const { path } = await note('/published')
      const { page, open } = await panel({ as: 'admin' })
      await open(path)
      const { sent, go } = await held(page)
      await text(page).fill('public')
      await page.keyboard.press('Control+s')
      await text(page).fill('public too')
      await page.keyboard.press('Control+Enter')
      go()
      const shown = async () => (await call('GET', '/published?format=clean', { as: 'nobody' })).text
      await expect.poll(shown).toContain('"text":"public too"')
      expect(sent).toHaveLength(2)
    })

    it('nothing that waits is sent after a refusal or a conflict', async () => {
      const { id, path } = await note('/refused')
      const { page, open } = await panel({ as: 'admin' })
      await open(path)
      const { sent, go } = await held(page)
      await text(page).fill('mine')
      await page.keyboard.press('Control+s')
      await text(page).fill('mine again')
      await page.keyboard.press('Control+s')
      await call('PUT', `/api/v1/content?q=${id}`, { body: { fields: { text: 'theirs' } } })
      go()
      await bar(page, /^Not saved: somebody else saved/)
      await rest(page)
      expect([sent.length, await stored(id)]).toEqual([1, expect.arrayContaining(['theirs'])])
    })

    it('a link during a save leads on once it is saved, and stays after a refusal', async () => {
      const { id, path } = await note('/leaves')
      const { id: other } = await note('/next')
      const { page, open, problems } = await panel({ as: 'admin' })
      const asked: string[] = []
      page.on('dialog', dialog => {
        asked.push(dialog.type())
        void dialog.accept()
      })
      await open(path)
      const first = await held(page)
      await text(page).fill('kept')
      await page.keyboard.press('Control+s')
      await page.getByRole('link', { name: 'Media', exact: true }).click()
      first.go()
      await page.waitForURL(/\/media$/)
      expect([asked, await stored(id)]).toEqual([[], expect.arrayContaining(['kept'])])

      await open(`/content/entry/${other}`)
      await page.unrouteAll()
      const { go } = await held(page)
      await text(page).fill('mine')
      await page.keyboard.press('Control+s')
      await page.getByRole('link', { name: 'Media', exact: true }).click()
      await call('PUT', `/api/v1/content?q=${other}`, { body: { fields: { text: 'theirs' } } })
      go()
      await bar(page, /^Not saved: somebody else saved/)
      await rest(page)
      expect(page.url()).toMatch(new RegExp(`${other}$`))
      expect(problems).toEqual([])
    })

    it('a second click of a button does nothing twice', async () => {
      const { id, path } = await note('/twice')
      const { page, open } = await panel({ as: 'admin' })
      await open(path)
      const { sent, go } = await held(page)
      await page.getByRole('button', { name: 'Add', exact: true }).dblclick()
      go()
      await page.waitForFunction(old => !document.querySelector(`[id="n-${old}"][aria-current]`), id)
      await rest(page)
      expect(sent).toHaveLength(1)
      expect((await call('GET', `/api/v1/content?parent_id=${id}`)).body).toHaveLength(1)
    })

    it('the next field of a datatype is typed while the one before is on its way', async () => {
      const model = await datatype('Slow')
      const { page, open, problems } = await panel({ as: 'admin' })
      await open(`/datatypes/${model.datatype_id}`)
      const { sent, go } = await held(page)
      await page.locator('summary', { hasText: 'Add a field' }).click()
      await page.keyboard.type('One')
      await page.locator('.type-tile', { hasText: 'Number' }).click()
      await page.keyboard.press('Enter')
      // The form is empty at once, with the first type.
      await expect.poll(() => page.locator('#f-field_label').inputValue()).toBe('')
      await page.locator('#f-field_label').focus()
      await page.keyboard.type('Two')
      await page.keyboard.press('Enter')
      go()
      await expect.poll(() => page.locator('[data-order] > li').count()).toBe(2)
      const made = (await call('GET', `/api/v1/fields?parent_id=${model.datatype_id}`)).body
      expect(made.map((one: { label: string; field_type: string }) => [one.label, one.field_type])).toEqual([
        ['One', 'number'],
        ['Two', 'text'],
      ])
      expect([sent.length, await page.locator('#f-field_label').inputValue()]).toEqual([2, ''])
      expect(problems).toEqual([])
      const name = () => page.locator('#f-field_label').inputValue()
      const tooLong = 'x'.repeat(2000)
      await page.locator('#f-field_label').fill(tooLong)
      await page.keyboard.press('Enter')
      await page.locator('#e-field_label').waitFor()
      expect(await name()).toBe(tooLong)

      await page.context().setOffline(true)
      await page.locator('#f-field_label').fill('Three')
      await page.keyboard.press('Enter')
      await bar(page, /^Not saved: no connection/)
      expect(await name()).toBe('Three')
      await page.context().setOffline(false)
      await page.keyboard.press('Enter')
      await expect.poll(() => page.locator('[data-order] > li').count()).toBe(3)
      expect(await name()).toBe('')
      // What another form could not send is no reason to bring a stored name back.
      await page.context().setOffline(true)
      await page.locator('[data-order] > li a').first().focus()
      await page.keyboard.press('Alt+ArrowDown')
      await bar(page, /^Not saved: no connection/)
      expect(await name()).toBe('')
    })

    it('each of several moves in the tree is made', async () => {
      const { id, path } = await note('/moves')
      for (const name of ['One', 'Two', 'Three', 'Four'])
        await entry(datatype_id, { parent_id: id }, { fields: { text: name } })
      const { page, open, problems } = await panel({ as: 'admin' })
      await open(path)
      const { sent, go } = await held(page)
      await page.getByRole('treeitem', { name: 'Four' }).focus()
      for (let i = 0; i < 3; i++) await page.keyboard.press('Alt+ArrowUp')
      go()
      const names = () => page.locator('[role=treeitem][aria-level="2"] .label').allTextContents()
      await expect.poll(names).toEqual(['Four', 'One', 'Two', 'Three'])
      await page.locator('#say', { hasText: 'Four, 1 of 4' }).waitFor({ state: 'attached' })
      expect(sent).toHaveLength(3)
      expect(problems).toEqual([])
    })

    it('a list shows what its filter says last', async () => {
      for (const slug of ['/abc', '/abd', '/abe']) await note(slug)
      const { page, open, problems } = await panel({ as: 'admin' })
      await open('/content')
      let go = () => {}
      const isGone = new Promise<void>(resolve => (go = resolve))
      const asked: (string | null)[] = []
      await page.route('**/admin/content?*', async one => {
        asked.push(new URL(one.request().url()).searchParams.get('q'))
        await isGone
        // The page no longer waits for the earlier ones.
        await one.continue().catch(() => undefined)
      })
      await page.locator('form.filters [name=q]').focus()
      for (const [i, letter] of [...'/abc'].entries()) {
        await page.keyboard.type(letter)
        await expect.poll(() => asked.length).toBe(i + 1)
      }
      go()
      await expect.poll(() => page.locator('form.work-list tbody tr').count()).toBe(1)
      expect(asked.at(-1)).toBe('/abc')
      expect(problems).toEqual([])
    })
  },
)
