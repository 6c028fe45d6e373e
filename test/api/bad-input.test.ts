import { expect, it } from 'vitest'
import { testApp } from '../support/app.js'

const { call, audits } = await testApp()
const json = { 'Content-Type': 'application/json' }
const good = { slug: '/good', title: 'Good' }

it.each([
  ['malformed JSON', '{"slug":', 400, 'the body is not JSON'],
  ['an empty body', '', 400, 'the body is not JSON'],
  ['a byte order mark', '\ufeff{}', 400, 'the body is not JSON'],
  ['an array', '[]', 400, 'body: '],
  ['text', '"x"', 400, 'body: '],
  ['a NUL', '{"slug":"/a","title":"a\\u0000"}', 400, 'title: contains a NUL character'],
  ['a lone surrogate', '{"slug":"/a","title":"\\udc00"}', 400, 'title: contains a lone surrogate'],
  ['a reversed pair', '{"slug":"/a","title":"\\udc00\\ud800"}', 400, 'title: contains a lone surrogate'],
  ['a NUL in a name', '{"slug":"/a","title":"b","x\\u0000":1}', 400, 'body: has an invalid member name'],
  ['an array where text is expected', '{"slug":["/a"],"title":"b"}', 400, 'slug: '],
  ['an object where text is expected', '{"slug":{"$ne":""},"title":"b"}', 400, 'slug: '],
  ['null where text is expected', '{"slug":null,"title":"b"}', 400, 'slug: '],
  ['a member twice', '{"slug":"/a","title":"b","slug":"/c"}', 400, 'slug: is given twice'],
  [
    'a member twice, once escaped',
    '{"slug":"/a","title":"b","sl\\u0075g":"/c"}',
    400,
    'slug: is given twice',
  ],
  ['__proto__', '{"slug":"/a","title":"b","__proto__":{}}', 400, '__proto__: is not allowed'],
  ['__proto__ inside', '{"slug":"/a","title":"b","x":[{"__proto__":1}]}', 400, '__proto__: is not allowed'],
  ['too many levels', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`, 400, 'the body is nested deeper'],
  ['a hundred thousand levels', '['.repeat(100_000), 400, 'the body is nested deeper'],
  ['5 MiB and a byte', `{"slug":"/a","title":"${'x'.repeat(5 * 2 ** 20)}"}`, 413, 'the body is larger'],
  ['a number too large', '{"slug":"/a","title":"b","status":1e400}', 400, 'status: '],
])('refuses %s', async (_, body, status, error) => {
  const before = (await audits()).length
  const answer = await call('POST', '/api/v1/routes', { body, headers: json })
  expect([answer.status, answer.body]).toMatchObject([
    status,
    { error: expect.stringContaining(error), code: expect.any(String) },
  ])
  expect((await audits()).length).toBe(before)
})

it('refuses a body longer than it says, or of no said length', async () => {
  const large = new ReadableStream({
    start(controller) {
      for (let i = 0; i < 6; i++) controller.enqueue(new TextEncoder().encode(' '.repeat(2 ** 20)))
      controller.close()
    },
  })
  const app = (await testApp()).app
  const request = new Request('http://localhost/api/v1/auth/login', {
    method: 'POST',
    body: large,
    headers: json,
    duplex: 'half',
  } as RequestInit)
  expect((await app.fetch(request)).status).toBe(413)
})

it.each([
  ['no content type', {}, 415],
  ['text', { 'Content-Type': 'text/plain' }, 415],
  ['a form', { 'Content-Type': 'application/x-www-form-urlencoded' }, 415],
  ['another JSON', { 'Content-Type': 'application/vnd.api+json' }, 415],
  ['another charset', { 'Content-Type': 'application/json; charset=latin1' }, 415],
  ['an encoded body', { ...json, 'Content-Encoding': 'gzip' }, 415],
  ['utf-8 by name', { 'Content-Type': 'application/json; charset=UTF-8' }, 201],
])('answers %s', async (_, headers, status) => {
  const body = new TextEncoder().encode(JSON.stringify({ ...good, slug: `/g${status}` }))
  const { app } = await testApp()
  const login = await app.fetch(
    new Request('http://localhost/api/v1/auth/login', {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ email: 'admin@example.com', password: 'correct horse' }),
    }),
  )
  const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? ''
  const request = new Request('http://localhost/api/v1/routes', {
    method: 'POST',
    headers: { ...headers, cookie } as Record<string, string>,
    body,
  })
  expect((await app.fetch(request)).status).toBe(status)
})

it('refuses bytes that are not UTF-8', async () => {
  for (const bytes of [
    [0x22, 0xff, 0x22],
    [0x22, 0xc0, 0xaf, 0x22],
  ]) {
    const { app } = await testApp()
    const request = new Request('http://localhost/api/v1/auth/login', {
      method: 'POST',
      headers: json,
      body: new Uint8Array(bytes),
    })
    const answer = await app.fetch(request)
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { error: 'the body is not UTF-8', code: 'malformed' },
    ])
  }
})

it('takes what looks dangerous and is only text', async () => {
  const titles = [
    '{"a":{"a":1}}',
    '[[[[',
    '"',
    '\\',
    "'; drop table routes; --",
    '<script>',
    '__proto__',
    '${HOME}',
  ]
  for (const [i, title] of titles.entries()) {
    const answer = await call('POST', '/api/v1/routes', { body: { slug: `/text-${i}`, title } })
    expect([answer.status, answer.body.title]).toEqual([201, title])
  }
})

it('gives no id a meaning that it does not have', async () => {
  for (const q of [
    "' or '1'='1",
    '../../etc',
    '%2500',
    '*',
    '1',
    'x'.repeat(5000),
    '%F0%9F%98%80',
    '01ARZ3NDEKTSV4RRFFQ69G5FAV%20',
  ]) {
    for (const path of ['routes', 'datatypes', 'fields', 'content', 'content-fields', 'field-types'])
      expect([q, (await call('GET', `/api/v1/${path}?q=${q}`)).status]).toEqual([q, 404])
    expect((await call('GET', `/api/v1/content/tree/${encodeURIComponent(q)}`)).status).toBe(404)
  }
})

it('makes no field types, for all that there are have a record', async () => {
  for (const path of ['/api/v1/field-types', '/api/v1/admin/field-types']) {
    const { status, headers } = await call('POST', path, { body: { type: 'text', label: 'Again' } })
    expect([path, status, headers.get('allow')]).toEqual([path, 405, expect.not.stringContaining('POST')])
    const [type] = (await call('GET', path)).body
    const renamed = await call('PUT', `${path}/?q=${type.field_type_id}`, {
      body: { label: `${type.label}!` },
    })
    expect([renamed.status, renamed.body.label]).toEqual([200, `${type.label}!`])
  }
})

it.each([
  ['/content?status=pblished', 'status: '],
  ['/fields?field_type=txt', 'field_type: '],
])('refuses to narrow a list by what nothing can be: %s', async (path, error) => {
  const { status, body } = await call('GET', `/api/v1${path}`)
  expect([status, body]).toMatchObject([400, { error: expect.stringContaining(error), code: 'invalid' }])
})
