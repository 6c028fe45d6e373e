import { expect, it } from 'vitest'
import { systemActorFor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { HttpError } from '../../src/errors.js'
import type { RoleLimits } from '../../src/role-limits.js'
import { testApp } from '../support/app.js'
import { callersOf } from '../support/callers.js'
import { amount } from '../support/effort.js'
import { factories } from '../support/factories.js'
import { chooser } from '../support/random.js'

const setUps = amount(200, 2000)
const app = await testApp({ redirect_mode: 'off' })
const { db, services, users } = app
const { space } = services
const by = await callersOf(app).callerWith(
  'content:create',
  'content:update',
  'content:delete',
  'routes:update',
)
const { actor } = by
const admin = systemActorFor(users.admin)
const { datatype, field } = factories(app)
const types: string[] = []
for (const label of ['One', 'Two', 'Three']) {
  const { datatype_id } = await datatype(label)
  await field(datatype_id, 'Title', 'text')
  types.push(datatype_id)
}

interface Entry {
  id: string
  parent: Entry | undefined
  type: string
  author: string
  route: Route | undefined
  hasValues: boolean
}

interface Route {
  id: string
  slug: string
}

/** What the documentation says of an entry, without any of the code that applies it. */
function inside(
  entry: Entry,
  { datatypes, routes, own }: RoleLimits,
  slugs: ReadonlyMap<string, string>,
): boolean {
  const line: Entry[] = []
  for (let at: Entry | undefined = entry; at; at = at.parent) line.push(at)
  const address = line.at(-1)?.route?.slug ?? ''
  return (
    (!datatypes || line.some(({ type }) => datatypes.includes(type))) &&
    (!own || line.some(({ author }) => author === by.user_id)) &&
    (!routes || routes.some(id => `${address}/`.startsWith(`${slugs.get(id)}/`)))
  )
}

const isUnder = (entry: Entry | undefined, top: Entry): boolean =>
  entry !== undefined && (entry === top || isUnder(entry.parent, top))

/** Runs an action, and returns whether the limits let it pass. */
async function passes(action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action()
    return true
  } catch (error) {
    if (error instanceof HttpError && error.code === 'outside_limits') return false
    throw error
  }
}

async function site(n: number, r: ReturnType<typeof chooser>): Promise<Entry[]> {
  const entries: Entry[] = []
  const add = async (parent: Entry | undefined, route?: Route) => {
    const [type, author] = [r.one(types), r.one([by.user_id, users.admin])]
    const place = parent
      ? { parent_id: parent.id, route_id: null }
      : { parent_id: null, route_id: route?.id ?? null }
    const { content_data_id: id } = await space.content.create(admin, {
      ...{ ...place, datatype_id: type, author_id: author, status: 'draft' },
    })
    entries.push({ id, parent, type, author, route, hasValues: false })
  }
  for (const slug of [`/r${n}`, `/r${n}/below`, `/r${n}x`]) {
    const { route_id } = await space.routes.create(admin, { slug, title: slug, author_id: users.admin })
    await add(undefined, { id: route_id, slug })
  }
  for (let i = 0; i < 6; i++) await add(r.one(entries))
  return entries
}

const rowsOf = async (entries: readonly Entry[]) => ({
  entries: await db.findIn(
    tables.contentData,
    'content_data_id',
    entries.map(({ id }) => id),
  ),
  values: await db.findIn(
    tables.contentFields,
    'content_data_id',
    entries.map(({ id }) => id),
  ),
  routes: await db.findIn(
    tables.routes,
    'route_id',
    entries.flatMap(({ route }) => route?.id ?? []),
  ),
  all: await db.countAll(tables.contentData),
})

it(`binds random actions in ${setUps} random sites as documented`, { timeout: 1_200_000 }, async () => {
  const seen = { true: 0, false: 0 }
  for (let n = 1; n <= setUps; n++) {
    const r = chooser(n)
    let entries = await site(n, r)
    const known = entries.flatMap(({ route }) => route ?? [])
    const chosen = 1 + r.below(7)
    const limits: RoleLimits = {
      ...(chosen & 1 ? { datatypes: [r.one(types)] } : {}),
      ...(chosen & 2 ? { routes: [r.one(known).id] } : {}),
      ...(chosen & 4 ? { own: true as const } : {}),
    }
    await db.write(admin, tx => tx.update(tables.roles, by.role, { limits }))
    for (let i = 0; i < 6; i++) {
      const slugs = new Map(known.map(({ id, slug }) => [id, slug]))
      const entry = r.one(entries)
      const isInside = (one: Entry) => inside(one, limits, slugs)
      const changed = (patch: Partial<Entry>) => isInside(entry) && isInside({ ...entry, ...patch })
      const before = await rowsOf(entries)
      const act = r.one(['save', 'author', 'type', 'move', 'create', 'delete', 'rename'] as const)
      let [expected, given] = [true, true]
      const attempt = async (wanted: boolean, action: () => Promise<unknown>) => {
        expected = wanted
        given = await passes(action)
        if (!given) expect(await rowsOf(entries)).toEqual(before)
        return given
      }
      if (act === 'save') {
        const fields = { title: `${n} ${i}` }
        if (await attempt(isInside(entry), () => space.content.update(actor, entry.id, { fields })))
          entry.hasValues = true
      } else if (act === 'author') {
        const author = entry.author === users.admin ? by.user_id : users.admin
        if (
          await attempt(changed({ author }), () =>
            space.content.update(actor, entry.id, { author_id: author }),
          )
        )
          entry.author = author
      } else if (act === 'type') {
        const type = types.find(one => one !== entry.type) ?? ''
        if (entry.hasValues) continue
        if (
          await attempt(changed({ type }), () => space.content.update(actor, entry.id, { datatype_id: type }))
        )
          entry.type = type
      } else if (act === 'move') {
        const parent = r.one(entries)
        if (isUnder(parent, entry) || entry.parent === parent || entry.route) continue
        const move = { content_data_id: entry.id, parent_id: parent.id }
        if (await attempt(changed({ parent }), () => space.content.move(actor, move))) entry.parent = parent
      } else if (act === 'create') {
        const made = { id: '', parent: entry, type: r.one(types), author: r.one([by.user_id, users.admin]) }
        const row = { ...made, route: undefined, hasValues: false }
        await attempt(isInside(row), async () => {
          const { content_data_id } = await space.content.create(actor, {
            ...{
              parent_id: entry.id,
              route_id: null,
              datatype_id: row.type,
              author_id: row.author,
              status: 'draft',
            },
          })
          row.id = content_data_id
        })
        if (given) entries.push(row)
      } else if (act === 'delete') {
        if (entries.length < 4 || entry.route) continue
        if (await attempt(isInside(entry), () => space.content.remove(actor, entry.id, undefined, true)))
          entries = entries.filter(one => !isUnder(one, entry))
      } else {
        const { route } = entry
        if (!route) continue
        const slug = `${r.one(known).slug}/moved-${i}`
        const wanted = changed({ route: { ...route, slug } })
        if (await attempt(wanted, () => space.routes.update(actor, route.id, { slug }))) route.slug = slug
      }
      expect([n, i, act, limits, given]).toEqual([n, i, act, limits, expected])
      seen[`${given}`]++
    }
  }
  expect(Math.min(seen.true, seen.false)).toBeGreaterThan(setUps / 2)
})
