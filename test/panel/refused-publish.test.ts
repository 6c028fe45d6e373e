import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean } from '../support/browser.js'
import { factories } from '../support/factories.js'
import { panelForms } from '../support/panel-forms.js'

const app = await testApp({ i18n_enabled: true })
const { call, services } = app
const { datatype, field, route, entry } = factories(app)
const { post, seen } = panelForms(app)

await call('POST', '/api/v1/locales', { body: { code: 'de', label: 'German' } })
const course = await datatype('Course')
await field(course.datatype_id, 'Teaser', 'textarea')
for (let n = 1; n <= 12; n++) await field(course.datatype_id, `Note ${n}`, 'textarea')
await field(course.datatype_id, 'Heading', 'text', { required: true })
await field(course.datatype_id, 'Body', 'richtext', { required: true })
await field(course.datatype_id, 'Picture', 'media', { required: true })
await field(course.datatype_id, 'See also', 'relation', { required: true, data: { cardinality: 'many' } })
const step = await datatype('Step')
await field(step.datatype_id, 'Name', 'text')
await field(step.datatype_id, 'Length', 'number', { required: true })

async function page(slug: string) {
  const { route_id } = await route(slug, `Page ${slug}`)
  const child = { datatype_id: step.datatype_id, fields: { name: 'First step' } }
  const made = await entry(course.datatype_id, { route_id }, { children: [child] })
  return { id: made.content_data_id as string, child: made.children[0].content_data_id as string }
}

const storedIn = async (id: string) =>
  (await call('GET', `/api/v1/content-fields?content_data_id=${id}`)).body.map(
    (row: { field_value: string }) => row.field_value,
  )

describe('D1: a publish that is refused', () => {
  it('says that what was typed is saved, what kept it from being published, and where', async () => {
    const { id, child } = await page('/refused')
    const at = `/admin/content/entry/${id}`
    const before = await seen(at)
    const answer = await post(at, { seen: before, next: 'publish', 'fields.teaser': 'A teaser typed now' })
    expect(answer.status).toBe(400)
    expect(await storedIn(id)).toEqual(['A teaser typed now'])
    const { text } = answer
    expect(text).toContain('<b>Saved, not published</b>')
    expect(text).not.toContain('Not saved')
    expect(text).toContain('<a href="#f-fields.heading">Heading is required</a>')
    expect(text).toContain('<a href="#e-fields.seeAlso">See also is required</a>')
    expect(text).toContain(
      `<a href="/admin/content/entry/${child}#f-fields.length">“First step”: Length is required</a>`,
    )
    // The form shows the edit that it has made, so that the next save is no conflict with it.
    const [, mark] = /name="seen" value="([^"]*)"/.exec(text) ?? []
    expect(mark).toBe(await seen(at))
    expect(mark).not.toBe(before)
    expect((await post(at, { seen: mark ?? '', 'fields.teaser': 'Another' })).status).toBe(303)
    expect((await services.space.content.get(id)).status).toBe('draft')
  })

  it('D25: names a field by its label, and not by its key', async () => {
    const { datatype_id } = await datatype('Machine', { type: '_global' })
    await field(datatype_id, 'Extra data', 'json')
    const { content_data_id: id } = await entry(datatype_id, {}, { fields: { extraData: {} } })
    const { status, text } = await post(`/admin/content/entry/${id}`, { 'fields.extraData': '{' })
    expect(status).toBe(400)
    expect(text).toContain('<a href="#f-fields.extraData">Extra data must be JSON</a>')
    expect(text).not.toContain('extraData must')
  })

  it('says of another language where it is written', async () => {
    const { datatype_id } = await datatype('Menu', { type: '_global' })
    await field(datatype_id, 'Title', 'text', { translatable: true, data: { maxLength: 5 } })
    const made = await entry(datatype_id, {}, { fields: { title: 'Long enough' } })
    const id: string = made.content_data_id
    const answer = await post(`/admin/content/entry/${id}?locale=de`, {
      next: 'publish',
      'fields.title': 'Kurz',
    })
    expect(answer.text).toContain('<b>Saved, not published</b>')
    expect(answer.text).toMatch(new RegExp(`<a href="/admin/content/entry/${id}#f-fields.title">`))
    expect(await storedIn(id)).toContain('Kurz')
  })

  it('says that it is saved where the permission to publish is missing', async () => {
    const { id } = await page('/editor')
    const at = `/admin/content/entry/${id}`
    const as = 'editor' as const
    const answer = await post(at, { next: 'publish', 'fields.teaser': 'By the editor' }, { as })
    expect([answer.status, answer.text.includes('Saved, not published')]).toEqual([403, true])
    expect(await storedIn(id)).toEqual(['By the editor'])
  })

  it('lists what a save refuses as links too, in forms of one part and of several', async () => {
    const refused = await post('/admin/routes/new', { title: '', slug: '' })
    expect(refused.text).toContain('<b>Not saved</b>')
    expect(refused.text).toMatch(/<a href="#f-title">Title/)
    const settings = await post('/admin/settings', { webhook_timeout: 'soon' })
    expect(settings.text.match(/data-refused/g)).toHaveLength(1)
    expect(settings.text).toMatch(/<a href="#f-webhook_timeout">Webhook timeout/)
  })
})

describe.skipIf(chromiumMissing)(
  `D1 and D2 in a browser${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel } = await browserOf(app)
    const focused = (tab: Page) =>
      tab.evaluate(() => {
        const { activeElement: at } = document
        const { top = -1, bottom = -1 } = at?.getBoundingClientRect() ?? {}
        return { id: at?.id || at?.className, isSeen: top >= 0 && bottom <= innerHeight }
      })

    it('D2: goes to the first wrong field, and to the others by links', async () => {
      const { id } = await page('/scrolled')
      const admin = await panel({ as: 'admin' })
      const { page: tab, open } = admin
      await open(`/content/entry/${id}`)
      await tab.locator('.ProseMirror').waitFor()
      await tab.fill('[id="f-fields.teaser"]', 'Typed at the top')
      await tab.keyboard.press('Control+Enter')
      await tab.locator('#saved', { hasText: /^Saved .*Not published: 5 fields/ }).waitFor()
      expect(await focused(tab)).toEqual({ id: 'f-fields.heading', isSeen: true })
      await expectClean(admin)
      // Nobody else has saved it, and nothing waits to be saved.
      await tab.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
      await tab.waitForResponse(/\/presence\//)
      await tab.evaluate(() => fetch('/admin/find/results?q=zz').then(answer => answer.json()))
      expect(await tab.locator('#elsewhere').count()).toBe(0)
      expect(await tab.locator('[data-refused]').count()).toBe(1)

      const link = (name: string) => tab.locator('[data-refused]').getByRole('link', { name })
      await link('Body is required').click()
      expect((await focused(tab)).id).toContain('ProseMirror')
      await link('Picture is required').click()
      expect(await tab.evaluate(() => document.activeElement?.textContent)).toBe('Choose…')
      await link('See also is required').click()
      expect(await tab.evaluate(() => document.activeElement?.closest('fieldset')?.textContent)).toContain(
        'See also',
      )
      await link('“First step”: Length is required').click()
      await tab.waitForURL(/#f-fields\.length$/)
      expect((await focused(tab)).id).toBe('f-fields.length')
      await tab.locator('[id="f-fields.length"]').fill('3')
      await tab.keyboard.press('Control+s')
      await tab.locator('#saved', { hasText: /^Saved \d/ }).waitFor()
    })

    it('keeps no draft of what is saved, and keeps what is typed after it', async () => {
      const { id } = await page('/kept')
      const { page: tab, open } = await panel({ as: 'admin' })
      await open(`/content/entry/${id}`)
      await tab.fill('[id="f-fields.teaser"]', 'Saved with the refusal')
      await tab.keyboard.press('Control+Enter')
      await tab.locator('#saved', { hasText: 'Not published' }).waitFor()
      await tab.fill('[id="f-fields.note1"]', 'Typed after it')
      await tab.keyboard.press('Control+s')
      await tab.locator('#saved', { hasText: /^Saved \d/ }).waitFor()
      expect((await storedIn(id)).toSorted()).toEqual(['Saved with the refusal', 'Typed after it'])
      await open(`/content/entry/${id}`)
      expect(await tab.getByRole('button', { name: 'Restore' }).count()).toBe(0)
    })

    it('goes to the field that a save refuses', async () => {
      const { page: tab, open } = await panel({ as: 'admin' })
      await open('/routes/new')
      await tab.fill('#f-title', 'A title')
      await tab.fill('#f-slug', '/scrolled')
      await tab.keyboard.press('Control+s')
      await tab.locator('#saved', { hasText: 'Not saved: 1 field' }).waitFor()
      expect((await focused(tab)).id).toBe('f-slug')
    })
  },
)
