import { expect, it } from 'vitest'
import { testApp } from '../support/app.js'

const app = await testApp({ client_site: 'https://site.example', i18n_enabled: false })
const post = async (path: string, body: unknown) => (await app.call('POST', `/api/v1${path}`, { body })).body
await post('/locales', { code: 'de', label: 'Deutsch' })
const { datatype_id } = await post('/datatypes', { label: 'Page', type: 'content', visibility: 'public' })
await post('/fields', { parent_id: datatype_id, label: 'Text', field_type: 'text', translatable: true })
const translations = { de: { slug: '/hallo', title: 'Hallo' } }
const { route_id } = await post('/routes', { slug: '/hello', title: 'Hello', translations })
const { content_data_id } = await post('/content', {
  ...{ datatype_id, route_id, status: 'published', fields: { text: 'Plain' } },
})
for (const [locale, text] of [
  ['en', 'English'],
  ['de', 'German'],
])
  await app.call('PUT', `/api/v1/content?q=${content_data_id}`, { body: { locale, fields: { text } } })

const page = '/hello?format=clean'
const paths = [
  ...[page, `${page}&locale=de`, '/hello', '/hallo?format=clean', '/sitemap.xml'],
  ...['/api/v1/query/page', '/api/v1/query/page?locale=de'],
  ...['/compat/strapi/api/pages', '/compat/strapi/api/pages?locale=de'],
]

/** What the public gets, and the same from memory and with its ETag. */
async function answers() {
  const seen: unknown[] = []
  for (const path of paths) {
    const { status, text, headers } = await app.call('GET', path, { as: 'nobody' })
    const again = await app.call('GET', path, { as: 'nobody' })
    expect([path, again.status, again.text]).toEqual([path, status, text])
    const etag = headers.get('etag')
    if (status === 200 && etag) {
      const known = await app.call('GET', path, { as: 'nobody', headers: { 'If-None-Match': etag } })
      expect([path, known.status]).toEqual([path, 304])
    }
    seen.push([path, status, text])
  }
  return seen
}

const set = async (i18n_enabled: boolean) => {
  const { status, body } = await app.call('PUT', '/api/v1/config', { body: { i18n_enabled } })
  expect([status, body.restart_required]).toEqual([200, []])
}

it('turns translations on and off without a restart, also for what is kept in memory', async () => {
  const before = await answers()
  await set(true)
  const during = await answers()
  await set(false)
  expect(await answers()).toEqual(before)
  await set(true)
  expect(await answers()).toEqual(during)

  const texts = (all: unknown[]) => all.map(one => JSON.stringify(one))
  const [off, on] = [texts(before), texts(during)]
  expect(paths.filter((_, i) => off[i] === on[i])).toEqual([])
  expect([off[0], on[0], on[1]].map(text => /Plain|English|German/.exec(text ?? '')?.[0])).toEqual([
    ...['Plain', 'English', 'German'],
  ])
  expect(off.join('')).not.toMatch(/English|German/)
})
