import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { agentWith } from '../support/agent.js'
import { testApp } from '../support/app.js'
import { callersOf } from '../support/callers.js'
import { factories } from '../support/factories.js'
import { runFrom, servingCommands } from '../support/remote.js'

const app = await testApp({ publish_mode: 'staged' })
const { call, db, users } = app
const { datatype, field, route, entry } = factories(app)
const { callerWith } = callersOf(app)

const api = async (method: string, path: string, body?: unknown) => {
  const answer = await call(method, `/api/v1${path}`, body === undefined ? {} : { body })
  expect([path, answer.status < 300, answer.text]).toEqual([path, true, answer.text])
  return answer.body
}
const by = (key: string) => (method: string, path: string, body?: unknown) =>
  call(method, `/api/v1${path}`, {
    as: 'nobody',
    headers: { Authorization: `Bearer ${key}` },
    ...(body === undefined ? {} : { body }),
  })
const keyWith = (given: object) => api('POST', '/tokens', given)

const article = (await datatype('Article')).datatype_id as string
const other = (await datatype('Landing')).datatype_id as string
for (const kind of [article, other]) await field(kind, 'Heading', 'text', { translatable: true })
await api('POST', '/locales', { code: 'fr', label: 'French' })
let n = 0
async function pageOf(kind: string, slug = `/p${++n}`) {
  const { route_id } = await route(slug, slug)
  const made = await entry(kind, { route_id }, { fields: { heading: 'stored' } })
  return { slug, route_id: route_id as string, id: made.content_data_id as string }
}
const inside = await pageOf(article)
const below = await pageOf(other, `${inside.slug}/below`)
const outside = await pageOf(other)
/** A change, which is another each time. */
const saved = () => ({ fields: { heading: `changed ${++n}` } })

describe('the limits of a key', () => {
  it('are stored by ids, shown, changed and removed', async () => {
    const limits = { datatypes: ['article'], routes: [inside.slug], locales: ['fr'], own: true }
    const made = await keyWith({ label: 'part', limits, rate_limit: 600 })
    const stored = { datatypes: [article], routes: [inside.route_id], locales: ['fr'], own: true }
    expect(made).toMatchObject({ limits: stored, rate_limit: 600, token: expect.stringMatching(/^slk_/) })
    const path = `/tokens/?q=${made.token_id}`
    const record = await api('GET', path)
    expect(record).toMatchObject({ limits: stored, rate_limit: 600 })
    expect(await api('PUT', path, { ...record, label: 'sent back' })).toMatchObject({ limits: stored })
    expect(await api('PUT', path, { label: 'only this' })).toMatchObject({ limits: stored, rate_limit: 600 })
    expect(await api('PUT', path, { limits: { own: true } })).toMatchObject({ limits: { own: true } })
    const free = await api('PUT', path, { limits: null, rate_limit: null })
    expect(free).toMatchObject({ limits: null, rate_limit: null })
    expect(await keyWith({})).toMatchObject({ limits: null, rate_limit: null })
    expect(await keyWith({ limits: {} })).toMatchObject({ limits: null })
    const [event] = (await app.audits()).filter(one => one.record_id === made.token_id).slice(-1)
    expect(JSON.stringify(event)).toContain('rate_limit')
  })

  it('can be sent back whatever was deleted since', async () => {
    const gone = (await datatype('Gone')).datatype_id
    const { token_id } = await keyWith({ limits: { datatypes: [gone] } })
    await api('DELETE', `/datatypes?q=${gone}`)
    const record = await api('GET', `/tokens/?q=${token_id}`)
    expect(await api('PUT', `/tokens/?q=${token_id}`, record)).toMatchObject({
      limits: { datatypes: [gone] },
    })
    const again = await call('PUT', `/api/v1/tokens/?q=${token_id}`, {
      body: { limits: { datatypes: [gone], own: true } },
    })
    expect([again.status, again.body.member]).toEqual([400, 'limits.datatypes'])
  })

  const many = Array.from({ length: 101 }, (_, i) => `/page-${i}`)
  it.each<[object, string, string]>([
    [{ limits: { datatypes: ['nothing'] } }, 'limits.datatypes', 'there is no nothing'],
    [{ limits: { routes: ['/nowhere'] } }, 'limits.routes', 'there is no /nowhere'],
    [{ limits: { locales: ['xx'] } }, 'limits.locales', 'there is no xx'],
    [{ limits: { datatypes: [] } }, 'limits.datatypes', ''],
    [{ limits: { routes: many } }, 'limits.routes', '100'],
    [{ limits: { routes: ['/'.repeat(513)] } }, 'limits.routes.0', '512'],
    [{ limits: { own: false } }, 'limits.own', ''],
    [{ limits: { media: ['x'] } }, 'limits', 'media'],
    [{ limits: 'all' }, 'limits', ''],
    [{ limits: [] }, 'limits', ''],
    [{ limit: { own: true } }, 'limit', 'Did you mean limits?'],
    [{ rate_limit: 0 }, 'rate_limit', ''],
    [{ rate_limit: 100_001 }, 'rate_limit', '100000'],
    [{ rate_limit: 1.5 }, 'rate_limit', ''],
    [{ rate_limit: '600' }, 'rate_limit', ''],
    [{ rate_limit: 1e300 }, 'rate_limit', ''],
    [{ rate_limits: 5 }, 'rate_limits', 'Did you mean rate_limit?'],
  ])('are refused as %j', async (body, member, sentence) => {
    const { token_id } = await keyWith({})
    const before = await db.count(tables.tokens)
    for (const [method, path] of [
      ['POST', '/api/v1/tokens'],
      ['PUT', `/api/v1/tokens/?q=${token_id}`],
    ] as const) {
      const answer = await call(method, path, { body })
      expect([answer.status, answer.body.member]).toEqual([400, member])
      expect(answer.body.error).toContain(sentence)
    }
    expect(await db.count(tables.tokens)).toBe(before)
  })

  it('are set by whoever may make the key, and by nobody else', async () => {
    const body = { limits: { own: true }, rate_limit: 5 }
    const { token_id } = await keyWith({})
    for (const as of ['nobody', 'viewer', 'editor', 'key'] as const)
      for (const [method, path] of [
        ['POST', '/api/v1/tokens'],
        ['PUT', `/api/v1/tokens/?q=${token_id}`],
      ] as const)
        expect([as, (await call(method, path, { as, body })).status]).toEqual([as, 403])
    const maker = await callerWith('tokens:create', 'tokens:update', 'content:read')
    const made = await maker.call('POST', '/api/v1/tokens', body)
    expect([made.status, made.body.limits]).toEqual([201, { own: true }])
    const path = `/api/v1/tokens/?q=${made.body.token_id}`
    const changed = await maker.call('PUT', path, { limits: { datatypes: ['article'] }, rate_limit: null })
    expect([changed.status, changed.body.limits]).toEqual([200, { datatypes: [article] }])
    expect((await maker.call('PUT', `/api/v1/tokens/?q=${token_id}`, body)).status).toBe(403)
  })
})

describe('a change by a limited key', () => {
  it('is refused outside of them, also for an administrator, and binds at once', async () => {
    const made = await keyWith({ limits: { datatypes: ['article'] } })
    const key = by(made.token)
    const put = async (id: string) => (await key('PUT', `/content/?q=${id}`, saved())).body.code ?? 'done'
    expect([await put(inside.id), await put(below.id)]).toEqual(['done', 'outside_limits'])
    const refused = await key('PUT', `/content/?q=${outside.id}`, saved())
    expect([refused.status, refused.body]).toEqual([
      403,
      {
        code: 'outside_limits',
        error: `this API key may change only entries of article and what is under them: the entry ${outside.id} is outside`,
      },
    ])
    expect((await key('GET', `/content/?q=${outside.id}`)).status).toBe(200)
    await api('PUT', `/tokens/?q=${made.token_id}`, { limits: { routes: [inside.slug] } })
    expect([await put(inside.id), await put(below.id), await put(outside.id)]).toEqual([
      'done',
      'done',
      'outside_limits',
    ])
    await api('PUT', `/tokens/?q=${made.token_id}`, { limits: { locales: ['fr'] } })
    const french = await key('PUT', `/content/?q=${outside.id}`, {
      locale: 'fr',
      fields: { heading: 'mots' },
    })
    expect([french.status, await put(outside.id)]).toEqual([200, 'outside_limits'])
    await api('PUT', `/tokens/?q=${made.token_id}`, { limits: null })
    expect(await put(outside.id)).toBe('done')
  })

  it('must be inside of the limits of the role and of the key', async () => {
    const role = await callerWith('content:update', 'content:read', 'tokens:create')
    await db.write(systemActor, tx =>
      tx.update(tables.roles, role.role, { limits: { routes: [inside.route_id, outside.route_id] } }),
    )
    const made = await role.call('POST', '/api/v1/tokens', { limits: { datatypes: ['landing'] } })
    expect(made.status).toBe(201)
    const sentence = async (id: string) =>
      (await by(made.body.token)('PUT', `/content/?q=${id}`, saved())).body.error ?? 'done'
    expect(await sentence(outside.id)).toBe('done')
    expect(await sentence(below.id)).toBe('done')
    expect(await sentence(inside.id)).toContain('this API key may change only entries of landing')
    const elsewhere = await pageOf(other)
    expect(await sentence(elsewhere.id)).toContain('your role may change only pages at')
  })

  it('is refused at every other surface', async () => {
    const { token } = await keyWith({ limits: { datatypes: ['article'] } })
    const { use } = await agentWith(app, token)
    for (const { id } of [inside, outside]) await api('POST', '/content/publish', { content_data_id: id })
    const proposal = async (id: string) => {
      const { revision } = await api('GET', `/content/?q=${id}`)
      return use('propose_change', { content_data_id: id, revision, fields: { heading: `by ${++n}` } })
    }
    const proposed = await proposal(outside.id)
    expect([proposed.isRefused, proposed.answer.code]).toEqual([true, 'outside_limits'])
    expect((await proposal(inside.id)).isRefused).toBe(false)
    const remote = { ...(await servingCommands(app)), key: token }
    const published = await runFrom(remote, ['content', 'publish', (await pageOf(other)).id]).ended
    expect([published.code === 0, published.out]).toEqual([false, ''])
    expect(published.err).toContain('this API key may change only entries of article')
    expect((await runFrom(remote, ['content', 'publish', inside.id]).ended).code).toBe(0)
  })

  it('is refused in the admin space too', async () => {
    const { token } = await keyWith({ limits: { datatypes: ['article'] } })
    const { datatype_id } = await api('POST', '/admin/datatypes', { label: 'Start', type: 'content' })
    const { route_id } = await api('POST', '/admin/routes', { slug: 'start', title: 'Start' })
    const page = { datatype_id, route_id }
    expect((await by(token)('POST', '/admin/content', page)).body.code).toBe('outside_limits')
    await api('POST', '/admin/content', page)
  })

  it('is no start of an import', async () => {
    const { token } = await keyWith({ limits: { own: true } })
    const given = { url: 'https://example.com/a.xml' }
    const answer = await by(token)('POST', '/import/wordpress/address', given)
    expect([answer.body.code, await db.count(tables.imports, {})]).toEqual(['outside_limits', 0])
    expect(answer.body.error).toContain('this API key may change only a part of the site')
  })
})

describe('a limited key', () => {
  it('makes and changes keys only within its limits', async () => {
    const limits = { datatypes: [article, other], routes: [inside.route_id] }
    const made = await keyWith({ limits })
    const key = by(made.token)
    const create = async (given: object) => (await key('POST', '/tokens', given)).status
    expect(await create({})).toBe(403)
    expect(await create({ limits: null })).toBe(403)
    expect(await create({ limits: { own: true } })).toBe(403)
    expect(await create({ limits: { datatypes: [article] } })).toBe(403)
    expect(await create({ limits: { ...limits, routes: [inside.slug, outside.slug] } })).toBe(403)
    expect(await create({ limits, user_id: users.editor })).toBe(403)
    expect(await create({ limits })).toBe(201)
    expect(await create({ limits: { ...limits, datatypes: ['article'], own: true } })).toBe(201)
    const own = `/tokens/?q=${made.token_id}`
    expect((await key('PUT', own, { limits: null })).status).toBe(403)
    expect((await key('PUT', own, { limits: { own: true } })).status).toBe(403)
    const free = await keyWith({ label: 'free' })
    expect((await key('PUT', `/tokens/?q=${free.token_id}`, { limits })).status).toBe(403)
    expect((await key('DELETE', `/tokens/?q=${free.token_id}`)).status).toBe(403)
    const narrower = { ...limits, own: true }
    const narrowed = await key('PUT', own, { limits: narrower, label: 'narrower' })
    expect([narrowed.status, narrowed.body.limits]).toEqual([200, narrower])
    expect((await key('PUT', own, { revoked: true })).status).toBe(200)
  })

  it('is no administrator, and does not reach the account of its user', async () => {
    const key = by((await keyWith({ limits: { own: true } })).token)
    const roles = await db.findAll(tables.roles)
    const editor = roles.find(({ label }) => label === 'editor')?.role_id
    const refusals: [string, string, object][] = [
      ['PUT', `/users/?q=${users.admin}`, { password: 'another-password-1' }],
      ['PUT', `/users/?q=${users.editor}`, { password: 'another-password-1' }],
      ['PUT', `/roles/?q=${editor}`, { limits: null }],
      ['POST', '/roles', { label: 'Of a key', limits: { own: true } }],
      ['POST', '/ssh-keys', { public_key: 'ssh-ed25519 AAAA', label: '' }],
      ['DELETE', '/users/sessions?q=others', {}],
    ]
    for (const [method, path, body] of refusals)
      expect([method, path, (await key(method, path, body)).status]).toEqual([method, path, 403])
    // A viewer only reads, so an account of one is no way around the limits.
    const given = { email: 'viewer-of-key@example.com', password: 'a long password', role: 'admin' }
    const account = await key('POST', '/users', given)
    expect([account.status, account.body.role_label]).toEqual([201, 'viewer'])
    const viewer = roles.find(({ label }) => label === 'viewer')?.role_id
    const update = await db.find(tables.permissions, { label: 'content:update' })
    const mapping = { role_id: viewer, permission_id: update?.permission_id }
    const { role_permission_id } = await api('POST', '/role-permissions', mapping)
    const wider = await key('POST', '/users', { ...given, email: 'writer-of-key@example.com' })
    expect([wider.status, wider.body.error]).toEqual([
      403,
      'the account could change more of the site than you',
    ])
    await api('DELETE', `/role-permissions/?q=${role_permission_id}`)
  })
})
