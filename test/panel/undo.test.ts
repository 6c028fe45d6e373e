import { describe, expect, it } from 'vitest'
import { tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing } from '../support/browser.js'
import { callersOf } from '../support/callers.js'
import { factories } from '../support/factories.js'
import { panelForms } from '../support/panel-forms.js'

const app = await testApp({ i18n_enabled: true })
const { call, db, services } = app
const { datatype, field, route, entry } = factories(app)
const { post, seen } = panelForms(app)
const { callerWith } = callersOf(app)

const card = await datatype('Card')
const title = await field(card.datatype_id, 'Title', 'text', { translatable: true })
await field(card.datatype_id, 'Text', 'textarea', { translatable: true })
const { status: made } = await call('POST', '/api/v1/locales', { body: { code: 'de', label: 'German' } })
expect(made).toBe(201)

const pathOf = (id: string) => `/admin/content/entry/${id}`
const markIn = (location: string) => new URL(location, 'http://localhost').searchParams.get('undo') ?? ''

/** A draft page with a block. */
async function page(slug: string, status: 'draft' | 'published' = 'draft') {
  const { route_id } = await route(slug, `Page ${slug}`)
  const children = [{ datatype_id: card.datatype_id, fields: { title: 'Block' } }]
  const more = { status, fields: { title: 'First', text: 'Words' }, children }
  const made = await entry(card.datatype_id, { route_id }, more)
  const [id, block] = [made.content_data_id as string, made.children[0].content_data_id as string]
  const values = async () => {
    const { body } = await call('GET', `/api/v1/content-fields?content_data_id=${id}`)
    return body
      .map((one: { locale: string; field_value: string }) => [one.locale, one.field_value].join(':'))
      .toSorted() as string[]
  }
  const send = async (fields: Record<string, string>, query = '') =>
    post(`${pathOf(id)}${query}`, { ...fields, seen: await seen(`${pathOf(id)}${query}`) })
  const undo = (mark: string, as: 'admin' | 'editor' | 'viewer' = 'admin') =>
    post(`${pathOf(id)}/undo`, { mark }, { as })
  return { id, block, route_id, values, send, undo }
}
const audited = async () => (await app.audits()).length

describe('the undo of a save', () => {
  it('brings back the values of the save, and those that were not there', async () => {
    const { id, values, send, undo } = await page('/save')
    const before = await values()
    const saved = await send({ 'fields.title': 'Second', 'fields.text': '' })
    expect(saved.location).toMatch(/\?saved&undo=save\.\d+\.\d+$/)
    expect((await call('GET', saved.location)).text).toMatch(/Undo save\s*<\/button>/)
    expect(await values()).not.toEqual(before)
    const undone = await undo(markIn(saved.location))
    expect([undone.status, undone.location]).toEqual([303, `${pathOf(id)}?saved`])
    expect(await values()).toEqual(before)
    const german = await send({ 'fields.title': 'Erstens' }, '?locale=de')
    expect(german.location).toMatch(/\?locale=de&saved&undo=save\./)
    expect(await values()).toContain('de:Erstens')
    await undo(markIn(german.location))
    expect(await values()).toEqual(before)
  })

  it('brings back title and address too', async () => {
    const { route_id, values, send, undo } = await page('/renamed')
    const before = await values()
    const saved = await send({ title: 'Other', slug: '/other-name', 'fields.title': 'Second' })
    expect(await db.get(tables.routes, route_id)).toMatchObject({ title: 'Other', slug: '/other-name' })
    expect((await undo(markIn(saved.location))).status).toBe(303)
    expect(await db.get(tables.routes, route_id)).toMatchObject({ title: 'Page /renamed', slug: '/renamed' })
    expect(await values()).toEqual(before)
  })

  it('brings back title and address that were saved alone, also of a translation, until the page is renamed again', async () => {
    const { route_id, values, send, undo } = await page('/alone')
    const before = await values()
    const named = async () => {
      const { title, slug, translations } = (await db.get(tables.routes, route_id)) ?? {}
      return [title, slug, translations]
    }
    const saved = await send({ title: 'Other', slug: 'other-alone' })
    expect(saved.location).toMatch(/\?saved&undo=rename\.\d+\.\d+$/)
    expect((await call('GET', saved.location)).text).toMatch(/Undo save\s*<\/button>/)
    expect((await undo(markIn(saved.location), 'editor')).status).toBe(409)
    expect((await undo(markIn(saved.location), 'viewer')).status).toBe(403)
    const events = await audited()
    app.clock.advance(1000)
    expect((await undo(markIn(saved.location))).status).toBe(303)
    expect([await named(), await values()]).toEqual([['Page /alone', '/alone', {}], before])
    expect(await audited()).toBeGreaterThan(events)
    expect((await undo(markIn(saved.location))).status).toBe(412)
    const german = await send(
      { 'translations.de.title': 'Allein', 'translations.de.slug': '/allein' },
      '?locale=de',
    )
    expect(await named()).toEqual(['Page /alone', '/alone', { de: { slug: '/allein', title: 'Allein' } }])
    app.clock.advance(1000)
    const later = await send({ title: 'Third', slug: 'alone' })
    expect((await undo(markIn(german.location))).status).toBe(412)
    expect((await undo(markIn(later.location))).status).toBe(303)
    expect(await named()).toEqual(['Page /alone', '/alone', { de: { slug: '/allein', title: 'Allein' } }])
  })

  it('takes the permission to rename', async () => {
    const { id, route_id } = await page('/renamed-before')
    const editor = await callerWith('content:read', 'content:update', 'routes:read')
    const change = {
      route: { patch: { slug: '/renamed-after' } },
      entry: { patch: { fields: { title: 'Second' } } },
    }
    await services.space.content.updatePage(editor.actor, id, change)
    const { revision, version } = await services.space.undoing.mark(id, 'save')
    const asked = await editor.post(`${pathOf(id)}/undo`, { mark: `save.${revision}.${version}` })
    expect(asked.status).toBe(403)
    expect(await db.get(tables.routes, route_id)).toMatchObject({ slug: '/renamed-after' })
  })

  it('is refused by name after a change by somebody else, and overwrites nothing', async () => {
    const { id, values, send, undo } = await page('/theirs')
    const mark = markIn((await send({ 'fields.title': 'Mine' })).location)
    await call('PUT', `/api/v1/content?q=${id}`, { as: 'editor', body: { fields: { text: 'Theirs' } } })
    const [before, events] = [await values(), await audited()]
    const refused = await undo(mark)
    expect(refused.status).toBe(412)
    expect(refused.text).toContain('Not undone: editor has changed this since.')
    expect([await values(), await audited()]).toEqual([before, events])
  })

  it('is only for who has saved, and only once', async () => {
    const { values, send, undo } = await page('/own')
    const mark = markIn((await send({ 'fields.title': 'Mine' })).location)
    expect((await undo(mark, 'editor')).status).toBe(409)
    expect((await undo(mark, 'viewer')).status).toBe(403)
    expect(await values()).toContain(':Mine')
    expect((await undo(mark)).status).toBe(303)
    expect((await undo(mark)).status).toBe(412)
  })

  it('refuses what is no mark, no entry and a foreign form', async () => {
    const { id, undo } = await page('/marks')
    for (const mark of ['', 'save', 'save.1', 'save.x.1', 'drop.1.1', 'save.1.-1', 'x'.repeat(5000)])
      expect([mark.slice(0, 9), (await undo(mark)).status]).toEqual([mark.slice(0, 9), 400])
    const mark = 'save.99.1'
    expect((await undo(mark)).status).toBe(412)
    const gone = `${pathOf('01ARZ3NDEKTSV4RRFFQ69G5FAV')}/undo`
    expect((await post(gone, { mark })).status).toBe(404)
    expect((await post(`${pathOf(id)}/undo`, { mark }, { token: 'x' })).status).toBe(403)
    expect((await call('GET', `${pathOf(id)}?undo=${'x'.repeat(3000)}`)).text).not.toContain('Undo ')
  })

  it('is not offered where nothing was changed', async () => {
    const { send } = await page('/nothing')
    expect((await send({ 'fields.title': 'First' })).location).toMatch(/\?saved$/)
  })
})

describe('the undo of a publish', () => {
  it('hides what it made public, and nothing else', async () => {
    const { id, block, send, undo } = await page('/publish')
    const plan = { content_data_id: id, publish_at: '2027-01-01T00:00:00Z' }
    expect((await call('POST', '/api/v1/content/schedule', { body: plan })).status).toBe(200)
    const { publish_at } = await services.space.content.get(id)
    const { location } = await send({ 'fields.title': 'First', next: 'publish' })
    expect(location).toMatch(/&undo=publish\.\d+\.\d+$/)
    expect((await call('GET', '/publish', { as: 'nobody' })).status).toBe(200)
    const undone = await undo(markIn(location))
    expect([undone.status, (await call('GET', '/publish', { as: 'nobody' })).status]).toEqual([303, 404])
    expect(await services.space.content.get(id)).toMatchObject({
      status: 'draft',
      publish_at,
    })
    expect(await services.space.content.get(block)).toMatchObject({ status: 'draft' })
  })

  it('is refused by name after a change of somebody else anywhere in the page', async () => {
    const { block, send, undo } = await page('/in-page')
    const { location } = await send({ 'fields.title': 'First', next: 'publish' })
    await call('PUT', `/api/v1/content?q=${block}`, { as: 'editor', body: { fields: { title: 'Theirs' } } })
    const refused = await undo(markIn(location))
    expect(refused.status).toBe(412)
    expect(refused.text).toContain('Not undone: editor has changed this since.')
    expect((await call('GET', '/in-page', { as: 'nobody' })).status).toBe(200)
  })

  it('takes the permission to publish', async () => {
    const { id } = await page('/permission')
    const author = await callerWith('content:read', 'content:update')
    const { revision, version } = await services.space.undoing.mark(id, 'publish')
    const asked = await author.post(`${pathOf(id)}/undo`, { mark: `publish.${revision}.${version}` })
    expect([403, 409]).toContain(asked.status)
    expect(await services.space.content.get(id)).toMatchObject({ status: 'draft' })
  })
})

describe('the undo of an unpublish', () => {
  it('makes public again what was public, and no draft', async () => {
    const { id, block, undo } = await page('/again', 'published')
    await call('PUT', `/api/v1/content?q=${block}`, { body: { status: 'draft' } })
    const raw = async () => (await call('GET', '/again?format=raw', { as: 'nobody' })).text
    const before = await raw()
    const { location } = await post(`${pathOf(id)}/unpublish`, {})
    expect(location).toMatch(/\?saved&undo=unpublish\./)
    expect((await call('GET', '/again', { as: 'nobody' })).status).toBe(404)
    expect((await undo(markIn(location))).status).toBe(303)
    expect((await call('GET', '/again', { as: 'nobody' })).status).toBe(200)
    expect(await services.space.content.get(block)).toMatchObject({ status: 'draft' })
    expect(JSON.parse(await raw()).title).toEqual(JSON.parse(before).title)
  })

  it('is not offered where the page had unpublished changes', async () => {
    const staged = await testApp({ publish_mode: 'staged' })
    const own = { ...factories(staged), ...panelForms(staged) }
    const { datatype_id } = await own.datatype('Card')
    await own.field(datatype_id, 'Title', 'text')
    const { route_id } = await own.route('/pending', 'Pending')
    const more = { status: 'published', fields: { title: 'Public' } }
    const { content_data_id: id } = await own.entry(datatype_id, { route_id }, more)
    await staged.call('PUT', `/api/v1/content?q=${id}`, { body: { fields: { title: 'Waits' } } })
    expect((await own.post(`${pathOf(id)}/unpublish`, {})).location).toBe(`${pathOf(id)}?saved`)
  })
})

describe.skipIf(chromiumMissing)('undo in a browser', async () => {
  const { panel } = await browserOf(app)

  it('is one click after a save, and gone with the next page', async () => {
    const { id } = await page('/clicked')
    const admin = await panel({ as: 'admin' })
    const { page: tab, open, problems } = admin
    await open(`/content/entry/${id}`)
    const text = tab.locator('[id="f-fields.title"]')
    await text.fill('Typed')
    await tab.keyboard.press('Control+s')
    const undo = tab.getByRole('button', { name: 'Undo save' })
    await undo.waitFor()
    expect(await admin.axe()).toEqual([])
    await undo.click()
    await expect.poll(() => text.inputValue()).toBe('First')
    await expect.poll(() => undo.count()).toBe(0)
    expect([title.label, problems]).toEqual(['Title', []])
  })
})
