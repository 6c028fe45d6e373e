import { expect, it } from 'vitest'
import { blog, editorKey, reached } from './sample.js'

const { app, make } = await blog({ i18n_enabled: true })
const origin = await reached(app)
await app.call('POST', '/api/v1/locales', { body: { code: 'de', label: 'Deutsch' } })
const story = await make.datatype('Story', { type: '_global', visibility: 'public' })
await make.field(story.datatype_id, 'Title', 'text', { translatable: true })
const { content_data_id } = await make.entry(story.datatype_id, {}, { status: 'published' })
for (const [locale, title] of [
  ['en', 'Brakes'],
  ['de', 'Bremsen'],
])
  await app.call('PUT', `/api/v1/content?q=${content_data_id}`, { body: { fields: { title }, locale } })

async function ask(path: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`${origin}/compat/strapi/api${path}`, { headers })
  const body = (await answer.json()) as {
    data: { title: string }[]
    error?: { message: string }
    meta: object
  }
  return { status: answer.status, titles: body.data?.map(({ title }) => title), ...body }
}

it('finds documents by the words in them, whatever their case, beside filters, sort and pages', async () => {
  expect((await ask('/posts?_q=RIDER&sort=price:desc&pagination[pageSize]=2')).titles).toEqual([
    ...['Post 12', 'Post 11'],
  ])
  expect(await ask('/posts?_q=short%207')).toMatchObject({
    titles: ['Post 7'],
    meta: { pagination: { total: 1 } },
  })
  expect((await ask('/posts?_q=rider&filters[price][$lt]=2')).titles).toEqual(['Post 1'])
  expect((await ask('/posts?_q=nowhere')).titles).toEqual([])
  expect((await ask('/posts?_q=')).titles).toHaveLength(12)
})

it('looks in the locale that is asked for', async () => {
  expect((await ask('/stories?_q=bremsen&locale=de')).titles).toEqual(['Bremsen'])
  expect((await ask('/stories?_q=bremsen')).titles).toEqual([])
  expect((await ask('/stories?_q=brakes')).titles).toEqual(['Brakes'])
})

it('finds what the caller may read, and no drafts', async () => {
  const headers = { Authorization: `Bearer ${editorKey}` }
  expect((await ask('/secrets?_q=hidden')).status).toBe(403)
  expect((await ask('/secrets?_q=hidden', headers)).titles).toEqual(['Hidden'])
  expect((await ask('/posts?_q=yet', headers)).titles).toEqual([])
  const drafts = await ask('/posts?_q=yet&status=draft', headers)
  expect([drafts.status, drafts.error?.message]).toEqual([400, '_q: finds only published entries'])
  expect((await ask(`/posts?_q=${'a'.repeat(201)}`)).status).toBe(400)
  expect((await ask('/posts?_q[a]=b')).status).toBe(400)
})
