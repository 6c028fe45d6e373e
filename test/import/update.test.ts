import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { internalTables, tables } from '../../src/db/tables.js'
import { nodeHashing } from '../../src/node/ports.js'
import { temporaryFile } from '../../src/node/temporary-files.js'
import { loadSite } from '../../src/services/import/load.js'
import type { ImportedEntry, ImportedFile, ImportedSite } from '../../src/services/import/site.js'
import { testApp } from '../support/app.js'
import { scratchFolder } from '../support/backups.js'
import { picture } from '../support/media.js'

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

const site = (...entries: readonly ImportedEntry[]): ImportedSite => ({
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
        { name: 'body', label: 'Body', type: 'richtext' },
      ],
    },
    {
      ...{ name: 'block', label: 'Block', hasPages: false },
      fields: [{ name: 'text', label: 'Text', type: 'text', translatable: true }],
    },
  ],
  entries,
  ...{ files: [], notes: [] },
})

async function started(more: object = {}) {
  const app = await testApp({ i18n_enabled: true, ...more })
  const roleId = await app.services.access.systemRole('admin')
  const actor = { ...systemActor, surface: 'cli' as const, userId: app.users.admin, roleId }
  /** Bytes of files, by their addresses. */
  const bytes = new Map<string, Buffer>()
  const opened: string[] = []
  const open = async ({ url = '' }: { url?: string | undefined }) => {
    opened.push(url)
    if (!bytes.has(url)) throw new Error('the source is away')
    return temporaryFile(Readable.from([bytes.get(url)]))
  }
  const load = (
    entries: ImportedEntry | readonly ImportedEntry[],
    files: readonly ImportedFile[] = [],
    isUpdate = true,
  ) =>
    loadSite(
      app.services,
      actor,
      { ...site(...[entries].flat()), files },
      {
        ...{ system: 'test', hashing: nodeHashing, isPublic: true, now: app.clock.now() },
        ...{ open: files.length > 0 ? open : undefined, progress: () => undefined },
        update: isUpdate ? { isWhole: true, deletes: false } : undefined,
      },
    )
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
  return { app, load, root, blocks, bytes, opened }
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

it.each(['live', 'staged'])('gives a tree the time of its last change there (%s)', async mode => {
  const { app, load, root } = await started({ publish_mode: mode, webhook_enabled: true })
  const times = async () => {
    const id = (await root())?.content_data_id ?? ''
    const values = await app.db.findAll(tables.contentFields, { content_data_id: id })
    const tree = await app.db.get(tables.contentTrees, id)
    return [(await root())?.date_modified, tree?.changed_at, ...values.map(row => row.date_modified)]
  }
  const all = (...found: (string | null | undefined)[]) => new Set(found)
  expect(all(...(await times()))).toEqual(all('2024-01-02T00:00:00.000Z'))
  app.clock.advance(60_000)
  const name = { name: value('Changed') }
  const next = page({ values: name, changedAt: '2024-03-01T00:00:00.000Z', translations: {} })
  expect((await load(next)).changes).toEqual({ updated: 1, deleted: 0, left: [] })
  expect((await root())?.date_modified).toBe('2024-03-01T00:00:00.000Z')
  expect(all(...(await times()))).toEqual(all('2024-03-01T00:00:00.000Z'))

  // A change there that is none here: one audit event, and one event for those who keep copies.
  app.clock.advance(60_000)
  await app.subscribe()
  const audits = async () => (await app.db.findAll(internalTables.auditEvents, {})).length
  const before = await audits()
  const later = { ...next, changedAt: '2024-04-01T00:00:00.000Z' }
  expect((await load(later)).changes).toEqual({ updated: 1, deleted: 0, left: [] })
  expect((await root())?.date_modified).toBe('2024-04-01T00:00:00.000Z')
  expect(await audits()).toBe(before + 1)
  const id = (await root())?.content_data_id ?? ''
  const events = await app.db.findAll(internalTables.auditEvents, { record_id: id })
  const [last] = events.sort((a, b) => (a.occurred_at < b.occurred_at ? 1 : -1))
  expect(last?.new_values).toEqual({ date_modified: '2024-04-01T00:00:00.000Z' })
  expect(Date.parse(last?.occurred_at ?? '')).toBe(app.clock.now())
  expect((await app.deliveries()).map(({ event }) => event)).toEqual(['content.updated'])
  expect((await load(later)).changes).toEqual({ updated: 0, deleted: 0, left: [] })
})

it('keeps links to a page that was deleted here, which the trash can restore', async () => {
  const { app, load } = await started()
  const linking = (name: string) =>
    page({
      ...{ key: 'linking', ids: [], page: { path: '/linking', title: 'Linking' }, children: [] },
      values: { name: value(name), body: { html: '<p><a href="import:entry:home">home</a></p>' } },
    })
  const alone = page({ children: [] })
  await load([alone, linking('First')])
  const body = async () =>
    (await app.call('GET', '/linking?format=clean', { as: 'nobody' })).body as Record<string, string>
  const route = await app.db.find(tables.routes, { slug: '/home' })
  const home = await app.db.find(tables.contentData, { route_id: route?.route_id ?? '' })
  expect((await app.call('DELETE', `/api/v1/content/?q=${home?.content_data_id}`)).status).toBe(204)
  const { changes } = await load([alone, linking('Second')])
  expect(changes).toEqual({ updated: 1, deleted: 0, left: [] })
  expect(await body()).toMatchObject({ name: 'Second', body: expect.stringContaining('href="/home"') })
})

it('keeps the present ids of a record, and none of those before', async () => {
  const { app, load, root } = await started()
  const keys = async () => (await app.db.findAll(internalTables.sourceIds, {})).map(row => row.source_key)
  expect(await keys()).toEqual(['test page 1'])
  const both = {
    ids: [
      { kind: 'page', id: '12' },
      { kind: 'document', id: 'd' },
    ],
  }
  await load(page(both))
  expect((await keys()).sort()).toEqual(['test document d', 'test page 12'])
  const id = (await root())?.content_data_id
  expect(await app.db.get(internalTables.sourceIds, 'test page 12')).toMatchObject({ content_data_id: id })
  // A kind that this reading does not have says nothing.
  await load(page({ ids: [{ kind: 'page', id: '13' }] }))
  expect((await keys()).sort()).toEqual(['test document d', 'test page 13'])
  await load(page({ ids: [{ kind: 'page', id: '14' }] }), [], false)
  expect(await keys()).toContain('test page 13')
})

it('takes texts of a file that changed there, unless they were changed here', async () => {
  const folder = `file:${scratchFolder()}`
  const { app, load, bytes, opened } = await started({ bucket_endpoint: folder, bucket_media: 'media' })
  const url = 'https://old.example/wall.png'
  bytes.set(url, await picture(40, 30).png().toBuffer())
  const wall = (more: Partial<ImportedFile> = {}): ImportedFile => ({
    ...{
      key: 'wall',
      ids: [{ kind: 'file', id: '7' }],
      name: 'wall.png',
      url,
      alt: 'A wall',
      caption: 'Old',
    },
    ...more,
  })
  const media = () => app.db.findAll(tables.media, {})
  expect(await load(page({}), [wall()])).toMatchObject({ files: 1 })
  const [made] = await media()
  expect(made).toMatchObject({ alt_text: 'A wall', caption: 'Old', focal_x: null })
  await load(page({}), [wall()])
  expect(opened).toHaveLength(1)

  const next = wall({ alt: 'A green wall', title: 'Wall', caption: undefined, focus: { x: 0.25, y: 0.5 } })
  expect(await load(page({}), [next])).toMatchObject({ files: 0, changes: { left: [] } })
  expect(await media()).toMatchObject([
    {
      ...{ media_id: made?.media_id, alt_text: 'A green wall', caption: '', display_name: 'Wall' },
      ...{ focal_x: 25, focal_y: 50 },
    },
  ])
  const unfocused = wall({ alt: 'A green wall', title: 'Wall' })
  await load(page({}), [unfocused])
  expect(await media()).toMatchObject([{ caption: 'Old', focal_x: null }])

  // An import that is no update changes nothing, and the next update still sees the change.
  const other = wall({ alt: 'A red wall', title: 'Wall' })
  await load(page({}), [other], false)
  expect(await media()).toMatchObject([{ alt_text: 'A green wall' }])
  await load(page({}), [other])
  expect(await media()).toMatchObject([{ alt_text: 'A red wall' }])

  const body = { alt_text: 'Ours' }
  const id = made?.media_id ?? ''
  expect((await app.call('PUT', `/api/v1/media/${id}`, { body })).status).toBe(200)
  const left = [{ record: 'wall', id, why: 'changed on both sides' }]
  const asked = opened.length
  for (const alt of ['A blue wall', 'A blue wall'])
    expect((await load(page({}), [wall({ alt, title: 'Wall' })])).changes).toMatchObject({ left })
  expect(opened).toHaveLength(asked)
  expect(await media()).toMatchObject([{ alt_text: 'Ours' }])
  // While the source is away, entries keep the picture as it is here.
  const [green] = [...bytes.values()]
  bytes.clear()
  await app.call('PUT', `/api/v1/media/${id}`, { body: { alt_text: 'A red wall' } })
  const away = await load(page({}), [wall({ alt: 'A white wall', title: 'Wall' })])
  expect(away).toMatchObject({ files: 0, notes: [], changes: { left: [] } })
  expect(await media()).toMatchObject([{ media_id: id, alt_text: 'A red wall' }])
  if (green) bytes.set(url, green)
  await load(page({}), [wall({ alt: 'A white wall', title: 'Wall' })])
  expect(await media()).toMatchObject([{ media_id: id, alt_text: 'A white wall' }])
  await load(page({}), [other])
  await app.call('PUT', `/api/v1/media/${id}`, { body: { alt_text: 'Ours' } })
  // Without a change there, ours is no conflict.
  expect((await load(page({}), [other])).changes).toMatchObject({ left: [] })

  // Other bytes are another file.
  bytes.set(url, await picture(50, 30).png().toBuffer())
  await app.call('PUT', `/api/v1/media/${id}`, { body: { alt_text: 'A red wall' } })
  expect(await load(page({}), [wall({ alt: 'A new wall' })])).toMatchObject({
    files: 1,
    changes: { left: [] },
  })
  expect((await media()).map(row => [row.width, row.alt_text]).sort()).toEqual([
    [40, 'A red wall'],
    [50, 'A new wall'],
  ])
})
