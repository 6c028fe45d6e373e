import { expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import type { InsertOf } from '../../src/db/columns.js'
import { pageFound } from '../../src/db/queries/page.js'
import { isCurrent, type PageVersion } from '../../src/db/queries/page-version.js'
import { internalTables, tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'
import { chooser } from '../support/random.js'

type Rendering = InsertOf<typeof internalTables.renderedPages> & PageVersion

const app = await testApp()
const { db } = app
const { datatype, route, entry } = factories(app)
const { renderedPages, counters } = internalTables
const { contentTrees, pendingTrees } = tables

const { datatype_id } = await datatype('Page')
const pages = await Promise.all(
  Array.from({ length: 25 }, async (_, i) => {
    const slug = `/version-${i}`
    const { route_id } = await route(slug)
    const { content_data_id: root_id } = await entry(datatype_id, { route_id }, { status: 'published' })
    return { slug, route_id, root_id, key: `key of ${slug}` }
  }),
)
const rootIds = pages.map(({ root_id }) => root_id)

interface Case {
  readonly rendering: Rendering
  readonly tree: number
  /** While changes wait. */
  readonly publicTree: number | undefined
}

/** Writes any stored renderings beside any present versions, each number out of few, so that they often agree. */
async function writeRandom({ below, one }: ReturnType<typeof chooser>) {
  const number = () => 1 + below(2)
  const [schema, content] = [number(), number()]
  const cases = pages.map(
    ({ key, route_id, root_id }): Case => ({
      rendering: {
        page_key: key,
        route_id,
        root_id,
        version: number(),
        pending: one([true, false]),
        schema_version: number(),
        content_version: one([null, number(), number()]),
        renderer_version: one(['ours', 'ours', 'older']),
        etag: 'etag',
        body: new Uint8Array([1]),
      },
      tree: number(),
      publicTree: one([undefined, number()]),
    }),
  )
  await db.write(systemActor, async tx => {
    await tx.deleteAllInternal(pendingTrees, 'root_id', rootIds)
    for (const { rendering, tree, publicTree } of cases) {
      const { root_id } = rendering
      await tx.updateInternal(contentTrees, [root_id], { version: tree })
      if (publicTree !== undefined)
        await tx.insertInternal(pendingTrees, { root_id, version: publicTree, since: tx.now })
    }
    await tx.updateInternal(counters, ['schema_version'], { value: schema })
    await tx.updateInternal(counters, ['content_version'], { value: content })
  })
  await db.storeRenderedPages(
    renderedPages,
    cases.map(({ rendering }) => rendering),
  )
  return { cases, schema, content }
}

it.each(['public', 'working'] as const)(
  'a rendering is current by the statement exactly when it is by the function, to the %s audience',
  async audience => {
    const choose = chooser(audience === 'public' ? 11 : 12)
    const query = pageFound(tables, audience)
    const seen = { current: 0, stale: 0 }
    for (let round = 0; round < 60; round++) {
      const { cases, schema, content } = await writeRandom(choose)
      for (const [i, { rendering, tree, publicTree }] of cases.entries()) {
        const { slug, key, root_id, route_id } = pages[i] as (typeof pages)[number]
        const [present] = await db.query(query, { key: '', renderer: 'ours', slug })
        const [found] = await db.query(query, { key, renderer: 'ours', slug })
        if (!present?.present || !found?.present) throw new Error(`there is no page ${slug}`)
        const waits = audience === 'public' && publicTree !== undefined
        expect(present.present).toEqual({
          root_id,
          version: waits ? publicTree : tree,
          pending: waits,
          schema_version: schema,
          content_version: content,
        })
        const expected = rendering.renderer_version === 'ours' && isCurrent(rendering, present.present)
        expect([round, slug, present, rendering, found.stored !== undefined]).toEqual([
          round,
          slug,
          present,
          rendering,
          expected,
        ])
        // A current rendering says what it was made of; beside a stale one is the present version.
        const { version, pending, schema_version, content_version } = expected ? rendering : present.present
        expect(found.present).toEqual({ root_id, version, pending, schema_version, content_version })
        expect(found.routeId).toBe(route_id)
        seen[expected ? 'current' : 'stale']++
      }
    }
    expect(Math.min(seen.current, seen.stale)).toBeGreaterThan(60)
  },
)

it('belongs to its root: another on the same route makes a rendering stale', () => {
  const version = { root_id: 'a', version: 1, pending: false, schema_version: 1, content_version: null }
  expect(isCurrent(version, { ...version })).toBe(true)
  expect(isCurrent(version, { ...version, root_id: 'b' })).toBe(false)
})
