import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { internalTables, tables } from '../../src/db/tables.js'
import { timestamp } from '../../src/ids.js'
import { leaseMs } from '../../src/services/operation/leases.js'
import { testApp } from '../support/app.js'

const app = await testApp({ webhook_allow_http: true })
const { call, send, db, services } = app
const root = '/api/v1/import'

const lines = (count: number, more: readonly string[] = []): string =>
  [
    ...Array.from({ length: count }, (_, i) =>
      JSON.stringify({
        _id: `d${i}`,
        _type: 'note',
        _createdAt: '2024-01-01T00:00:00Z',
        _updatedAt: '2024-01-02T00:00:00Z',
        title: `Note ${i}`,
      }),
    ),
    ...more,
  ].join('\n')

function form(text: string, fields: Record<string, string> = {}, name = 'data.ndjson'): FormData {
  const body = new FormData()
  for (const [member, value] of Object.entries(fields)) body.set(member, value)
  body.set('file', new File([text], name))
  return body
}

const upload = (text: string, fields?: Record<string, string>, system = 'sanity') =>
  send('POST', `${root}/${system}`, { body: form(text, fields) })

const read = async (id: string) => (await call('GET', `${root}/${id}`)).body

async function ended(id: string) {
  for (;;) {
    const row = await read(id)
    // The right to run the next one is given back a moment after the state is stored.
    const isFree = (await db.count(internalTables.leases, { name: 'import' })) === 0
    if (row.status !== 'running' && isFree) return row
    await sleep(50)
  }
}

const actions = async (id: string) =>
  (await app.audits()).filter(({ record_id }) => record_id === id).map(({ operation }) => operation)

describe('an import by the API', () => {
  it('is for those who have the permission', async () => {
    for (const as of ['nobody', 'viewer', 'editor'] as const) {
      const status = 403
      expect((await call('GET', root, { as })).status).toBe(status)
      expect((await send('POST', `${root}/sanity`, { as, body: form(lines(1)) })).status).toBe(status)
      expect(
        (await call('POST', `${root}/sanity/address`, { as, body: { url: 'https://a.example' } })).status,
      ).toBe(status)
    }
    expect(await db.countAll(tables.imports)).toBe(0)
  })

  it('refuses what is no export', async () => {
    expect((await call('POST', `${root}/sanity`, { body: {} })).status).toBe(415)
    expect((await upload('', {})).body).toMatchObject({ code: 'invalid', member: 'file' })
    expect((await upload(lines(1), { public: 'yes' })).body).toMatchObject({ member: 'public' })
    expect((await upload(lines(1), { other: 'true' })).status).toBe(400)
    expect((await upload(lines(1), {}, 'joomla')).status).toBe(404)
    const without = new FormData()
    without.set('public', 'true')
    expect((await send('POST', `${root}/sanity`, { body: without })).body).toMatchObject({ member: 'file' })
    expect(await db.countAll(tables.imports)).toBe(0)
  })

  it('stores what it has, with a report about each record', async () => {
    const started = await upload(lines(3, ['{"_type":"note"}']), { public: 'true' })
    expect(started.status).toBe(201)
    const { import_id } = started.body
    expect(started.body).toMatchObject({
      system: 'sanity',
      status: 'running',
      source: 'data.ndjson',
      is_public: true,
    })
    expect(started.text).not.toMatch(/place|slugline-import/)
    const row = await ended(import_id)
    expect(row).toMatchObject({ status: 'completed', error_message: null })
    expect(row.result).toMatchObject({
      ...{ datatypes: 1, entries: 3, left_out: 1 },
      verified: {
        ...{ equal: 3, different: 0, missing: 0, unasked: 0, named: [] },
        aspects: { ids: { equal: 3, of: 3 }, words: { equal: 3, of: 3 }, times: { equal: 3, of: 3 } },
      },
    })
    expect(await db.countAll(tables.contentData)).toBe(3)
    const { body: all } = await call('GET', `${root}/${import_id}/report`)
    expect(all.map(({ source_id }: { source_id: string }) => source_id)).toEqual([
      'export.ndjson: line 4',
      ...['d0', 'd1', 'd2'],
    ])
    expect(all[1]).toMatchObject({
      kind: 'entry',
      type: 'note',
      ...{ state: 'published', seen: 'equal' },
      words: { before: 2, after: 2 },
    })
    const { body: some } = await call('GET', `${root}/${import_id}/report?problems=true`)
    expect(some).toMatchObject([{ kind: 'unread', state: 'left_out', left_out: ['has no _id and _type'] }])
    const { body: later } = await call(
      'GET',
      `${root}/${import_id}/report?after=${encodeURIComponent(all[1].key)}`,
    )
    expect(later).toHaveLength(2)
    const [entry] = await db.findAll(tables.contentData)
    expect(entry).toMatchObject({ author_id: app.users.admin })
    expect(await actions(import_id)).toEqual(['INSERT', 'UPDATE'])
    expect((await call('GET', root)).body).toHaveLength(1)
  })

  it('shows what will come, and waits for its start', async () => {
    const { body } = await upload(lines(5), { preview: 'true' })
    const ready = await ended(body.import_id)
    expect(ready).toMatchObject({ status: 'ready', result: null })
    expect(ready.preview).toMatchObject({ datatypes: [{ name: 'note', entries: 5 }], left_out: 0 })
    expect(await db.countAll(tables.contentData)).toBe(3)
    const started = await call('POST', `${root}/${body.import_id}/start`)
    expect([started.status, started.body.status]).toEqual([200, 'running'])
    const done = await ended(body.import_id)
    expect(done.result).toMatchObject({ entries: 2, known: 3 })
    expect((await call('POST', `${root}/${body.import_id}/start`)).status).toBe(409)
    expect((await call('POST', `${root}/${body.import_id}/cancel`)).status).toBe(409)
  })

  it('says why it has failed, and can be deleted', async () => {
    const { body } = await upload('[')
    const failed = await ended(body.import_id)
    expect(failed).toMatchObject({ status: 'failed', error_message: 'export.ndjson: line 1: is not JSON' })
    expect((await call('DELETE', `${root}?q=${body.import_id}`)).status).toBe(204)
    expect((await call('GET', `${root}/${body.import_id}`)).status).toBe(404)
    expect((await call('GET', `${root}/${body.import_id}/report`)).status).toBe(404)
    expect((await call('DELETE', `${root}/${body.import_id}`)).status).toBe(404)
    expect((await call('POST', `${root}/${body.import_id}/start`)).status).toBe(404)
    expect((await call('POST', `${root}/${body.import_id}/cancel`)).status).toBe(404)
  })

  it('stops before the first entry if files have no place, and can be started without them', async () => {
    const asset = { _id: 'image-a-1x1-png', _type: 'sanity.imageAsset', url: 'http://127.0.0.1:1/a.png' }
    const more = JSON.stringify({ ...asset, originalFilename: 'a.png', extension: 'png' })
    const before = await db.countAll(tables.contentData)
    const { body } = await upload(lines(7, [more]))
    const path = `${root}/${body.import_id}`
    const sentence =
      'the export has 1 files, but no storage for media is configured: configure one, or import without files'
    expect(await ended(body.import_id)).toMatchObject({ status: 'failed', error_message: sentence })
    expect(await db.countAll(tables.contentData)).toBe(before)
    expect((await call('POST', `${path}/start?without_files=yes`)).body).toMatchObject({
      member: 'without_files',
    })
    expect((await call('POST', `${path}/start?without_files=true`, { as: 'editor' })).status).toBe(403)
    expect((await call('POST', `${path}/start?without_files=false`)).status).toBe(200)
    expect(await ended(body.import_id)).toMatchObject({ status: 'failed', error_message: sentence })
    const started = await call('POST', `${path}/start?without_files=true`)
    expect([started.status, started.body.with_files]).toEqual([200, false])
    expect(await ended(body.import_id)).toMatchObject({ status: 'completed', result: { files: 0 } })
    expect(await db.countAll(tables.contentData)).toBe(before + 2)
    expect(await actions(body.import_id)).toEqual(['INSERT', ...Array(6).fill('UPDATE')].slice(0, 6))
  })

  it('can be cancelled and started again; another has to wait', async () => {
    const { body } = await upload(lines(400))
    const second = await upload(lines(1))
    expect([second.status, second.body.error]).toEqual([409, 'another import is running'])
    expect((await call('DELETE', `${root}/${body.import_id}`)).status).toBe(409)
    const cancelled = await call('POST', `${root}/${body.import_id}/cancel`)
    expect([cancelled.status, cancelled.body.status]).toEqual([200, 'cancelled'])
    expect((await ended(body.import_id)).status).toBe('cancelled')
    expect((await call('POST', `${root}/${body.import_id}/start`)).status).toBe(200)
    const done = await ended(body.import_id)
    expect(done.status).toBe('completed')
    expect(done.result.entries + done.result.known).toBe(400)
    expect(await db.countAll(tables.contentData)).toBe(400)
  })

  it('goes on after its service has died', async () => {
    const { body } = await upload(lines(450))
    // As a process that dies leaves it: running, and nobody renews the lease.
    await services.importJobs.stop()
    expect((await read(body.import_id)).status).toBe('running')
    await services.importJobs.runDue()
    expect((await ended(body.import_id)).status).toBe('completed')
    expect(await db.countAll(tables.contentData)).toBe(450)
  })

  it('leaves an import alone whose instance lives, and fails one whose file is gone', async () => {
    const row = await db.write(systemActor, async tx => {
      const until = timestamp(app.clock.now() + leaseMs)
      await tx.insertInternal(internalTables.leases, { name: 'import', holder: 'other', expires_at: until })
      const gone = { system: 'sanity', source: 'x', place: '/tmp/slugline-import-job-gone/export' } as const
      return tx.insert(tables.imports, { ...gone, status: 'running', created_by: app.users.admin })
    })
    await services.importJobs.runDue()
    expect((await read(row.import_id)).status).toBe('running')
    app.clock.advance(leaseMs + 1000)
    await services.importJobs.runDue()
    expect(await ended(row.import_id)).toMatchObject({
      status: 'failed',
      error_message: expect.stringContaining('upload it again'),
    })
    expect((await call('POST', `${root}/${row.import_id}/start`)).status).toBe(409)
  })
})

describe('an import from an address', async () => {
  const server = createServer((request, response) => {
    if (request.url === '/moved') response.writeHead(302, { Location: '/data.ndjson?key=secret' }).end()
    else if (request.url?.startsWith('/data.ndjson')) response.end(lines(2))
    else response.writeHead(404).end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => server.close())
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const from = (url: string) => call('POST', `${root}/sanity/address`, { body: { url } })

  it.each([
    'ftp://a.example/x',
    'http://10.0.0.1/x',
    'http://169.254.169.254/',
    'nonsense',
    'https://u:p@a.example/',
  ])('refuses %s', async url => {
    expect((await from(url)).body).toMatchObject({ code: 'invalid', member: 'url' })
  })

  it('is fetched, and keeps no key of the address', async () => {
    const { status, body, text } = await from(`${origin}/data.ndjson?key=secret`)
    expect(status).toBe(201)
    expect(body.source).toBe(`${origin}/data.ndjson`)
    expect(text).not.toContain('secret')
    expect(await ended(body.import_id)).toMatchObject({ status: 'completed' })
    const moved = await from(`${origin}/moved`)
    expect(await ended(moved.body.import_id)).toMatchObject({ status: 'completed' })
    const none = await from(`${origin}/none`)
    expect(await ended(none.body.import_id)).toMatchObject({
      status: 'failed',
      error_message: expect.stringMatching(/^127\.0\.0\.1:\d+ responded with 404$/),
    })
    const audits = JSON.stringify(await app.audits())
    expect(audits).not.toContain('key=secret')
  })
})
