import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { compareRecords } from '../../src/cli/compare-json.js'
import { tables } from '../../src/db/tables.js'
import { type TestApp, testApp } from '../support/app.js'
import { scratchFolder } from '../support/backups.js'
import { runHere } from '../support/terminal.js'

const folder = scratchFolder()

const notes = ['one', 'two', 'three'].map((id, i) =>
  JSON.stringify({
    ...{
      _id: id,
      _type: 'note',
      _createdAt: `2024-01-0${i + 1}T00:00:00Z`,
      _updatedAt: '2024-02-01T00:00:00Z',
    },
    ...{ title: `Note ${id}`, tags: ['a', id], slug: { _type: 'slug', current: id } },
  }),
)

/** An instance with imported notes, which answers over HTTP. */
async function instance(name: string, lines: readonly string[]) {
  const app = await testApp()
  mkdirSync(join(folder, name))
  const [data, config] = [join(folder, name, 'data.ndjson'), join(folder, name, 'cms.config.json')]
  writeFileSync(data, lines.join('\n'))
  const { db_driver, db_url, db_name, db_username, db_password } = app.config
  writeFileSync(config, JSON.stringify({ db_driver, db_url, db_name, db_username, db_password }))
  const imported = await runHere(['import', 'sanity', data, '--public', '--config', config])
  expect([imported.code, imported.err]).toEqual([0, ''])
  return { app, url: await served(app) }
}

const servers: ReturnType<typeof createServer>[] = []
afterAll(() => {
  for (const server of servers) server.close().closeAllConnections()
})

async function served(app: TestApp): Promise<string> {
  const server = createServer((request, response) => {
    void (async () => {
      const { status, text } = await app.call('GET', request.url ?? '', { as: 'nobody' })
      response.writeHead(status, { 'content-type': 'application/json' }).end(text)
    })()
  })
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/compat`
}

const [old, own] = await Promise.all([instance('old', notes), instance('own', notes.slice(0, 2))])

const paths = {
  contentful: '/contentful/spaces/s/environments/master',
  sanity: '/sanity/v2025-02-19/data/query/production',
  strapi: '/strapi/api',
  wordpress: '/wordpress/wp-json',
}
const types: Readonly<Record<string, readonly string[]>> = {
  sanity: ['--types', 'note'],
  strapi: ['--types', 'notes'],
}
async function compared(system: keyof typeof paths, to: string, ...more: string[]) {
  const words = ['compare', old.url + paths[system], to + paths[system], ...(types[system] ?? []), ...more]
  const { code, out, err } = await runHere([...words, '--json'])
  return { code, err, ...JSON.parse(out || '{}') }
}

it.each(['contentful', 'sanity', 'strapi', 'wordpress'] as const)(
  'finds nothing between %s and itself',
  async system => {
    const same = await compared(system, old.url)
    expect(same).toMatchObject({ code: 0, system, different: 0, missing: 0, records: [] })
    expect(same.equal).toBe(same.compared)
    expect(same.compared).toBeGreaterThanOrEqual(3)
  },
)

it('names records that are missing and values that differ, with their share', async () => {
  const found = await old.app.db.find(tables.contentFields, { field_value: 'Note two' })
  const id = found?.content_data_id
  const body = { fields: { title: 'Note 2' } }
  expect((await old.app.call('PUT', `/api/v1/content/${id}`, { body })).status).toBe(200)
  await old.app.call('POST', '/api/v1/content/publish', { body: { content_data_id: id } })
  const result = await compared('contentful', own.url)
  expect(result).toMatchObject({ code: 1, compared: 3, equal: 1, different: 1, missing: 1 })
  expect(result.records).toMatchObject([
    {
      ...{ list: 'note', isMissing: false },
      differences: [{ path: 'sys.updatedAt' }, { path: 'fields.title', old: 'Note 2', new: 'Note two' }],
    },
    { isMissing: true, percent: 100 },
  ])
  const { percent } = result.records[0]
  expect(percent).toBeGreaterThan(0)
  expect(percent).toBeLessThan(50)
  expect(await compared('contentful', own.url, '--allow', '50', '--limit', '2')).toMatchObject({
    ...{ code: 0, compared: 2, equal: 1, allowed: 1, different: 0, missing: 0 },
  })
})

it('refuses what it cannot ask', async () => {
  const run = (...words: string[]) => runHere(['compare', ...words])
  expect(await run('ftp://a', own.url)).toMatchObject({
    code: 1,
    err: expect.stringContaining('must be an http'),
  })
  expect(await run(old.url, own.url)).toMatchObject({ code: 2, err: expect.stringContaining('--system') })
  expect(await run(old.url, own.url, '--system', 'wordpres')).toMatchObject({ code: 2 })
  expect(await run(`${old.url}/strapi/api`, own.url)).toMatchObject({
    ...{ code: 1, err: expect.stringContaining('--types') },
  })
  expect(await run(`${old.url}/strapi/api`, own.url, '--types', 'none')).toMatchObject({
    ...{ code: 1, err: expect.stringContaining('HTTP 403') },
  })
  expect(await run(`${old.url}/strapi/api`, own.url, '--allow', 'x', '--types', 'a')).toMatchObject({
    code: 2,
  })
})

it('compares texts as pages show them', () => {
  const differ = (was: unknown, is: unknown) => compareRecords({ a: was }, { a: is }).differences.length > 0
  expect(differ('2024-01-01T00:00:00Z', '2024-01-01T00:00:00.000Z')).toBe(false)
  expect(differ('<p class="x">It&#8217;s  <b>so</b></p>\n', "<p>It's <b>so</b></p>")).toBe(false)
  expect(differ('https://old.example/a/b/', 'https://new.example/a/b')).toBe(false)
  expect(differ('<img src="https://old.example/up/2020/x.jpg">', '<img src="/media/01/x.jpg">')).toBe(false)
  expect(differ([], null)).toBe(false)
  expect(differ('<a href="https://old.example/a">b</a>', '<a href="/c">b</a>')).toBe(true)
  expect(differ('word', 'words')).toBe(true)
  expect(differ(1, '1')).toBe(true)
  expect(differ([1, 2], [1])).toBe(true)
  expect(differ(undefined, 'more')).toBe(true)
  const file = { mime: 'image/png', hash: 'wall_12ab', url: '/uploads/wall_12ab.png', provider: 'local' }
  const here = { mime: 'image/png', hash: '01', url: '/api/media/media/01/wall.png', provider: 'slugline' }
  expect(differ({ ...file, name: 'wall.png' }, { ...here, name: 'wall.png' })).toBe(false)
  expect(differ({ ...file, name: 'wall.png' }, { ...here, name: 'hall.png' })).toBe(true)
  expect(differ({ hash: 'a', url: '/a' }, { hash: 'b', url: '/a' })).toBe(true)
  expect(compareRecords({}, { more: 1 })).toEqual({ percent: 0, differences: [] })
})
