import { expect, it } from 'vitest'
import { tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'
import { chooser } from '../support/random.js'

const app = await testApp({ publish_mode: 'staged', webhook_enabled: true, i18n_enabled: true })
const { call, db, clock } = app
await app.subscribe()
const make = factories(app)
const api = (method: string, path: string, body?: unknown) =>
  call(method, `/api/v1${path}`, body === undefined ? {} : { body })
const done = async (method: string, path: string, body?: unknown) => {
  const answer = await api(method, path, body)
  expect([path, answer.status < 300, answer.text]).toEqual([path, true, answer.text])
  return answer.body
}
const type = (await make.datatype('Page')).datatype_id
await make.field(type, 'Name', 'text', { translatable: true })
await make.field(type, 'Next', 'relation')
await done('POST', '/locales', { code: 'de', label: 'Deutsch' })

const slugs = ['/one', '/two']
const roots: string[] = []
for (const slug of slugs) {
  const { route_id } = await make.route(slug)
  const fields = { name: slug }
  roots.push((await make.entry(type, { route_id }, { fields })).content_data_id)
}
const publiclyOf = (slug: string, format: string) =>
  call('GET', `${slug}?format=${format}&locale=de`, { as: 'nobody' })
const seen = async () =>
  Promise.all(
    slugs.flatMap(slug => ['raw', 'contentful'].map(async format => (await publiclyOf(slug, format)).text)),
  )
const entriesOf = (root_id: string) => db.findAll(tables.contentData, { root_id })
const storedValues = async (root: string) => {
  const ids = (await entriesOf(root)).map(({ content_data_id }) => content_data_id)
  const values = await db.findIn(tables.contentFields, 'content_data_id', ids)
  return values
    .map(({ content_data_id, field_id, locale, field_value }) => [
      content_data_id,
      field_id,
      locale,
      field_value,
    ])
    .sort()
}
const places = async (root: string) =>
  (await entriesOf(root)).map(({ content_data_id, parent_id, sort_order, status }) => [
    content_data_id,
    parent_id,
    sort_order,
    status,
  ])

const states = () => Promise.all(roots.map(async root => [await places(root), await storedValues(root)]))

it.each([1, 2, 3, 4])(
  'holds whatever is edited, published and dropped (%i)',
  async seed => {
    const { below, one } = chooser(seed)
    const edit = async (): Promise<number> => {
      const all = (await Promise.all(roots.map(entriesOf))).flat()
      const ids = all.map(({ content_data_id }) => content_data_id)
      const id = one(ids)
      const child = one(ids.filter(each => !roots.includes(each))) ?? id
      const name = `${below(1000)}`
      const place = { content_data_id: child, parent_id: id, position: below(3) }
      const fresh = { datatype_id: type, parent_id: id, fields: { name } }
      const edits: (() => ReturnType<typeof api>)[] = [
        () => api('PUT', `/content?q=${id}`, { fields: { name } }),
        () => api('PUT', `/content?q=${id}`, { fields: { name }, locale: 'de' }),
        () => api('PUT', `/content?q=${id}`, { fields: { next: one(ids) } }),
        () => api('POST', '/content', { ...fresh, status: one(['draft', 'published']) }),
        () => api('POST', '/content', fresh),
        () => api('POST', '/content/move', place),
        () => api('POST', '/content/duplicate', { content_data_id: child, parent_id: id }),
        () => api('DELETE', `/content?q=${child}&recursive=true`),
      ]
      return (await one(edits)()).status
    }
    const statuses = new Map<number, number>()
    let drops = 0
    for (const root of roots) await done('POST', '/content/publish', { content_data_id: root })
    for (let round = 0; round < 12; round++) {
      clock.advance(1000)
      const working = await states()
      const before = await seen()
      const told = (await app.deliveries()).filter(({ event }) => event === 'content.updated').length
      for (let i = below(6); i >= 0; i--) {
        const status = await edit()
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
      // Nothing that waits is seen or told.
      expect(await seen()).toEqual(before)
      const now = (await app.deliveries()).filter(({ event }) => event === 'content.updated').length
      expect(now).toBe(told)
      if (below(3) === 0) {
        const dropped = []
        for (const root of roots)
          dropped.push((await api('POST', '/content/changes/drop', { content_data_id: root })).status)
        // What was moved between the pages cannot be dropped; everything else is as it was.
        if (dropped.every(status => status === 200)) {
          drops++
          expect(await states()).toEqual(working)
        }
      }
      for (const root of roots) await done('POST', '/content/publish', { content_data_id: root })
      for (const [i, slug] of slugs.entries()) {
        const shown = (await publiclyOf(slug, 'clean')).text
        const own = (await api('GET', `/page${slug}?format=clean&locale=de`)).text
        expect(shown).toBe(own)
        expect((await done('GET', `/content/changes?q=${roots[i]}`)).changes).toEqual([])
      }
      expect(
        (await db.findAll(tables.contentTrees)).every(({ pending_since }) => pending_since === null),
      ).toBe(true)
    }
    expect(statuses.get(201)).toBeGreaterThan(5)
    expect(statuses.get(200)).toBeGreaterThan(5)
    expect(drops).toBeGreaterThan(0)
  },
  60_000,
)
