import { expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { nodeHashing } from '../../src/node/ports.js'
import { loadSite } from '../../src/services/import/load.js'
import type { ImportedEntry, ImportedSite } from '../../src/services/import/site.js'
import { testApp } from '../support/app.js'

const value = (text: unknown) => ({ value: text })

const block = (key: string, text: string, german?: string): ImportedEntry => ({
  ...{ key, type: 'block', isPublished: true, createdAt: '2024-01-01T00:00:00.000Z' },
  values: text === '' ? {} : { text: value(text) },
  ...(german === undefined ? {} : { translations: { de: { text: value(german) } } }),
})

const page = (more: Partial<ImportedEntry>): ImportedEntry => ({
  ...{ key: 'home', ids: [{ kind: 'page', id: '1' }], type: 'page', isPublished: true },
  ...{ createdAt: '2024-01-01T00:00:00.000Z', changedAt: '2024-01-02T00:00:00.000Z' },
  publishedAt: '2024-01-01T00:00:00.000Z',
  page: { path: '/home', title: 'Home' },
  values: { name: value('Home'), note: value('A note') },
  translations: { de: { name: value('Start') } },
  children: [block('a', 'First', 'Erster'), block('b', 'Second'), block('c', 'Third')],
  ...more,
})

const site = (entry: ImportedEntry): ImportedSite => ({
  locales: [
    { code: 'en', label: 'English' },
    { code: 'de', label: 'German' },
  ],
  types: [
    {
      ...{ name: 'page', label: 'Page', hasPages: true },
      fields: [
        { name: 'name', label: 'Name', type: 'text', translatable: true },
        { name: 'note', label: 'Note', type: 'text' },
        { name: 'count', label: 'Count', type: 'number' },
      ],
    },
    {
      ...{ name: 'block', label: 'Block', hasPages: false },
      fields: [{ name: 'text', label: 'Text', type: 'text', translatable: true }],
    },
  ],
  entries: [entry],
  ...{ files: [], notes: [] },
})

async function started(more: object = {}) {
  const app = await testApp({ i18n_enabled: true, ...more })
  const roleId = await app.services.access.systemRole('admin')
  const actor = { ...systemActor, surface: 'cli' as const, userId: app.users.admin, roleId }
  const load = (entry: ImportedEntry) =>
    loadSite(app.services, actor, site(entry), {
      ...{ system: 'test', hashing: nodeHashing, isPublic: true, now: app.clock.now(), open: undefined },
      ...{ progress: () => undefined, update: { isWhole: false, deletes: false } },
    })
  await load(page({}))
  const root = async () => app.db.find(tables.contentData, { parent_id: null })
  const blocks = async () => {
    const id = (await root())?.content_data_id ?? ''
    const rows = await app.db.findAll(tables.contentData, { parent_id: id }, { order: 'sort_order' })
    const values = await app.db.findIn(
      tables.contentFields,
      'content_data_id',
      rows.map(row => row.content_data_id),
    )
    return rows.map(row => ({
      id: row.content_data_id,
      texts: values
        .filter(one => one.content_data_id === row.content_data_id)
        .sort((a, b) => (a.locale < b.locale ? -1 : 1))
        .map(one => `${one.locale}:${one.field_value}`),
    }))
  }
  return { app, load, root, blocks }
}

it.each(['live', 'staged'])('gives a tree its values, translations, children and page (%s)', async mode => {
  const { app, load, root, blocks } = await started({ publish_mode: mode })
  const before = await blocks()
  expect(before.map(one => one.texts)).toEqual([[':First', 'de:Erster'], [':Second'], [':Third']])
  const id = (await root())?.content_data_id
  const changed = page({
    page: { path: '/start', title: 'The start' },
    values: { name: value('New home'), count: value(3) },
    translations: {},
    children: [block('a', 'First, again'), block('x', 'Between'), block('b', 'Second', 'Zweiter')],
  })
  expect((await load(changed)).changes).toEqual({ updated: 1, deleted: 0, left: [] })
  expect((await blocks()).map(one => one.texts)).toEqual([
    [':First, again'],
    [':Between'],
    [':Second', 'de:Zweiter'],
  ])
  expect((await blocks()).map(one => one.id)).toEqual(before.map(one => one.id))
  const rows = await app.db.findAll(tables.contentFields, { content_data_id: id ?? '' })
  expect(rows.map(row => `${row.locale}:${row.field_value}`).sort()).toEqual([':3', ':New home'])
  expect(await app.db.findAll(tables.routes, {})).toMatchObject([{ slug: '/start', title: 'The start' }])
  expect(await root()).toMatchObject({ content_data_id: id, status: 'published' })
  expect((await app.call('GET', '/start', { as: 'nobody' })).text).toContain('New home')

  // Fewer children: the others go. A draft there is one here.
  const fewer = { ...changed, children: [block('a', 'Alone')], isPublished: false, publishedAt: undefined }
  expect((await load(fewer)).changes).toEqual({ updated: 1, deleted: 0, left: [] })
  expect((await blocks()).map(one => one.texts)).toEqual([[':Alone']])
  expect((await root())?.status).toBe('draft')
  expect((await load(fewer)).changes).toEqual({ updated: 0, deleted: 0, left: [] })
})

it('leaves a tree whose child or status was changed here, and one that is refused', async () => {
  const { app, load, root, blocks } = await started()
  const id = (await root())?.content_data_id ?? ''
  const [first] = await blocks()
  const edit = (text: string) =>
    app.call('PUT', `/api/v1/content/${first?.id}`, { body: { fields: { text } } })
  expect((await edit('Ours')).status).toBe(200)
  const changed = page({ values: { name: value('Theirs') } })
  const left = [{ record: 'home', id, why: 'changed on both sides' }]
  expect((await load(changed)).changes).toEqual({ updated: 0, deleted: 0, left })
  // Back to what it was: there is nothing of ours any more.
  await edit('First')
  expect((await load(changed)).changes).toMatchObject({ updated: 1, left: [] })
  await app.call('POST', '/api/v1/content/unpublish', { body: { content_data_id: id } })
  expect((await load(page({}))).changes).toEqual({ updated: 0, deleted: 0, left })
  await app.call('POST', '/api/v1/content/publish', { body: { content_data_id: id } })
  expect((await load(page({}))).changes).toMatchObject({ updated: 1, left: [] })

  expect((await app.call('POST', '/api/v1/routes', { body: { slug: '/taken', title: 'T' } })).status).toBe(
    201,
  )
  const taken = await load(page({ page: { path: '/taken', title: 'Home' }, values: { name: value('N') } }))
  expect(taken.changes).toMatchObject({ updated: 0, left: [{ record: 'home', why: 'refused' }] })
  const wrong = await load(page({ values: { name: value('Other'), count: value('many') } }))
  expect(wrong.changes).toMatchObject({ updated: 1, left: [] })
  expect(wrong.notes).toEqual([expect.stringContaining('Values are left out')])
})
