import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'
import { panelForms } from '../support/panel-forms.js'

const app = await testApp()
const { call, db, services } = app
const { post, seen } = panelForms(app)

const french = { label: 'Français', code: 'fr', fallback_code: '', is_enabled: 'true', sort_order: '3' }

/** What an ordinary resource does, tried with locales. */
describe('the pages of a resource', () => {
  it('list, create, change and delete, with one audit event of the panel for each change', async () => {
    const before = (await app.audits()).length
    const made = await post('/admin/locales/new', french)
    expect([made.status, made.location]).toEqual([
      303,
      expect.stringMatching(/^\/admin\/locales\/\w{26}\?saved$/),
    ])
    const path = made.location.replace('?saved', '')
    const id = path.split('/').at(-1) ?? ''
    expect(await services.locales.get(id)).toMatchObject({ code: 'fr', sort_order: 3, is_default: false })
    const list = await call('GET', '/admin/locales')
    expect(list.text).toContain('Français')
    expect(list.text).toContain(`href="${path}"`)

    const changed = await post(path, { label: 'French', is_enabled: 'false', seen: await seen(path) })
    expect([changed.status, changed.location]).toEqual([303, `${path}?saved`])
    expect(await services.locales.get(id)).toMatchObject({ label: 'French', is_enabled: false, code: 'fr' })

    expect((await call('GET', `${path}/delete`)).text).toContain('Delete “French”?')
    expect((await post(`${path}/delete`, {})).location).toBe('/admin/locales?saved')
    expect((await call('GET', path)).status).toBe(404)
    const audits = (await app.audits()).slice(before)
    expect(audits.map(({ operation, surface, user_id }) => [operation, surface, user_id])).toEqual(
      ['INSERT', 'UPDATE', 'DELETE'].map(operation => [operation, 'panel', app.users.admin]),
    )
  })

  it('show a refused form again with what was typed, and every sentence beside its field', async () => {
    const count = await db.countAll(tables.locales)
    const refused = await post('/admin/locales/new', { ...french, label: ' ', code: 'not a code' })
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('value="not a code"')
    expect(refused.text).toMatch(/id="e-code"[^>]*>.*must be a language tag/s)
    expect(refused.text).toMatch(/id="e-label"[^>]*>.*must have more than whitespace/s)
    expect(refused.text).toContain('aria-describedby="e-code"')
    const unknown = await post('/admin/locales/new', { ...french, fallback_code: 'xx' })
    expect(unknown.text).toMatch(/id="e-fallback_code"[^>]*>.*the locale does not exist/s)
    const taken = await post('/admin/locales/new', { ...french, code: 'en' })
    expect([taken.status, taken.text.includes('already exists')]).toEqual([409, true])
    expect(await db.countAll(tables.locales)).toBe(count)
  })

  it('refuse a change of what somebody else has saved meanwhile, and show both texts', async () => {
    const { location } = await post('/admin/locales/new', { ...french, code: 'it', label: 'Italian' })
    const path = location.replace('?saved', '')
    const mark = await seen(path)
    expect((await post(path, { label: 'Italiano', seen: mark })).status).toBe(303)
    const late = await post(path, { label: 'Italienisch', seen: mark })
    expect(late.status).toBe(412)
    expect(late.text).toContain('<b>Administrator saved this while you were writing</b>')
    expect(late.text).toContain('value="Italienisch"')
    expect(late.text).toContain('<code><mark>Italiano</mark></code>')
    const again = /name="seen" value="([^"]*)"/.exec(late.text)?.[1] ?? ''
    expect((await post(path, { label: 'Italienisch', seen: again })).status).toBe(303)
  })

  it('save what was changed of a key that has been used meanwhile', async () => {
    const { body } = await call('POST', '/api/v1/tokens', { body: { label: 'A robot' } })
    const path = `/admin/tokens/${body.token_id}`
    const mark = await seen(path)
    const used = { last_used_at: '2026-11-21T12:34:56.000Z' }
    await db.write(systemActor, tx => tx.setSilently(tables.tokens, 'token_id', [body.token_id], used))
    const saved = await post(path, { label: 'The robot', seen: mark })
    expect([saved.status, (await services.tokens.get(body.token_id)).label]).toEqual([303, 'The robot'])
    expect((await post(path, { label: 'Late', seen: mark })).status).toBe(412)
  })

  it('begin with what people call a record', async () => {
    const { datatype_id } = await factories(app).datatype('Card')
    const { field_id } = await factories(app).field(datatype_id, 'Title', 'text')
    for (const path of [`/admin/datatypes/${datatype_id}`, `/admin/fields/${field_id}`]) {
      const [, form = ''] = (await call('GET', path)).text.split('id="form"')
      const labels = [...form.matchAll(/<label for="f-([^"]*)"/g)].map(([, name]) => name)
      expect(labels.slice(0, 2)).toEqual(['label', 'name'])
    }
  })

  it('refuse nobody, a role without the right, a foreign form and what is not there', async () => {
    const count = await db.countAll(tables.locales)
    expect((await post('/admin/locales/new', french, { as: 'nobody', token: 'x' })).status).toBe(403)
    const viewer = await post('/admin/locales/new', french, { as: 'viewer' })
    expect(viewer.status).toBe(403)
    expect(viewer.text).toContain('<code>content:admin</code>')
    expect(viewer.text).toContain('<b>admin</b>')
    expect((await post('/admin/locales/new', french, { token: 'x' })).status).toBe(403)
    expect((await post('/admin/locales/01JZ8M4Q7R6T5V3W2X1Y0ZABCD', french)).status).toBe(404)
    expect((await call('GET', '/admin/locales/nothing')).status).toBe(404)
    expect(await db.countAll(tables.locales)).toBe(count)
  })

  it('show only what one may do', async () => {
    const viewer = await call('GET', '/admin/locales', { as: 'viewer' })
    expect(viewer.text).not.toContain('/admin/locales/new')
    const path = /href="(\/admin\/locales\/\w{26})"/.exec(viewer.text)?.[1] ?? ''
    const record = await call('GET', path, { as: 'viewer' })
    expect(record.text).not.toMatch(/<form|Delete/)
    expect(record.text).toContain('English')
  })

  it('draw lists page by page', async () => {
    const { text } = await call('GET', '/admin/locales?after=0')
    expect(text).toContain('English')
    expect((await call('GET', '/admin/locales?after=ZZZZ')).text).toContain('No languages yet.')
  })
})
