import { expect, it } from 'vitest'
import { callerOf, made } from '../support/calls.js'
import { startedSite } from '../support/site.js'

// What a program can rely on, at the started product; what the document says of it is in test/document.
const { product, admin, nobody } = await startedSite({
  config: { i18n_enabled: true, cors_origins: ['https://app.example'] },
})
const page = (await made(admin('POST', '/datatypes', { label: 'Page', type: 'content' }))).datatype_id
const field = (label: string, field_type: string, more: object = {}) =>
  made(admin('POST', '/fields', { label, field_type, parent_id: page, ...more }))
await field('Heading', 'text', { required: true, data: { maxLength: 20 } })
await field('Price', 'number', { data: { min: 1 } })

it('says what is missing: credentials, or a permission', async () => {
  const none = await nobody('GET', '/users')
  expect([none.status, none.body.code, none.headers.get('www-authenticate')]).toEqual([
    403,
    'unauthenticated',
    expect.stringMatching(/^Bearer/),
  ])
  const { token } = await made(admin('POST', '/tokens', { permissions: ['routes:read'] }))
  const byKey = await callerOf(product, '')
  const refused = await byKey('GET', '/users', undefined, { Authorization: `Bearer ${token}` })
  expect([refused.status, refused.body.error]).toEqual([403, expect.stringContaining('users:read')])
})

it('refuses unknown parameters and members with the nearest name, and delivery ignores them', async () => {
  const parameter = await admin('GET', '/routes?limt=2')
  expect([parameter.status, parameter.body.member, parameter.body.error]).toEqual([
    400,
    'limt',
    expect.stringContaining('limit'),
  ])
  const member = await admin('POST', '/routes', { slug: '/x', titel: 'X' })
  expect([member.status, member.body.error]).toEqual([400, expect.stringContaining('title')])
  await made(
    admin('POST', '/pages', {
      slug: '/shown',
      title: 'Shown',
      datatype_id: page,
      status: 'published',
      fields: { heading: 'x' },
    }),
  )
  expect((await fetch(`${product.url}/shown?format=clean&utm_source=x`)).status).toBe(200)
})

it('takes back what it has shown, and knows who saved first', async () => {
  const { route_id } = await made(admin('POST', '/routes', { slug: '/back', title: 'Back' }))
  const shown = await admin('GET', `/routes?q=${route_id}`)
  const etag = shown.headers.get('etag') ?? ''
  const put = (title: string) =>
    admin('PUT', `/routes?q=${route_id}`, { ...shown.body, title }, { 'If-Match': etag })
  expect((await put('First')).status).toBe(200)
  const late = await put('Second')
  expect([late.status, late.body.code]).toEqual([412, 'changed'])
  expect((await admin('GET', `/routes?q=${route_id}`)).body.title).toBe('First')
})

it('checks the model, and at the publication all values together', async () => {
  const odd = await admin('POST', '/fields', {
    ...{ label: 'Odd', field_type: 'text', parent_id: page },
    data: { maxLenght: 3 },
  })
  expect([odd.status, odd.body.error]).toEqual([400, expect.stringContaining('maxLength')])
  const { route_id } = await made(admin('POST', '/routes', { slug: '/draft', title: 'Draft' }))
  const draft = await made(admin('POST', '/content', { datatype_id: page, route_id, fields: { price: 0.5 } }))
  const refused = await admin('POST', '/content/publish', { content_data_id: draft.content_data_id })
  expect([refused.status, refused.body.errors]).toEqual([
    400,
    ['heading', 'price'].map(name =>
      expect.objectContaining({ member: `fields.${name}`, content_data_id: draft.content_data_id }),
    ),
  ])
})

it('says what a new rule breaks and what goes with a field, before it is done', async () => {
  const { field_id } = (await made(admin('GET', '/fields'))).find(
    ({ name }: { name: string }) => name === 'heading',
  )
  const said = await admin('PUT', `/fields?q=${field_id}&dry_run=true`, { data: { minLength: 5 } })
  expect([said.status, said.body.broken_values]).toEqual([
    200,
    expect.objectContaining({ published: 1, drafts: 1 }),
  ])
  expect((await admin('DELETE', `/fields/${field_id}`)).status).toBe(409)
  const counted = await admin('DELETE', `/fields/${field_id}?values=true&dry_run=true`)
  expect([counted.status, counted.body]).toEqual([200, expect.objectContaining({ fields: 1 })])
  expect((await admin('GET', `/fields?q=${field_id}`)).status).toBe(200)
})

it('makes a whole page at once, once', async () => {
  const body = {
    ...{ slug: '/whole', title: 'Whole', datatype_id: page, status: 'published' },
    fields: { heading: 'Top', price: 2 },
    children: [{ datatype_id: page, status: 'published', fields: { heading: 'Below' } }],
  }
  const headers = { 'Idempotency-Key': 'one-page' }
  const [first, again] = [
    await admin('POST', '/pages', body, headers),
    await admin('POST', '/pages', body, headers),
  ]
  expect([first.status, again.status, again.body]).toEqual([201, 201, first.body])
  const shown = await (await fetch(`${product.url}/whole?format=native`)).json()
  expect(shown).toMatchObject({
    fields: { heading: 'Top', price: 2 },
    children: [{ fields: { heading: 'Below' } }],
  })
  const { route_id } = (await made(admin('GET', '/routes?slug=/whole')))[0]
  const counted = await admin('DELETE', `/routes/${route_id}?recursive=true&dry_run=true`)
  expect([counted.status, counted.body]).toEqual([200, expect.objectContaining({ entries: 2, routes: 1 })])
  expect((await admin('DELETE', `/routes/${route_id}?recursive=true`)).status).toBe(204)
  expect((await fetch(`${product.url}/whole`)).status).toBe(404)
})

it('gives keys with less', async () => {
  const { token } = await made(
    admin('POST', '/tokens', { read_only: true, permissions: ['routes:read', 'routes:create'] }),
  )
  const headers = { Authorization: `Bearer ${token}` }
  expect((await nobody('GET', '/routes', undefined, headers)).status).toBe(200)
  expect((await nobody('POST', '/routes', { slug: '/no', title: 'No' }, headers)).status).toBe(403)
  expect((await nobody('GET', '/content', undefined, headers)).status).toBe(403)
})

it('is called from browsers of the origins that are named', async () => {
  const ask = (Origin: string) =>
    fetch(`${product.url}/api/v1/routes`, {
      method: 'OPTIONS',
      headers: {
        Origin,
        'Access-Control-Request-Method': 'GET',
        'Access-Control-Request-Headers': 'Authorization',
      },
    })
  const [named, other] = [await ask('https://app.example'), await ask('https://evil.example')]
  expect(named.headers.get('access-control-allow-origin')).toBe('https://app.example')
  expect(named.headers.get('access-control-allow-headers')).toContain('Authorization')
  expect(other.headers.get('access-control-allow-origin')).toBeNull()
})

it('falls back from a locale to its language and to the default one', async () => {
  await made(admin('POST', '/locales', { code: 'de', label: 'Deutsch' }))
  const { route_id } = (await made(admin('GET', '/routes?slug=/shown')))[0]
  await made(
    admin('PUT', `/routes?q=${route_id}`, { translations: { de: { slug: '/gezeigt', title: 'Gezeigt' } } }),
  )
  const title = async (path: string) => (await (await fetch(`${product.url}${path}`)).json()).title
  expect(await title('/gezeigt?format=native')).toBe('Gezeigt')
  expect(await title('/shown?format=native&locale=de-AT')).toBe('Gezeigt')
  expect(await title('/shown?format=native&locale=fr')).toBe('Shown')
})
