import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { DatabaseAddress } from '../../src/db/connect.js'
import { callerOf, made } from '../support/calls.js'
import { engine, freshDatabase, migratedDatabase } from '../support/database.js'
import { siteBalancer } from '../support/haproxy.js'
import { ownPostgres } from '../support/own-postgres.js'
import { freePort, type Product, password, startProduct } from '../support/process.js'
import { programPath } from '../support/programs.js'

type Call = Awaited<ReturnType<typeof callerOf>>

/** Answers that are about the instance or the moment, and not about what is in the database. */
const ofInstance = /^\/(health|instances|metrics|auth\/oauth)(\/|$)|^\/(config|content\/changes|changes)/

interface Operation {
  readonly method: string
  readonly path: string
}

async function operationsOf(call: Call): Promise<Operation[]> {
  const { paths } = await made(call('GET', '/openapi.json'))
  return Object.entries(paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter(one => /^(get|post|put|delete)$/.test(one))
      .map(method => ({ method: method.toUpperCase(), path: path.replace('/api/v1', '') })),
  )
}

/** Notes every id in an answer by the name of its member. */
function noteIds(value: unknown, ids: Map<string, string>): void {
  if (Array.isArray(value)) for (const one of value) noteIds(one, ids)
  else if (typeof value === 'object' && value !== null)
    for (const [name, one] of Object.entries(value)) {
      if (name.endsWith('_id') && typeof one === 'string' && !ids.has(name)) ids.set(name, one)
      noteIds(one, ids)
    }
}

const filled = (path: string, ids: ReadonlyMap<string, string>) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name) => ids.get(name) ?? '01ARZ3NDEKTSV4RRFFQ69G5FAV')

const publicReads = [
  ...['native', 'clean', 'raw', 'contentful', 'sanity', 'strapi', 'wordpress'].flatMap(format => [
    `/?format=${format}`,
    `/about?format=${format}`,
  ]),
  ...['/missing', '/old', '/robots.txt', '/sitemap.xml', '/api/v1/routes/published', '/api/v1/globals/menu'],
  ...['/api/v1/query/page?count=true', '/api/v1/query/page?sort=text', '/api/v1/search?q=hello'],
]

const answerOf = async ({ url }: Product, path: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(url + path, { headers, redirect: 'manual' })
  return { status: answer.status, etag: answer.headers.get('etag'), text: await answer.text() }
}

/** Makes a site of some of everything. */
async function makeSite(call: Call) {
  const { datatype_id } = await made(call('POST', '/datatypes', { label: 'Page', type: 'content' }))
  const menu = await made(call('POST', '/datatypes', { label: 'Menu', type: '_global' }))
  const text = { label: 'Text', name: 'text', field_type: 'text' }
  for (const parent_id of [datatype_id, menu.datatype_id])
    await made(call('POST', '/fields', { ...text, parent_id }))
  const page = async (slug: string, words: string) => {
    const { route_id } = await made(call('POST', '/routes', { slug, title: slug }))
    const fields = { text: words }
    return made(call('POST', '/content', { datatype_id, route_id, status: 'published', fields }))
  }
  const home = await page('/', 'hello world')
  const about = await page('/about', 'hello there')
  await made(
    call('POST', '/content', { datatype_id: menu.datatype_id, status: 'published', fields: { text: 'm' } }),
  )
  await made(call('POST', '/redirects', { slug: '/old', target: '/about' }))
  await made(call('POST', '/comments', { content_data_id: home.content_data_id, body: 'Is this right?' }))
  await made(call('POST', '/locales', { code: 'fr', label: 'Français' }))
  await made(call('POST', '/content/preview-links', { content_data_id: home.content_data_id }))
  const webhook = { name: 'x', url: 'https://receiver.example/', events: ['*'] }
  await made(call('POST', '/admin/webhooks', webhook))
  const { role_id } = await made(call('POST', '/roles', { label: 'Reader' }))
  const { permission_id } = (await made(call('GET', '/permissions'))).find(
    (one: { label: string }) => one.label === 'routes:read',
  )
  const right = await made(call('POST', '/role-permissions', { role_id, permission_id }))
  const { user_id } = await made(
    call('POST', '/users', {
      ...{ username: 'reader', name: 'Reader', email: 'reader@example.com', password, role: role_id },
    }),
  )
  const { token } = await made(call('POST', '/tokens', { label: 'Build', user_id }))
  return { home, about, menu, role_id, permission_id, right, key: { Authorization: `Bearer ${token}` } }
}

type Site = Awaited<ReturnType<typeof makeSite>>

/** Every read of the writer's is the reader's, byte by byte. */
async function expectSameReads(writer: Product, reader: Product, Cookie: string, key: Site['key']) {
  const call = await callerOf(writer, Cookie)
  const ids = new Map<string, string>()
  const reads = (await operationsOf(call)).filter(
    ({ method, path }) => method === 'GET' && !ofInstance.test(path),
  )
  for (const { path } of reads) if (!path.includes('{')) noteIds((await call('GET', path)).body, ids)
  const same = async (path: string, headers: Record<string, string>) => {
    let status = 0
    const both = async () => {
      const answers = await Promise.all([writer, reader].map(product => answerOf(product, path, headers)))
      const [one, other] = answers.map(answer => JSON.stringify(answer))
      status = answers[0]?.status ?? 0
      return one === other ? 'the same' : answers
    }
    await expect.poll(both, { timeout: 180_000, interval: 50, message: path }).toBe('the same')
    return status
  }
  const seen = new Map<number, number>()
  const count = (status: number) => seen.set(status, (seen.get(status) ?? 0) + 1)
  for (const path of publicReads) count(await same(path, {}))
  for (const headers of [{ Cookie }, key, {}])
    for (const { path } of reads) count(await same(`/api/v1${filled(path, ids)}`, headers))
  // They are not all refusals.
  expect(seen.get(200)).toBeGreaterThan(60)
  expect(seen.get(403)).toBeGreaterThan(20)
  return ids
}

/** Every change is refused with one code, before anything of it is looked at. */
async function expectRefusals(
  reader: Product,
  Cookie: string,
  key: Site['key'],
  ids: ReadonlyMap<string, string>,
) {
  const call = await callerOf(reader, Cookie)
  const others: string[] = []
  const signIn = { email: 'admin@example.com', password }
  for (const headers of [{}, key, { Cookie: '' }] as Record<string, string>[])
    for (const { method, path } of await operationsOf(call)) {
      if (method === 'GET') continue
      const body = path === '/auth/login' ? signIn : method === 'DELETE' ? undefined : {}
      const answer = await call(method, filled(path, ids), body, headers)
      const { error, code } = answer.body
      if (answer.status !== 503 || code !== 'read_only' || !/only reads: send/.test(error))
        others.push(`${method} ${path} ${answer.status} ${code} ${error}`)
    }
  expect(others).toEqual([])
}

/** Changes at the writer, each of which the reader shows soon. @returns how long each took to be seen, in milliseconds */
async function expectEdits(reader: Product, call: Call, Cookie: string, { home, about, ...site }: Site) {
  const times: number[] = []
  const id = (one: { content_data_id: string }) => `/content/${one.content_data_id}`
  const soon = async (change: Promise<unknown>, seen: () => Promise<unknown>, wanted: unknown) => {
    await change
    const from = performance.now()
    await expect.poll(seen, { timeout: 180_000, interval: 10 }).toEqual(wanted)
    times.push(performance.now() - from)
  }
  const edit = (path: string, body: object) => made(call('PUT', path, body))
  const page = (path: string) => async () => {
    const { status, text } = await answerOf(reader, path)
    return status === 200 ? (JSON.parse(text) as { text: string }).text : status
  }
  const status =
    (path: string, headers: object = {}) =>
    async () =>
      (await answerOf(reader, path, { ...headers })).status
  for (let n = 0; n < 10; n++) {
    await soon(edit(id(home), { fields: { text: `home ${n}` } }), page('/?format=clean'), `home ${n}`)
    const publish = n % 2 === 0 ? 'unpublish' : 'publish'
    const told = made(call('POST', `/content/${publish}`, { content_data_id: about.content_data_id }))
    await soon(told, status('/about'), n % 2 === 0 ? 404 : 200)
  }
  const [menu] = await made(call('GET', `/content?datatype_id=${site.menu.datatype_id}`))
  const globals = async () => {
    const { text } = await answerOf(reader, '/api/v1/globals/menu?format=clean', { Cookie })
    return text.includes('other menu')
  }
  await soon(edit(id(menu), { fields: { text: 'other menu' } }), globals, true)
  await soon(
    edit(`/routes/${about.route_id}`, { slug: '/company' }),
    page('/company?format=clean'),
    'hello there',
  )
  await soon(Promise.resolve(), status('/about'), 308)
  const { role_id, permission_id } = site
  const routes = status('/api/v1/routes', site.key)
  expect(await routes()).toBe(200)
  await soon(made(call('DELETE', `/role-permissions/${site.right.role_permission_id}`)), routes, 403)
  await soon(made(call('POST', '/role-permissions', { role_id, permission_id })), routes, 200)
  await soon(edit('/config', { robots_enabled: false }), status('/robots.txt'), 404)
  await soon(edit('/config', { robots_enabled: null }), status('/robots.txt'), 200)
  const [token] = (await made(call('GET', '/tokens'))) as { token_id: string }[]
  await soon(made(call('DELETE', `/tokens/${token?.token_id}`)), routes, 403)
  const { url } = reader
  expect((await fetch(`${url}/api/v1/health/ready`)).status).toBe(200)
  expect((await fetch(`${url}/api/v1/health/pages`)).status).toBe(200)
  return times
}

/** Behind the balancer of `deploy`, reads go to the reader and everything else to the writer. */
async function expectBalanced(writer: Product, reader: Product, Cookie: string) {
  if (!programPath('haproxy')) return
  const call = await callerOf(writer, Cookie)
  const users: { user_id: string; email: string }[] = await made(call('GET', '/users'))
  const user_id = users.find(({ email }) => email === 'admin@example.com')?.user_id
  const { token } = await made(call('POST', '/tokens', { label: 'All', user_id }))
  const key = { Authorization: `Bearer ${token}` }
  const url = await siteBalancer([writer.port, writer.port], reader.port)
  const isReader = async (headers: Record<string, string>) => {
    const { text } = await answerOf({ ...writer, url }, '/api/v1/config', headers)
    return (JSON.parse(text) as { db_read_only?: boolean }).db_read_only
  }
  await expect.poll(() => isReader(key)).toBe(true)
  expect(await isReader({ Cookie })).toBe(false)
  const through = await callerOf({ ...writer, url }, await writer.login())
  // With its cookie it would end that session.
  await made(through('POST', '/auth/login', { email: 'admin@example.com', password }, { Cookie: '' }))
  for (const headers of [{}, { ...key, Cookie: '' }] as Record<string, string>[])
    for (let n = 0; n < 5; n++) {
      const slug = `/balanced-${Object.keys(headers).length}-${n}`
      expect((await through('POST', '/routes', { slug, title: slug }, headers)).status).toBe(201)
    }
  expect((await fetch(`${url}/?format=clean`)).status).toBe(200)
}

const config = { client_site: 'https://site.example', log_level: 'warn' }

async function expectReader(atWriter: DatabaseAddress, atReader: () => Promise<DatabaseAddress>) {
  const writer = await startProduct(atWriter, { config })
  const Cookie = await writer.login()
  const call = await callerOf(writer, Cookie)
  const reader = await startProduct(await atReader(), { config: { ...config, db_read_only: true } })
  const site = await makeSite(call)
  const times = await expectEdits(reader, call, Cookie, site)
  const ids = await expectSameReads(writer, reader, Cookie, site.key)
  await expectRefusals(reader, Cookie, site.key, ids)
  // It is no instance for the others, and nothing of it has failed.
  expect((await made(call('GET', '/instances'))).map((one: { pid: number }) => one.pid)).toEqual([writer.pid])
  await expectBalanced(writer, reader, Cookie)
  expect(await reader.stop()).toBe(0)
  expect(reader.output()).not.toContain('"level"')
  return times
}

it('an instance that only reads shows what another one writes, and refuses every change', async () => {
  const { address, drop } = await migratedDatabase()
  onTestFinished(drop)
  await expectReader(address, async () => address)
})

it('waits for the schema of its version, and names the first missing step', async () => {
  const { address, drop } = await freshDatabase()
  onTestFinished(drop)
  if (engine !== 'sqlite') {
    const starting = startProduct(address, { config: { ...config, db_read_only: true } })
    await sleep(1000)
    const writer = await startProduct(address)
    const reader = await starting
    expect((await fetch(`${reader.url}/missing`)).status).toBe(404)
    expect(reader.output()).toContain('db_read_only: the database has no step 001-')
    await writer.stop()
  } else
    await expect(startProduct(address, { config: { db_read_only: true } })).rejects.toThrow('does not exist')
})

describe.runIf(engine === 'postgres')('PostgreSQL with a hot standby', () => {
  it('a reader on the standby is right, and sends it no change', async ({ skip }) => {
    const primary = await ownPostgres()
    if (!primary) return skip('no PostgreSQL is installed')
    onTestFinished(primary.remove)
    let log = () => ''
    const times = await expectReader(primary.address, async () => {
      const standby = await primary.standby()
      onTestFinished(standby.remove)
      log = standby.log
      return standby.address
    })
    expect(times).toHaveLength(28)
    expect(log()).not.toMatch(/ERROR|FATAL/)
  })

  it('is ready on a quiet standby, and not on one that replays nothing', async ({ skip }) => {
    const primary = await ownPostgres()
    if (!primary) return skip('no PostgreSQL is installed')
    onTestFinished(primary.remove)
    const writer = await startProduct(primary.address, { config })
    const standby = await primary.standby()
    onTestFinished(standby.remove)
    const metrics_port = await freePort()
    const fields = { ...config, db_read_only: true, metrics_port }
    const reader = await startProduct(standby.address, { config: fields })
    const lag = async () => {
      const text = await (await fetch(`http://127.0.0.1:${metrics_port}/metrics`)).text()
      return Number(/^slugline_replica_lag_seconds (\S+)$/m.exec(text)?.[1])
    }
    expect(await lag()).toBeLessThan(5)
    const ready = async () => (await fetch(`${reader.url}/api/v1/health/ready`)).status
    const sql = async (text: string) => {
      const client = new pg.Client({ connectionString: standby.address.db_url })
      await client.connect()
      const { rows } = await client.query(text)
      await client.end()
      return rows
    }
    // Before its first transaction a standby cannot say how far it is behind.
    const replayed = () => sql('select pg_last_xact_replay_timestamp() is not null as has')
    await expect.poll(replayed, { timeout: 180_000 }).toEqual([{ has: true }])
    await sql('select pg_wal_replay_pause()')
    // Its heartbeats are changes.
    await expect.poll(ready, { timeout: 180_000 }).toBe(503)
    expect(await lag()).toBeGreaterThan(5)
    expect((await fetch(`${reader.url}/api/v1/health/pages`)).status).toBe(200)
    await sql('select pg_wal_replay_resume()')
    await expect.poll(ready, { timeout: 180_000 }).toBe(200)
    expect(await lag()).toBeLessThan(5)
    // Nothing happens any more, however long that lasts.
    await writer.stop()
    await sleep(7000)
    expect(await ready()).toBe(200)
    primary.crash()
    expect(await ready()).toBe(200)
    expect(reader.output()).not.toContain('"level"')
  })
})
