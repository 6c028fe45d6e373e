import { expect, it } from 'vitest'
import { internalTables, tables } from '../../src/db/tables.js'
import { stagedSite } from '../support/staged.js'

const { app, api, page, done } = await stagedSite()
const { db } = app

type Page = Awaited<ReturnType<typeof page>>

const storedValueOf = async (entry: string) => {
  const [value] = await db.findAll(tables.contentFields, { content_data_id: entry })
  return value?.content_field_id
}

const repeats: Record<string, (of: Page) => Promise<unknown>> = {
  'the slug and title of its route': ({ slug, route_id }) =>
    done('PUT', `/routes?q=${route_id}`, { slug, title: slug, translations: {} }),
  'values of an entry': ({ a }) => done('PUT', `/content?q=${a}`, { fields: { name: 'a' } }),
  'values of an entry under it': ({ root, a }) =>
    done('PUT', `/content?q=${root}`, { children: [{ content_data_id: a, fields: { name: 'a' } }] }),
  'the place and status of an entry': ({ root, a }) =>
    done('PUT', `/content?q=${a}`, { parent_id: root, status: 'published' }),
  'a stored value': async ({ a }) =>
    done('PUT', `/content-fields?q=${await storedValueOf(a)}`, { field_value: 'a' }),
  'the place among its siblings': ({ root, b }) =>
    done('POST', '/content/move', { content_data_id: b, parent_id: root, position: 1 }),
  'the order of its entries': ({ root, a, b }) =>
    done('POST', '/content/reorder', { parent_id: root, content_data_ids: [a, b] }),
}

it.each(Object.keys(repeats))('nothing is left by a change to what is there: %s', async name => {
  const one = await page()
  const state = async () => ({
    tree: await db.get(tables.contentTrees, one.root),
    counters: await db.findAll(internalTables.counters),
    changes: await db.findAll(internalTables.contentChanges),
    waits: (await api('GET', `/content/changes?q=${one.root}`)).body.waiting_since,
  })
  const before = await state()
  expect(before.waits).toBeNull()
  await repeats[name]?.(one)
  expect(await state()).toEqual(before)
})
