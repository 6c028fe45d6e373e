import { createClient } from '@sanity/client'
import imageUrlBuilder from '@sanity/image-url'
import { expect, it } from 'vitest'
import { hexOf } from '../../src/systems/sanity/write/media.js'
import { blog, editorKey, reached } from './sample.js'

const site = await blog()
const origin = await reached(site.app)
const apiHost = `${origin}/compat/sanity`
const at = {
  ...{ apiHost, useProjectHostname: false, projectId: 'site', dataset: 'production' },
  ...{ apiVersion: '2025-02-19', useCdn: false },
}
const client = createClient(at)
const editor = createClient({ ...at, token: editorKey })

it('lists documents in order and in slices, with what a projection names', async () => {
  const found = await client.fetch(`*[_type == "post"] | order(price desc) [1..3] {
    _id, title, "slug": slug.current, price, author->{name, "photo": photo.asset->url}, "cats": categories[]->name
  }`)
  expect(found).toMatchObject([
    { title: 'Post 11', slug: 'blog/post-11', price: 16.5, author: { name: 'Ann' }, cats: [] },
    { title: 'Post 10', cats: ['News'] },
    { title: 'Post 9', author: null },
  ])
  expect(found[0].author.photo).toBe(
    `${apiHost}/images/site/production/${hexOf(site.picture.media_id)}-2400x1600.jpg`,
  )
  expect(await client.fetch('count(*[_type == "post" && hot])')).toBe(6)
  expect(await client.fetch('*[_type == "post"] | order(_createdAt desc)[0].title')).toBe('Post 12')
  expect(await client.fetch('*[_type == "post"] | order(price asc)[0...2].title')).toEqual([
    'Post 1',
    'Post 2',
  ])
  // In memory, for no index has it.
  const calculated = '*[_type == "post"] | order(author->name desc, lower(title) desc)[0...2]{title}'
  expect(await client.fetch(calculated)).toEqual([{ title: 'Post 9' }, { title: 'Post 6' }])
  const changed = await client.fetch('*[_type == "post"] | order(_updatedAt desc)[0].title')
  expect(changed).toBe('Post 12')
  const both = await client.fetch(
    '{"n": count(*[_type == $type]), "first": *[_type == $type] | order(price asc)[0]{title}}',
    { type: 'post' },
  )
  expect(both).toEqual({ n: 12, first: { title: 'Post 1' } })
})

it('filters as GROQ does, also where there is nothing to compare', async () => {
  const titles = (filter: string, params = {}) =>
    client.fetch<string[]>(`*[_type == "post" && (${filter})] | order(price asc).title`, params)
  expect(await titles('price >= 15')).toEqual(['Post 10', 'Post 11', 'Post 12'])
  expect(await titles('!(price < 15) && hot')).toEqual(['Post 10', 'Post 12'])
  expect(await titles('slug.current == $slug', { slug: 'blog/post-5' })).toEqual(['Post 5'])
  expect(await titles('date in $dates', { dates: ['2026-01-02', '2026-01-03'] })).toEqual([
    'Post 2',
    'Post 3',
  ])
  expect(await titles('defined(cover.asset)')).toEqual(['Post 1'])
  expect(
    await titles('cover.asset._ref == $ref', { ref: `image-${hexOf(site.picture.media_id)}-2400x1600-jpg` }),
  ).toEqual(['Post 1'])
  expect(await titles('$id in categories[]._ref', { id: site.tips.content_data_id })).toHaveLength(3)
  expect(await titles('"tips" in categories[]->slug.current')).toHaveLength(3)
  expect(await titles('author->name == "Ann" && price < 6')).toEqual(['Post 1', 'Post 2'])
  expect(await titles('references($id)', { id: site.tips.content_data_id })).toHaveLength(3)
  expect(await titles('references(*[_type == "category" && slug.current == "tips"]._id)')).toHaveLength(3)
  expect(await titles('title match "post 1*"')).toEqual(['Post 1', 'Post 10', 'Post 11', 'Post 12'])
  expect(await titles('missing > 3 || !(missing > 3)')).toEqual([])
  expect(await titles('missing != 3 && !defined(missing)')).toHaveLength(12)
  expect(await titles('$all || price == 3', { all: false })).toEqual(['Post 2'])
  expect(await titles('!(_id in path("drafts.**")) && date < "2026-01-03"')).toEqual(['Post 1', 'Post 2'])
  expect(await titles('dateTime(date) > dateTime(now()) && price < 5')).toEqual([])
  expect(await titles('string::startsWith(excerpt, "Short 12")')).toEqual(['Post 12'])
})

it('filters in memory by what the query service does not compare', async () => {
  const titles = (filter: string, params = {}) =>
    client.fetch<string[]>(`*[_type == "post" && ${filter}] | order(price asc).title`, params)
  expect(await titles('lower(title) == "post 3"')).toEqual(['Post 3'])
  expect(await titles('price * 2 > length(title) * 4 && price < 20')).toEqual(
    await titles('price > length(title) * 2'),
  )
  expect(await titles('_updatedAt > "2020" && price == 3')).toEqual(['Post 2'])
  expect(await titles('count(categories) > 1')).toEqual(['Post 4', 'Post 8', 'Post 12'])
  expect(await titles('count(categories[@->slug.current in ["tips", "x"]]) > 0')).toHaveLength(3)
  expect(await client.fetch('count(*[_type == "post" && title match "post 1*"])')).toBe(4)
  expect(await client.fetch('*[_type == "post"] | order(price asc)[-2..-1].title')).toEqual([
    'Post 11',
    'Post 12',
  ])
  const scored =
    '*[_type == "post"] | score(title match "12", boost(hot, 2)) | order(_score desc, price desc)[0...2].title'
  expect(await client.fetch(scored)).toEqual(['Post 12', 'Post 10'])
  expect(await client.fetch('math::sum(*[_type == "post" && price < 6].price)')).toBe(1.5 + 3 + 4.5)
  const nested =
    '*[_type == "post" && price in 3..4.5] | order(price asc){title, "by": author->{"photo": photo.asset->originalFilename}}'
  expect(await client.fetch(nested)).toMatchObject([{ title: 'Post 2' }, { title: 'Post 3' }])
  const own = 'fn demo::post($p) = $p{title}; demo::post(*[_type == "post" && price == 3][0])'
  expect(await client.fetch(own)).toEqual({ title: 'Post 2' })
})

it('follows references that are only known while it evaluates', async () => {
  const { content_data_id: id } = site.posts[0] ?? { content_data_id: '' }
  const made = '{"post": {"_ref": $id}->{title, "again": {"_ref": $id}->author->name}}'
  expect(await client.fetch(made, { id })).toEqual({ post: { title: 'Post 1', again: 'Ann' } })
  const chain = `{"_ref": $id}${'->{"_ref": _id}'.repeat(12)}`
  expect(await client.fetch(chain, { id })).toEqual({ _ref: id })
})

it('takes the types from each side of an or', async () => {
  const found = await client.fetch<{ _type: string; slug: string }[]>(
    '*[_type == "page" || _type == "post" && defined(slug.current)] | order(_type asc){_type, "slug": slug.current}',
  )
  expect(found.map(({ _type }) => _type)).toEqual([...Array(3).fill('page'), ...Array(12).fill('post')])
  expect(found.map(({ slug }) => slug)).toContain('about/team')
  const { content_data_id: about } = site.about
  const { content_data_id: team } = site.team
  const byId = '*[_id == $about || (_id == $team && title == $title)] | order(title asc).title'
  expect(await client.fetch(byId, { about, team, title: 'Team' })).toEqual(['About us', 'Team'])
  expect(await client.fetch(byId, { about, team, title: 'Other' })).toEqual(['About us'])
  expect(await client.fetch('*[_type == "page" || title == "Post 1"]._type')).toHaveLength(4)
})

it('gives a document by its slug or id, with children, Portable Text and references', async () => {
  const post = await client.fetch('*[_type == "post" && slug.current == $slug][0]', { slug: 'blog/post-1' })
  expect(post).toMatchObject({
    ...{ _id: site.posts[0]?.content_data_id, _type: 'post', title: 'Post 1', price: 1.5, hot: false },
    slug: { _type: 'slug', current: 'blog/post-1' },
    body: [
      {
        _type: 'block',
        children: [{ text: 'Hello ' }, { text: 'rider', marks: ['strong'] }, { text: ' 1' }],
      },
    ],
    author: { _type: 'reference', _ref: site.ann.content_data_id },
    cover: { _type: 'image', asset: { _ref: `image-${hexOf(site.picture.media_id)}-2400x1600-jpg` } },
  })
  expect(await client.getDocument(post._id)).toEqual(post)
  expect(await client.getDocuments(['missing', post._id])).toEqual([null, post])
  const about = await client.fetch(
    '*[_type == "page" && slug.current == "about"][0]{"cards": children[_type == "card"]{_key, _type == "card" => {heading}}, "text": pt::text(intro)}',
  )
  expect(about).toMatchObject({
    cards: [{ heading: 'Brakes' }, { heading: 'Gears' }],
    text: 'We mend bicycles.',
  })
  const categories = await client.fetch(
    '*[_type == "category"]{name, "posts": *[_type == "post" && references(^._id)] | order(price asc){title}[0...2], "n": count(*[_type == "post" && references(^._id)])}',
  )
  expect(categories).toEqual([
    { name: 'News', posts: [{ title: 'Post 2' }, { title: 'Post 4' }], n: 6 },
    { name: 'Tips & tricks', posts: [{ title: 'Post 4' }, { title: 'Post 8' }], n: 3 },
  ])
  expect(await client.fetch('*[_id == $id]{title}', { id: post._id })).toEqual([{ title: 'Post 1' }])
  expect(
    await client.fetch(
      '*[_type in ["page", "category"]] | order(coalesce(title, name)){"t": coalesce(title, name)}',
    ),
  ).toEqual(['About us', 'Ann', 'News', 'Team', 'Tips & tricks'].map(t => ({ t })))
  expect(await client.fetch('*[_type == "post" && slug.current == "nothing"][0]')).toBeNull()
})

it('delivers the pictures whose addresses the image library builds', async () => {
  const { cover } = await client.fetch('*[_type == "post" && defined(cover)][0]{cover}')
  const builder = imageUrlBuilder(client)
  const leads = async (url: string) => {
    const answer = await fetch(url, { redirect: 'manual' })
    return [answer.status, answer.headers.get('location')]
  }
  const files = 'https://files.example/media/media/x'
  expect(await leads(builder.image(cover).width(600).url())).toEqual([302, `${files}/small.jpg`])
  expect(await leads(builder.image(cover).width(300).height(200).url())).toEqual([302, `${files}/small.jpg`])
  expect(await leads(builder.image(cover).width(900).auto('format').url())).toEqual([
    302,
    `${files}/bike.jpg`,
  ])
  expect(await leads(builder.image(cover).url())).toEqual([302, `${files}/bike.jpg`])
  expect((await leads(`${apiHost}/images/site/production/01JZZZZZZZZZZZZZZZZZZZZZZZ-1x1.jpg`))[0]).toBe(404)
})

it('shows drafts to who may change content and asks for them, and to nobody else', async () => {
  const { content_data_id: id } = site.draft
  const drafts = editor.withConfig({ perspective: 'drafts' })
  expect(await drafts.fetch('*[_id == $id][0]{_id, _originalId, title}', { id })).toEqual({
    ...{ _id: id, _originalId: `drafts.${id}`, title: 'A draft' },
  })
  expect(await drafts.fetch('count(*[_type == "post"])')).toBe(13)
  for (const asked of [client, editor, client.withConfig({ perspective: 'raw' })]) {
    expect(await asked.fetch('*[_id == $id]', { id })).toEqual([])
    expect(await asked.getDocument(id)).toBeUndefined()
    const every = JSON.stringify(await asked.fetch('*[_type in ["post", "author"]]{..., author->}'))
    expect([
      every.includes('A draft'),
      every.includes('Bob'),
      every.includes(site.bob.content_data_id),
    ]).toEqual([false, false, false])
  }
  const unknown = client.withConfig({ perspective: 'drafts' })
  await expect(unknown.fetch('*[_type == "post"]')).rejects.toMatchObject({ statusCode: 401 })
  const wrong = createClient({ ...at, token: 'wrong', perspective: 'drafts' })
  await expect(wrong.fetch('*[_type == "post"]')).rejects.toMatchObject({ statusCode: 401 })
})

it('leaves out what is not public for who has no key, in whatever way it is asked for', async () => {
  const { content_data_id: id } = site.hidden
  const title = '*[_type == "secret"].title'
  expect(await client.fetch(title)).toEqual([])
  expect(await editor.fetch(title)).toEqual(['Hidden'])
  expect(await client.fetch(title)).toEqual([])
  for (const query of [
    '*[_id == $id]',
    '[{"_ref": $id}][]{"it": @->}[defined(it)]',
    '*[_type == "secret" || _id == $id && false][_id == $id]',
  ])
    expect([query, await client.fetch(query, { id })]).toEqual([query, []])
  expect(await client.getDocument(id)).toBeUndefined()
  expect(await editor.getDocument(id)).toMatchObject({ title: 'Hidden' })
})

it('takes a query that is too long for an address, and repeats it where it is asked to', async () => {
  const query = `*[_type == "post" && price == $price][0]{title, ${'"again": 1, '.repeat(1100)} price}`
  expect(await client.fetch(query, { price: 3 })).toEqual({ title: 'Post 2', again: 1, price: 3 })
  // Browsers ask first whether they may.
  const preflight = await fetch(`${apiHost}/v1/data/query/production`, {
    method: 'OPTIONS',
    headers: { Origin: 'https://front.example', 'Access-Control-Request-Method': 'POST' },
  })
  expect(preflight.headers.get('access-control-allow-methods')).toContain('POST')
  const whole = await client.fetch('*[_type == "post"][0].title', {}, { filterResponse: false })
  expect(whole).toMatchObject({ query: '*[_type == "post"][0].title', result: 'Post 1' })
})

it('refuses in the words of Sanity, with the place', async () => {
  const refused = (query: string) =>
    client.fetch(query).then(
      () => 'answered',
      error => error,
    )
  for (const [query, part, words] of [
    ['*[_type == "post" && ', '', 'Unexpected end of query'],
    ['*[_type == "post" && geo::distance(a, b) < 3]', 'geo::distance', 'geo::distance() is not supported'],
    [
      '*[_type == "post"]{"changed": diff::changedAny(@, @, title)}',
      'diff::changedAny',
      'diff::changedAny() is not supported',
    ],
    ['*[_type == $type]', '$type', 'param $type referenced, but not provided'],
    ['*[_type == "post" && nothing(title)]', '', 'Undefined function: nothing'],
    ['*[_type == "post"][20000...20010]', '', 'can skip at most'],
  ] as const) {
    const error = await refused(query)
    expect([query, error.statusCode, error.details?.description]).toEqual([
      query,
      400,
      expect.stringContaining(words),
    ])
    if (part !== '') expect(query.slice(error.details.start, error.details.end)).toContain(part.slice(0, 5))
  }
  const answer = await fetch(`${apiHost}/v1/nothing`)
  expect([answer.status, await answer.json()]).toEqual([
    404,
    { statusCode: 404, error: 'Not Found', message: 'not found' },
  ])
  expect((await fetch(`${apiHost}/v1/data/mutate/production`, { method: 'POST' })).status).toBe(404)
})
