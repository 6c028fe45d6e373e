import { describe, expect, it } from 'vitest'
import { tables } from '../../src/db/tables.js'
import { all } from '../../src/resources/entries.js'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean } from '../support/browser.js'
import { factories } from '../support/factories.js'
import { panelForms } from '../support/panel-forms.js'

const app = await testApp({ i18n_enabled: true })
const { call, db, services } = app
const { datatype, field, route, entry } = factories(app)
const { post, seen } = panelForms(app)

const article = await datatype('Article')
await field(article.datatype_id, 'Lead', 'text')

/** A page with one block. */
async function page(slug: string, isPublished = true) {
  const { datatype_id } = article
  const { route_id } = await route(slug, `Page ${slug}`)
  const root = await entry(
    datatype_id,
    { route_id },
    { fields: { lead: 'Once' }, children: [{ datatype_id }] },
  )
  const id = root.content_data_id as string
  if (isPublished) await call('POST', '/api/v1/content/publish', { body: { content_data_id: id } })
  return {
    id,
    route_id: route_id as string,
    path: `/admin/content/entry/${id}`,
    child: root.children[0].content_data_id as string,
  }
}

const routeIn = (route_id: string) => db.get(tables.routes, route_id)
const leadOf = async (id: string) =>
  (await all(services.space.contentFields.list({ content_data_id: id }, {}))).map(
    ({ field_value }) => field_value,
  )

describe('D11: title and address of a page', () => {
  it('are saved with its fields, and what was at the old address leads to the new one', async () => {
    const { id, route_id, path } = await page('/news/first')
    const form = { title: 'Better', slug: 'better', 'fields.lead': 'Twice', seen: await seen(path) }
    expect((await post(path, form)).status).toBe(303)
    expect(await routeIn(route_id)).toMatchObject({ title: 'Better', slug: '/news/better' })
    expect(await leadOf(id)).toEqual(['Twice'])
    const old = await call('GET', '/news/first', { as: 'nobody' })
    expect([old.status, old.headers.get('location')]).toEqual([308, expect.stringContaining('/news/better')])
    // A path is an address of its own.
    expect((await post(path, { title: 'Better', slug: '/other/place', seen: await seen(path) })).status).toBe(
      303,
    )
    expect(await routeIn(route_id)).toMatchObject({ slug: '/other/place' })
  })

  it('are neither changed where the fields are refused, nor the fields where they are', async () => {
    const { id, route_id, path } = await page('/whole/one')
    await page('/whole/two')
    const form = { title: 'New', slug: 'one', 'fields.lead': 'New', seen: await seen(path) }
    const taken = await post(path, { ...form, slug: 'two' })
    expect(taken.status).toBe(409)
    expect(taken.text).toMatch(/id="e-slug">.*?\/whole\/two is taken, \/whole\/two-2 is available/s)
    expect(taken.text).toMatch(/name="title"[^>]*>\s*New</)
    for (const [wrong, at] of [
      [{ slug: 'a b' }, 'slug'],
      [{ slug: '' }, 'slug'],
      [{ slug: '/admin/x' }, 'slug'],
      [{ title: ' ' }, 'title'],
      [{ title: 'x'.repeat(1025) }, 'title'],
    ] as const) {
      const answer = await post(path, { ...form, ...wrong })
      expect([wrong, answer.status, answer.text.includes(`id="e-${at}"`)]).toEqual([wrong, 400, true])
    }
    const old = form.seen
    await call('PUT', '/api/v1/content', { body: { content_data_id: id, fields: { lead: 'Theirs' } } })
    app.clock.advance(1000)
    expect((await post(path, { ...form, seen: old })).status).toBe(412)
    expect(await routeIn(route_id)).toMatchObject({ title: 'Page /whole/one', slug: '/whole/one' })
    expect(await leadOf(id)).toEqual(['Theirs'])
  })

  it('are compared where somebody else has renamed the page meanwhile', async () => {
    const { route_id, path } = await page('/both')
    const mark = await seen(path)
    await call('PUT', '/api/v1/routes/', { body: { route_id, title: 'Theirs', slug: '/both' } })
    const late = await post(path, { title: 'Mine', slug: 'both', form_touched: '["title"]', seen: mark })
    expect(late.status).toBe(412)
    expect(late.text).toMatch(/data-conflict="title"/)
    expect(late.text).toMatch(/name="title"[^>]*>\s*Mine</)
    expect(late.text).not.toMatch(/data-conflict="slug"/)
    expect(await routeIn(route_id)).toMatchObject({ title: 'Theirs' })
    const again = await post(path, {
      title: 'Mine',
      slug: 'both',
      seen: /name="seen" value="([^"]*)"/.exec(late.text)?.[1] ?? '',
    })
    expect([again.status, (await routeIn(route_id))?.title]).toEqual([303, 'Mine'])
  })

  it('are text for who may not change routes, and of entries that are no page', async () => {
    const { id, route_id, path, child } = await page('/rights')
    const listed = async (list: string) => (await call('GET', `/api/v1/${list}`)).body
    const { role_id } = (await listed('roles')).find((one: { label: string }) => one.label === 'viewer')
    for (const label of ['content:read', 'content:update']) {
      const { permission_id } = (await listed('permissions')).find(
        (one: { label: string }) => one.label === label,
      )
      await call('POST', '/api/v1/role-permissions', { body: { role_id, permission_id } })
    }
    const shown = await call('GET', path, { as: 'viewer' })
    expect([shown.status, shown.text.includes('name="title"')]).toEqual([200, false])
    expect(shown.text).toContain('<code>/rights</code>')
    const refused = await post(path, { title: 'No', slug: 'rights', 'fields.lead': 'No' }, { as: 'viewer' })
    expect([refused.status, refused.text.includes('routes:update')]).toEqual([403, true])
    expect(await routeIn(route_id)).toMatchObject({ title: 'Page /rights' })
    expect((await post(path, { 'fields.lead': 'Yes' }, { as: 'viewer' })).status).toBe(303)
    expect(await leadOf(id)).toEqual(['Yes'])
    const block = `/admin/content/entry/${child}`
    expect((await call('GET', block)).text).not.toContain('name="title"')
    const actor = { userId: app.users.admin, surface: 'api' } as never
    await expect(
      services.space.content.updatePage(actor, child, { route: { patch: { title: 'x' } } }),
    ).rejects.toThrow('not a page')
  })
})

describe('title and address of a translation', () => {
  it('are written on the page of their language, with the text to translate under each field', async () => {
    await call('POST', '/api/v1/locales', { body: { code: 'de', label: 'Deutsch' } })
    const { datatype_id } = await datatype('Guide')
    await field(datatype_id, 'Text', 'richtext', { translatable: true })
    const { route_id } = await route('/guide', 'Guide')
    const text = '<p>Salt is <b>patient</b>.</p>'
    const { content_data_id: id } = await entry(datatype_id, { route_id }, { fields: { text } })
    const path = `/admin/content/entry/${id}?locale=de`
    const { text: shown } = await call('GET', path)
    expect(shown).toContain('All languages: Salt is patient.')
    // The default language shows what is written for every language.
    expect(shown.replace(/\s+/g, ' ')).toMatch(/>English ?<\/a>.*>Deutsch · 1 empty/)
    expect(shown).toMatch(/name="translations.de.slug"[^>]*placeholder="\/guide"/)
    const names = { title: 'translations.de.title', slug: 'translations.de.slug' }
    const typed = { [names.title]: 'Ratgeber', [names.slug]: 'ratgeber', seen: await seen(path) }
    const saved = await post(path, typed)
    expect([saved.status, saved.location]).toEqual([303, expect.stringContaining('undo=rename.')])
    const own = {
      title: 'Guide',
      slug: '/guide',
      translations: { de: { title: 'Ratgeber', slug: '/ratgeber' } },
    }
    expect(await routeIn(route_id)).toMatchObject(own)
    // What was shown before is refused, and so is an address that is taken, beside its field.
    const late = await post(path, { ...typed, [names.title]: 'Mine' })
    expect([late.status, late.text.includes('data-conflict="translations.de.title"')]).toEqual([412, true])
    await route('/taken', 'Taken')
    const taken = await post(path, { ...typed, [names.slug]: '/taken', seen: await seen(path) })
    expect([taken.status, taken.text.includes('id="e-translations.de.slug"')]).toEqual([409, true])
    expect(await routeIn(route_id)).toMatchObject(own)
    const events = (await app.audits()).length
    const again = await post(path, { ...typed, [names.slug]: '/ratgeber', seen: await seen(path) })
    expect([again.location, (await app.audits()).length]).toEqual([expect.stringMatching(/&saved$/), events])
    const cleared = { [names.title]: '', [names.slug]: '', seen: await seen(path) }
    expect((await post(path, cleared)).status).toBe(303)
    expect(await routeIn(route_id)).toMatchObject({ translations: {} })
    expect((await post(path, typed, { as: 'viewer' })).status).toBe(403)
    // The default language has the title and the address of the page itself.
    expect((await call('GET', path.replace('=de', '=en'))).text).toContain('name="title"')
  })
})

describe('D11 where edits wait for a publish', () => {
  it('title and address are public at once, and the fields with the publish', async () => {
    const staged = await testApp({ publish_mode: 'staged' })
    const make = factories(staged)
    const forms = panelForms(staged)
    const { datatype_id } = await make.datatype('Article')
    await make.field(datatype_id, 'Lead', 'text')
    const { route_id } = await make.route('/waits', 'Waits')
    const { content_data_id: id } = await make.entry(datatype_id, { route_id }, { fields: { lead: 'Old' } })
    await staged.call('POST', '/api/v1/content/publish', { body: { content_data_id: id } })
    const path = `/admin/content/entry/${id}`
    const given = { title: 'Now', slug: 'now', 'fields.lead': 'New', seen: await forms.seen(path) }
    expect((await forms.post(path, given)).status).toBe(303)
    const seenBy = async () => (await staged.call('GET', '/now?format=clean', { as: 'nobody' })).body
    expect(await seenBy()).toMatchObject({ title: 'Now', lead: 'Old' })
    expect((await staged.call('GET', path)).text).toContain('Title and address are public at once')
    await staged.call('POST', '/api/v1/content/publish', { body: { content_data_id: id } })
    expect(await seenBy()).toMatchObject({ lead: 'New' })
  })
})

describe.skipIf(chromiumMissing)(
  `D11 in a browser${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel } = await browserOf(app)

    it('is renamed where the title stands, and what is typed there is kept as fields are', async () => {
      const { route_id, id } = await page('/shelf/book')
      const admin = await panel({ as: 'admin' })
      const { page: tab, open } = admin
      await open(`/content/entry/${id}`)
      expect(await tab.getByRole('heading', { level: 1 }).textContent()).toBe('Page /shelf/book')
      await expectClean(admin)
      await tab.getByLabel('Title').fill('A longer book')
      await tab.locator('#saved', { hasText: 'kept here' }).waitFor()
      await tab.goto('about:blank')
      await open(`/content/entry/${id}`)
      await tab.getByRole('button', { name: 'Restore' }).click()
      expect(await tab.getByLabel('Title').inputValue()).toBe('A longer book')
      await tab.getByLabel('Address').fill('long-book')
      await tab.keyboard.press('Enter')
      await tab.locator('#saved', { hasText: /^\s*Saved/ }).waitFor()
      expect(await routeIn(route_id)).toMatchObject({ title: 'A longer book', slug: '/shelf/long-book' })
      expect(await tab.getByRole('heading', { level: 1 }).textContent()).toBe('A longer book')
      await tab.getByLabel('Address').fill('a b')
      await tab.keyboard.press('Enter')
      await tab.locator('#e-slug').waitFor()
      expect(await tab.evaluate(() => document.activeElement?.id)).toBe('f-slug')
      await expectClean(admin)
    })

    it('gets the text of another language by a button, which also undoes it', async () => {
      await call('POST', '/api/v1/locales', { body: { code: 'nl', label: 'Nederlands' } })
      const { datatype_id } = await datatype('Leaflet')
      await field(datatype_id, 'Text', 'richtext', { translatable: true })
      await field(datatype_id, 'Motto', 'text', { translatable: true })
      const { route_id } = await route('/leaflet', 'Leaflet')
      const fields = { text: '<p>Salt is <b>patient</b>.</p>', motto: 'Go "slow" & see' }
      const { content_data_id: id } = await entry(datatype_id, { route_id }, { fields })
      const admin = await panel({ as: 'admin' })
      const { page: tab, open } = admin
      await open(`/content/entry/${id}`)
      expect(await tab.getByRole('button', { name: /^Copy (from|this)/ }).count()).toBe(0)
      await open(`/content/entry/${id}?locale=nl`)
      const editor = tab.locator('.rich-text').first()
      await editor.waitFor()
      await expectClean(admin)
      await tab.getByRole('button', { name: 'Copy this text (Text)' }).click()
      await editor.getByText('Salt is patient.').waitFor()
      const motto = tab.getByLabel('Motto', { exact: true })
      await motto.fill('Eigen')
      await tab.getByRole('button', { name: 'Copy this text (Motto)' }).click()
      expect(await motto.inputValue()).toBe(fields.motto)
      await tab.getByRole('button', { name: 'Undo copy (Motto)' }).click()
      expect(await motto.inputValue()).toBe('Eigen')
      await tab.getByRole('button', { name: 'Copy this text (Motto)' }).click()
      await expectClean(admin)
      await tab.keyboard.press('Control+s')
      await tab.locator('#saved', { hasText: /^\s*Saved/ }).waitFor()
      const stored = await all(services.space.contentFields.list({ content_data_id: id, locale: 'nl' }, {}))
      expect(stored.map(({ field_value }) => field_value).sort()).toEqual(Object.values(fields).sort())
    })
  },
)
