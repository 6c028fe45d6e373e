import { createClient } from 'contentful'
import { expect, it } from 'vitest'
import { blog, editorKey, reached } from './sample.js'

const site = await blog()
const origin = await reached(site.app)
const at = { space: 'site', host: origin.slice('http://'.length), insecure: true }
const client = createClient({ ...at, accessToken: 'any', basePath: '/compat/contentful' })
const preview = createClient({ ...at, accessToken: editorKey, basePath: '/compat/contentful/preview' })
const spaces = `${origin}/compat/contentful/spaces/site`

const titles = ({ items }: { items: { fields: Record<string, unknown> }[] }) =>
  items.map(({ fields }) => fields.title)

it('lists entries in pages and in order, with what they link to', async () => {
  const found = await client.getEntries({
    content_type: 'post',
    order: ['-fields.price'],
    limit: 5,
    skip: 1,
    include: 2,
  })
  expect(titles(found)).toEqual(['Post 11', 'Post 10', 'Post 9', 'Post 8', 'Post 7'])
  expect([found.total, found.skip, found.limit]).toEqual([12, 1, 5])
  expect(found.items[0]?.fields.author).toMatchObject({ fields: { name: 'Ann' } })
  expect(found.items[1]?.fields.categories).toMatchObject([{ fields: { slug: 'news' } }])
  const newest = await client.getEntries({ content_type: 'post', order: ['-sys.createdAt'], limit: 1 })
  expect(titles(newest)).toEqual(['Post 12'])
})

it('filters by fields, links and words', async () => {
  const found = async (query: Record<string, unknown>) =>
    titles(await client.getEntries({ content_type: 'post', order: ['fields.price'], ...query }))
  expect(await found({ 'fields.price[gte]': 15 })).toEqual(['Post 10', 'Post 11', 'Post 12'])
  expect(await found({ 'fields.slug': 'blog/post-5' })).toEqual(['Post 5'])
  expect(await found({ 'fields.date[in]': '2026-01-02,2026-01-03' })).toEqual(['Post 2', 'Post 3'])
  expect(await found({ 'fields.excerpt[match]': 'Short 12' })).toEqual(['Post 12'])
  expect(await found({ 'fields.cover[exists]': true })).toEqual(['Post 1'])
  expect(await found({ 'fields.categories.sys.id': site.tips.content_data_id })).toHaveLength(3)
  expect(
    await found({
      'fields.categories.sys.contentType.sys.id': 'category',
      'fields.categories.fields.slug': 'tips',
    }),
  ).toHaveLength(3)
  expect(await found({ links_to_entry: site.tips.content_data_id })).toHaveLength(3)
  expect(await found({ links_to_asset: site.picture.media_id })).toEqual(['Post 1'])
  expect(await found({ query: 'Short 7' })).toEqual(['Post 7'])
  const [first] = (await client.getEntries({ content_type: 'post', limit: 1, select: ['fields.title'] }))
    .items
  expect(Object.keys(first?.fields ?? {})).toEqual(['title'])
})

it('gives an entry by its id, with children, pictures and typed values', async () => {
  const post = await client.getEntry(site.posts[0]?.content_data_id ?? '')
  expect(post.fields).toMatchObject({
    ...{ title: 'Post 1', price: 1.5, hot: false, body: { nodeType: 'document' } },
    cover: {
      fields: { file: { url: `${origin}/compat/contentful/images/${site.picture.media_id}/bike.jpg` } },
    },
  })
  const about = await client.getEntry(site.about.content_data_id)
  expect(about.fields.children).toMatchObject([
    { fields: { heading: 'Brakes' } },
    { fields: { heading: 'Gears' } },
  ])
  expect((await client.getAsset(site.picture.media_id)).fields.file?.contentType).toBe('image/jpeg')
  expect((await fetch(`${spaces}/entries/${site.about.content_data_id}`)).status).toBe(200)
  expect((await fetch(`${spaces}/assets`)).status).toBe(401)
})

it('tells of content types, locales, tags and the space', async () => {
  const { items } = await client.getContentTypes()
  const ids = items.map(({ sys }) => sys.id)
  expect([ids.includes('post'), ids.includes('secret')]).toEqual([true, false])
  expect((await client.getContentType('post')).fields).toContainEqual(
    expect.objectContaining({
      id: 'categories',
      type: 'Array',
      items: expect.objectContaining({ linkType: 'Entry' }),
    }),
  )
  expect((await client.getLocales()).items).toMatchObject([{ default: true }])
  expect((await client.getTags()).items).toEqual([])
  expect((await client.getSpace()).sys.id).toBe('site')
})

it('tells in content types of everything that entries have, and with a key of all types', async () => {
  const keyed = createClient({ ...at, accessToken: editorKey, basePath: '/compat/contentful' })
  // Nobody is shown what was made for another.
  expect((await client.getContentTypes()).items.map(({ sys }) => sys.id)).not.toContain('secret')
  const types = new Map((await keyed.getContentTypes()).items.map(type => [type.sys.id, type]))
  expect(types.has('secret')).toBe(true)
  expect((await client.getContentTypes()).items.map(({ sys }) => sys.id)).not.toContain('secret')
  const { entries } = await keyed.sync({ initial: true })
  const named = new Set<string>()
  for (const { sys, fields } of entries) {
    const { id } = sys.contentType.sys
    const known = types.get(id)?.fields.map(field => field.id) ?? []
    for (const name of Object.keys(fields)) {
      expect(known, id).toContain(name)
      named.add(`${id}.${name}`)
    }
    expect(new Set(known).size, id).toBe(known.length)
  }
  for (const name of ['post.title', 'post.slug', 'page.children', 'secret.title'])
    expect(named).toContain(name)
  expect(types.get('page')).toMatchObject({ displayField: 'title' })
})

it('has one locale where content has none, and answers when it is asked for', async () => {
  const [{ code } = { code: '' }] = (await client.getLocales()).items
  for (const locale of [code, 'en-US'])
    expect((await client.getEntries({ content_type: 'post', locale })).total).toBe(12)
  const whole = await client.withAllLocales.getEntries({ content_type: 'post', limit: 1 })
  expect(whole.items[0]?.fields.title).toEqual({ [code]: 'Post 1' })
  await expect(client.getEntries({ content_type: 'post', locale: 'de' })).rejects.toThrow()
})

it('gives pages by cursors', async () => {
  const found: unknown[] = []
  let pageNext: string | undefined
  do {
    const query = { content_type: 'post', order: ['-fields.price'] as const, limit: 5 }
    const page = await client.getEntriesWithCursor({ ...query, ...(pageNext ? { pageNext } : {}) } as never)
    expect(page).not.toHaveProperty('total')
    found.push(...titles(page as never))
    pageNext = page.pages.next
  } while (pageNext)
  expect(found).toEqual(Array.from({ length: 12 }, (_, i) => `Post ${12 - i}`))
  const keyed = createClient({ ...at, accessToken: editorKey, basePath: '/compat/contentful' })
  expect((await keyed.getAssetsWithCursor({ limit: 1 })).items).toHaveLength(1)
  const wrong = await fetch(`${spaces}/entries?content_type=post&cursor=true&pageNext=x`)
  expect(wrong.status).toBe(400)
})

it('leads to the variant that a picture is asked for as', async () => {
  const asset = await client.getAsset(site.picture.media_id)
  const leads = async (parameters: string) => {
    const answer = await fetch(`${asset.fields.file?.url}${parameters}`, { redirect: 'manual' })
    return [answer.status, answer.headers.get('location')]
  }
  const files = 'https://files.example/media/media/x'
  expect(await leads('')).toEqual([302, `${files}/bike.jpg`])
  expect(await leads('?w=500&fm=webp&q=80')).toEqual([302, `${files}/small.jpg`])
  expect(await leads('?h=400')).toEqual([302, `${files}/small.jpg`])
  expect(await leads('?w=640&h=427&fit=fill')).toEqual([302, `${files}/small.jpg`])
  expect(await leads('?w=1200')).toEqual([302, `${files}/bike.jpg`])
  const other = asset.fields.file?.url.replace(site.picture.media_id, '01JZZZZZZZZZZZZZZZZZZZZZZZ') ?? ''
  expect((await fetch(other)).status).toBe(404)
})

it('shows drafts at the preview root to who may change content, and to nobody else', async () => {
  const { content_data_id: id } = site.draft
  expect((await preview.getEntry(id)).fields.title).toBe('A draft')
  expect((await preview.getEntries({ content_type: 'post' })).total).toBe(13)
  await expect(client.getEntry(id)).rejects.toThrow()
  const wrong = createClient({ ...at, accessToken: 'wrong', basePath: '/compat/contentful/preview' })
  await expect(wrong.getEntries({ content_type: 'post' })).rejects.toThrow()
  expect(JSON.stringify(await client.getEntries({ content_type: 'post' }))).not.toMatch(/Bob|A draft/)
})

it('refuses in the words of Contentful', async () => {
  const ask = async (query: string) => {
    const answer = await fetch(`${spaces}/${query}`)
    const body = (await answer.json()) as { sys: { id: string } }
    return [answer.status, body.sys.id]
  }
  expect(await ask('entries?fields.slug=x')).toEqual([400, 'InvalidQuery'])
  expect(await ask('entries?content_type=post&fields.nothing=1')).toEqual([400, 'InvalidQuery'])
  expect(await ask('entries?content_type=post&fields.price[near]=1')).toEqual([400, 'InvalidQuery'])
  expect(await ask('entries?content_type=secret')).toEqual([401, 'AccessTokenInvalid'])
  expect(await ask('entries/01JZZZZZZZZZZZZZZZZZZZZZZZ')).toEqual([401, 'AccessTokenInvalid'])
  expect(await ask('nothing')).toEqual([404, 'NotFound'])
})

it('keeps a field named children, times as they are written, and whole numbers', async () => {
  const { datatype_id } = await site.make.datatype('Event', { type: '_global', visibility: 'public' })
  await site.make.field(datatype_id, 'Children', 'number', { data: { integer: true } })
  await site.make.field(datatype_id, 'Starts', 'datetime')
  const fields = { children: '3', starts: '2026-05-12T00:00:00+02:00' }
  await site.make.entry(datatype_id, {}, { status: 'published', fields })
  const { items } = await client.getEntries({ content_type: 'event' })
  expect(items.map(item => item.fields)).toEqual([{ children: 3, starts: '2026-05-12T00:00:00+02:00' }])
  const all = await client.withAllLocales.getEntries({ content_type: 'event' })
  expect(all.items[0]?.fields).toEqual({ children: { en: 3 }, starts: { en: '2026-05-12T00:00:00+02:00' } })
  const told = (await client.getContentType('event')).fields
  expect(told.map(({ id, type }) => [id, type])).toEqual([
    ['children', 'Integer'],
    ['starts', 'Date'],
    ['title', 'Symbol'],
    ['slug', 'Symbol'],
  ])
})

it('has entries in texts, with what they lead to', async () => {
  const { datatype_id } = await site.make.datatype('Story', { type: '_global', visibility: 'public' })
  await site.make.field(datatype_id, 'Body', 'richtext')
  const shown = site.posts[0]?.content_data_id ?? ''
  const gone = '01M7YZMHG0SCYJNYEA846VJ0FE'
  const body = [
    `<p><a href="#block-${shown}">Post 1</a></p>`,
    `<p>See <a href="#${shown}">it</a> and <a href="#inline-${gone}">what is gone</a>.</p>`,
  ]
  const fields = { body: body.join('') }
  const story = await site.make.entry(datatype_id, {}, { status: 'published', fields })
  const query = { content_type: 'story', 'sys.id': story.content_data_id }
  const post = { sys: { id: shown }, fields: { title: 'Post 1', author: { fields: { name: 'Ann' } } } }
  const nodes = (target: object) => ({
    content: [
      { nodeType: 'embedded-entry-block', data: { target } },
      {
        content: [
          { value: 'See ' },
          { nodeType: 'entry-hyperlink', data: { target }, content: [{ value: 'it' }] },
          { value: ' and ' },
          { nodeType: 'embedded-entry-inline', data: { target: { sys: { type: 'Link', id: gone } } } },
          { value: '.' },
        ],
      },
    ],
  })
  const { items } = await client.getEntries(query)
  expect(items[0]?.fields.body).toMatchObject(nodes(post))
  const all = await client.withAllLocales.getEntries(query)
  expect(all.items[0]?.fields.body).toMatchObject({ en: nodes({ fields: { title: { en: 'Post 1' } } }) })
  const link = { sys: { type: 'Link', linkType: 'Entry', id: shown } }
  const alone = await client.getEntries({ ...query, include: 0 })
  expect([alone.includes, alone.items[0]?.fields.body]).toMatchObject([undefined, nodes(link)])
})
