import { expect, it } from 'vitest'
import WPAPI from 'wpapi'
import { blog, editorKey, reached } from './sample.js'

const site = await blog()
const origin = await reached(site.app)
const root = `${origin}/compat/wordpress`
const endpoint = `${root}/wp-json`
const wp = new WPAPI({ endpoint })
const editor = new WPAPI({ endpoint, username: 'editor', password: editorKey })

type Found = { title: { rendered: string } }[]
const titles = (found: Found) => found.map(({ title }) => title.rendered)
const all = site.posts.map((_, i) => `Post ${i + 1}`)
const newestFirst = all.toReversed()

async function ask(path: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`${endpoint}/wp/v2${path}`, { headers })
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever JSON came
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as any }
}

it('is found by discovery', async () => {
  const answer = await fetch(root, { method: 'HEAD' })
  expect(answer.headers.get('link')).toBe(`<${endpoint}/>; rel="https://api.w.org/"`)
  const found = await WPAPI.discover(root)
  expect(titles(await found.posts().perPage(2))).toEqual(newestFirst.slice(0, 2))
  expect(await wp.root('')).toMatchObject({ namespaces: ['wp/v2'], home: 'http://site.example' })
})

it('lists posts in pages, with the numbers and addresses of the others', async () => {
  const first = await wp.posts().perPage(5)
  expect(titles(first)).toEqual(newestFirst.slice(0, 5))
  expect(first._paging).toMatchObject({ total: 12, totalPages: 3 })
  const second = await first._paging.next
  expect(titles(second)).toEqual(newestFirst.slice(5, 10))
  const third = await wp.posts().perPage(5).page(3)
  expect(titles(third)).toEqual(newestFirst.slice(10))
  expect(titles(await third._paging.prev)).toEqual(titles(second))
  await expect(wp.posts().perPage(5).page(4)).rejects.toMatchObject({ code: 'rest_post_invalid_page_number' })
  expect(titles(await wp.posts().orderby('id').order('asc').offset(10))).toEqual(['Post 11', 'Post 12'])
  expect(titles(await wp.posts().orderby('title').order('asc').perPage(2))).toEqual(['Post 1', 'Post 10'])
})

it('gives a post by its slug and by its id', async () => {
  const [post] = await wp.posts().slug('post-1').embed()
  expect(post).toMatchObject({
    id: site.posts[0]?.numeric_id,
    type: 'post',
    status: 'publish',
    slug: 'post-1',
    link: 'http://site.example/blog/post-1',
    title: { rendered: 'Post 1' },
    content: { rendered: '<p>Hello <strong>rider</strong> 1</p>\n', protected: false },
    excerpt: { rendered: '<p>Short 1</p>\n', protected: false },
    author: site.ann.numeric_id,
    featured_media: site.picture.numeric_id,
    acf: { price: 1.5, date: '2026-01-01', hot: false },
    _embedded: {
      author: [{ id: site.ann.numeric_id, name: 'Ann', slug: 'ann' }],
      'wp:featuredmedia': [
        { source_url: 'https://files.example/media/media/x/bike.jpg', alt_text: 'A bicycle' },
      ],
    },
  })
  expect(await wp.posts().id(site.posts[3]?.numeric_id)).toMatchObject({
    title: { rendered: 'Post 4' },
    categories: [site.news.numeric_id, site.tips.numeric_id],
  })
  expect([...(await wp.posts().slug('nothing'))]).toEqual([])
  await expect(wp.posts().id(5)).rejects.toMatchObject({
    code: 'rest_post_invalid_id',
    data: { status: 404 },
  })
  const embedded = await wp.posts().id(site.posts[3]?.numeric_id).embed()
  expect(embedded._embedded['wp:term'][0]).toMatchObject([{ name: 'News' }, { name: 'Tips &amp; tricks' }])
})

it('filters by terms, author, times and ids', async () => {
  const [news, tips] = [site.news.numeric_id, site.tips.numeric_id]
  expect(titles((await ask(`/posts?categories=${tips}&orderby=id&order=asc`)).body)).toEqual([
    ...['Post 4', 'Post 8', 'Post 12'],
  ])
  expect(await wp.posts().categories([news, tips])).toHaveLength(6)
  expect((await ask(`/posts?categories=${news}&categories_exclude=${tips}`)).body).toHaveLength(3)
  expect((await ask(`/posts?author=${site.ann.numeric_id}`)).headers.get('x-wp-total')).toBe('8')
  expect((await ask(`/posts?author=${site.bob.numeric_id}`)).body).toEqual([])
  const [first, second, third] = site.posts
  expect(titles(await wp.posts().before(third?.published_at).order('asc'))).toEqual(['Post 1', 'Post 2'])
  expect(
    titles((await ask(`/posts?after=${first?.published_at}&before=${third?.published_at}`)).body),
  ).toEqual(['Post 2'])
  const ids = `${third?.numeric_id},${first?.numeric_id}`
  expect(titles((await ask(`/posts?include=${ids}&orderby=include`)).body)).toEqual(['Post 3', 'Post 1'])
  expect((await ask(`/posts?exclude[]=${second?.numeric_id}&per_page=100`)).body).toHaveLength(11)
})

it('searches by words, and shows only the members that are asked for', async () => {
  expect(titles(await wp.posts().search('Short 7').param('_fields', 'id,title'))).toEqual(['Post 7'])
  const [post] = (await ask('/posts?slug=post-2&_fields=id,title.rendered,acf.price')).body
  expect(post).toEqual({ id: site.posts[1]?.numeric_id, title: { rendered: 'Post 2' }, acf: { price: 3 } })
})

it('knows pages by their parents, with the texts of their children', async () => {
  const [about] = await wp.pages().slug('about')
  expect(about).toMatchObject({ id: site.about.numeric_id, parent: 0, type: 'page' })
  expect(about.content.rendered).toBe('<p>We mend bicycles.</p>\n<p>Brakes</p>\n<p>Gears</p>\n')
  expect(titles(await wp.pages().parent(site.about.numeric_id))).toEqual(['Team'])
  expect(titles(await wp.pages().parent(0))).toEqual(['About us'])
  expect([...(await wp.pages().slug('ann'))]).toMatchObject([{ parent: site.team.numeric_id }])
})

it('lists categories, tags, users, media, types and taxonomies', async () => {
  const categories = [...(await wp.categories())]
  expect(categories).toMatchObject([
    { id: site.news.numeric_id, name: 'News', slug: 'news', count: 6, taxonomy: 'category' },
    { id: site.tips.numeric_id, name: 'Tips &amp; tricks', count: 3 },
  ])
  expect(await wp.categories().slug('tips')).toHaveLength(1)
  expect((await ask(`/categories?post=${site.posts[1]?.numeric_id}`)).body).toMatchObject([{ slug: 'news' }])
  expect(await wp.categories().id(site.news.numeric_id)).toMatchObject({ name: 'News' })
  for (const [base, search, found] of [
    ['categories', 'tips', 1],
    ['categories', 'EWS', 1],
    ['categories', 'TRICKS', 1],
    ['categories', 'tips tricks', 0],
    ['users', 'ann', 1],
  ])
    expect([search, (await ask(`/${base}?search=${search}`)).body.length]).toEqual([search, found])
  expect([...(await wp.tags())]).toEqual([])
  expect([...(await wp.users())]).toMatchObject([
    { name: 'Ann', avatar_urls: { 96: expect.stringContaining('bike') } },
  ])
  expect(await wp.media().id(site.picture.numeric_id)).toMatchObject({ media_type: 'image' })
  expect((await ask('/media')).status).toBe(401)
  expect(await editor.media().auth()).toHaveLength(1)
  expect(await wp.types()).toMatchObject({ post: { rest_base: 'posts' }, page: { rest_base: 'pages' } })
  expect(await wp.types()).not.toHaveProperty('secret')
  expect(await wp.taxonomies()).toMatchObject({ category: { types: ['post'] } })
})

it('shows drafts to who may change content, and to nobody else', async () => {
  expect((await ask('/posts?status=draft')).body).toMatchObject({
    code: 'rest_forbidden',
    data: { status: 401 },
  })
  const drafts = [...(await editor.posts().auth().status('draft'))]
  expect(drafts).toMatchObject([{ title: { rendered: 'A draft' }, status: 'draft' }])
  expect(await editor.posts().auth().param('status', 'any').perPage(100)).toHaveLength(13)
  expect(await editor.posts().auth().id(site.draft.numeric_id)).toMatchObject({ status: 'draft' })
  expect((await ask(`/posts/${site.draft.numeric_id}`)).body.code).toBe('rest_post_invalid_id')
  expect((await ask(`/posts?include=${site.draft.numeric_id}`)).body).toEqual([])
  expect(JSON.stringify((await ask('/posts?_embed&per_page=100')).body)).not.toContain('Bob')
})

it('refuses in the words of WordPress', async () => {
  const refused = (code: string, status: number) => ({ code, message: expect.any(String), data: { status } })
  expect((await ask('/nothing')).body).toEqual(refused('rest_forbidden', 401))
  expect((await ask('/nothing', { Authorization: `Bearer ${editorKey}` })).body).toEqual(
    refused('rest_no_route', 404),
  )
  expect((await ask('/posts/x/y')).body).toEqual(refused('rest_no_route', 404))
  expect((await ask('/secrets')).body).toEqual(refused('rest_forbidden', 401))
  expect((await ask('/secrets', { Authorization: `Bearer ${editorKey}` })).status).toBe(200)
  expect((await ask('/posts?per_page=101')).body).toMatchObject({
    code: 'rest_invalid_param',
    data: { status: 400, params: { per_page: expect.any(String) } },
  })
  expect((await ask('/posts?orderby=meta_value')).body.code).toBe('rest_invalid_param')
})

it('is kept like a page, and may be read by scripts of other origins', async () => {
  const first = await ask('/posts?slug=post-9')
  const etag = first.headers.get('etag') ?? ''
  expect(first.headers.get('access-control-expose-headers')).toContain('X-WP-Total')
  expect(first.headers.get('access-control-allow-origin')).toBe('*')
  const again = await fetch(`${endpoint}/wp/v2/posts?slug=post-9`, { headers: { 'If-None-Match': etag } })
  expect([again.status, again.headers.get('x-wp-total')]).toEqual([304, '1'])
  const body = { fields: { excerpt: 'Longer' } }
  await site.app.call('PUT', `/api/v1/content?q=${site.posts[8]?.content_data_id}`, { body })
  expect((await ask('/posts?slug=post-9')).body[0].excerpt.rendered).toBe('<p>Longer</p>\n')
})

it('makes excerpts of texts that have none, and describes terms without paragraphs', async () => {
  const { make, types, news, app } = site
  const [about] = (await ask('/pages?slug=about')).body
  expect(about.excerpt.rendered).toBe('<p>We mend bicycles. Brakes Gears</p>\n')
  const words = Array.from({ length: 60 }, (_, i) => `w${i}`)
  const intro = `<h2>A &amp; <em>B</em>b</h2><p>${words.join(' ')}</p>`
  const { route_id } = await make.route('/long', 'Long')
  await make.entry(types.page.datatype_id, { route_id }, { status: 'published', fields: { intro } })
  const [long] = (await ask('/pages?slug=long')).body
  expect(long.excerpt.rendered).toBe(`<p>A &#x26; Bb ${words.slice(0, 52).join(' ')} [&hellip;]</p>\n`)
  await make.field(news.datatype_id, 'Description', 'textarea')
  const body = { fields: { description: 'Old & new' } }
  await app.call('PUT', `/api/v1/content?q=${news.content_data_id}`, { body })
  expect((await ask(`/categories/${news.numeric_id}`)).body.description).toBe('Old &amp; new')
})
