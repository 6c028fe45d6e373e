import { expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'

const app = await testApp()
const { call } = app
const make = factories(app)
const published = { status: 'published' }

const company = await make.datatype('Company', { type: '_global' })
await make.field(company.datatype_id, 'Name', 'text')
await make.field(company.datatype_id, 'Owner', 'relation')
const author = await make.datatype('Author', { type: '_global' })
await make.field(author.datatype_id, 'Name', 'text')
await make.field(author.datatype_id, 'Employer', 'relation')
const article = await make.datatype('Article')
await make.field(article.datatype_id, 'Text', 'text')
await make.field(article.datatype_id, 'Author', 'relation')
await make.field(article.datatype_id, 'Friends', 'relation', { data: { cardinality: 'many' } })

const acme = await make.entry(company.datatype_id, {}, { ...published, fields: { name: 'Acme' } })
const hidden = await make.entry(company.datatype_id, {}, { fields: { name: 'Hidden' } })
const person = (name: string, employer: { content_data_id: string }) =>
  make.entry(author.datatype_id, {}, { ...published, fields: { name, employer: employer.content_data_id } })
const [zoe, max] = [await person('Zoe', acme), await person('Max', hidden)]
const set = async (id: string, fields: object) =>
  expect((await call('PUT', `/api/v1/content?q=${id}`, { body: { fields } })).status).toBe(200)
await set(acme.content_data_id, { owner: zoe.content_data_id })

let pages = 0
async function page(fields: object): Promise<{ id: string; slug: string }> {
  const slug = `/page-${++pages}`
  const { route_id } = await make.route(slug)
  const more = { ...published, fields }
  return { id: (await make.entry(article.datatype_id, { route_id }, more)).content_data_id, slug }
}
const visit = (slug: string, query: string) => call('GET', `${slug}?format=native${query}`, { as: 'nobody' })

const home = await page({ author: zoe.content_data_id, friends: [zoe.content_data_id, max.content_data_id] })
await make.entry(
  article.datatype_id,
  { parent_id: home.id },
  { ...published, fields: { text: 'below', author: max.content_data_id } },
)
const named = { id: zoe.content_data_id, type: 'author', slug: null, title: 'Zoe' }

it('shows the fields of what relations refer to, three levels deep, also under child entries', async () => {
  expect((await visit(home.slug, '')).body.fields.author).toEqual(named)
  const { body } = await visit(home.slug, '&expand=author.employer.owner')
  expect(body.fields.author).toEqual({
    ...named,
    locale: null,
    published_at: zoe.published_at,
    fields: {
      name: 'Zoe',
      employer: {
        id: acme.content_data_id,
        type: 'company',
        slug: null,
        title: 'Acme',
        locale: null,
        published_at: acme.published_at,
        fields: { name: 'Acme', owner: expect.objectContaining({ ...named, fields: expect.anything() }) },
      },
    },
  })
  expect(body.fields.author.fields.employer.fields.owner.fields.employer).toEqual({
    id: acme.content_data_id,
    type: 'company',
    slug: null,
    title: 'Acme',
  })
  expect(body.fields.friends[0]).toEqual(named)
  expect(body.children[0].fields.author.fields.name).toBe('Max')
})

it('shows drafts to those alone who work on them', async () => {
  const path = `${home.slug}?format=native&expand=friends.employer`
  const employer = (body: { fields: { friends: { fields: { employer: unknown } }[] } }) =>
    body.fields.friends[1]?.fields.employer
  expect(employer((await call('GET', path, { as: 'nobody' })).body)).toBe(null)
  expect(employer((await call('GET', `/api/v1/page${path}`, { as: 'viewer' })).body)).toBe(null)
  const own = await call('GET', `/api/v1/page${path}`, { as: 'editor' })
  expect(employer(own.body)).toMatchObject({ fields: { name: 'Hidden' } })
  expect((await call('GET', `/api/v1/page${path}&status=published`, { as: 'editor' })).text).toBe(
    (await call('GET', path, { as: 'nobody' })).text,
  )
})

it('is as new as the entries that are far away, and the same however it is written', async () => {
  const before = await visit(home.slug, '&expand=author.employer,friends')
  const again = await visit(home.slug, '&expand=friends,author,author.employer,friends')
  expect([again.headers.get('etag'), again.text]).toEqual([before.headers.get('etag'), before.text])
  const path = `${home.slug}?format=native&expand=author.employer,friends`
  const known = { headers: { 'If-None-Match': before.headers.get('etag') ?? '' }, as: 'nobody' } as const
  expect((await call('GET', path, known)).status).toBe(304)
  await set(acme.content_data_id, { name: 'Acme & Co' })
  const after = await call('GET', path, known)
  expect([after.status, after.body.fields.author.fields.employer.fields.name]).toEqual([200, 'Acme & Co'])
})

it('shows global trees in the same way', async () => {
  const path = '/api/v1/globals/author?format=native&expand=employer'
  const { body } = await call('GET', path, { as: 'viewer' })
  expect(body.map((one: { fields: { employer: unknown } }) => one.fields.employer)).toEqual([
    expect.objectContaining({ title: 'Acme & Co', fields: expect.anything() }),
    null,
  ])
})

it.each([
  ['nothing', 'expand: no datatype has a relation "nothing"'],
  ['text', 'expand: no datatype has a relation "text"'],
  ['author.nothing', 'expand: the entries in author have no relation "nothing"'],
  ['author.employer.owner.employer', 'expand: must be at most 3 levels deep'],
  ["a'b", 'expand: "a\'b" is not a field name'],
  ['author,', 'expand: "" is not a field name'],
  [Array.from({ length: 21 }, (_, i) => `a${i}`).join(), 'expand: has more than 20 paths'],
])('refuses %s by name', async (expand, error) => {
  for (const path of [`${home.slug}?`, `/api/v1/page${home.slug}?`, '/api/v1/globals?'])
    expect((await call('GET', `${path}format=native&expand=${expand}`)).body).toMatchObject({
      error,
      member: 'expand',
    })
})

it('refuses formats that do not expand', async () => {
  const answer = await call('GET', `${home.slug}?format=clean&expand=author`, { as: 'nobody' })
  expect([answer.status, answer.body.error]).toEqual([400, 'expand: needs format=native'])
})

it('refuses what would be written too often', async () => {
  const ids: string[] = []
  for (let i = 0; i < 9; i++)
    ids.push((await make.entry(article.datatype_id, { parent_id: home.id }, published)).content_data_id)
  for (const id of ids) await set(id, { friends: ids })
  const path = (levels: string) => `${home.slug}?format=native&expand=${levels}`
  expect((await call('GET', path('friends.friends.friends'), { as: 'nobody' })).body).toMatchObject({
    error: 'expand: the response would have more than 5000 entries: narrow the request',
    member: 'expand',
  })
  expect((await call('GET', path('friends.friends'), { as: 'nobody' })).status).toBe(200)
})
