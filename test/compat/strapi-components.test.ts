import { expect, it } from 'vitest'
import { tables } from '../../src/db/tables.js'
import { blog, reached } from './sample.js'

const site = await blog({
  compat: { page: { children: 'blocks' }, card: { component: 'shared.card', children: 'links' } },
})
const { make, app, about, team, types, picture } = site
await make.field(types.page.datatype_id, 'Seo', 'json')
await make.field(types.page.datatype_id, 'Related', 'relation', { data: { cardinality: 'many' } })
await make.field(types.page.datatype_id, 'Gallery', 'media', { data: { cardinality: 'many' } })
const link = await make.datatype('Button link')
await make.field(link.datatype_id, 'Label', 'text')
await make.field(link.datatype_id, 'Note', 'text')
await make.field(link.datatype_id, 'Icon', 'media')
const [card] = await app.db.findAll(tables.contentData, { parent_id: about.content_data_id })
const linked = await make.entry(
  link.datatype_id,
  { parent_id: card?.content_data_id },
  { status: 'published', fields: { label: 'More', icon: picture.media_id } },
)
const home = await make.entry(
  types.page.datatype_id,
  { route_id: (await make.route('/start', 'Start')).route_id },
  { status: 'published', fields: { seo: '{"metaTitle":"Start","keywords":["a"]}' } },
)

const origin = await reached(app)
async function ask(path: string, root = 'api') {
  const answer = await fetch(`${origin}/compat/strapi/${root}${path}`)
  return { status: answer.status, body: (await answer.json()) as { data: Record<string, unknown> } }
}

it('calls children and their member as the configuration says, and shows of each what was asked for', async () => {
  const card = 'populate[blocks][on][shared.card]'
  const links = `${card}[populate][links]`
  const { body } = await ask(
    `/pages/${about.content_data_id}?fields=title&${card}[fields][0]=heading&${links}[fields][0]=label&${links}[populate][icon][fields][0]=url`,
  )
  const file = {
    id: picture.numeric_id,
    documentId: picture.media_id,
    url: expect.stringContaining('bike.jpg'),
  }
  const shown = {
    __component: 'blocks.button-link',
    id: linked.numeric_id,
    label: 'More',
    icon: file,
    children: [],
  }
  expect(body.data).toEqual({
    id: about.numeric_id,
    documentId: about.content_data_id,
    title: 'About us',
    blocks: [
      { __component: 'shared.card', id: expect.any(Number), heading: 'Brakes', links: [shown] },
      { __component: 'shared.card', id: expect.any(Number), heading: 'Gears', links: [] },
    ],
  })
})

it('shows the plain fields of components below those that were asked for', async () => {
  const { body } = await ask(`/pages/${about.content_data_id}?populate[blocks][on][shared.card]=true`)
  expect(body.data.blocks).toMatchObject([{ links: [{ label: 'More', note: null }] }, { links: [] }])
  expect(JSON.stringify(body.data.blocks)).not.toContain('icon')
  const whole = await ask(`/pages/${about.content_data_id}`)
  expect(whole.body.data.blocks).toMatchObject([{ links: [{ icon: { width: 2400 } }] }, {}])
})

it('has no other name for the children', async () => {
  expect(await ask(`/pages/${about.content_data_id}?populate=children`)).toMatchObject({ status: 400 })
  expect((await ask(`/pages/${about.content_data_id}?populate=*`)).body.data).not.toHaveProperty('children')
})

it('takes JSON for a component', async () => {
  const { body } = await ask(`/pages/${home.content_data_id}?populate[seo][fields][0]=metaTitle`)
  expect(body.data.seo).toEqual({ metaTitle: 'Start', keywords: ['a'] })
  const named = await ask(`/pages/${home.content_data_id}?fields=slug&populate[seo][fields][0]=metaTitle`)
  expect(named.body.data).toMatchObject({ slug: 'start', seo: { metaTitle: 'Start' } })
  expect((await ask(`/pages/${home.content_data_id}?populate[intro]=true`)).status).toBe(400)
})

it('has all fields of a datatype, the empty ones too', async () => {
  const { body } = await ask(`/pages/${team.content_data_id}?populate=*`)
  expect(body.data).toMatchObject({ intro: null, seo: null, related: [], gallery: null, blocks: [] })
  const named = await ask(`/pages/${team.content_data_id}?fields=title&populate=related`)
  expect(Object.keys(named.body.data).sort()).toEqual(['documentId', 'id', 'related', 'title'])
})

it('has the shape of version 4 at an address of its own', async () => {
  const { status, body } = await ask(`/pages/${about.numeric_id}?populate=*`, 'v4/api')
  expect(status).toBe(200)
  expect(body.data).toMatchObject({
    id: about.numeric_id,
    attributes: { title: 'About us', blocks: [{ __component: 'shared.card' }, {}], related: { data: [] } },
  })
  const list = await ask('/posts?pagination[pageSize]=1&populate=author', 'v4/api')
  expect(list.body.data).toMatchObject([
    { attributes: { author: { data: { attributes: { name: 'Ann' } } } } },
  ])
  expect((await ask(`/pages/${about.numeric_id}`)).body.data).not.toHaveProperty('attributes')
})

it('takes any locale where content has none, also among the filters', async () => {
  const titles = async (query: string) => {
    const { status, body } = await ask(`/pages?sort=title&${query}`)
    return status === 200 ? (body.data as unknown as { title: string }[]).map(({ title }) => title) : status
  }
  expect(await titles('locale=de&filters[title][$eq]=Team')).toEqual(['Team'])
  expect(await titles('filters[locale]=de&filters[title][$eq]=Team')).toEqual(['Team'])
  expect(await titles('locale=de&filters[locale][$eq]=de&filters[slug][$eq]=start')).toEqual(['Start'])
  expect(await titles('locale=en&filters[locale][$eq]=de')).toBe(400)
  expect(await titles('filters[locale][$ne]=de')).toBe(400)
})

it('follows by * what is asked for alone, however many relations other datatypes have', async () => {
  const many = await make.datatype('Many', { type: '_global', is_public: true })
  for (let i = 0; i < 25; i++) await make.field(many.datatype_id, `Relation ${i}`, 'relation')
  const { status, body } = await ask(
    '/posts?populate[author][populate]=*&populate[categories][populate]=*&pagination[limit]=1',
  )
  expect([status, body.data]).toMatchObject([200, [{ author: { name: 'Ann', photo: { name: 'bike.jpg' } } }]])
  const deep = await ask('/manies?populate=*')
  expect(deep.status).toBe(200)
})
