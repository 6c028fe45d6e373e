import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callerOf, healthOf, made } from '../support/calls.js'
import { freshDatabase } from '../support/database.js'
import { amount } from '../support/effort.js'
import { type Product, startProduct } from '../support/process.js'

/** Bodies, keys and settings that are made to break the service, at the started product. */

type Call = Awaited<ReturnType<typeof callerOf>>
const ending: (() => unknown)[] = []
let product: Product
let call: Call
let cookie: string
let datatype_id: string

beforeAll(async () => {
  const { address, drop } = await freshDatabase()
  ending.push(drop)
  product = await startProduct(address, { until: end => ending.unshift(end) })
  cookie = await product.login()
  call = await callerOf(product, cookie)
  datatype_id = (await made(call('POST', '/datatypes', { label: 'Page', type: 'content' }))).datatype_id
  for (const [label, field_type, data] of [
    ['Text', 'textarea', {}],
    ['Data', 'json', {}],
    ['Related', 'relation', { cardinality: 'many' }],
  ] as const)
    await made(call('POST', '/fields', { label, field_type, parent_id: datatype_id, data }))
})
afterAll(async () => {
  for (const end of ending) await end()
})

/** Sends a body as its text. */
async function sent(method: string, path: string, body: string) {
  const answer = await fetch(`${product.url}/api/v1${path}`, {
    method,
    headers: { Cookie: cookie, 'Content-Type': 'application/json' },
    body,
    signal: AbortSignal.timeout(60_000),
  })
  const text = await answer.text()
  const { member, error } = JSON.parse(text)
  return { status: answer.status, member, error, length: text.length }
}

let slugs = 0
/** @param more members behind those of a page */
const page = (more: string) =>
  sent('POST', '/pages', `{"slug":"/s${++slugs}","title":"t","datatype_id":"${datatype_id}"${more}}`)
const many = (n: number, item: (i: number) => string) =>
  Array.from({ length: n }, (_, i) => item(i)).join(',')
const refused = { status: 400 }

describe('a body', () => {
  it.each(['', ' ', ' '.repeat(30), '\n\t\r '.repeat(1000)])(
    'names no member twice and no __proto__, with %j in front of its colon',
    async space => {
      for (const [more, member] of [
        [`,"__proto__"${space}:{"status":"published"}`, '__proto__'],
        [`,"fields":{"__proto__"${space}:"x"}`, '__proto__'],
        [`,"fields":{"data":{"a":[{"\\u005f_proto__"${space}:1}]}}`, '__proto__'],
        [`,"status"${space}:"draft","status"${space}:"published"`, 'status'],
        [
          `,"children":[{"datatype_id":"${datatype_id}","status":"draft","st\\u0061tus"${space}:"draft"}]`,
          'status',
        ],
      ] as const)
        expect([more, await page(more)]).toEqual([more, expect.objectContaining({ ...refused, member })])
      expect((await page(`,"fields":{"text":"status\\" : \\"__proto__"}`)).status).toBe(201)
    },
  )

  it('is refused by the names that objects have', async () => {
    for (const name of ['constructor', 'toString', 'hasOwnProperty', 'prototype']) {
      expect(await page(`,"${name}":{}`)).toMatchObject({ ...refused, member: name })
      expect(await page(`,"fields":{"${name}":"x"}`)).toMatchObject({ ...refused, member: `fields.${name}` })
    }
  })

  it('has numbers that there are', async () => {
    for (const number of [
      '1e400',
      '-1e+999',
      '9'.repeat(310),
      `${'9'.repeat(400)}.5`,
      `1${'0'.repeat(5000)}`,
    ])
      for (const [more, member] of [
        [`,"fields":{"text":${number}}`, 'fields.text'],
        [`,"fields":{"data":{"a":[1,${number}]}}`, 'fields.data.a.1'],
      ] as const)
        expect(await page(more)).toMatchObject({ ...refused, member })
    for (const text of ['1e300', '"1e400"', `"${'9'.repeat(400)}"`, '123456789012345678901234567890'])
      expect([text, (await page(`,"fields":{"data":{"a":${text}}}`)).status]).toEqual([text, 201])
  })

  it('of 10 MB, of any depth and of 20,000 members is refused or taken, and nobody notices', async () => {
    const n = 20_000
    const names = (of: (name: string) => string, count = n) => many(count, i => of(`m${i}`))
    for (const [more, status] of [
      [`,"fields":{"text":"${'x'.repeat(10 * 2 ** 20)}"}`, 413],
      [`,"fields":{"data":${'['.repeat(n)}${']'.repeat(n)}}`, 400],
      [`,"fields":{"data":${'{"a":'.repeat(70)}1${'}'.repeat(70)}}`, 400],
      [`,"fields":{"data":${'['.repeat(60)}${']'.repeat(60)}}`, 201],
      [`,${names(name => `"${name}":1`)}`, 413],
      [`,${names(name => `"${name}":1`, 19_000)}`, 400],
      [`,"fields":{${names(name => `"${name}":1`, 19_000)}}`, 400],
      [`,"fields":{"data":{${names(name => `"${name}":[]`, 19_000)}}}`, 201],
      [`,"fields":{"data":[${many(5 * n, () => '[]')}]}`, 201],
      [`,"fields":{"related":[${many(n, i => `"01ARZ3NDEKTSV4RRFF${String(i).padStart(8, '0')}"`)}]}`, 400],
      [`,"children":[${many(n, () => '{}')}]`, 400],
      [`,"children":[${many(n, () => `{"datatype_id":"${datatype_id}"}`)}]`, 400],
    ] as const) {
      const answer = await page(more)
      expect([more.slice(0, 40), answer.status]).toEqual([more.slice(0, 40), status])
    }
    expect(await healthOf(product)).toBe(200)
  }, 120_000)

  it('of too many values, objects or names is refused before it is parsed, wherever they are', async () => {
    const values = { status: 413, error: 'the body has more than 120000 values' }
    for (const [more, refusal] of [
      // Not JSON at its end, and nobody comes to that.
      [`,"fields":{"data":[${many(1_700_000, () => '[]')}`, values],
      [`,"fields":{"data":[${many(120_000, () => '1')}]}`, values],
      [`,"ids":[${many(120_000, () => '" ,[{"')}]`, values],
      [
        `,"children":[${many(40_000, () => '{}')}]`,
        { status: 413, error: 'the body has more than 40000 objects' },
      ],
      [
        `,"children":[${many(20_000, i => `{"m${i}":1}`)}]`,
        { status: 413, error: 'the body has more than 20000 different names' },
      ],
      [
        `,"fields":{"data":${JSON.stringify(`[${many(120_000, () => '1')}]`)}}`,
        { ...refused, member: 'fields.data', error: 'fields.data: data has more than 120000 values' },
      ],
    ] as const)
      expect(await page(more)).toMatchObject(refusal)
    const text = '<p>A paragraph of prose, with "quotes", [brackets] and {braces}.</p>'.repeat(60_000)
    expect((await page(`,"fields":{"text":${JSON.stringify(text)}}`)).status).toBe(201)
  })

  it('of PUT is held to the same', async () => {
    const { content_data_id: id } = await made(
      call('POST', '/content', { datatype_id, parent_id: (await madePage()).content_data_id }),
    )
    const put = (members: string) => sent('PUT', `/content?q=${id}`, `{${members}}`)
    const space = ' '.repeat(30)
    for (const [members, member] of [
      [`"__proto__"${space}:{}`, '__proto__'],
      [`"status"${space}:"draft","status":"published"`, 'status'],
      [`"fields":{"data":[1e999]}`, 'fields.data.0'],
      [`"children":[${many(6000, () => `{"content_data_id":"${id}"}`)}]`, expect.any(String)],
      [`"children":[${many(5001, () => `{"datatype_id":"${datatype_id}"}`)}]`, undefined],
    ] as const)
      expect(await put(members)).toMatchObject({ ...refused, member })
  })

  it('is not sent back: names of megabytes are shown in part', async () => {
    const name = 'n'.repeat(2_000_000)
    for (const more of [
      `,"${name}":1`,
      `,"${name}":1,"${name}":2`,
      `,"fields":{"${name}":1}`,
      `,"fields":{"data":{"${name}":"\\u0000"}}`,
    ]) {
      const { status, length } = await page(more)
      expect([status, length < 2000]).toEqual([400, true])
    }
  })
})

const madePage = async () =>
  (await made(call('POST', '/pages', { slug: `/p${++slugs}`, title: 'p', datatype_id }))).entry

describe('an Idempotency-Key', () => {
  it('of one caller is done once however many use it, and never for another body, address or caller', async () => {
    const keyed = { 'Idempotency-Key': 'k'.repeat(255) }
    const body = { label: 'The same', type: 'content' }
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => call('POST', '/datatypes', body, keyed)),
    )
    for (const { status, body } of answers)
      expect([status, body.code]).toEqual(status === 201 ? [201, undefined] : [409, 'still_running'])
    const ids = new Set(answers.flatMap(({ status, body }) => (status === 201 ? [body.datatype_id] : [])))
    expect(ids.size).toBe(1)
    expect((await call('POST', '/datatypes', { ...body, label: 'Other' }, keyed)).status).toBe(422)
    expect((await call('POST', '/routes', { slug: '/keyed', title: 'x' }, keyed)).status).toBe(201)
    const { token } = await made(call('POST', '/tokens', {}))
    const other = await call('POST', '/datatypes', body, {
      ...keyed,
      Cookie: 'none=1',
      Authorization: `Bearer ${token}`,
    })
    expect([other.status, ids.has(other.body.datatype_id)]).toEqual([201, false])
    const all = (await made(call('GET', '/datatypes'))) as { label: string }[]
    expect(all.filter(({ label }) => label === 'The same')).toHaveLength(2)
  })

  it('that is too long, empty or given twice is refused, and nothing is done', async () => {
    const before = (await made(call('GET', '/datatypes'))).length
    for (const key of ['k'.repeat(256), '', 'a,b c', '"a"b"'])
      expect([
        key,
        (await call('POST', '/datatypes', { label: 'No', type: 'content' }, { 'Idempotency-Key': key }))
          .status,
      ]).toEqual([key, 400])
    expect((await made(call('GET', '/datatypes'))).length).toBe(before)
  })
})

describe('a deletion of everything under it', () => {
  it('takes a huge tree in one transaction, while others are answered', async () => {
    const n = amount(400, 4900)
    const { datatype_id: own } = await made(call('POST', '/datatypes', { label: 'Leaf', type: 'content' }))
    await made(call('POST', '/fields', { label: 'Text', field_type: 'text', parent_id: own }))
    const children = Array.from({ length: n }, (_, i) => ({ datatype_id: own, fields: { text: `${i}` } }))
    const { content_data_id } = await madePage()
    await made(call('PUT', `/content?q=${content_data_id}`, { children }))
    const path = `/datatypes?q=${own}&recursive=true`
    expect((await call('DELETE', `${path}&dry_run=true`)).body).toMatchObject({ entries: n, values: n })
    const [gone, ...others] = await Promise.all([
      call('DELETE', path),
      ...Array.from({ length: 5 }, () => call('GET', '/auth/me')),
    ])
    expect([gone?.status, ...others.map(({ status }) => status)]).toEqual([204, 200, 200, 200, 200, 200])
    expect((await call('DELETE', path)).status).toBe(404)
    const left = (await made(call('GET', '/content'))) as { datatype_id: string }[]
    expect(left.filter(entry => entry.datatype_id === own)).toEqual([])
  }, 120_000)
})

describe('settings of CORS', () => {
  const preflight = () =>
    fetch(`${product.url}/api/v1/routes`, {
      method: 'OPTIONS',
      headers: { Origin: 'https://a.example', 'Access-Control-Request-Method': 'PUT' },
    })

  it('that no header can hold or no browser sends are refused', async () => {
    await made(call('PUT', '/config', { cors_origins: ['https://a.example'] }))
    for (const [name, value] of [
      ['cors_methods', '\u{1f600}'],
      ['cors_methods', 'a b'],
      ['cors_headers', 'ä'],
      ['cors_headers', ''],
      ['cors_headers', 'x,y'],
      ['cors_origins', 'https://*.example'],
      ['cors_origins', 'app://ä'],
      ['cors_origins', 'null'],
      ['cors_origins', 'https://a.example/'],
      ['cors_origins', 'https://a.example:443'],
      ['cors_origins', '*'],
    ] as const) {
      const { status, body } = await call('PUT', '/config', { [name]: [value] })
      expect([name, value, status, body.member]).toEqual([name, value, 400, expect.stringContaining(name)])
    }
    const answer = await preflight()
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([
      204,
      'https://a.example',
    ])
  })
})

it('nothing of all this was a failure of the service', () => {
  expect(product.output()).not.toMatch(/internal server error|could not be written/)
})
