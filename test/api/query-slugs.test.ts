import { expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'

const app = await testApp()
const make = factories(app)
const published = { status: 'published' }

const { datatype_id: category } = await make.datatype('Category', { visibility: 'public' })
const { datatype_id: post } = await make.datatype('Post', { visibility: 'public' })
await make.field(post, 'Category', 'relation', { data: { target: 'category' } })
const at = async (datatype: string, slug: string, fields: object = {}): Promise<string> => {
  const { route_id } = await make.route(slug)
  return (await make.entry(datatype, { route_id }, { ...published, fields })).content_data_id
}
const news = await at(category, '/news')
const café = await at(category, '/café')
const first = await at(post, '/blog/first', { category: news })
const second = await at(post, '/blog/second', { category: café })
const home = await at(post, '/')

const get = async (path: string) => (await app.call('GET', path, { as: 'nobody' })).body.data
const idsOf = (data: { id?: string; documentId?: string }[]) => data.map(one => one.documentId ?? one.id)

it.each([
  ['[category.slug][eq]=news', [first]],
  ['[category.slug]=/news/', [first]],
  // Composed in the other way.
  [`[category.slug]=${encodeURIComponent('cafe\u0301')}`, [second]],
  ['[category.slug][ne]=news', [second, home]],
  ['[category.slug][in]=news,/café', [first, second]],
  ['[category.slug][starts]=ne', [first]],
  ['[category.slug][contains]=ew', [first]],
  ['[category.slug][exists]=true', [first, second]],
  ['[slug]=blog/first', [first]],
  ['[slug]=/blog/first/', [first]],
  ['[slug]=/', [home]],
  ['[slug][ne]=/', [first, second]],
  ['[slug][in]=blog/second,blog/none', [second]],
  ['[slug][starts]=blog/', [first, second]],
  ['[slug][starts]=//blog/s', [second]],
  ['[slug][under]=blog', [first, second]],
  ['[slug]=log/first', []],
] as const)('a slug is found however it is written: filter%s', async (filter, ids) => {
  expect(idsOf(await get(`/api/v1/query/post?filter${filter}`))).toEqual(ids)
})

it.each([
  ['[category][slug][$eq]=news', [first]],
  ['[category][slug][$startsWith]=ne', [first]],
  ['[slug][$eq]=blog/first', [first]],
  ['[slug][$in][0]=blog/first&filters[slug][$in][1]=/blog/second', [first, second]],
  ['[slug][$contains]=econ', [second]],
] as const)('and by clients of Strapi: filters%s', async (filters, ids) => {
  expect(idsOf(await get(`/compat/strapi/api/posts?filters${filters}&sort=slug`))).toEqual(ids)
})

it.each([
  ['fields.slug=blog/first', [first]],
  ['fields.slug[in]=blog/first,/blog/second', [first, second]],
  ['fields.slug[match]=econ', [second]],
])('and by clients of Contentful: %s', async (condition, ids) => {
  const path = `/compat/contentful/spaces/a/environments/master/entries?content_type=post&order=sys.id&${condition}`
  const { items } = (await app.call('GET', path, { as: 'nobody' })).body
  expect(items.map(({ sys }: { sys: { id: string } }) => sys.id)).toEqual(ids)
})

it('a boolean is compared with true and false alone', async () => {
  await make.field(post, 'Featured', 'boolean')
  const asked = (filter: string) =>
    app.call('GET', `/api/v1/query/post?filter[featured]${filter}`, { as: 'nobody' })
  for (const filter of ['=yes', '[eq]=1', '[ne]=TRUE', '[in]=true,no'])
    expect([filter, (await asked(filter)).status, (await asked(filter)).body]).toEqual([
      filter,
      400,
      expect.objectContaining({ error: expect.stringContaining('featured must be true or false') }),
    ])
  for (const filter of ['=true', '[ne]=false', '[in]=true,false', '[exists]=false'])
    expect([filter, (await asked(filter)).status]).toEqual([filter, 200])
})
