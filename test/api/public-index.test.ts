import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import type { ValueRow } from '../../src/db/tables.js'
import { tables } from '../../src/db/tables.js'
import { type TestApp, testApp } from '../support/app.js'
import { factories } from '../support/factories.js'
import { chooser } from '../support/random.js'
import { seenBy } from '../support/seen-by-public.js'

const { contentData, publicEntries, publicValues } = tables

async function expected(app: TestApp) {
  return (await seenBy(app))
    .map(({ root, entry, values }) => [
      entry.content_data_id,
      root,
      entry.parent_id,
      entry.datatype_id,
      entry.parent_id === null ? entry.route_id : null,
      entry.sort_order,
      entry.published_at,
      entry.author_id,
      values.map(value => `${value.content_field_id} ${value.locale} ${value.field_value}`).sort(),
    ])
    .sort((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1))
}

async function stored({ db }: TestApp) {
  const values = await db.findAll(publicValues)
  const rows = (await db.findAll(publicEntries)).map(entry => [
    entry.content_data_id,
    entry.root_id,
    entry.parent_id,
    entry.datatype_id,
    entry.route_id,
    entry.sort_order,
    entry.published_at,
    entry.author_id,
    values
      .filter(value => value.content_data_id === entry.content_data_id && value.position === 0)
      .map(value => `${value.content_field_id} ${value.locale} ${value.field_value}`)
      .sort(),
  ])
  const ids = new Set(rows.map(([id]) => id))
  expect(rows.filter(row => row[6] === null)).toEqual([])
  expect(values.filter(({ content_data_id }) => !ids.has(content_data_id))).toEqual([])
  return rows
}

const byKey = (key: string) => (a: Record<string, unknown>, b: Record<string, unknown>) =>
  String(a[key]) < String(b[key]) ? -1 : 1

/** The lists of management as they are for whoever only reads, from the definition. */
async function expectedLists(app: TestApp) {
  const seen = await seenBy(app)
  const ids = new Set(seen.map(({ entry }) => entry.content_data_id))
  const routeOf = new Map(seen.map(({ entry }) => [entry.content_data_id, entry.route_id]))
  const relations = await app.db.findAll(tables.fields, { field_type: 'relation' })
  const isRelation = (id: string) => relations.some(({ field_id }) => field_id === id)
  const shownText = ({ field_id, field_value }: ValueRow) =>
    isRelation(field_id) && field_value.startsWith('[')
      ? JSON.stringify(JSON.parse(field_value).filter((id: string) => ids.has(id)))
      : field_value
  const values = seen.flatMap(({ root, values }) =>
    values.map(value => ({
      ...value,
      route_id: routeOf.get(root) ?? null,
      field_value: shownText(value),
    })),
  )
  return {
    '/content': seen.map(({ entry }) => ({ ...entry })).sort(byKey('content_data_id')),
    '/content-fields': values.sort(byKey('content_field_id')),
    '/routes': (await app.db.findAll(tables.routes))
      .filter(({ route_id }) => [...routeOf.values()].includes(route_id))
      .map(route => ({ ...route })),
  }
}

async function lists(app: TestApp) {
  const found: Record<string, unknown> = {}
  for (const path of ['/content', '/content-fields', '/routes']) {
    const { body, headers } = await app.call('GET', `/api/v1${path}`, { as: 'viewer' })
    expect(headers.get('x-total-count')).toBe(String(body.length))
    found[path] = body
  }
  return found
}

describe.each(['live', 'staged'])('in %s mode the public book is what the public sees', mode => {
  it.each([1, 2, 3, 4])('after random edits (%i)', async seed => {
    const app = await testApp({ publish_mode: mode, readers_see_drafts: false })
    const make = factories(app)
    const { below, one } = chooser(seed)
    const type = (await make.datatype('Page')).datatype_id
    const card = (await make.datatype('Card')).datatype_id
    for (const datatype of [type, card]) {
      await make.field(datatype, 'Name', 'text')
      await make.field(datatype, 'Next', 'relation', { data: { cardinality: 'many' } })
    }
    const { route_id: spare } = await make.route('/spare')
    const roots: string[] = []
    for (const slug of ['/one', '/two']) {
      const { route_id } = await make.route(slug)
      roots.push((await make.entry(type, { route_id }, { fields: { name: slug } })).content_data_id)
    }
    const api = (method: string, path: string, body?: unknown) =>
      app.call(method, `/api/v1${path}`, body === undefined ? {} : { body })
    for (const root of [...roots, ...roots, ...roots])
      await make.entry(type, { parent_id: root }, { fields: { name: 'below' } })
    for (const root of roots)
      await app.call('POST', '/api/v1/content/publish', { body: { content_data_id: root } })
    let [rebuilt, most] = [0, 0]
    for (let round = 0; round < 70; round++) {
      app.clock.advance(1000)
      const ids = (await app.db.findAll(contentData)).map(({ content_data_id }) => content_data_id)
      const [id, other] = [one(ids), one(ids)]
      const name = `${below(1000)}`
      const edits: (() => ReturnType<typeof api>)[] = [
        () => api('PUT', `/content?q=${id}`, { fields: { name } }),
        () => api('PUT', `/content?q=${id}`, { fields: { next: JSON.stringify([other, id]) } }),
        () => api('PUT', `/content?q=${id}`, { status: one(['draft', 'published']), fields: { name } }),
        () => api('PUT', `/content?q=${id}`, { parent_id: other }),
        () => api('PUT', `/content?q=${one(roots)}`, { route_id: spare }),
        () => api('POST', '/content', { datatype_id: one([type, card]), parent_id: id, fields: { name } }),
        () =>
          api('POST', '/content', {
            datatype_id: one([type, card]),
            parent_id: id,
            status: 'published',
            fields: { name },
          }),
        () => api('POST', '/content/move', { content_data_id: id, parent_id: other, position: below(3) }),
        () => api('POST', '/content/duplicate', { content_data_id: id, parent_id: other }),
        () => api('DELETE', `/content?q=${id}&recursive=true`),
        () => api('POST', '/content/publish', { content_data_id: id }),
        () => api('POST', '/content/publish', { content_data_id: one(roots) }),
        () => api('POST', '/content/publish', { content_data_id: one(roots) }),
        () => api('POST', '/content/unpublish', { content_data_id: id }),
        () => api('POST', '/content/changes/drop', { content_data_id: one(roots) }),
        () => api('PUT', `/datatypes/?q=${card}`, { visibility: one(['private', 'linked', 'public']) }),
        () => api('PUT', `/datatypes/?q=${type}`, { visibility: one(['private', 'linked']) }),
        () => api('PUT', `/datatypes/?q=${type}`, { visibility: 'linked' }),
      ]
      const step = below(edits.length)
      // The pages stay, so that there is something to edit.
      if (step === 9 && roots.includes(id)) continue
      const answer = await (edits[step] as (typeof edits)[number])()
      expect(answer.status).toBeLessThan(500)
      expect([seed, round, step, await stored(app)]).toEqual([seed, round, step, await expected(app)])
      if (round % 3 === 0)
        expect([seed, round, step, await lists(app)]).toEqual([seed, round, step, await expectedLists(app)])
      most = Math.max(most, await app.db.count(publicEntries))
      if (below(10) === 0) {
        const before = [await stored(app), await app.db.count(publicValues)]
        await app.services.space.publicBook.rebuild()
        expect([await stored(app), await app.db.count(publicValues)]).toEqual(before)
        rebuilt++
      }
    }
    expect(most).toBeGreaterThan(5)
    expect(rebuilt).toBeGreaterThan(1)
  })
})

it('has a time for every entry, so that an order by it loses none that was written past the service', async () => {
  const app = await testApp()
  const make = factories(app)
  const { datatype_id } = await make.datatype('Note', { type: '_global', visibility: 'public' })
  const made: { content_data_id: string; date_created: string }[] = []
  for (let i = 0; i < 6; i++) {
    app.clock.advance(1000)
    made.push(await make.entry(datatype_id, {}, { status: 'published' }))
  }
  const [, second, third] = made
  await app.db.write(systemActor, async tx => {
    for (const { content_data_id = '' } of [second, third].flatMap(one => one ?? []))
      await tx.update(contentData, content_data_id, { published_at: null })
  })
  await app.services.space.publicBook.rebuild()
  for (const sort of ['published_at', '-published_at']) {
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const path: string = `/api/v1/query/note?sort=${sort}&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`
      const { body } = await app.call('GET', path, { as: 'nobody' })
      seen.push(...body.data.map(({ id }: { id: string }) => id))
      cursor = body.meta.next
    }
    const ids = made.map(({ content_data_id }) => content_data_id)
    expect(seen).toEqual(sort === 'published_at' ? ids : ids.toReversed())
  }
})
