import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { callersOf } from '../support/callers.js'
import { factories } from '../support/factories.js'
import { panelForms } from '../support/panel-forms.js'
import { goTo, openScreens } from '../support/ssh-screens.js'

const app = await testApp({ i18n_enabled: true })
const { call, db, services } = app
const { datatype, route } = factories(app)
const { post, seen } = panelForms(app)
const { callerWith } = callersOf(app)
const article = (await datatype('Article')).datatype_id as string
await datatype('Landing')
const { route_id } = await route('/news', 'News')
await call('POST', '/api/v1/locales', { body: { code: 'fr', label: 'French' } })

const none: [string, string][] = [
  ['limits.datatypes', ''],
  ['limits.routes', ''],
  ['limits.locales', ''],
  ['limits.own', 'false'],
]
const all: [string, string][] = [
  ...none,
  ['limits.datatypes', article],
  ['limits.routes', '/news'],
  ['limits.locales', 'fr'],
  ['limits.own', 'true'],
]
const stored = { datatypes: [article], routes: [route_id], locales: ['fr'], own: true }
const keyNow = async (id: string) => {
  const { limits, rate_limit } = await services.tokens.get(id)
  return { limits, rate_limit }
}
const madeBy = (text: string) => /href="\/admin\/tokens\/(\w{26})"/.exec(text)?.[1] ?? ''

describe('the limits of a key in the panel', () => {
  it('are set with the key, shown on its page, changed and removed', async () => {
    const made = await post('/admin/tokens/new', [['label', 'Shop'], ...all, ['rate_limit', '600']])
    const id = madeBy(made.text)
    expect(await keyNow(id)).toEqual({ limits: stored, rate_limit: 600 })
    const at = `/admin/tokens/${id}`
    const { text } = await call('GET', at)
    for (const value of [article, '/news', 'fr']) expect(text).toContain(`value="${value}" checked`)
    expect(text).toMatch(/name="rate_limit"[^>]*value="600"/)
    const label: [string, string] = ['label', 'Shop']
    const again = await post(at, [['seen', await seen(at)], label, ...all, ['rate_limit', '600']])
    expect([again.status, await keyNow(id)]).toEqual([303, { limits: stored, rate_limit: 600 }])
    const changed = [...none, ['limits.own', 'true'] as [string, string]]
    await post(at, [['seen', await seen(at)], label, ...changed, ['rate_limit', '5']])
    expect(await keyNow(id)).toEqual({ limits: { own: true }, rate_limit: 5 })
    await post(at, [['seen', await seen(at)], label, ...none, ['rate_limit', '']])
    expect(await keyNow(id)).toEqual({ limits: null, rate_limit: null })
  })

  it('keep what was typed when a save is refused', async () => {
    const before = await db.count(tables.tokens)
    const values: [string, string][] = [...none, ['limits.routes', '/nowhere'], ['limits.own', 'true']]
    const refused = await post('/admin/tokens/new', [['label', 'x'], ...values, ['rate_limit', '7']])
    expect([refused.status, refused.text.includes('there is no /nowhere')]).toEqual([400, true])
    expect(refused.text).toContain('value="/nowhere" checked')
    expect(refused.text).toMatch(/name="rate_limit"[^>]*value="7"/)
    for (const rate of ['0', '100001', 'many', '-1', '1.5']) {
      const answer = await post('/admin/tokens/new', [['label', 'x'], ...all, ['rate_limit', rate]])
      expect([rate, answer.status]).toEqual([rate, 400])
      expect(answer.text).toContain(`value="${article}" checked`)
    }
    expect(
      (
        await post('/admin/tokens/new', [
          ['label', 'x'],
          ['limits.more', 'y'],
        ])
      ).status,
    ).toBe(400)
    expect(await db.count(tables.tokens)).toBe(before)
  })

  it('are offered as far as the user may see, and set by whoever may make keys', async () => {
    const maker = await callerWith('tokens:create', 'tokens:read', 'tokens:update')
    const form = (await maker.call('GET', '/admin/tokens/new')).text
    expect(form).toContain('name="limits.own"')
    expect(form).not.toContain('value="/news"')
    expect(form).not.toContain(article)
    const made = await maker.post('/admin/tokens/new', { label: 'own', 'limits.own': 'true' })
    expect([made.status, (await keyNow(madeBy(made.text))).limits]).toEqual([200, { own: true }])
    const reader = await callerWith('tokens:read')
    const at = `/admin/tokens/${madeBy(made.text)}`
    const shown = (await reader.call('GET', at)).text
    expect([shown.includes('name="limits.own"'), shown.includes('Own entries only')]).toEqual([false, true])
    await call('PUT', `/api/v1${at.replace('/admin', '')}`, {
      body: { limits: { datatypes: [article], own: true } },
    })
    const inWords = (await (await callerWith('tokens:read', 'datatypes:read')).call('GET', at)).text
    expect([inWords.includes('Article'), inWords.includes('Yes'), inWords.includes(article)]).toEqual([
      true,
      true,
      false,
    ])
    expect((await reader.post(at, { label: 'x', 'limits.own': 'false' })).status).toBe(403)
    expect((await post('/admin/tokens/new', all, { as: 'nobody' })).status).not.toBe(200)
    expect((await post('/admin/tokens/new', all, { as: 'editor' })).status).toBe(403)
  })

  it('are in the form of a key over SSH, which keeps those that it does not change', async () => {
    const key = {
      user_id: app.users.admin,
      label: 'by ssh',
      token_hash: 'x',
      issued_at: '2026-01-01T00:00:00.000Z',
    }
    const { token_id } = await db.write(systemActor, tx =>
      tx.insert(tables.tokens, {
        ...key,
        token_type: 'api_key',
        limits: { datatypes: [article], own: true, reads: [] },
      }),
    )
    const client = await openScreens(app, 'admin', { columns: 120, rows: 40 })
    await goTo(client, 'api keys', 'by ssh')
    client.press('end', 'enter')
    await client.sees('Requests per minute')
    await client.sees('Article')
    for (const text of ['Own entries only', 'Languages']) await client.sees(text)
    client.press('end', 'up', 'up', 'enter', 'ctrl+s')
    await client.sees('Saved.')
    expect(await keyNow(token_id)).toEqual({
      limits: { datatypes: [article], reads: [] },
      rate_limit: null,
    })
  })
})
