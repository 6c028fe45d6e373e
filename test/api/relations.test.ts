// The package has no types of its own.
// @ts-expect-error
import resolveResponse from 'contentful-resolve-response'
import { describe, expect, it } from 'vitest'
import { open } from '../../src/server.js'
import { formatNames } from '../../src/services/delivery/formats/index.js'
import { pageRequest } from '../../src/services/delivery/page-request.js'
import { testApp } from '../support/app.js'

const app = await testApp()
const { call, db } = app
const api = (method: string, path: string, body?: unknown) =>
  call(method, `/api/v1${path}`, body === undefined ? {} : { body })
const post = async (path: string, body: unknown) => (await api('POST', path, body)).body

const type = (await post('/datatypes', { label: 'Page', type: 'content' })).datatype_id
await post('/fields', { label: 'Name', field_type: 'text', parent_id: type })
await post('/fields', { label: 'Next', field_type: 'relation', parent_id: type })
await post('/fields', {
  label: 'Also',
  field_type: 'relation',
  parent_id: type,
  data: { cardinality: 'many' },
})

let pages = 0
async function page(name: string, fields: object = {}, status = 'published') {
  const slug = `/p${++pages}`
  const { route_id } = await post('/routes', { slug, title: name })
  const entry = await post('/content', { datatype_id: type, route_id, status, fields: { name, ...fields } })
  return { id: entry.content_data_id as string, number: entry.numeric_id as number, slug }
}
const set = (id: string, body: object) => api('PUT', `/content?q=${id}`, body)
const visit = async (slug: string, format = 'clean') =>
  (await call('GET', `${slug}?format=${format}`, { as: 'nobody' })).body
const textOf = async (slug: string, format: string) =>
  (await call('GET', `${slug}?format=${format}`, { as: 'nobody' })).text

it('is followed by Contentful’s own resolver, as far as it goes', async () => {
  const target = await page('Target')
  const source = await page('Source', { next: target.id, also: JSON.stringify([target.id]) })
  await set(target.id, { fields: { next: source.id } })
  await post('/content', {
    datatype_id: type,
    parent_id: source.id,
    status: 'published',
    fields: { name: 'Child', next: target.id },
  })
  const [item] = resolveResponse(await visit(source.slug, 'contentful'))
  expect(item.fields.children[0].fields.name).toBe('Child')
  expect(item.fields.next.fields.name).toBe('Target')
  expect(item.fields.children[0].fields.next).toBe(item.fields.next)
  expect(item.fields.next.fields.next.fields.name).toBe('Source')
})

it('is asked for in Strapi’s two formats by its own header', async () => {
  const target = await page('Target')
  const source = await page('Source', { next: target.id, also: JSON.stringify([target.id]) })
  const empty = await page('Empty', { next: '', also: '[]' })
  const v4 = async (slug: string) => {
    const answer = await call('GET', `${slug}?format=strapi`, {
      as: 'nobody',
      headers: { 'Strapi-Response-Format': 'v4' },
    })
    expect(answer.headers.get('vary')).toContain('Strapi-Response-Format')
    return answer.body.data
  }
  const wrapped = {
    id: target.number,
    attributes: expect.objectContaining({ name: 'Target', title: 'Target' }),
  }
  for (let i = 0; i < 2; i++) {
    const data = await v4(source.slug)
    expect(Object.keys(data)).toEqual(['id', 'attributes'])
    expect(data.attributes).toMatchObject({
      name: 'Source',
      next: { data: wrapped },
      also: { data: [wrapped] },
      children: [],
    })
    expect((await visit(source.slug, 'strapi')).data.documentId).toBe(source.id)
  }
  expect((await v4(empty.slug)).attributes).toMatchObject({ next: { data: null }, also: { data: [] } })
  const byKey = await call('GET', `/api/v1/page${source.slug}?format=strapi`, {
    headers: { 'Strapi-Response-Format': 'v4' },
  })
  expect(byKey.body.data.attributes.name).toBe('Source')
  expect((await call('GET', `${source.slug}?format=strapi-v4`, { as: 'nobody' })).status).toBe(400)
})

describe('a relation', () => {
  it('is resolved in each format’s own way', async () => {
    const far = await page('Far')
    const target = await page('Target', { next: far.id })
    const source = await page('Source', { next: target.id, also: JSON.stringify([target.id, far.id]) })
    expect(await visit(source.slug)).toMatchObject({
      next: target.id,
      also: JSON.stringify([target.id, far.id]),
    })
    const contentful = await visit(source.slug, 'contentful')
    const link = (id: string) => ({ sys: { type: 'Link', linkType: 'Entry', id } })
    expect(contentful.items[0].fields).toMatchObject({
      next: link(target.id),
      also: [link(target.id), link(far.id)],
    })
    const included = contentful.includes.Entry.map((entry: { sys: { id: string }; fields: object }) => [
      entry.sys.id,
      entry.fields,
    ])
    expect(included).toEqual([
      [far.id, { title: 'Far', slug: far.slug, name: 'Far' }],
      [target.id, { title: 'Target', slug: target.slug, name: 'Target', next: link(far.id) }],
    ])
    const sanity = await visit(source.slug, 'sanity')
    expect(sanity.next).toEqual({ _type: 'reference', _ref: target.id })
    expect(sanity.also[1]).toEqual({ _key: far.id, _type: 'reference', _ref: far.id })
    const strapi = await visit(source.slug, 'strapi')
    expect(strapi.data.next).toMatchObject({
      id: target.number,
      documentId: target.id,
      title: 'Target',
      slug: target.slug,
      name: 'Target',
      next: { id: far.number, documentId: far.id, title: 'Far' },
    })
    expect(strapi.data.next.next.name).toBeUndefined()
    expect(strapi.data.also.map(({ documentId }: { documentId: string }) => documentId)).toEqual([
      target.id,
      far.id,
    ])
    const wordpress = await visit(source.slug, 'wordpress')
    expect([wordpress.acf.next, wordpress.acf.also]).toEqual([target.number, [target.number, far.number]])
  })

  it('to what the public must not see shows in no format, and shows as soon as it may', async () => {
    const target = await page('Hidden one', {}, 'draft')
    const parent = await page('Parent')
    const child = await post('/content', {
      datatype_id: type,
      parent_id: parent.id,
      status: 'published',
      fields: { name: 'Hidden two' },
    })
    await set(parent.id, { status: 'draft' })
    const hidden = [target.id, child.content_data_id, parent.id]
    const source = await page('Source', { next: target.id, also: JSON.stringify(hidden) })
    for (const format of formatNames) {
      const text = await textOf(source.slug, format)
      for (const secret of [...hidden, 'Hidden'])
        expect([format, text.includes(secret)]).toEqual([format, false])
      const working = await api('GET', `/page${source.slug}?format=${format}`)
      expect([format, working.status]).toEqual([format, 200])
    }
    expect((await api('GET', `/page${source.slug}?format=clean`)).body.next).toBe(target.id)
    expect(await visit(source.slug)).toMatchObject({ next: '', also: '[]' })
    await set(parent.id, { status: 'published' })
    expect((await visit(source.slug)).also).toBe(JSON.stringify([child.content_data_id, parent.id]))
    await set(target.id, { status: 'published' })
    expect((await visit(source.slug)).next).toBe(target.id)
    await set(target.id, { status: 'draft' })
    expect((await visit(source.slug)).next).toBe('')
    await api('DELETE', `/content?q=${parent.id}&recursive=true`)
    expect((await visit(source.slug)).also).toBe('[]')
  })

  it('shows what the target is now, from memory and on another instance', async () => {
    const target = await page('Before')
    const source = await page('Source', { next: target.id })
    const second = await open({ config: app.config, ports: app.parts.ports, variables: {} })
    const request = pageRequest({ slug: source.slug, format: 'strapi', audience: 'public', locale: '' })
    const elsewhere = async () =>
      JSON.parse(new TextDecoder().decode((await second.services.space.pages.page(request)).body)).data.next
        .name
    try {
      const name = async () => (await visit(source.slug, 'strapi')).data.next.name
      expect([await name(), await name(), await elsewhere()]).toEqual(['Before', 'Before', 'Before'])
      await set(target.id, { fields: { name: 'After' } })
      expect(await name()).toBe('After')
      await second.db.externalChangesNow()
      expect(await elsewhere()).toBe('After')
    } finally {
      await second.services.settle()
      await second.db.close()
    }
  })

  it('to itself, in a circle, to a child and to nothing is delivered', async () => {
    const a = await page('A')
    const b = await page('B', { next: a.id })
    await set(a.id, { fields: { next: b.id, also: JSON.stringify([a.id, b.id]) } })
    const child = await post('/content', {
      datatype_id: type,
      parent_id: a.id,
      status: 'published',
      fields: { next: a.id },
    })
    await set(a.id, { fields: { also: JSON.stringify([a.id, b.id, child.content_data_id]) } })
    for (const format of formatNames)
      expect([format, (await call('GET', `${a.slug}?format=${format}`, { as: 'nobody' })).status]).toEqual([
        format,
        200,
      ])
    const contentful = await visit(a.slug, 'contentful')
    const ids = contentful.includes.Entry.map((entry: { sys: { id: string } }) => entry.sys.id)
    expect(ids.toSorted()).toEqual([b.id, child.content_data_id].toSorted())
  })

  it('costs so many statements, however many there are', async () => {
    const count = async (relations: number) => {
      const targets = []
      for (let i = 0; i < relations; i++) targets.push(await page(`T${i}`))
      const source = await page('Source', { also: JSON.stringify(targets.map(({ id }) => id)) })
      let statements = 0
      const session = (db as unknown as { session: { all: unknown; lists: unknown } }).session as {
        all: (...args: unknown[]) => unknown
        lists: (...args: unknown[]) => unknown
      }
      const { all, lists } = session
      const counted =
        (run: (...args: unknown[]) => unknown) =>
        (...args: unknown[]) => {
          statements++
          return run(...args)
        }
      Object.assign(session, { all: counted(all), lists: counted(lists) })
      await visit(source.slug, 'strapi')
      Object.assign(session, { all, lists })
      return statements
    }
    const few = await count(2)
    expect(await count(100)).toBe(few)
    expect(few).toBeLessThanOrEqual(6)
  })
})

it('survives every order of publishing three pages that refer to each other', async () => {
  const orders = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ]
  for (const order of orders) {
    const three = await Promise.all(['x', 'y', 'z'].map(name => page(name, {}, 'draft')))
    const [x, y, z] = three as [(typeof three)[0], (typeof three)[0], (typeof three)[0]]
    const refer: [string, string][] = [
      [x.id, y.id],
      [y.id, z.id],
      [z.id, x.id],
    ]
    for (const [from, to] of refer) await set(from, { fields: { next: to } })
    const values = async () =>
      Promise.all(
        refer.map(async ([from]) =>
          (await api('GET', `/content-fields?content_data_id=${from}`)).body.map(
            (row: { field_value: string }) => row.field_value,
          ),
        ),
      )
    const before = await values()
    for (const i of order) await api('POST', '/content/publish', { content_data_id: three[i]?.id })
    for (const i of order) await api('POST', '/content/unpublish', { content_data_id: three[i]?.id })
    for (const i of order.toReversed())
      await api('POST', '/content/publish', { content_data_id: three[i]?.id })
    expect(await values()).toEqual(before)
    for (const [i, [, to]] of refer.entries()) expect((await visit(three[i]?.slug ?? '')).next).toBe(to)
  }
})
