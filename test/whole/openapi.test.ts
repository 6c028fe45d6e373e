import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { errorCodes } from '../../src/errors.js'
import { operationName } from '../../src/routes/openapi/names.js'
import { testApp } from '../support/app.js'
import { stagedSteps, steps } from './identity-steps.js'

type Json = Record<string, unknown>
interface Operation {
  operationId: string
  summary: string
  description: string
  tags: string[]
  'x-codeSamples': { lang: string; source: string }[]
  responses: Record<string, Json>
  parameters: { name: string; in: string; schema: Json }[]
  requestBody?: { content: Record<string, { schema: Json; example?: unknown }> }
}
interface Document {
  tags: { name: string; description: string }[]
  'x-tagGroups': { name: string; tags: string[] }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Json>; securitySchemes: { cookie: { name: string } } }
}

const app = await testApp({ webhook_enabled: true, i18n_enabled: true, cookie_name: 'another_name' })
const staged = await testApp({ webhook_enabled: true, publish_mode: 'staged' })
const document: Document = (await app.call('GET', '/api/v1/openapi.json', { as: 'nobody' })).body

const templates = Object.keys(document.paths).map(template => {
  const pattern = template
    .replaceAll(/\{\w+_id\}/g, '[0-7][0-9A-Z]{25}')
    .replaceAll('{slug}', '.*')
    .replaceAll(/\{\w+\}/g, '[^/]+')
  return { template, pattern: new RegExp(`^${pattern}$`) }
})

/** The operation that a request is of, whichever form its address has. */
function operationOf(method: string, address: string): Operation | undefined {
  const { pathname, searchParams } = new URL(address, 'http://x')
  const path = pathname.replace('/api/v1', '').replace(/(?<=.)\/$/, '')
  const found = templates.filter(({ template, pattern }) => template !== '/{slug}' && pattern.test(path))
  const [best] = found.toSorted((a, b) => Number(/\{/.test(a.template)) - Number(/\{/.test(b.template)))
  const one = templates.find(
    ({ template }) => template.replace(/\/\{\w+_id\}$/, '') === path && template !== path,
  )
  const template = method === 'GET' && searchParams.has('q') && one ? one.template : best?.template
  return document.paths[template ?? '']?.[method === 'HEAD' ? 'get' : method.toLowerCase()]
}

const compiled = new Map<string, z.ZodType>()
/** What is wrong with a value by a schema of the document. */
function problemsOf(schema: Json, value: unknown): unknown {
  const text = JSON.stringify(schema).replaceAll('#/components/schemas/', '#/$defs/')
  const $defs = JSON.parse(
    JSON.stringify(document.components.schemas).replaceAll('#/components/schemas/', '#/$defs/'),
  )
  const type = compiled.get(text) ?? z.fromJSONSchema({ ...JSON.parse(text), $defs })
  compiled.set(text, type)
  return type.safeParse(value).error?.issues
}

async function compare(of: typeof app, list: typeof steps | typeof stagedSteps) {
  const found = new Map<string, string>(Object.entries(of.users))
  const fill = (text: string) => text.replaceAll(/\$(\w+)/g, (whole, name) => found.get(name) ?? whole)
  let compared = 0
  for (const { as = 'admin', call, body, headers, keep } of list) {
    of.clock.advance(1000)
    const [method = '', path = ''] = fill(call).split(' ')
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    const answer = await of.call(method, path, {
      as: as as 'admin',
      ...(text === undefined ? {} : { body: fill(text) }),
      ...(headers ? { headers } : {}),
    })
    for (const [name, member] of Object.entries(keep ?? {})) found.set(name, String(answer.body?.[member]))
    const operation = operationOf(method, path)
    if (!operation || !path.startsWith('/api/v1') || answer.status === 405) continue
    const described = operation.responses[answer.status]
    expect
      .soft([call, answer.status, described !== undefined, answer.text])
      .toEqual([call, answer.status, true, answer.text])
    const schema = answer.status < 300 && method !== 'HEAD' && schemaIn(described)
    if (!schema) continue
    expect.soft([call, problemsOf(schema, answer.body)]).toEqual([call, undefined])
    compared++
  }
  return compared
}

const schemaIn = (answer: Json | undefined): Json | undefined =>
  (answer?.content as { 'application/json'?: { schema: Json } } | undefined)?.['application/json']?.schema

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, operation]) =>
    operation.operationId ? [{ path, method, operation }] : [],
  ),
)

/** One or several sentences that end with a full stop. */
const sentence = expect.stringMatching(/^[A-Z`].*\.$/s)
const verbs = (
  'Add Approve Cancel Change Check Compare Create Crop Delete Discard Duplicate End Find Finish Generate Get Import List Move Publish Query ' +
  'Redirect Register Remove Reorder Replace Request Restore Retry Save Schedule Search Send Set Sign Start Unpublish Update Upload Withdraw'
).split(' ')

describe('the OpenAPI document', () => {
  it('has every status that occurs, and answers have the shape that it says', async () => {
    expect(await compare(app, steps)).toBeGreaterThan(100)
    expect(await compare(staged, stagedSteps)).toBeGreaterThan(20)
  })

  it('gives every operation a name of its own that is good for a function', () => {
    const names = operations.map(({ operation }) => operation.operationId)
    expect(new Set(names).size).toBe(names.length)
    for (const name of names) expect(name).toMatch(/^[a-z][A-Za-z]+$/)
    const all = new Set(['/routes', '/media-folders'])
    const nameOf = (method: 'get' | 'post' | 'put', path: string, item?: string) =>
      operationName({ method, path, item, answers: undefined } as never, all)
    expect([
      nameOf('post', '/routes'),
      nameOf('get', '/media-folders/:folder_id'),
      nameOf('put', '/routes', 'route_id'),
      nameOf('post', '/content/publish'),
      nameOf('post', '/admin/webhooks/deliveries/:delivery_id/retry'),
    ]).toEqual([
      'createRoute',
      'getMediaFolder',
      'updateRouteByQuery',
      'publishContent',
      'retryAdminWebhookDelivery',
    ])
  })

  it('tells lists from items, and writes numbers as numbers', () => {
    const list = document.paths['/routes']?.get as Operation
    expect(schemaIn(list.responses[200])).toEqual({
      type: 'array',
      items: { $ref: '#/components/schemas/Route' },
    })
    expect(schemaIn(document.paths['/routes/{route_id}']?.get?.responses[200])).toEqual({
      $ref: '#/components/schemas/Route',
    })
    expect(list.parameters.find(({ name }) => name === 'limit')?.schema).toMatchObject({ type: 'integer' })
    expect(list.parameters.some(({ name }) => name === 'q')).toBe(false)
    expect(document.components.schemas.ContentData?.properties).toMatchObject({
      status: { enum: ['draft', 'published'] },
      sort_order: { type: 'integer' },
      parent_id: { type: ['string', 'null'] },
    })
  })

  it('describes the parameters that are read by rules of their own', () => {
    const namesOf = (path: string) =>
      document.paths[path]?.get?.parameters.filter(one => one.in === 'query').map(({ name }) => name)
    const ofOne = ['fields', 'expand', 'children', 'locale']
    expect(namesOf('/query/{datatype_name}')).toEqual([
      ...['filter', 'sort', 'limit', 'cursor', 'offset', 'count'],
      ...ofOne,
    ])
    expect(namesOf('/query/{datatype_name}/{entry}')).toEqual(ofOne)
    expect(namesOf('/search')).toEqual(['q', 'type', 'locale', 'limit', 'offset', 'count'])
    expect(namesOf('/page/{slug}')).toEqual(['format', 'locale', 'expand', 'status'])
  })

  it('groups the operations as people think, and each has one group', () => {
    const groups = document['x-tagGroups']
    expect(groups.map(({ name }) => name)).toEqual([
      ...['Content', 'Delivery', 'Media', 'Accounts', 'Webhooks', 'Operation'],
    ])
    const grouped = groups.flatMap(({ tags }) => tags)
    expect(grouped).toEqual(document.tags.map(({ name }) => name))
    expect(new Set(grouped).size).toBe(grouped.length)
    for (const { name, description } of document.tags) expect([name, description]).toEqual([name, sentence])
    for (const { path, operation } of operations)
      expect([path, operation.tags]).toEqual([path, [expect.toBeOneOf(grouped)]])
  })

  it('gives each operation a summary that begins with a verb, and a description of sentences', () => {
    for (const { path, method, operation } of operations) {
      const { summary, description } = operation
      const of = `${method} ${path}`
      expect.soft([of, summary.split(' ')[0]]).toEqual([of, expect.toBeOneOf(verbs)])
      expect.soft([of, summary]).toEqual([of, expect.stringMatching(/^[^;]{4,80}(?<!\.)$/)])
      expect.soft([of, description]).toEqual([of, sentence])
    }
  })

  it('has an example request and an example answer for each operation', () => {
    let compared = 0
    for (const { path, method, operation } of operations) {
      const of = `${method} ${path}`
      const [sample] = operation['x-codeSamples']
      expect.soft([of, sample]).toEqual([of, { lang: 'Shell', label: 'curl', source: expect.any(String) }])
      expect.soft([of, sample?.source]).toEqual([of, expect.not.stringMatching(/undefined|[{]\w+_id[}]/)])
      const answers = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'))
      const bodies = [operation.requestBody, ...answers.map(([, answer]) => answer)] as Partial<
        NonNullable<Operation['requestBody']>
      >[]
      for (const { schema, example } of bodies.flatMap(one => Object.values(one?.content ?? {}))) {
        expect.soft([of, example === undefined, problemsOf(schema, example)]).toEqual([of, false, undefined])
        compared++
      }
    }
    expect(compared).toBeGreaterThan(300)
  })

  it('names the cookie that the configuration names', () => {
    expect(document.components.securitySchemes.cookie.name).toBe('another_name')
  })
})

it('makes records by one address and reads them by the other', async () => {
  const body = { slug: '/by-path', title: 'x' }
  const { route_id } = (await app.call('POST', '/api/v1/routes', { body })).body
  const one = await app.call('GET', `/api/v1/routes/${route_id}`)
  expect(one.body).toEqual((await app.call('GET', `/api/v1/routes/?q=${route_id}`)).body)
  const headers = { 'If-Match': one.headers.get('etag') ?? '' }
  const saved = await app.call('PUT', `/api/v1/routes/${route_id}`, { body: { title: 'y' }, headers })
  expect([saved.status, saved.body.title]).toEqual([200, 'y'])
  expect((await app.call('DELETE', `/api/v1/routes/${route_id}`, { headers })).status).toBe(412)
  expect((await app.call('GET', `/api/v1/routes/${route_id}?q=${route_id}`)).status).toBe(400)
  expect((await app.call('DELETE', `/api/v1/routes/${route_id}/`)).status).toBe(204)
  expect((await app.call('GET', `/api/v1/routes/${route_id}`)).status).toBe(404)
  // What looks like no id is no address of a record, and words of the API stay themselves.
  expect((await app.call('GET', '/api/v1/routes/nothing')).status).toBe(404)
  expect((await app.call('PUT', '/api/v1/content/changes', { body: {} })).status).toBe(405)
})

it('lists in docs/errors.md each code with each of its statuses, and no others', async () => {
  const { readFileSync } = await import('node:fs')
  const rows = [...readFileSync('docs/errors.md', 'utf8').matchAll(/^\| (\d{3}) \| `(\w+)` \|/gm)]
  const listed = rows.map(([, status, code]) => `${code} ${status}`)
  const coded = Object.entries(errorCodes).flatMap(([code, all]) => all.map(status => `${code} ${status}`))
  expect(listed.toSorted()).toEqual(coded.toSorted())
})
