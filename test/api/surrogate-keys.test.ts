import { expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { amount } from '../support/effort.js'
import { factories } from '../support/factories.js'
import { chooser } from '../support/random.js'

const app = await testApp({
  webhook_enabled: true,
  i18n_enabled: true,
  client_site: 'https://www.example.com',
  output_format: 'clean',
})
const { call } = app
const make = factories(app)
const { below, one: pick } = chooser(38)

const done = async (method: string, path: string, body?: unknown) => {
  const answer = await call(method, `/api/v1${path}`, body === undefined ? {} : { body })
  expect([path, answer.status, answer.text]).toEqual([path, expect.toSatisfy(n => n < 300), answer.text])
  return answer.body
}

interface Kept {
  readonly status: number
  readonly text: string
  readonly location: string | null
  readonly keys: readonly string[]
}

/** What a cache keeps of an address: answers with keys, and nothing else. */
async function fresh(path: string): Promise<Kept | undefined> {
  const { status, text, headers } = await call('GET', path, { as: 'nobody' })
  const keys = headers.get('surrogate-key')
  if (keys === null) return undefined
  expect(keys.length).toBeLessThan(1000)
  return { status, text, location: headers.get('location'), keys: keys.split(' ') }
}

it('leaves no wrong answer in a cache that drops by the keys of events alone', async () => {
  const { datatype_id: page } = await make.datatype('Page', { visibility: 'public' })
  const { datatype_id: note } = await make.datatype('Note', { visibility: 'public' })
  const { datatype_id: menu } = await make.datatype('Menu', { type: '_global', visibility: 'public' })
  const head = await make.field(page, 'Head', 'text')
  await make.field(page, 'See', 'relation')
  await make.field(page, 'Menu', 'relation')
  await make.field(note, 'Head', 'text')
  await make.field(menu, 'Head', 'text')
  await make.field(menu, 'See', 'relation')
  const pages: { id: string; route: string; child: string; isPublic: boolean }[] = []
  const { content_data_id: top } = await make.entry(
    menu,
    {},
    { status: 'published', fields: { head: 'menu' } },
  )
  const slugs = new Set<string>()
  /** Addresses of redirects without a page. */
  const redirected: string[] = []
  for (let i = 0; i < 8; i++) {
    slugs.add(`/p${i}`)
    const { route_id } = await make.route(`/p${i}`)
    const see = i > 0 && i % 2 === 0 ? { see: pages[i - 1]?.id } : {}
    const shown = i % 3 === 0 ? { menu: top } : {}
    const fields = { head: `first ${i}`, ...see, ...shown }
    const { content_data_id: id } = await make.entry(page, { route_id }, { status: 'published', fields })
    const below = { status: 'published', fields: { head: `note ${i}` } }
    const { content_data_id: child } = await make.entry(note, { parent_id: id }, below)
    pages.push({ id, route: route_id, child, isPublic: true })
  }
  await done('PUT', `/content/?q=${top}`, { fields: { see: pages[1]?.id } })
  await app.subscribe()

  const change = (id: string, fields: object) => done('PUT', `/content/?q=${id}`, { fields })
  const edits: Record<string, (n: number) => Promise<unknown>> = {
    value: n => change(pick(pages).id, { head: `value ${n}` }),
    child: n => change(pick(pages).child, { head: `child ${n}` }),
    menu: n => change(top, { head: `menu ${n}` }),
    relation: () => change(pick(pages).id, { see: pick(pages).id }),
    title: n => done('PUT', `/routes/?q=${pick(pages).route}`, { title: `Title ${n}` }),
    async slug(n) {
      slugs.add(`/n${n}`)
      await done('PUT', `/routes/?q=${pick(pages).route}`, { slug: `/n${n}` })
    },
    async publication() {
      const one = pick(pages)
      one.isPublic = !one.isPublic
      const path = `/content/${one.isPublic ? 'publish' : 'unpublish'}`
      await done('POST', path, { content_data_id: one.id })
    },
    async model(n) {
      await done('PUT', `/fields/?q=${head.field_id}`, { label: `Head ${n}` })
      await done('PUT', `/datatypes/?q=${note}`, { name: `note_${n}` })
    },
    async redirect(n) {
      const slug = `/r${n}`
      slugs.add(slug)
      redirected.push(slug)
      const { redirect_id } = await done('POST', '/redirects', { slug, route_id: pick(pages).route })
      if (below(2) === 0) await done('PUT', `/redirects/?q=${redirect_id}`, { target: '/elsewhere' })
    },
    locale: n =>
      done('POST', '/locales', { code: `x${String.fromCharCode(97 + (n % 26))}-${100 + n}`, label: `L${n}` }),
    async created(n) {
      const slug = redirected.shift() ?? `/c${n}`
      slugs.add(slug)
      const { route_id } = await make.route(slug)
      await make.entry(page, { route_id }, { status: 'published', fields: { head: `made ${n}` } })
    },
    async deleted() {
      const { child, id } = pick(pages)
      await done('DELETE', `/content/?q=${child}`)
      const below = { status: 'published', fields: { head: 'again' } }
      const made = await make.entry(note, { parent_id: id }, below)
      const at = pages.findIndex(one => one.id === id)
      pages[at] = { ...(pages[at] as (typeof pages)[number]), child: made.content_data_id }
    },
  }

  const cache = new Map<string, Kept>()
  const paths = async () => {
    const { body } = await call('GET', '/api/v1/datatypes')
    const names = (body as { name: string }[]).map(({ name }) => name)
    return [
      ...[...slugs].flatMap(slug => [slug, `${slug}?format=raw`, `${slug}?format=native`]),
      ...names.flatMap(name => [`/api/v1/query/${name}`, `/api/v1/query/${name}?children=2`]),
      '/api/v1/query/page?filter[see.head][contains]=value',
      '/api/v1/search?q=value',
      '/api/v1/search?q=note',
      '/api/v1/routes/published',
      '/api/v1/globals/menu',
      '/api/v1/globals',
      '/sitemap.xml',
      '/compat/contentful/spaces/x/environments/master/entries',
    ]
  }
  const fill = async () => {
    for (const path of await paths()) {
      const answer = cache.has(path) ? undefined : await fresh(path)
      if (answer) cache.set(path, answer)
    }
  }
  await fill()
  const kinds = Object.keys(edits)
  let told = (await app.deliveries()).length
  let [compared, dropped] = [0, 0]
  for (let n = 0; n < amount(200, 500); n++) {
    const kind =
      n < kinds.length ? (kinds[n] as string) : pick(kinds.filter(one => one !== 'locale' || n % 5 === 0))
    await edits[kind]?.(n)
    const deliveries = await app.deliveries()
    const keys = new Set(
      deliveries
        .slice(told)
        .flatMap(({ payload }) => (JSON.parse(payload).data.surrogate_keys ?? []) as string[]),
    )
    told = deliveries.length
    for (const [path, answer] of cache)
      if (answer.keys.some(key => keys.has(key))) {
        cache.delete(path)
        dropped++
      }
    for (const [path, answer] of cache) {
      compared++
      expect([kind, path, await fresh(path)]).toEqual([kind, path, answer])
    }
    await fill()
  }
  expect(compared).toBeGreaterThan(1000)
  expect(dropped).toBeGreaterThan(1000)
}, 600_000)
