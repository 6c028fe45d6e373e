import { createClient as sanityClient } from '@sanity/client'
import { createClient as contentfulClient } from 'contentful'
import { expect, it } from 'vitest'
import { blog, editorKey, reached } from './sample.js'

const site = await blog({ compat: { page: { children: 'sections' } } })
const { app, make, about } = site
const origin = await reached(app)
const contentful = contentfulClient({
  ...{ space: 'site', host: origin.slice('http://'.length), insecure: true },
  ...{ accessToken: editorKey, basePath: '/compat/contentful' },
})
const sanity = sanityClient({
  ...{ apiHost: `${origin}/compat/sanity`, useProjectHostname: false, useCdn: false },
  ...{ projectId: 'site', dataset: 'production', apiVersion: '2025-02-19' },
})

it('calls children in Contentful as the configuration does', async () => {
  const headings = [{ fields: { heading: 'Brakes' } }, { fields: { heading: 'Gears' } }]
  const { fields } = await contentful.getEntry(about.content_data_id)
  expect(fields.sections).toMatchObject(headings)
  expect(fields).not.toHaveProperty('children')
  const { items } = await contentful.getEntries({
    content_type: 'page',
    'fields.title': 'About us',
    select: ['fields.sections'],
  } as never)
  expect(items.map(item => item.fields)).toMatchObject([{ sections: headings }])
  const { entries } = await contentful.sync({ initial: true })
  const whole = entries.find(({ sys }) => sys.id === about.content_data_id)
  expect(Object.keys(whole?.fields ?? {}).sort()).toEqual(['intro', 'sections', 'slug', 'title'])
  const named = async (type: string) => (await contentful.getContentType(type)).fields.map(({ id }) => id)
  expect(await named('page')).toEqual(['intro', 'title', 'slug', 'sections'])
  expect(await named('card')).toContain('children')
})

it('calls children in Sanity as the configuration does', async () => {
  const query = '*[_type == "page" && title == "About us"][0]'
  const whole = await sanity.fetch(query)
  expect(whole.sections).toMatchObject([{ _type: 'card', heading: 'Brakes' }, { heading: 'Gears' }])
  expect(whole).not.toHaveProperty('children')
  const chosen = `${query}{"headings": sections[_type == "card"].heading, "none": children}`
  expect(await sanity.fetch(chosen)).toEqual({ headings: ['Brakes', 'Gears'], none: null })
  const all = await sanity.fetch('*[_type == "page" && defined(sections)].title')
  expect(all).toEqual(['About us'])
})

it('says that a JSON field which begins as a list of texts is one', async () => {
  const type = await make.datatype('Story', { type: '_global', visibility: 'public' })
  await make.field(type.datatype_id, 'Title', 'text')
  await make.field(type.datatype_id, 'Tags', 'json', { data: { default: [] } })
  await make.field(type.datatype_id, 'Settings', 'json')
  const tags = ['general', 'news']
  const fields = { title: 'One', tags: JSON.stringify(tags), settings: '{"wide":true}' }
  await make.entry(type.datatype_id, {}, { status: 'published', fields })
  const told = (await contentful.getContentType('story')).fields
  expect(told).toContainEqual(
    expect.objectContaining({ id: 'tags', type: 'Array', items: { type: 'Symbol', validations: [] } }),
  )
  expect(told).toContainEqual(expect.objectContaining({ id: 'settings', type: 'Object' }))
  const { items } = await contentful.getEntries({ content_type: 'story' })
  expect(items[0]?.fields).toEqual({ title: 'One', tags, settings: { wide: true } })
})

it('takes new names at once, also in answers that it has in memory', async () => {
  const groq = encodeURIComponent('*[_type == "post" && title == "Post 4"][0]{author, categories}')
  const ask = async (as: 'key' | 'nobody') =>
    (await app.call('GET', `/compat/sanity/v2024-01-01/data/query/x?query=${groq}`, { as })).body.result
  for (const as of ['key', 'nobody'] as const) {
    const [before, again] = [await ask(as), await ask(as)]
    expect([before.author._weak, again]).toEqual([undefined, before])
  }
  const body = { compat: { post: { weak: ['author', 'categories', 'title'] } } }
  expect((await app.call('PUT', '/api/v1/config', { as: 'admin', body })).status).toBe(200)
  for (const as of ['key', 'nobody'] as const) {
    const { author, categories } = await ask(as)
    expect(author).toEqual({ _type: 'reference', _ref: expect.any(String), _weak: true })
    expect(categories.map((one: { _weak: boolean }) => one._weak)).toEqual([true, true])
  }
})
