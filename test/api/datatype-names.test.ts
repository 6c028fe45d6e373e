import { expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'

const app = await testApp()
const make = factories(app)

it('a datatype may have dashes in its name, wherever that is used', async () => {
  const { datatype_id } = await make.datatype('Blog post', { name: 'blog-post', visibility: 'public' })
  await make.field(datatype_id, 'Related', 'relation', { data: { target: 'blog-post' } })
  const { route_id } = await make.route('/first')
  const { content_data_id: id } = await make.entry(datatype_id, { route_id }, { status: 'published' })
  await make.entry(datatype_id, {}, { parent_id: id, status: 'published', fields: { related: id } })
  const get = async (path: string) => (await app.call('GET', path, { as: 'nobody' })).body

  expect(await get('/first?format=clean')).toMatchObject({
    type: 'blog-post',
    children: [{ type: 'blog-post' }],
  })
  for (let asked = 0; asked < 2; asked++)
    expect(await get('/api/v1/query/blog-post?filter[slug]=first')).toMatchObject({
      data: [{ id, type: 'blog-post' }],
    })
  expect(await get(`/api/v1/query/blog-post/${id}`)).toMatchObject({ data: { id } })
  expect(await get('/compat/strapi/api/blog-posts?filters[slug]=first')).toMatchObject({
    data: [{ documentId: id }],
  })
  expect(
    await get(
      '/compat/contentful/spaces/a/environments/master/entries?content_type=blog-post&fields.slug=first',
    ),
  ).toMatchObject({ items: [{ sys: { id, contentType: { sys: { id: 'blog-post' } } } }] })
  const groq = encodeURIComponent('*[_type == "blog-post" && slug.current == "first"]{_id, _type}')
  expect(await get(`/compat/sanity/v2024-01-01/data/query/production?query=${groq}`)).toMatchObject({
    result: [{ _id: id, _type: 'blog-post' }],
  })
  const types = await app.call('GET', '/api/v1/types.ts', { as: 'admin' })
  expect(types.text).toContain('export type BlogPost = Entry<"blog-post", BlogPostFields>')
  expect(types.text).toContain('  "blog-post": BlogPost\n')
  expect(types.text).toContain('related?: Reference<"blog-post"> | null')
})

it.each(['-a', '1a', 'a b', 'a.b', 'ä', ''])('the name %j is refused', async name => {
  const { status, body } = await app.call('POST', '/api/v1/datatypes', {
    body: { label: 'A', type: 'content', name },
  })
  expect([status, body.member]).toEqual([400, 'name'])
})

it('a field has no dash in its name, for it is a key', async () => {
  const { datatype_id } = await make.datatype('With a field')
  const body = { parent_id: datatype_id, label: 'A', name: 'a-b', field_type: 'text' }
  expect((await app.call('POST', '/api/v1/fields', { body })).body.member).toBe('name')
})
