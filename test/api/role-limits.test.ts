import Database from 'better-sqlite3'
import { afterAll, describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { type CallerOf, callersOf } from '../support/callers.js'
import { engine } from '../support/database.js'

const app = await testApp({ publish_mode: 'staged' })
const { call, db } = app
const { callerIn } = callersOf(app)

const admin = async (method: string, path: string, body?: unknown) => {
  const answer = await call(method, `/api/v1${path}`, body === undefined ? {} : { body })
  expect([path, answer.status < 300, answer.text]).toEqual([path, true, answer.text])
  return answer.body
}

const labels = ['content', 'routes'].flatMap(resource =>
  ['read', 'create', 'update', 'delete', 'admin'].map(operation => `${resource}:${operation}`),
)
const permissions = [...labels, 'content:publish', 'import:create', 'import:update', 'import:read']
let made = 0

async function limited(limits: object | null): Promise<CallerOf> {
  const { role_id } = await admin('POST', '/roles', { label: `limited ${++made}`, limits })
  const known = await db.findAll(tables.permissions)
  await db.write(systemActor, async tx => {
    for (const label of permissions) {
      const found = known.find(one => one.label === label)
      const { permission_id } = found ?? (await tx.insert(tables.permissions, { label }))
      if (!found)
        known.push({ ...(await tx.get(tables.permissions, permission_id)) } as (typeof known)[number])
      await tx.insert(tables.rolePermissions, { role_id, permission_id })
    }
  })
  return callerIn(role_id)
}

const kinds = {
  article: await admin('POST', '/datatypes', { label: 'Article', type: 'content' }),
  page: await admin('POST', '/datatypes', { label: 'Page', type: 'content' }),
  block: await admin('POST', '/datatypes', { label: 'Block', type: 'content' }),
}
const fields = new Map<string, string>()
for (const { datatype_id } of Object.values(kinds)) {
  const field = await admin('POST', '/fields', { parent_id: datatype_id, label: 'Title', field_type: 'text' })
  fields.set(datatype_id, field.field_id)
}
await admin('POST', '/locales', { code: 'fr', label: 'French' })
await admin('POST', '/locales', { code: 'de', label: 'German' })
await admin('POST', '/pages', { slug: '/news', title: 'News', datatype_id: kinds.article.datatype_id })
await admin('POST', '/pages', { slug: '/about', title: 'About', datatype_id: kinds.page.datatype_id })

/** A published page with children, and one of everything that belongs to a page. */
async function site(by: CallerOf, isInside: boolean) {
  const slug = `${isInside ? '/news' : '/about'}/${++made}`
  const own = isInside ? { author_id: by.user_id } : {}
  const { datatype_id } = isInside ? kinds.article : kinds.page
  const child = { datatype_id: kinds.block.datatype_id, fields: { title: 'child' } }
  const { route, entry } = await admin('POST', '/pages', {
    ...{ slug, title: slug, datatype_id, status: 'published', fields: { title: 'before' }, ...own },
    children: [child, child, child],
  })
  const ids = entry.children.map((one: { content_data_id: string }) => one.content_data_id)
  const page: string = entry.content_data_id
  const draft = await admin('POST', '/content', { parent_id: page, datatype_id: kinds.block.datatype_id })
  const version = await admin('POST', '/content/versions', { content_data_id: page })
  const redirect = await admin('POST', '/redirects', {
    slug: `${slug}/old`,
    route_id: route.route_id,
    ...own,
  })
  const value = await db.find(tables.contentFields, { content_data_id: page })
  const spare = await admin('POST', '/routes', { slug: `${slug}/spare`, title: 'Spare', ...own })
  const request = await admin('POST', '/review-requests', { content_data_id: page })
  const gone = await admin('POST', '/content', { parent_id: page, datatype_id: kinds.block.datatype_id })
  await admin('DELETE', `/content?q=${gone.content_data_id}`)
  const [trash] = await db.findAll(tables.trash, { content_data_id: gone.content_data_id })
  await admin('PUT', `/content?q=${page}`, { fields: { title: 'after' } })
  const other = async (last: string) => {
    const more = await admin('POST', '/pages', { slug: `${slug}/${last}`, title: last, datatype_id, ...own })
    return more.entry.content_data_id as string
  }
  const [unreviewed, asked] = [await other('unreviewed'), await other('asked')]
  const question = await db.write(systemActor, tx =>
    tx.insert(tables.reviewRequests, {
      content_data_id: asked,
      status: 'open',
      open_for: asked,
      author_id: by.user_id,
    }),
  )
  return {
    isInside,
    ...{ slug, page, datatype_id, route: route.route_id as string, spare: spare.route_id as string },
    ...{ ids: ids as string[], draft: draft.content_data_id as string, own },
    ...{ version: version.content_version_id as string, redirect: redirect.redirect_id as string },
    ...{ value: value?.content_field_id ?? '', request: request.review_request_id as string },
    ...{ trash: trash?.trash_id ?? '', unreviewed, question: question.review_request_id },
  }
}

type Site = Awaited<ReturnType<typeof site>>
type Act = (by: CallerOf, of: Site, free: Site) => Promise<{ status: number; text: string }>
const at =
  (method: string, path: (of: Site) => string, body?: (of: Site, free: Site) => object): Act =>
  (by, of, free) =>
    by.call(method, `/api/v1${path(of)}`, body?.(of, free))

const block = kinds.block.datatype_id

/** Every action that changes content, by its endpoint. `free` is a site inside of the limits. */
const actions: Readonly<Record<string, Act>> = {
  'POST /content': at(
    'POST',
    () => '/content',
    ({ page, ids: [first] }) => ({
      parent_id: first ?? page,
      datatype_id: block,
      author_id: app.users.admin,
    }),
  ),
  'PUT /content/': at(
    'PUT',
    of => `/content/?q=${of.page}`,
    () => ({ fields: { title: 'x' } }),
  ),
  'PUT /content/ author': at(
    'PUT',
    of => `/content/?q=${of.ids[0]}`,
    () => ({ author_id: app.users.editor }),
  ),
  'PUT /content/ status': at(
    'PUT',
    of => `/content/?q=${of.ids[0]}`,
    () => ({ status: 'draft' }),
  ),
  'PUT /content/ child': at(
    'PUT',
    of => `/content/?q=${of.page}`,
    of => ({ children: [{ content_data_id: of.ids[1], fields: { title: 'y' } }] }),
  ),
  'DELETE /content/': at('DELETE', of => `/content/?q=${of.ids[0]}`),
  'DELETE /content/ recursive': at('DELETE', of => `/content/?q=${of.page}&recursive=true`),
  'POST /content/move': at(
    'POST',
    () => '/content/move',
    of => ({ content_data_id: of.ids[2], parent_id: of.page, position: 0 }),
  ),
  'POST /content/move out': at(
    'POST',
    () => '/content/move',
    (of, free) => ({ content_data_id: of.ids[2], parent_id: free.page }),
  ),
  'POST /content/reorder': at(
    'POST',
    () => '/content/reorder',
    of => ({ parent_id: of.page, content_data_ids: [of.draft, ...of.ids.toReversed()] }),
  ),
  'POST /content/duplicate': at(
    'POST',
    () => '/content/duplicate',
    of => ({ content_data_id: of.ids[0], parent_id: of.ids[1] }),
  ),
  'POST /content/publish': at(
    'POST',
    () => '/content/publish',
    of => ({ content_data_id: of.page }),
  ),
  'POST /content/publish locale': at(
    'POST',
    () => '/content/publish',
    of => ({ content_data_id: of.page, locale: 'fr' }),
  ),
  'POST /content/unpublish': at(
    'POST',
    () => '/content/unpublish',
    of => ({ content_data_id: of.page }),
  ),
  'POST /content/schedule': at(
    'POST',
    () => '/content/schedule',
    of => ({ content_data_id: of.draft, publish_at: '2027-01-01T00:00:00Z' }),
  ),
  'POST /content/versions': at(
    'POST',
    () => '/content/versions',
    of => ({ content_data_id: of.page }),
  ),
  'DELETE /content/versions': at('DELETE', of => `/content/versions?q=${of.version}`),
  'POST /content/restore': at(
    'POST',
    () => '/content/restore',
    of => ({ content_version_id: of.version }),
  ),
  'POST /content-fields': at(
    'POST',
    () => '/content-fields',
    of => ({ content_data_id: of.draft, field_id: fields.get(block), field_value: 'z' }),
  ),
  'PUT /content-fields/': at(
    'PUT',
    of => `/content-fields/?q=${of.value}`,
    () => ({ field_value: 'z' }),
  ),
  'DELETE /content-fields/': at('DELETE', of => `/content-fields/?q=${of.value}`),
  'POST /pages': at(
    'POST',
    () => '/pages',
    of => ({
      slug: `${of.slug}/new`,
      title: 'New',
      datatype_id: of.datatype_id,
      ...(of.isInside ? of.own : { author_id: app.users.admin }),
    }),
  ),
  'PUT /routes/ translated': at(
    'PUT',
    of => `/routes/?q=${of.route}`,
    of => ({ translations: { fr: { slug: `${of.slug}/fr` } } }),
  ),
  'PUT /routes/': at(
    'PUT',
    of => `/routes/?q=${of.route}`,
    of => ({ slug: `${of.slug}/moved` }),
  ),
  'PUT /routes/ without a page': at(
    'PUT',
    of => `/routes/?q=${of.spare}`,
    () => ({ title: 'Other' }),
  ),
  'DELETE /routes/': at('DELETE', of => `/routes/?q=${of.spare}`),
  'POST /redirects': at(
    'POST',
    () => '/redirects',
    of => ({
      slug: `${of.slug}/older`,
      route_id: of.route,
      ...(of.isInside ? {} : { author_id: app.users.admin }),
    }),
  ),
  'PUT /redirects/': at(
    'PUT',
    of => `/redirects/?q=${of.redirect}`,
    () => ({ status: 301 }),
  ),
  'DELETE /redirects/': at('DELETE', of => `/redirects/?q=${of.redirect}`),
  'POST /review-requests/approve': at(
    'POST',
    () => '/review-requests/approve',
    of => ({ review_request_id: of.request }),
  ),
  'POST /review-requests/return': at(
    'POST',
    () => '/review-requests/return',
    of => ({ review_request_id: of.request, note: 'no' }),
  ),
  'POST /review-requests': at(
    'POST',
    () => '/review-requests',
    of => ({ content_data_id: of.unreviewed }),
  ),
  'POST /review-requests/withdraw': at(
    'POST',
    () => '/review-requests/withdraw',
    of => ({ review_request_id: of.question }),
  ),
  'POST /content/changes/drop': at(
    'POST',
    () => '/content/changes/drop',
    of => ({ content_data_id: of.page }),
  ),
  'POST /routes': at(
    'POST',
    () => '/routes',
    of => ({
      slug: `${of.slug}/route`,
      title: 'Route',
      ...(of.isInside ? {} : { author_id: app.users.admin }),
    }),
  ),
  'DELETE /trash/': at('DELETE', of => `/trash/?q=${of.trash}`),
  'POST /trash/restore': at(
    'POST',
    () => '/trash/restore',
    of => ({ trash_id: of.trash }),
  ),
}

const tablesOfContent = [
  ...[tables.contentData, tables.contentFields, tables.contentVersions, tables.contentTrees],
  ...[tables.routes, tables.redirects, tables.trash, tables.reviewRequests, tables.publicEntries],
]
const { db_driver, db_url = '' } = app.config
/** A connection of its own: its version of the data is another after any commit. */
const beside = db_driver === 'sqlite' ? new Database(db_url, { readonly: true }) : undefined
afterAll(() => beside?.close())
/** Something else after anything was stored: on SQLite in whatever table, elsewhere in those of content. */
const stored = async (): Promise<unknown> =>
  beside
    ? beside.pragma('data_version', { simple: true })
    : JSON.stringify(await Promise.all(tablesOfContent.map(table => db.findAll(table))))

/** What a limit says nothing about. */
const unbound: ReadonlyMap<string, readonly string[]> = new Map([
  // An address without a page has no datatype.
  ['datatypes', ['PUT /routes/ without a page', 'DELETE /routes/', 'POST /routes']],
  // A copy belongs to whoever makes it.
  ['own', ['POST /content/duplicate']],
])

const everyLimit: [string, object][] = [
  ['routes', { routes: ['/news'] }],
  ['datatypes', { datatypes: ['article'] }],
  ['own', { own: true }],
  ['all of them', { routes: ['/news'], datatypes: ['article'], own: true }],
]
/** The rule is the same on every engine: the servers show that its reads are. */
const tried = engine === 'sqlite' || process.env.TEST_THOROUGH ? everyLimit : everyLimit.slice(-1)

describe.each(tried)('a role that is limited by %s', async (name, limits) => {
  const by = await limited(limits)
  const free = await site(by, true)
  it.each(Object.entries(actions))('%s', async (what, act) => {
    const [inside, outside] = [await site(by, true), await site(by, false)]
    const before = await stored()
    const refused = await act(by, outside, free)
    if (unbound.get(name)?.includes(what))
      expect([what, refused.status < 300, refused.text]).toEqual([what, true, refused.text])
    else {
      expect([what, refused.status, refused.text]).toEqual([what, 403, expect.stringContaining('outside')])
      expect(JSON.parse(refused.text).code).toBe('outside_limits')
      expect(await stored()).toBe(before)
    }
    const allowed = await act(by, inside, free)
    expect([what, allowed.status < 300, allowed.text]).toEqual([what, true, allowed.text])
    expect([what, await stored()]).not.toEqual([what, before])
  })
})

it('knows every endpoint that changes content', async () => {
  const { paths } = (await call('GET', '/api/v1/openapi.json')).body as {
    paths: Record<string, Record<string, unknown>>
  }
  const ofContent = /^\/(content|content-fields|pages|routes|redirects|trash|review-requests)(\/|$)/
  const found = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations)
      .filter(method => ['post', 'put', 'patch', 'delete'].includes(method) && ofContent.test(path))
      .map(method => `${method.toUpperCase()} ${path.replace(/\/\{\w+\}$/, '')}`),
  )
  // A preview link changes no content, and a repair only what is stored wrongly.
  const others = ['POST /content/preview-links', 'DELETE /content/preview-links', 'POST /content/heal']
  const known = Object.keys(actions).map(name => name.split(' ', 2).join(' ').replace(/\/$/, ''))
  expect([...new Set(found)].sort()).toEqual([...new Set([...known, ...others])].sort())
})

describe('the limits of a role', () => {
  const refused = (limits: unknown, status = 400) =>
    call('POST', '/api/v1/roles', { body: { label: `refused ${++made}`, limits } }).then(answer =>
      expect([limits, answer.status, answer.body.member?.split('.')[0]]).toEqual([limits, status, 'limits']),
    )
  it('are refused where they name what is not there', async () => {
    await refused({ datatypes: ['articel'] })
    await refused({ routes: ['/nowhere'] })
    await refused({ locales: ['xx'] })
  })
  it('are refused where they are malformed or of hostile size', async () => {
    await refused({ datatypes: [] })
    await refused({ own: false })
    await refused({ other: true })
    await refused('all')
    await refused({ routes: Array.from({ length: 10_000 }, (_, i) => `/page-${i}`) })
  })
  it('are stored by ids, returned, changed and removed, with audit events', async () => {
    const { role_id, limits } = await admin('POST', '/roles', {
      label: `stored ${++made}`,
      limits: { datatypes: ['article', kinds.article.datatype_id], locales: ['fr'], own: true },
    })
    expect(limits).toEqual({ datatypes: [kinds.article.datatype_id], locales: ['fr'], own: true })
    expect((await admin('PUT', `/roles?q=${role_id}`, { label: `again ${made}` })).limits).toEqual(limits)
    expect((await admin('PUT', `/roles?q=${role_id}`, { limits: {} })).limits).toBe(null)
    const events = (await app.audits()).filter(event => event.record_id === role_id)
    expect(events.at(-1)).toMatchObject({ old_values: { limits }, new_values: { limits: null } })
  })
  it('are never those of the administrators', async () => {
    const role = await db.find(tables.roles, { label: 'admin' })
    const answer = await call('PUT', `/api/v1/roles?q=${role?.role_id}`, { body: { limits: { own: true } } })
    expect([answer.status, answer.body]).toEqual([
      403,
      { error: 'the role admin has no limits', code: 'protected' },
    ])
  })
  it('are set by administrators only', async () => {
    const { role_id } = await admin('POST', '/roles', { label: `people ${++made}` })
    for (const label of ['roles:create', 'roles:update', 'roles:read']) {
      const permission = await db.find(tables.permissions, { label })
      await admin('POST', '/role-permissions', { role_id, permission_id: permission?.permission_id })
    }
    const by = await callerIn(role_id)
    const answer = await by.call('PUT', `/api/v1/roles?q=${role_id}`, { limits: { own: true } })
    expect([answer.status, answer.body.error]).toEqual([
      403,
      'only an administrator can set the limits of a role',
    ])
  })
  it('cannot be passed on: such a role changes no role, and no account that may change more', async () => {
    const by = await limited({ own: true })
    const viewer = await db.find(tables.roles, { label: 'viewer' })
    for (const label of ['roles:create', 'users:update']) {
      const permission = await db.find(tables.permissions, { label })
      await admin('POST', '/role-permissions', { role_id: by.role, permission_id: permission?.permission_id })
    }
    const update = await db.find(tables.permissions, { label: 'content:update' })
    const mapping = { role_id: viewer?.role_id, permission_id: update?.permission_id }
    const grant = await by.call('POST', '/api/v1/role-permissions', mapping)
    expect([grant.status, grant.body.error]).toEqual([
      403,
      'a role or API key with limits cannot change roles',
    ])
    const free = await callerIn((await db.find(tables.roles, { label: 'editor' }))?.role_id ?? '')
    const taken = await by.call('PUT', '/api/v1/users', {
      user_id: free.user_id,
      password: 'another-password-1',
    })
    expect(taken.status).toBe(403)
  })
  it('leave values of other locales, and everything that all locales share, as they are', async () => {
    const translated = await admin('POST', '/fields', {
      ...{
        parent_id: kinds.page.datatype_id,
        label: `Text ${++made}`,
        field_type: 'text',
        translatable: true,
      },
    })
    const by = await limited({ locales: ['fr'] })
    const { page, route, ids } = await site(by, false)
    const put = async (body: object) =>
      (await by.call('PUT', `/api/v1/content?q=${page}`, body)).body.code ?? 'done'
    expect(await put({ locale: 'fr', fields: { [translated.name]: 'un' } })).toBe('done')
    expect(await put({ locale: 'fr', fields: { [translated.name]: 'deux' } })).toBe('done')
    expect(await put({ locale: 'de', fields: { [translated.name]: 'eins' } })).toBe('outside_limits')
    expect(await put({ fields: { title: 'shared' } })).toBe('outside_limits')
    expect(await put({ status: 'draft' })).toBe('outside_limits')
    const routeTo = async (translations: object) =>
      (await by.call('PUT', `/api/v1/routes?q=${route}`, { translations })).body.code ?? 'done'
    expect(await routeTo({ fr: { title: 'Nouvelles' } })).toBe('done')
    expect(await routeTo({ de: { title: 'Neues' } })).toBe('outside_limits')
    expect((await by.call('DELETE', `/api/v1/content?q=${ids[0]}`)).body.code).toBe('outside_limits')
  })
  it('keep an import from starting', async () => {
    const by = await limited({ own: true })
    const answer = await by.call('POST', '/api/v1/import/wordpress/address', {
      url: 'https://example.com/a.xml',
    })
    expect([answer.body.code, await db.count(tables.imports, {})]).toEqual(['outside_limits', 0])
  })
  it('let others make room, in the order that they have', async () => {
    const by = await limited({ own: true })
    const { page, ids } = await site(by, false)
    const mine = await by.call('POST', '/api/v1/content', { parent_id: page, datatype_id: block })
    const [draft] = (await db.findAll(tables.contentData, { parent_id: page, status: 'draft' })).map(
      one => one.content_data_id,
    )
    const reorder = async (list: readonly unknown[]) =>
      (await by.call('POST', '/api/v1/content/reorder', { parent_id: page, content_data_ids: list })).body
        .code ?? 'done'
    const own = mine.body.content_data_id
    expect(await reorder([own, ...ids, draft])).toBe('done')
    expect(await reorder([...ids, own, draft])).toBe('done')
    expect(await reorder([own, ...ids.toReversed(), draft])).toBe('outside_limits')
  })
  it('are not extended by a page that the role moves', async () => {
    const by = await limited({ routes: ['/news'] })
    const news = await db.find(tables.routes, { slug: '/news' })
    const rename = async (slug: string) =>
      (await by.call('PUT', `/api/v1/routes?q=${news?.route_id}`, { slug })).body.code
    expect([await rename('/'), await rename('/newsroom')]).toEqual(['outside_limits', 'outside_limits'])
  })
})
