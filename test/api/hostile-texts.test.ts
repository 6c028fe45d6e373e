import { expect, it } from 'vitest'
import { z } from 'zod'
import { clientAddresses } from '../../src/net/client-address.js'
import type { Declaration } from '../../src/routes/endpoints.js'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'

const app = await testApp()
const { call } = app
const make = factories(app)
const { datatype_id } = await make.datatype('Page')
const { field_id } = await make.field(datatype_id, 'Text', 'text')
const { route_id } = await make.route('/home')
const { content_data_id } = await make.entry(datatype_id, { route_id })

/** The percent-encoded forms are for addresses; a lone surrogate has none that is UTF-8. */
const hostile: readonly [name: string, text: string, encoded: string][] = [
  ['NUL', 'a\0', 'a%00'],
  ['a lone surrogate', 'a\ud800', 'a%ED%A0%80'],
  ['an emoji', '😀', '%F0%9F%98%80'],
  ['200 KB', 'a'.repeat(200_000), 'a'.repeat(200_000)],
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

type Shape = { type?: unknown; anyOf?: Shape[]; items?: Shape; properties?: Record<string, Shape> }
const shapeOf = (schema: z.ZodType): Shape =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as Shape
const typesOf = ({ type, anyOf = [] }: Shape): unknown[] => [type, ...anyOf.flatMap(typesOf)]

function goodValue(name: string, shape: Shape): unknown {
  if (name in good) return good[name]
  const types = typesOf(shape)
  if (types.includes('string')) return `some ${name}`
  if (types.includes('integer') || types.includes('number')) return 1
  if (types.includes('boolean')) return false
  return types.includes('array') ? [] : {}
}

/** A hostile text as a member may hold it: plain, in a list, or as value and name of an object. */
function* hostileValues(shape: Shape, text: string): Generator<unknown> {
  const types = typesOf(shape)
  if (types.includes('array')) yield [text]
  if (types.includes('object')) {
    yield { text }
    yield { [text]: text }
  }
  yield text
}

function bodiesOf(schema: z.ZodType, text: string): unknown[] {
  const { properties = {} } = shapeOf(schema)
  const whole = Object.fromEntries(
    Object.entries(properties).map(([name, shape]) => [name, goodValue(name, shape)]),
  )
  return Object.entries(properties).flatMap(([name, shape]) =>
    [...hostileValues(shape, text)].map(value => ({ ...whole, [name]: value })),
  )
}

const withIds = (path: string): string =>
  path.replace('*', 'home').replaceAll(/:(\w+)/g, (_, name: string) => String(good[name] ?? content_data_id))

/** The addresses in which one parameter of path or query is hostile. */
function addressesOf({ path, query }: Declaration, encoded: string): string[] {
  const inPath = [...path.matchAll(/:\w+|\*/g)].map(
    ({ 0: name, index }) =>
      withIds(path.slice(0, index)) + encoded + withIds(path.slice(index + name.length)),
  )
  const inQuery = Object.keys(query?.shape ?? {}).map(name => `${withIds(path)}?${name}=${encoded}`)
  return [...inPath, ...inQuery]
}

it.each(hostile)(
  'answers %s in each declared part of path, query and body, and never with 500',
  async (_, text, encoded) => {
    const tried = { addresses: 0, bodies: 0 }
    for (const declaration of app.app.declarations) {
      const { method, path, body } = declaration
      for (const address of addressesOf(declaration, encoded)) {
        const sent = body ? { body: bodiesOf(body, 'x')[0] ?? {} } : {}
        // `call` throws at a 500 and says which request it was.
        const { status } = await call(method.toUpperCase(), `/api/v1${address}`, sent)
        expect(status).not.toBe(500)
        tried.addresses++
      }
      for (const hostileBody of body ? bodiesOf(body, text) : []) {
        const { status } = await call(method.toUpperCase(), `/api/v1${withIds(path)}`, { body: hostileBody })
        expect(status).not.toBe(500)
        tried.bodies++
      }
    }
    expect(tried.addresses).toBeGreaterThan(150)
    expect(tried.bodies).toBeGreaterThan(150)
  },
)

it.each([
  ['%00', 400, 'the address holds a NUL'],
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

it('takes parameters that mean none of its own, and refuses q twice', async () => {
  expect((await call('GET', '/api/v1/routes?utm_source=x&query=y')).status).toBe(200)
  expect((await call('GET', `/api/v1/routes?q=${route_id}&q=${route_id}`)).status).toBe(400)
})

it('knows a client without the zone of its address', () => {
  const addressOf = clientAddresses(['127.0.0.1'])
  expect(addressOf('127.0.0.1', `fe80::1%${'x'.repeat(1000)}`)).toBe('fe80::1')
})
