import { expect, it } from 'vitest'
import { systemActorFor } from '../../src/actor.js'
import type { AnyTable } from '../../src/db/columns.js'
import { adminTables, internalTables, tables } from '../../src/db/tables.js'
import type { ReadBound } from '../../src/role-limits.js'
import { testApp } from '../support/app.js'
import { amount } from '../support/effort.js'
import { factories } from '../support/factories.js'
import { chooser } from '../support/random.js'

const setUps = amount(200, 2000)
const app = await testApp({ redirect_mode: 'off', i18n_enabled: true })
const { call, db, services, users } = app
const { space } = services
const admin = systemActorFor(users.admin)
const { datatype, field } = factories(app)
const r = chooser(7)

const post = async (path: string, body: object) => {
  const answer = await call('POST', `/api/v1${path}`, { body })
  expect([path, answer.status < 300, answer.text]).toEqual([path, true, answer.text])
  return answer.body
}

interface Page {
  readonly root: string
  readonly type: string
  readonly author: string
  readonly slug: string | undefined
  readonly entries: readonly string[]
}

const types: string[] = []
for (const label of ['One', 'Two', 'Three']) {
  const { datatype_id } = await datatype(label)
  await field(datatype_id, 'Title', 'text')
  types.push(datatype_id)
}
const { datatype_id: free } = await datatype('Free', { type: '_global' })
await field(free, 'Title', 'text')
await post('/locales', { code: 'fr', label: 'French' })

const authors = [users.admin, users.editor]
const slugs = [
  '/a',
  '/a/b',
  '/a/b/c',
  '/a-b',
  '/ab',
  '/a0',
  '/a/',
  '/é',
  '/é/x',
  '/z',
  '/z/a',
  '/~',
  '/~/x',
  '/_',
  '/_/x',
].filter(slug => slug !== '/a/')
const routeOf = new Map<string, string>()
const translated = new Map<string, string>()
const pages: Page[] = []
const trashed: { id: string; type: string; slug: string; under: Page | undefined }[] = []
const redirects: { id: string; target: Page | undefined; slug: string }[] = []

async function page(slug: string | undefined): Promise<Page> {
  const [type, author_id] = [slug === undefined ? free : r.one(types), r.one(authors)]
  const place = { parent_id: null, route_id: slug === undefined ? null : (routeOf.get(slug) ?? '') }
  const made = await space.content.create(admin, { ...place, datatype_id: type, author_id, status: 'draft' })
  const entries = [made.content_data_id]
  for (let i = 0; i < 2; i++) {
    const child = await space.content.create(admin, {
      ...{ parent_id: r.one(entries), route_id: null, datatype_id: r.one(types), author_id: r.one(authors) },
      status: 'draft',
    })
    entries.push(child.content_data_id)
  }
  for (const id of entries) await call('PUT', `/api/v1/content?q=${id}`, { body: { fields: { title: id } } })
  return { root: made.content_data_id, type, author: author_id, slug, entries }
}

for (const slug of slugs) {
  const { route_id } = await space.routes.create(admin, { slug, title: slug, author_id: r.one(authors) })
  routeOf.set(slug, route_id)
}
for (const [slug, other] of [
  ['/z', '/autre'],
  ['/é', '/a/fr'],
] as const) {
  translated.set(slug, other)
  const body = { translations: { fr: { slug: other } } }
  expect((await call('PUT', `/api/v1/routes?q=${routeOf.get(slug)}`, { body })).status).toBe(200)
}
// The last two have no page.
for (const slug of slugs.slice(0, -2)) pages.push(await page(slug))
for (let i = 0; i < 4; i++) pages.push(await page(undefined))
for (const one of pages) {
  const [content_data_id, inner] = [one.root, one.entries[2] ?? '']
  await post('/content/versions', { content_data_id })
  await post('/comments', { content_data_id: inner, body: 'Hm.' })
  await post('/review-requests', { content_data_id })
  const gone = await post('/content', { parent_id: one.root, datatype_id: r.one(types) })
  await call('DELETE', `/api/v1/content?q=${gone.content_data_id}`)
  const row = await db.find(tables.trash, { content_data_id: gone.content_data_id })
  trashed.push({ id: row?.trash_id ?? '', type: '', slug: '', under: one })
  if (one.slug === undefined) continue
  const { redirect_id } = await post('/redirects', {
    slug: `/to${one.slug}`,
    route_id: routeOf.get(one.slug),
  })
  redirects.push({ id: redirect_id, target: one, slug: `/to${one.slug}` })
}
for (const slug of ['/a/gone', '/gone']) {
  const type = r.one(types)
  const { entry } = await post('/pages', { slug, title: slug, datatype_id: type })
  await call('DELETE', `/api/v1/content?q=${entry.content_data_id}`)
  const row = await db.find(tables.trash, { content_data_id: entry.content_data_id })
  trashed.push({ id: row?.trash_id ?? '', type, slug, under: undefined })
  const left = await db.find(tables.routes, { slug })
  if (left) routeOf.set(slug, left.route_id)
}
const free_ = await post('/redirects', { slug: '/a/away', target: 'https://example.com/' })
redirects.push({ id: free_.redirect_id, target: undefined, slug: '/a/away' })

const slugOf = new Map([...routeOf].map(([slug, id]) => [id, slug]))
const routeAuthors = new Map((await db.findAll(tables.routes)).map(row => [row.route_id, row.author_id]))

/** What the documentation says of addresses. */
const inZone = (slug: string, ids: readonly string[]) =>
  ids
    .flatMap(id => [slugOf.get(id) ?? '', translated.get(slugOf.get(id) ?? '') ?? []].flat())
    .some(top => `${slug}/`.startsWith(`${top}/`))

/** What the documentation says of a page, without any of the code that reads it. */
const isSeen = (one: Page, bounds: readonly ReadBound[]): boolean =>
  bounds.every(
    ({ userId, limits: { datatypes, routes, own, reads = [] } }) =>
      reads.includes(one.type) ||
      ((!datatypes || datatypes.includes(one.type)) &&
        (!own || one.author === userId) &&
        (!routes || (one.slug !== undefined && inZone(one.slug, routes)))),
  )

const isTrashSeen = (one: (typeof trashed)[number], bounds: readonly ReadBound[]): boolean =>
  one.under
    ? isSeen(one.under, bounds)
    : isSeen({ root: '', entries: [], type: one.type, author: users.admin, slug: one.slug }, bounds)

function randomBound(): ReadBound {
  const chosen = 1 + r.below(7)
  const some = (list: readonly string[]) => [...new Set([r.one(list), r.one(list)])]
  return {
    userId: r.one(authors),
    limits: {
      ...(chosen & 1 ? { datatypes: some([...types, free]) } : {}),
      ...(chosen & 2 ? { routes: some([...routeOf.values()]) } : {}),
      ...(chosen & 4 ? { own: true as const } : {}),
      reads: r.below(3) === 0 ? [r.one([...types, free])] : [],
    },
  }
}

/** The keys of the rows that may be read, by tables. */
function wanted(bounds: readonly ReadBound[]): [AnyTable, string, string[]][] {
  const seen = pages.filter(one => isSeen(one, bounds))
  const roots = seen.map(({ root }) => root)
  const entries = seen.flatMap(one => one.entries)
  const shownSlugs = seen.flatMap(({ slug }) => slug ?? [])
  const ofPage = new Set(pages.map(({ slug }) => slug))
  const isFree = (author: string | undefined, slug: string) =>
    bounds.every(
      ({ userId, limits }) => author === userId || (limits.routes ? inZone(slug, limits.routes) : false),
    )
  const routes = [...routeOf].filter(([slug, id]) =>
    ofPage.has(slug) ? shownSlugs.includes(slug) : isFree(routeAuthors.get(id), slug),
  )
  const routeIds = routes.map(([, id]) => id)
  return [
    [tables.contentData, 'content_data_id', entries],
    [tables.contentTrees, 'root_id', roots],
    [tables.contentFields, 'content_data_id', entries],
    [tables.contentVersions, 'content_data_id', roots],
    [tables.comments, 'content_data_id', seen.map(one => one.entries[2] ?? '')],
    [tables.reviewRequests, 'content_data_id', roots],
    [tables.routes, 'route_id', routeIds],
    [
      tables.routeTranslations,
      'route_id',
      routes.filter(([slug]) => translated.has(slug)).map(([, id]) => id),
    ],
    [tables.trash, 'trash_id', trashed.filter(one => isTrashSeen(one, bounds)).map(({ id }) => id)],
    [tables.trashPieces, 'trash_id', trashed.filter(one => isTrashSeen(one, bounds)).map(({ id }) => id)],
    [
      tables.redirects,
      'redirect_id',
      redirects
        .filter(({ target, slug }) => (target ? isSeen(target, bounds) : isFree(users.admin, slug)))
        .map(({ id }) => id),
    ],
    [internalTables.auditEvents, 'audit_event_id', []],
    [internalTables.webhookDeliveries, 'delivery_id', []],
    [internalTables.contentChanges, 'change_id', []],
  ]
}

it(`reads what the limits leave, in ${setUps} random set-ups`, { timeout: 1_200_000 }, async () => {
  const counts = { some: 0, none: 0, all: 0 }
  for (let n = 0; n < setUps; n++) {
    const bounds = r.below(4) === 0 ? [randomBound(), randomBound()] : [randomBound()]
    const { database, release } = await db.partFor(bounds)
    for (const [table, column, keys] of wanted(bounds)) {
      const rows = (await database.findAll(table)) as unknown as Record<string, string>[]
      const found = [...new Set(rows.map(row => row[column]))].sort()
      expect([table.name, bounds, found]).toEqual([table.name, bounds, [...new Set(keys)].sort()])
      expect(await database.countAll(table)).toBe(rows.length)
    }
    const entries = await database.countAll(tables.contentData)
    counts[entries === 0 ? 'none' : entries === pages.length * 3 ? 'all' : 'some']++
    await database.snapshot(async read => expect(await read.count(tables.contentData)).toBe(entries))
    release()
  }
  expect(counts.some).toBeGreaterThan(setUps / 2)
})

it('knows each table that has something of content', async () => {
  const known = [tables, adminTables, internalTables].flatMap(all => Object.values(all) as AnyTable[])
  const { database, release } = await db.partFor([
    { userId: users.editor, limits: { datatypes: [], reads: [] } },
  ])
  const open: string[] = []
  for (const table of known) if ((await database.countAll(table)) > 0) open.push(table.name)
  release()
  // None of these has anything that the public does not see, or only what is asked for by a secret or by the service.
  expect(open.sort()).toMatchInlineSnapshot(`
    [
      "admin_field_types",
      "counters",
      "datatypes",
      "field_types",
      "fields",
      "locales",
      "locks",
      "media_dimensions",
      "permissions",
      "role_permissions",
      "roles",
      "seeds",
      "sessions",
      "tokens",
      "users",
    ]
  `)
})
