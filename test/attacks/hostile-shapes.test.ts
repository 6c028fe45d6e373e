import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authenticationBy } from '../../src/middleware/authenticate.js'
import { panelRouters } from '../../src/panel/index.js'
import { recordResponses } from '../../src/routes/crud-routes.js'
import { testApp } from '../support/app.js'
import { callerOf, healthOf, made } from '../support/calls.js'
import { freshDatabase } from '../support/database.js'
import { amount } from '../support/effort.js'
import { type Product, startProduct } from '../support/process.js'

/** Every endpoint of the started product, with the largest bodies and queries that it reads, in shapes made to cost much. */

const ending: (() => unknown)[] = []
let product: Product
let turnsFile: string
let token: string
const cookies: Record<'nobody' | 'editor' | 'admin', string> = { nobody: '', editor: '', admin: '' }

interface Operation {
  readonly method: string
  readonly path: string
  readonly types: readonly string[]
  /** Which credentials it takes; empty for everybody. */
  readonly security: readonly unknown[] | undefined
}
let operations: Operation[]

beforeAll(async () => {
  const { address, drop } = await freshDatabase()
  ending.push(drop)
  const folder = mkdtempSync(join(tmpdir(), 'slugline-turns-'))
  ending.push(() => rmSync(folder, { recursive: true }))
  turnsFile = join(folder, 'turns')
  writeFileSync(turnsFile, '')
  product = await startProduct(address, {
    until: end => ending.unshift(end),
    // What is kept of the bodies of 5 MiB would end it.
    flags: ['--max-old-space-size=256', '--expose-gc', '--import', resolve('test/support/longest-turn.mjs')],
    env: { TURNS_FILE: turnsFile },
    config: { trusted_proxies: ['127.0.0.1'] },
  })
  const admin = await product.login()
  cookies.admin = admin
  const call = await callerOf(product, admin)
  const roles = await made(call('GET', '/roles'))
  const role_id = roles.find(({ label }: { label: string }) => label === 'editor').role_id
  const account = { email: 'e@example.com', password: 'a rather good phrase' }
  await made(call('POST', '/users', { ...account, username: 'e', name: 'E', role_id }))
  const signedIn = await fetch(`${product.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(account),
  })
  cookies.editor = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
  const profile = await fetch(`${product.url}/admin/profile`, { headers: { Cookie: admin } })
  token = /name="form_token" value="([^"]+)"/.exec(await profile.text())?.[1] ?? ''
  const { paths } = (await made(call('GET', '/openapi.json'))) as {
    paths: Record<
      string,
      Record<string, { requestBody?: { content: Record<string, unknown> }; security?: unknown[] }>
    >
  }
  operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { requestBody, security }]) => ({
      method: method.toUpperCase(),
      path,
      types: Object.keys(requestBody?.content ?? {}),
      security,
    })),
  )
})
afterAll(async () => {
  for (const end of ending) await end()
})

type Caller = keyof typeof cookies

/** Another address each time, so that the limits of tries let everything through. */
let callers = 0
/** On a connection of its own: what is refused before its body is read keeps the connection for a while. */
function send(as: Caller, method: string, path: string, body = '', type = ''): Promise<number | 'none'> {
  const address = `10.${callers >> 16}.${(callers >> 8) & 255}.${callers++ & 255}`
  return new Promise(resolve => {
    const asked = request(
      `${product.url}${path}`,
      {
        method,
        agent: false,
        timeout: 180_000,
        headers: {
          Cookie: cookies[as],
          'X-Forwarded-For': address,
          ...(body === '' ? {} : { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) }),
        },
      },
      answer => {
        resolve(answer.statusCode ?? 'none')
        // A stream of events has no end, and what is refused reads no body.
        answer.on('error', () => undefined).resume()
        answer.on('end', () => asked.destroy())
        if (answer.headers['content-type']?.startsWith('text/event-stream')) asked.destroy()
      },
    )
    asked.on('error', () => resolve('none'))
    asked.on('timeout', () => asked.destroy())
    asked.end(body)
  })
}

/** As many of a text as fit. */
const fill = (text: string, bytes: number): string => text.repeat(Math.floor(bytes / text.length))
const numbered = (n: number, one: (i: number) => string, between: string): string =>
  Array.from({ length: n }, (_, i) => one(i)).join(between)

type Shape = readonly [name: string, text: (bytes: number) => string]

const jsonShapes: readonly Shape[] = [
  ['nested lists', bytes => fill('[', bytes)],
  ['lists in lists', bytes => `{"fields":[${fill('[],', bytes - 20)}[]]}`],
  ['one name', () => `{${numbered(10_000, () => '"label":1', ',')}}`],
  ['names', () => `{${numbered(10_000, i => `"n${i}":{}`, ',')}}`],
  [
    'names in fields',
    bytes => `{"fields":{${numbered(Math.min(bytes / 20, 19_900), i => `"n${i}":null`, ',')}}}`,
  ],
  // As many as are allowed of each.
  ['allowed lists', bytes => `{"fields":{"data":[${fill('[],', Math.min(bytes - 40, 3 * 119_900))}[]]}}`],
  ['allowed numbers', bytes => `{"children":[${fill('1,', Math.min(bytes - 40, 2 * 119_900))}1]}`],
  ['allowed objects', bytes => `{"children":[${fill('{},', Math.min(bytes - 40, 3 * 39_900))}{}]}`],
  ['a long text', bytes => `{"label":"${fill('ä ', (bytes - 20) / 3)}"}`],
  ['a text of escapes', bytes => `{"name":"${fill('\\u0041', bytes - 20)}"}`],
  ['a long list of ids', bytes => `{"ids":[${fill(`"${'0'.repeat(26)}",`, bytes - 60)}""]}`],
  ['depth', () => `${'{"fields":'.repeat(63)}1${'}'.repeat(63)}`],
  ['a long number', bytes => `{"size":${fill('9', bytes - 20)}}`],
  ['spaces', bytes => `{${fill(' ', bytes - 20)}"a":1}`],
]

const formShapes: readonly Shape[] = [
  ['one name', bytes => fill('email=x&', bytes)],
  ['names', () => numbered(10_000, i => `n${i}=`, '&')],
  ['brackets', bytes => fill('a[0]', bytes)],
  ['points', bytes => fill('a.', bytes)],
  ['deep names', bytes => fill(`${'a.'.repeat(11)}b=&`, Math.min(bytes, 4_900 * 25))],
  [
    'different deep names',
    bytes => numbered(Math.min(bytes / 60, 4_900), i => `${`a${i}.`.repeat(11)}b=`, '&'),
  ],
  ['a long text', bytes => `email=${fill('%C3%A4', bytes - 20)}`],
  ['marks', bytes => `title=${fill('<"%26', bytes - 20)}`],
  ['spaces and lines', bytes => `title=${fill('a+%0D%0A', bytes - 20)}`],
  ['JSON', bytes => `data=[${fill('[],', Math.min(bytes - 40, 3 * 119_900))}[]]`],
  ['signs', bytes => fill('&', bytes)],
]
const part = (name: string, more = '') =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\nx\r\n`
const multipartShapes: readonly Shape[] = [
  ['parts of one name', bytes => fill(part('email'), bytes)],
  ['parts', bytes => numbered(Math.floor(bytes / 70), i => part(`n${i}`), '')],
  [
    'ends of lines',
    bytes => `--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n${fill('\r\n--', bytes - 200)}`,
  ],
  [
    'headers',
    bytes => `--b\r\nContent-Disposition: form-data; name="a"\r\n${fill('a: b\r\n', bytes - 200)}\r\nx\r\n`,
  ],
  ['a long name', bytes => part(fill('%22', bytes - 200))],
]
const queries: readonly (readonly [name: string, query: string])[] = [
  ['names', numbered(1500, i => `n${i}=1`, '&')],
  ['one name', fill('filter[title]=a&', 14_000)],
  ['brackets', `filter${fill('[a]', 14_000)}=1`],
  ['open brackets', `filter${fill('[', 14_000)}=1`],
  ['commas', `sort=${fill('a,', 14_000)}`],
  ['points', `expand=${fill('a.', 14_000)}`],
  ['a list', `filter[title][in]=${fill('a,', 14_000)}`],
  ['a long text', `q=${fill('ab ', 14_000)}`],
]

const limits: Record<Caller, number> = { nobody: 64 * 1024, editor: 5 * 2 ** 20, admin: 5 * 2 ** 20 }
const urlEncoded = 'application/x-www-form-urlencoded'
const publicForms = ['/admin/sign-in', '/admin/sign-out', '/admin/forgotten', '/admin/new-password']
/** Roots of other systems, and what their queries are about. */
const roots = [
  '/compat/strapi/api/pages',
  '/compat/wordpress/wp-json/wp/v2/pages',
  '/compat/contentful/spaces/s/environments/master/entries',
  '/compat/sanity/v1/data/query/production',
]

interface Request {
  readonly what: string
  readonly send: () => Promise<unknown>
}
const ids = (path: string) => path.replaceAll(/\{[^}]*\}/g, '0'.repeat(26))

const withBody = (
  as: Caller,
  method: string,
  path: string,
  type: string,
  [shape, text]: Shape,
  start = '',
) => ({
  what: `${as} ${method} ${path}: ${shape}`,
  send: () => send(as, method, path, `${start}${text(limits[as] - start.length - 100)}`, type),
})

const isPublic = ({ security }: Operation) => security?.length === 0

function* ofNobody(): Generator<Request> {
  const open = operations.filter(isPublic)
  for (const { method, path, types } of open)
    for (const shape of types.includes('application/json') ? jsonShapes : [])
      yield withBody('nobody', method, `/api/v1${path}`, 'application/json', shape)
  const read = open.filter(({ method }) => method === 'GET').map(({ path }) => `/api/v1${ids(path)}`)
  for (const path of [...read, ...roots])
    for (const [shape, query] of queries)
      yield { what: `nobody GET ${path}: ${shape}`, send: () => send('nobody', 'GET', `${path}?${query}`) }
  for (const path of publicForms) {
    for (const shape of formShapes) yield withBody('nobody', 'POST', path, urlEncoded, shape)
    for (const shape of multipartShapes)
      yield withBody('nobody', 'POST', path, 'multipart/form-data; boundary=b', shape)
  }
}

/** Usually each shape at some endpoints, and each endpoint with some shapes. */
const perEndpoint = amount(1, jsonShapes.length)

function* ofEditor(): Generator<Request> {
  const taking = operations.filter(
    one => !isPublic(one) && one.types.includes('application/json') && !one.path.startsWith('/admin/'),
  )
  for (const [i, { method, path }] of taking.entries())
    for (let n = 0; n < perEndpoint; n++)
      yield withBody(
        'editor',
        method,
        `/api/v1${ids(path)}`,
        'application/json',
        jsonShapes[(i + n) % jsonShapes.length] as Shape,
      )
}

/** What would end the session, or works on without the request. */
const left =
  /^\/(?:sign-out|sign-in|forgotten|new-password|backups|media-upload|profile\/sessions)|\/media-upload$|\/media-file\//

/** Every form of the panel, in both content spaces. */
async function actions(): Promise<string[]> {
  const app = await testApp({ app_secret: 'a secret of sixteen characters and more' })
  const { services, parts } = app
  const { ports, config } = parts
  const routers = panelRouters({
    ...{ services, config, ...ports },
    authentication: authenticationBy(services, config),
    recordResponses: recordResponses(ports.hashing),
    exposition: ports.exposition(() => services.metrics.measure()),
    secure: false,
  })
  return routers
    .flatMap(({ declarations }) => declarations)
    .filter(({ method, path }) => method === 'post' && !left.test(path))
    .map(({ path }) => `/admin${path.replaceAll(/:\w+/g, '0'.repeat(26))}`)
}

/** With the right token, so that they are read to their ends; each form with some shapes, as the endpoints. */
function* ofAdministrator(forms: readonly string[]): Generator<Request> {
  const perForm = amount(1, formShapes.length)
  const start = `form_token=${token}&`
  for (const [i, path] of forms.entries())
    for (let n = 0; n < perForm; n++)
      yield withBody(
        'admin',
        'POST',
        path,
        urlEncoded,
        formShapes[(i + n) % formShapes.length] as Shape,
        start,
      )
  for (const shape of formShapes)
    yield withBody('admin', 'POST', '/admin/content/new', urlEncoded, shape, start)
  for (const shape of multipartShapes)
    yield withBody('admin', 'POST', '/admin/profile', 'multipart/form-data; boundary=b', shape)
}

const resident = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${product.pid}/status`, 'latin1'))?.[1]) / 1024

/** How much memory it has when nothing is kept that could go. */
async function kept(): Promise<number> {
  const before = readFileSync(turnsFile, 'utf8').length
  process.kill(product.pid, 'SIGUSR2')
  await expect
    .poll(() => readFileSync(turnsFile, 'utf8').slice(before), { timeout: 180_000 })
    .toContain('collected')
  return resident()
}

/** Which of them had turns with much work, and how much more memory there is after all of them. */
async function costOf(requests: Iterable<Request>) {
  const long: [what: string, ms: number][] = []
  const before = await kept()
  let read = readFileSync(turnsFile, 'utf8').length
  for (const { what, send } of requests) {
    await send()
    const turns = readFileSync(turnsFile, 'utf8')
    for (const ms of turns.slice(read).split('\n').filter(Boolean)) long.push([what, Number(ms)])
    read = turns.length
  }
  return { long, grownMiB: (await kept()) - before }
}

describe('the largest hostile requests', () => {
  it('of nobody hold up nobody for 300 ms of work, and take no memory', async () => {
    const { long, grownMiB } = await costOf(ofNobody())
    expect(long.filter(([, ms]) => ms > 300)).toEqual([])
    expect(grownMiB).toBeLessThan(64)
  })

  it('of nobody are refused without reading where a permission is needed', async () => {
    const { long } = await costOf(
      operations
        .filter(one => !isPublic(one) && one.types.length > 0)
        .map(({ method, path, types: [type = ''] }) =>
          withBody('nobody', method, `/api/v1${ids(path)}`, type, jsonShapes[1] as Shape),
        ),
    )
    expect(long.filter(([, ms]) => ms > 300)).toEqual([])
  })

  it('of an editor do the same with 5 MiB', async () => {
    const { long, grownMiB } = await costOf(ofEditor())
    expect(long.filter(([, ms]) => ms > 300)).toEqual([])
    expect(grownMiB).toBeLessThan(64)
    expect(await healthOf(product)).toBe(200)
  })

  it('and so do forms of the panel, of who is signed in', async () => {
    const { long, grownMiB } = await costOf(ofAdministrator(await actions()))
    expect(long.filter(([, ms]) => ms > 300)).toEqual([])
    expect(grownMiB).toBeLessThan(64)
    expect(await healthOf(product)).toBe(200)
  })

  it('and batches of every size, each of which makes statements of its own', async () => {
    const call = await callerOf(product, cookies.admin)
    const { datatype_id } = await made(call('POST', '/datatypes', { label: 'Page', type: 'content' }))
    const before = await kept()
    for (let size = 1; size <= 200; size++)
      await made(
        call('POST', '/pages', {
          ...{ slug: `/batch-${size}`, title: 'Batch', datatype_id },
          children: Array.from({ length: size }, () => ({ datatype_id })),
        }),
      )
    expect((await kept()) - before).toBeLessThan(64)
  }, 120_000)
})
