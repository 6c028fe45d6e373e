import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean } from '../support/browser.js'
import { factories } from '../support/factories.js'
import { panelForms } from '../support/panel-forms.js'

const app = await testApp()
const { call, clock } = app
const { datatype, field, route, entry } = factories(app)
const { post, seen } = panelForms(app)

const { datatype_id } = await datatype('Note')
for (const label of ['Title', 'Text', 'More']) await field(datatype_id, label, 'textarea')

async function note(slug: string, fields = {}): Promise<{ id: string; path: string }> {
  const { route_id } = await route(slug)
  const { content_data_id: id } = await entry(datatype_id, { route_id }, { fields })
  return { id, path: `/admin/content/entry/${id}` }
}

const stored = async (id: string) =>
  (await call('GET', `/api/v1/content-fields?content_data_id=${id}`)).body
    .map((one: { field_value: string }) => one.field_value)
    .toSorted() as string[]

async function theirs(id: string, fields: object): Promise<void> {
  clock.advance(1000)
  await call('PUT', `/api/v1/content?q=${id}`, { as: 'editor', body: { fields } })
}

describe('a save of an entry that somebody else has saved', () => {
  it('is compared in its transaction: of two at once one is refused, and neither is lost', async () => {
    for (let round = 0; round < 5; round++) {
      const { id, path } = await note(`/at-once-${round}`, { title: 'old' })
      const mark = await seen(path)
      const answers = await Promise.all(
        (['admin', 'editor'] as const).map(async as => ({
          as,
          ...(await post(path, { 'fields.title': `of ${as}`, seen: mark }, { as })),
        })),
      )
      expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 412])
      const [first, second] = answers.toSorted((a, b) => a.status - b.status)
      expect(await stored(id)).toEqual([`of ${first?.as}`])
      expect(second?.text).toContain(`of ${second?.as}</textarea>`)
      expect(second?.text).toContain(`of <mark>${first?.as}</mark>`)
    }
  })

  it('is one of another field only, where the script has said what was typed into', async () => {
    const { id, path } = await note('/apart', { title: 'old', text: 'old', more: 'old' })
    const mark = await seen(path)
    await theirs(id, { text: 'theirs' })
    const values = { 'fields.title': 'mine', 'fields.text': 'old', 'fields.more': 'old', seen: mark }
    const told = await post(path, { ...values, form_touched: '["fields.title"]' })
    expect([told.status, told.text.includes('data-conflict=')]).toEqual([412, false])
    expect(told.text).toContain('Theirs, and not typed into by you: Text.')
    expect(told.text).toContain('\ntheirs</textarea>')
    expect(told.text).toContain('\nmine</textarea>')
    // Without the script nobody knows that the text was not typed: both are shown.
    const untold = await post(path, values)
    expect(untold.text.match(/data-conflict="[^"]*"/g)).toEqual(['data-conflict="fields.text"'])
    for (const form_touched of ['no list', '{}', '[1]', '["seen"]'])
      expect((await post(path, { ...values, form_touched })).status).toBe(412)
    expect(await stored(id)).toEqual(['old', 'old', 'theirs'])
  })

  it('is told of the mark that was first shown, also after a refusal for another reason', async () => {
    const { route_id } = await route('/marked')
    const at = `/admin/routes/${route_id}`
    const mark = await seen(at)
    await call('PUT', `/api/v1/routes?q=${route_id}`, { as: 'admin', body: { title: 'Theirs' } })
    const wrong = await post(at, { title: '', slug: '/marked', seen: mark })
    expect([wrong.status, wrong.text.includes(`name="seen" value="${mark}"`)]).toEqual([400, true])
    const late = await post(at, { title: 'Mine', slug: '/marked', seen: mark })
    expect(late.status).toBe(412)
    expect(late.text).toContain('<b>Administrator saved this while you were writing</b>')
  })
})

describe.skipIf(chromiumMissing)(
  `two texts of one field${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel } = await browserOf(app)

    it('are shown with who saved, when, and the words that differ; what was not typed into is theirs', async () => {
      const { id } = await note('/words', {
        title: 'A house by the sea',
        text: 'As it was',
        more: 'Kept',
      })
      const admin = await panel({ as: 'admin' })
      const { page, open } = admin
      await open(`/content/entry/${id}`)
      await page.locator('[id="f-fields.title"]').fill('A white house by the sea')
      await theirs(id, { title: 'A house by the lake', text: 'As it is now' })
      await page.keyboard.press('Control+s')
      await page.locator('#saved', { hasText: 'somebody else saved' }).waitFor()
      const head = page.locator('[data-conflicts] > p').first()
      expect(await head.innerText()).toMatch(/^editor saved this while you were writing, .+\. What you typed/)
      expect(await page.locator('[data-conflicts] mark').allTextContents()).toEqual(['white ', 'sea', 'lake'])
      expect(await page.locator('[data-conflict]').count()).toBe(1)
      expect(await page.locator('[id="f-fields.text"]').inputValue()).toBe('As it is now')
      await expectClean(admin)
      await page.keyboard.press('Control+s')
      await page.locator('#saved', { hasText: /^Saved/ }).waitFor()
      expect(await stored(id)).toEqual(['A white house by the sea', 'As it is now', 'Kept'])
    })
  },
)
