import { describe, expect, it } from 'vitest'
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

describe('components that relations name', async () => {
  const compat = {
    page: { children: 'blocks' },
    card: { component: 'shared.card' },
    tile: { component: 'shared.tile' },
    banner: { component: 'shared.banner' },
    gallery: { component: 'shared.gallery', children: 'slides' },
    topic: { component: 'shared.topic', strapi: 'topics' },
  }
  const { make, app, about, types, picture } = await blog({ compat })
  const banner = await make.datatype('Banner', { type: '_global', visibility: 'public' })
  await make.field(banner.datatype_id, 'Text', 'text')
  await make.field(banner.datatype_id, 'Image', 'media')
  const tile = await make.datatype('Tile', { type: '_global' })
  await make.field(tile.datatype_id, 'Heading', 'text')
  const gallery = await make.datatype('Gallery')
  await make.field(gallery.datatype_id, 'Name', 'text')
  const topic = await make.datatype('Topic', { type: '_global', visibility: 'public' })
  const relation = (label: string, target: unknown, cardinality = 'one') =>
    make.field(types.page.datatype_id, label, 'relation', { data: { target, cardinality } })
  await relation('Top', 'banner')
  await relation('Bottom', 'banner')
  await relation('Zone', ['banner', 'topic'], 'many')
  await relation('Parts', ['banner', 'tile'], 'many')
  await relation('No parts', ['banner', 'tile'], 'many')
  const published = (datatype: { datatype_id: string }, more: object, fields: object) =>
    make.entry(datatype.datatype_id, more, { status: 'published', fields })
  const one = await published(banner, {}, { text: 'Sale', image: picture.media_id })
  const news = await published(topic, {}, {})
  const loose = await published(tile, {}, { heading: 'Loose' })
  await published(gallery, { parent_id: about.content_data_id }, { name: 'Empty' })
  const listed = (...entries: { content_data_id: string }[]) =>
    JSON.stringify(entries.map(({ content_data_id }) => content_data_id))
  await app.call('PUT', `/api/v1/content?q=${about.content_data_id}`, {
    body: {
      fields: { top: one.content_data_id, zone: listed(one, news), parts: listed(one, loose), noParts: '' },
    },
  })
  const origin = await reached(app)
  const ask = async (query: string, root = 'api') => {
    const answer = await fetch(`${origin}/compat/strapi/${root}/pages/${about.numeric_id}?${query}`)
    expect([query, answer.status]).toEqual([query, 200])
    return ((await answer.json()) as { data: Record<string, unknown> }).data
  }
  const banners = { id: one.numeric_id, text: 'Sale' }
  const named = { __component: 'shared.banner', ...banners }
  const loosely = { __component: 'shared.tile', id: loose.numeric_id, heading: 'Loose' }

  it('are no documents, and wrapped in no version', async () => {
    const data = await ask('populate[0]=top&populate[1]=bottom&populate[2]=parts&populate[3]=noParts')
    const shown = { top: banners, bottom: null, parts: [named, loosely], noParts: [] }
    expect(data).toEqual({ ...(await ask('populate=false')), ...shown })
    const wrapped = await ask(
      'populate[0]=top&populate[1]=bottom&populate[2]=parts&populate[3]=noParts',
      'v4/api',
    )
    expect(wrapped.attributes).toEqual({
      ...((await ask('populate=false', 'v4/api')).attributes as object),
      ...shown,
    })
  })

  it('show what is asked for, by their names too', async () => {
    const { parts } = await ask('populate[parts][on][shared.banner][populate][image][fields][0]=url')
    const image = { id: picture.numeric_id, url: expect.stringContaining('bike.jpg') }
    expect(parts).toMatchObject([{ ...named, image }, loosely])
    const { top } = await ask('populate[top][fields][0]=text')
    expect(top).toEqual(banners)
    const wrapped = (await ask('populate[top][populate]=image', 'v4/api')).attributes
    expect(wrapped).toMatchObject({
      top: { ...banners, image: { data: { attributes: { name: 'bike.jpg' } } } },
    })
    expect(await ask('')).toMatchObject({
      top: { ...banners, image: { name: 'bike.jpg' } },
      parts: [named, loosely],
    })
  })

  it('are documents where one of their types has a plural', async () => {
    const { zone } = (await ask('populate=zone', 'v4/api')).attributes as { zone: unknown }
    expect(zone).toMatchObject({
      data: [{ attributes: { text: 'Sale' } }, { id: news.numeric_id, attributes: {} }],
    })
    expect((await ask('populate=zone')).zone).toMatchObject([{ documentId: one.content_data_id }, {}])
  })

  it('have a list of children where a name is configured for it, or it is asked for', async () => {
    const { blocks } = await ask('populate=*')
    expect(blocks).toEqual([
      { __component: 'shared.card', id: expect.any(Number), heading: 'Brakes' },
      { __component: 'shared.card', id: expect.any(Number), heading: 'Gears' },
      { __component: 'shared.gallery', id: expect.any(Number), name: 'Empty', slides: [] },
    ])
    const asked = await ask('populate[blocks][on][shared.card][populate][children]=true')
    expect(asked.blocks).toMatchObject([{ children: [] }, { children: [] }, { slides: [] }])
  })
})

it('follows by * what is asked for alone, however many relations other datatypes have', async () => {
  const many = await make.datatype('Many', { type: '_global', visibility: 'public' })
  for (let i = 0; i < 25; i++) await make.field(many.datatype_id, `Relation ${i}`, 'relation')
  const { status, body } = await ask(
    '/posts?populate[author][populate]=*&populate[categories][populate]=*&pagination[limit]=1',
  )
  expect([status, body.data]).toMatchObject([200, [{ author: { name: 'Ann', photo: { name: 'bike.jpg' } } }]])
  const deep = await ask('/manies?populate=*')
  expect(deep.status).toBe(200)
})
