import { strapi } from '@strapi/client'
import { expect, it, vi } from 'vitest'
import { tables } from '../../src/db/tables.js'
import { blog, editorKey, reached, writer } from './sample.js'

const site = await blog()
const origin = await reached(site.app)
const baseURL = `${origin}/compat/strapi/api`
const client = strapi({ baseURL })
const posts = client.collection('posts')
const titles = ({ data }: { data: object[] }) => data.map(one => ('title' in one ? one.title : undefined))
const all = site.posts.map((_, i) => `Post ${i + 1}`)

it('lists a collection in pages and in order', async () => {
  const first = await posts.find({ sort: 'price:desc', pagination: { page: 1, pageSize: 5 } })
  expect(titles(first)).toEqual(all.toReversed().slice(0, 5))
  expect(first.meta).toEqual({ pagination: { page: 1, pageSize: 5, pageCount: 3, total: 12 } })
  const rest = await posts.find({ sort: ['date:asc'], pagination: { start: 10, limit: 5 } })
  expect([titles(rest), rest.meta]).toEqual([
    ['Post 11', 'Post 12'],
    { pagination: { start: 10, limit: 5, total: 12 } },
  ])
  for (const [name, least] of [
    ['page', { page: 1, pageSize: 25 }],
    ['pageSize', { page: 1, pageSize: 1 }],
  ] as const)
    for (const number of [0, -1])
      expect((await posts.find({ pagination: { [name]: number } })).meta.pagination).toMatchObject(least)
  const newest = await posts.find({ sort: 'publishedAt:desc', pagination: { pageSize: 1, withCount: false } })
  expect([titles(newest), newest.meta]).toEqual([['Post 12'], { pagination: { page: 1, pageSize: 1 } }])
})

it('filters by operators, groups and relations', async () => {
  const found = async (filters: Record<string, unknown>) =>
    titles(await posts.find({ filters, sort: 'price' }))
  expect(await found({ price: { $gte: 15 } })).toEqual(['Post 10', 'Post 11', 'Post 12'])
  expect(await found({ $or: [{ price: { $lt: 2 } }, { title: { $eq: 'Post 7' } }] })).toEqual([
    'Post 1',
    'Post 7',
  ])
  expect(await found({ $not: { hot: { $eq: true } }, price: { $between: [3, 12] } })).toEqual([
    ...['Post 3', 'Post 5', 'Post 7'],
  ])
  expect(await found({ categories: { slug: { $in: ['tips'] } } })).toEqual(['Post 4', 'Post 8', 'Post 12'])
  expect(await found({ categories: { id: { $eq: site.tips.numeric_id } } })).toHaveLength(3)
  expect(await found({ categories: { documentId: { $eq: site.news.content_data_id } } })).toHaveLength(6)
  expect(await found({ title: { $notContains: '1' } })).toHaveLength(8)
  expect(await found({ cover: { $notNull: true } })).toEqual(['Post 1'])
  // Their author is a draft, which the public is not told of.
  expect(await found({ author: { $null: true } })).toEqual(['Post 3', 'Post 6', 'Post 9', 'Post 12'])
  expect(await found({ id: { $in: [site.posts[2]?.numeric_id, site.posts[0]?.numeric_id] } })).toEqual([
    ...['Post 1', 'Post 3'],
  ])
  expect(await found({ slug: { $eq: 'blog/post-5' } })).toEqual(['Post 5'])
})

it('gives one document by its id, and its fields typed', async () => {
  const [first] = site.posts
  const { data } = await posts.findOne(first?.content_data_id ?? '')
  expect(data).toMatchObject({
    id: first?.numeric_id,
    documentId: first?.content_data_id,
    title: 'Post 1',
    slug: 'blog/post-1',
    price: 1.5,
    date: '2026-01-01',
    hot: false,
    body: '<p>Hello <strong>rider</strong> 1</p>',
    publishedAt: first?.published_at,
    author: { name: 'Ann', documentId: site.ann.content_data_id },
    cover: { id: site.picture.numeric_id, alternativeText: 'A bicycle', formats: { small: { width: 640 } } },
  })
  const only = await posts.findOne(first?.content_data_id ?? '', { fields: ['title'], populate: ['author'] })
  expect(Object.keys(only.data)).toEqual(['id', 'documentId', 'title', 'author'])
})

it('populates in every spelling', async () => {
  const ask = async (query: string) => {
    const answer = await fetch(`${baseURL}/posts?filters[slug][$eq]=blog/post-1&${query}`)
    return ((await answer.json()) as { data: Record<string, unknown>[] }).data[0]
  }
  const references = ['author', 'categories', 'cover', 'children']
  const shown = async (query: string) => {
    const document = (await ask(query)) ?? {}
    return references.filter(name => name in document)
  }
  expect(await shown('populate=*')).toEqual(references)
  expect(await shown('populate=author,cover')).toEqual(['author', 'cover'])
  expect(await shown('populate[0]=categories&populate[1]=cover')).toEqual(['categories', 'cover'])
  expect(await shown('populate[author][fields][0]=name')).toEqual(['author'])
  expect(await shown('populate[author]=true&populate[cover]=false')).toEqual(['author'])
  expect(
    (await ask('populate[author][fields][0]=name&populate[author][populate][photo]=true'))?.author,
  ).toEqual({
    id: site.ann.numeric_id,
    documentId: site.ann.content_data_id,
    name: 'Ann',
    photo: expect.objectContaining({ url: expect.stringContaining('bike.jpg') }),
  })
  expect((await ask('populate=author.photo'))?.author).toHaveProperty('photo.width', 2400)
  expect((await ask('populate=author'))?.author).not.toHaveProperty('photo')
})

it('shows children as a dynamic zone', async () => {
  const { data } = await client.collection('pages').findOne(site.about.content_data_id, {
    populate: { children: { on: { 'blocks.card': { populate: '*' } } } },
  })
  expect(data.children).toMatchObject([
    { __component: 'blocks.card', heading: 'Brakes' },
    { __component: 'blocks.card', heading: 'Gears' },
  ])
})

it('answers single types, files and locales', async () => {
  expect((await client.single('homepage').find()).data).toMatchObject({ headline: 'Welcome' })
  await site.app.db.write({ ...writer, userId: site.app.users.admin }, tx =>
    tx.update(tables.media, site.picture.media_id, { focal_x: 30, focal_y: 60 }),
  )
  const file = await client.files.findOne(site.picture.numeric_id)
  expect(file).toMatchObject({ name: 'bike.jpg', mime: 'image/jpeg' })
  expect(file).toHaveProperty('focalPoint', { x: 30, y: 60 })
  await expect(client.files.find()).rejects.toThrow()
  const withKey = strapi({ baseURL, auth: editorKey })
  expect(await withKey.files.find()).toHaveLength(1)
  expect((await fetch(`${baseURL}/i18n/locales`)).status).toBe(200)
})

it('wraps documents for version 4', async () => {
  const headers = { 'Strapi-Response-Format': 'v4' }
  const answer = await fetch(`${baseURL}/posts?filters[price][$eq]=1.5&populate=author`, { headers })
  const { data } = (await answer.json()) as { data: unknown[] }
  expect(data).toMatchObject([
    {
      id: site.posts[0]?.numeric_id,
      attributes: { title: 'Post 1', author: { data: { attributes: { name: 'Ann' } } } },
    },
  ])
  const one = await fetch(`${baseURL}/posts/${site.posts[0]?.numeric_id}`, { headers })
  expect(await one.json()).toMatchObject({ data: { attributes: { title: 'Post 1' } }, meta: {} })
})

it('shows drafts to who may change content, and to nobody else', async () => {
  const editor = strapi({ baseURL, auth: editorKey }).collection('posts')
  const drafts = await editor.find({ status: 'draft', filters: { excerpt: { $contains: 'Not' } } })
  expect(drafts.data).toMatchObject([{ title: 'A draft', publishedAt: null }])
  const unpublished = await editor.find({ status: 'draft', filters: { publishedAt: { $null: true } } })
  expect(titles(unpublished)).toEqual(['A draft'])
  expect((await editor.find({ status: 'draft' })).meta).toMatchObject({ pagination: { total: 13 } })
  expect((await editor.findOne(site.draft.content_data_id, { status: 'draft' })).data.title).toBe('A draft')
  await expect(posts.find({ status: 'draft' })).rejects.toThrow()
  await expect(posts.findOne(site.draft.content_data_id)).rejects.toThrow()
  const bobs = await posts.find({ filters: { author: { name: { $eq: 'Bob' } } } })
  expect(bobs.data).toEqual([])
  expect(JSON.stringify(await posts.find())).not.toContain('Bob')
})

it('refuses in the words of Strapi', async () => {
  const ask = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${baseURL}${path}`, { headers })
    return [answer.status, await answer.json()]
  }
  const error = (status: number, name: string, message: unknown = expect.any(String)) => [
    status,
    { data: null, error: { status, name, message, details: {} } },
  ]
  expect(await ask('/posts/01JZZZZZZZZZZZZZZZZZZZZZZZ')).toEqual(error(404, 'NotFoundError', 'Not Found'))
  expect(await ask('/nothing')).toEqual(error(403, 'ForbiddenError'))
  expect(await ask('/secrets')).toEqual(error(403, 'ForbiddenError'))
  expect(await ask('/secrets', { Authorization: 'Bearer wrong' })).toEqual(error(401, 'UnauthorizedError'))
  expect((await ask('/secrets', { Authorization: `Bearer ${editorKey}` }))[0]).toBe(200)
  expect(await ask('/posts?filters[nothing][$eq]=1')).toEqual(error(400, 'ValidationError'))
  expect(await ask('/posts?filters[title][$near]=1')).toEqual(error(400, 'ValidationError'))
  expect(await ask('/posts?populate=nothing')).toEqual(error(400, 'ValidationError'))
  expect(await ask('/posts?sort=nothing')).toEqual(error(400, 'ValidationError'))
})

it('is kept like a page, and never older than the last change', async () => {
  const address = `${baseURL}/posts?filters[title][$eq]=Post%203&fields=title,price`
  const first = await fetch(address)
  const written = vi.spyOn(site.app.services.space.compat, 'answer')
  // What is in memory is answered without the router.
  expect(await (await fetch(address)).text()).toBe(await first.clone().text())
  expect(written).not.toHaveBeenCalled()
  const lines = site.app.logged.length
  expect((await fetch(`${address}&pagination[pageSize]=2`)).status).toBe(200)
  expect(written).toHaveBeenCalledTimes(1)
  expect(site.app.logged.length).toBe(lines)
  expect((await fetch(`${baseURL}/nothing`)).status).toBe(403)
  expect(site.app.logged.length).toBe(lines + 1)
  written.mockRestore()
  const etag = first.headers.get('etag') ?? ''
  expect(first.headers.get('cache-control')).toContain('public')
  expect((await fetch(address, { headers: { 'If-None-Match': etag } })).status).toBe(304)
  expect((await fetch(address, { method: 'HEAD' })).headers.get('etag')).toBe(etag)
  await site.app.call('PUT', `/api/v1/content?q=${site.posts[2]?.content_data_id}`, {
    body: { fields: { price: 99 } },
  })
  const after = (await (await fetch(address)).json()) as { data: unknown[] }
  expect(after.data).toMatchObject([{ title: 'Post 3', price: 99 }])
})
