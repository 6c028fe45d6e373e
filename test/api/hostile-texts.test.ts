import { expect, it } from 'vitest'
import { clientAddresses } from '../../src/net/client-address.js'
import { testApp } from '../support/app.js'
import { amount } from '../support/effort.js'
import { factories } from '../support/factories.js'
import { testStorage } from '../support/storage.js'

const storage = await testStorage()
const app = await testApp(storage.config)
const { call } = app
const make = factories(app)
const { datatype_id } = await make.datatype('Page')
const { field_id } = await make.field(datatype_id, 'Text', 'text')
const { route_id } = await make.route('/home')
const { content_data_id } = await make.entry(datatype_id, { route_id })

/** Longer than what any column of limited length holds. */
const long = 'a'.repeat(amount(200_000, 1_000_000))

/** The percent-encoded forms are for addresses; a lone surrogate has none that is UTF-8. */
const hostile: readonly [name: string, text: string, encoded: string][] = [
  ['NUL', 'a\0', 'a%00'],
  ['a lone surrogate', 'a\ud800', 'a%ED%A0%80'],
  ['an emoji', '😀', '%F0%9F%98%80'],
  [`${long.length / 1000} kB`, long, long],
  ['a time that its zone takes out of the years', '9999-12-31T23:59:59-01:00', '9999-12-31T23:59:59-01:00'],
]

/** What the members of bodies may be, so that the one that is hostile is what decides. */
const good: Record<string, unknown> = {
  datatype_id,
  field_id,
  route_id,
  content_data_id,
  parent_id: datatype_id,
  user_id: app.users.viewer,
  reassign_to: app.users.editor,
  author_id: app.users.admin,
  content_data_ids: [content_data_id],
  slug: '/other',
  name: 'name',
  code: 'de',
  type: 'thing',
  field_type: 'text',
  url: 'https://receiver.example/',
  events: ['*'],
  email: 'someone@example.com',
  password: 'correct horse battery',
  status: 'draft',
  fit: 'cover',
  locale: '',
}

type Shape = {
  type?: unknown
  anyOf?: Shape[]
  oneOf?: Shape[]
  items?: Shape
  properties?: Record<string, Shape>
  additionalProperties?: Shape | boolean
}
interface Operation {
  parameters: { name: string; in: 'path' | 'query' }[]
  requestBody?: { content: Record<string, { schema: Shape }> }
}
type Place = readonly (string | number)[]

const choicesOf = (shape: Shape): Shape[] => [
  shape,
  ...[...(shape.anyOf ?? []), ...(shape.oneOf ?? [])].flatMap(choicesOf),
]

function goodValue(name: string, shape: Shape): unknown {
  if (name in good) return good[name]
  const choices = choicesOf(shape)
  const members = choices.find(({ properties }) => properties)?.properties
  if (members)
    return Object.fromEntries(Object.entries(members).map(([inner, of]) => [inner, goodValue(inner, of)]))
  const types = choices.map(({ type }) => type)
  if (types.includes('string')) return `some ${name}`
  if (types.includes('integer') || types.includes('number')) return 1
  if (types.includes('boolean')) return false
  return types.includes('array') ? [] : {}
}

/** Where a caller may put a text: each member, member of a member, element and value of an open object. */
function* placesOf(shape: Shape, depth = 0): Generator<[Place, Shape]> {
  if (depth > 4) return
  for (const { properties = {}, items, additionalProperties } of choicesOf(shape)) {
    const inner: [string | number, Shape][] = Object.entries(properties)
    if (items) inner.push([0, items])
    if (typeof additionalProperties === 'object') inner.push(['any', additionalProperties])
    for (const [name, of] of inner) {
      yield [[name], of]
      for (const [place, innermost] of placesOf(of, depth + 1)) yield [[name, ...place], innermost]
    }
  }
}

/** A text as a place may hold it: itself, in a list, or as value and name of an object. */
function* valuesOf(shape: Shape, text: string): Generator<unknown> {
  const types = choicesOf(shape).map(({ type }) => type)
  yield text
  if (types.includes('array')) yield [text]
  if (types.includes('object')) {
    yield { text }
    yield { [text]: text }
  }
}

function withValue(whole: unknown, [name, ...rest]: Place, value: unknown): unknown {
  if (name === undefined) return value
  const copy = typeof name === 'number' ? [] : { ...(whole as Record<string, unknown> | undefined) }
  return Object.assign(copy, { [name]: withValue((whole as Record<string, unknown>)?.[name], rest, value) })
}

function* bodiesOf(shape: Shape, text: string): Generator<unknown> {
  const whole = goodValue('', shape)
  for (const [place, of] of placesOf(shape))
    for (const value of valuesOf(of, text)) yield withValue(whole, place, value)
}

function* formsOf({ properties = {} }: Shape, text: string): Generator<FormData> {
  for (const hostileName of Object.keys(properties)) {
    const form = new FormData()
    for (const name of Object.keys(properties)) {
      const value = name === hostileName ? text : 'x'
      if (name === 'file') form.set(name, new Blob(['a text']), name === hostileName ? text : 'x.txt')
      else form.set(name, value)
    }
    form.set(text, text)
    yield form
  }
}

const withIds = (path: string): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    name === 'slug' ? 'home' : String(good[name] ?? content_data_id),
  )

/** A form as it comes over the network: Node's own stream of one cannot be left before its end. */
async function sentForm(form: FormData) {
  const whole = new Response(form)
  const headers = { 'Content-Type': whole.headers.get('Content-Type') ?? '' }
  return { headers, bytes: await whole.arrayBuffer() }
}

/** The addresses in which one parameter of path or query is hostile. */
function addressesOf(template: string, { parameters }: Operation, encoded: string): string[] {
  return parameters.map(({ name, in: where }) => {
    if (where === 'query') return `${withIds(template)}?${name}=${encoded}`
    const [before = '', after = ''] = template.split(`{${name}}`)
    return withIds(before) + encoded + withIds(after)
  })
}

/** What the document says of each endpoint; it is made of the declarations that the router obeys. */
const operations = Object.entries(
  (await call('GET', '/api/v1/openapi.json')).body.paths as Record<string, Record<string, Operation>>,
)
  // Public pages are described too, outside of the API.
  .filter(([template]) => template !== '/{slug}')
  .flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      template,
      method: method.toUpperCase(),
      operation,
    })),
  )

it('finds every endpoint in the document', () => {
  expect(operations).toHaveLength(app.app.declarations.length)
})

it.each(hostile)(
  'answers %s in each declared part of path, query and body, and never with 500',
  async (_, text, encoded) => {
    const tried = { addresses: 0, bodies: 0, forms: 0 }
    for (const { template, method, operation } of operations) {
      const { 'application/json': json, 'multipart/form-data': form } = operation.requestBody?.content ?? {}
      // `call` throws at a 500 and says which request it was.
      for (const address of addressesOf(template, operation, encoded)) {
        await call(method, `/api/v1${address}`, json ? { body: goodValue('', json.schema) } : {})
        tried.addresses++
      }
      // A sign-in that succeeds ends the session of the cookie that comes along.
      const as = template === '/auth/login' ? 'nobody' : 'admin'
      for (const body of json ? bodiesOf(json.schema, text) : []) {
        await call(method, `/api/v1${withIds(template)}`, { as, body })
        tried.bodies++
      }
      for (const body of form ? formsOf(form.schema, text) : []) {
        const { headers, bytes } = await sentForm(body)
        await app.send(method, `/api/v1${withIds(template)}`, { body: bytes, headers })
        tried.forms++
      }
    }
    // All of it was tried by somebody who was signed in.
    expect((await call('GET', '/api/v1/auth/me')).status).toBe(200)
    expect(tried.addresses).toBeGreaterThan(150)
    expect(tried.bodies).toBeGreaterThan(250)
    expect(tried.forms).toBeGreaterThan(10)
  },
)

it.each([
  ['%00', 400, 'the address contains a NUL character'],
  ['%ED%A0%80', 400, 'the address is not percent-encoded UTF-8'],
  ['%ff', 400, 'the address is not percent-encoded UTF-8'],
  ['%zz', 400, 'the address is not percent-encoded UTF-8'],
  ['%', 400, 'the address is not percent-encoded UTF-8'],
  ['a'.repeat(10_000), 400, 'the address is longer than 8192 characters'],
  ['%F0%9F%98%80', 404, 'not found'],
  ['', 404, 'not found'],
])('answers an id of %s', async (encoded, status, error) => {
  const answer = await call('GET', `/api/v1/routes?q=${encoded}`)
  expect([answer.status, answer.body.error]).toEqual([status, error])
  if (encoded !== '') expect((await call('GET', `/api/v1/media/${encoded}/references`)).status).toBe(status)
})

it.each(['/a%', '/%ff', '/a?x=%zz', '/api/v1/page/%zz', '/api/v1/nowhere/%zz', '/api/docs?x=%zz'])(
  'refuses malformed percent-encoding in %s',
  async path => {
    const answer = await call('GET', path)
    expect([answer.status, answer.text]).toEqual([
      400,
      expect.stringContaining('the address is not percent-encoded UTF-8'),
    ])
  },
)

it.each(['q[]', 'q[0]', 'q.x', 'Q', ' q', 'limit[]', 'After'])(
  'refuses %s, which means a parameter that has another name',
  async name => {
    const answer = await call('GET', `/api/v1/routes?${encodeURIComponent(name)}=x`)
    expect([answer.status, answer.body]).toMatchObject([400, { code: 'invalid' }])
  },
)

it('refuses parameters that there are not, and q twice', async () => {
  expect((await call('GET', '/api/v1/routes?utm_source=x&query=y')).status).toBe(400)
  expect((await call('GET', `/api/v1/routes?q=${route_id}&q=${route_id}`)).status).toBe(400)
})

it('knows a client without the zone of its address', () => {
  const addressOf = clientAddresses(['127.0.0.1'])
  expect(addressOf('127.0.0.1', `fe80::1%${'x'.repeat(1000)}`)).toBe('fe80::1')
})
