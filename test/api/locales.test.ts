import { describe, expect, it, vi } from 'vitest'
import { tables } from '../../src/db/tables.js'
import { type Caller, testApp } from '../support/app.js'

const app = await testApp({ i18n_enabled: true, webhook_enabled: true })
const { call, db } = app
const missing = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
const api = (method: string, path: string, body?: unknown, as: Caller = 'admin') =>
  call(method, `/api/v1${path}`, { as, ...(body === undefined ? {} : { body }) })
const post = async (path: string, body: unknown) => (await api('POST', path, body)).body

const locale = async (code: string, more = {}) => post('/locales', { code, label: code, ...more })
const [en] = (await api('GET', '/locales')).body
const de = await locale('de', { fallback_code: 'en' })
const austrian = await locale('de-AT', { fallback_code: 'de' })
const french = await locale('fr', { is_enabled: false })

const type = (await post('/datatypes', { label: 'Page', type: 'content' })).datatype_id
const field = async (label: string, more = {}) =>
  (await post('/fields', { label, field_type: 'text', parent_id: type, ...more })).field_id
await field('Title text', { translatable: true })
const body = await field('Body', { translatable: true })
await field('Code')
const { route_id } = await post('/routes', { slug: '/', title: 'Home' })
const root = await post('/content', {
  datatype_id: type,
  route_id,
  status: 'published',
  fields: { titleText: 'Hello', body: 'Text', code: 'x' },
})
const write = (fields: object, locale?: string) =>
  api('PUT', `/content?q=${root.content_data_id}`, { fields, ...(locale ? { locale } : {}) })
const shown = async (query = '') => {
  const { body } = await call('GET', `/?format=clean${query}`, { as: 'nobody' })
  return [body.titleText, body.body, body.code]
}

describe('locales', () => {
  it('have one default from the start, until another is made it', async () => {
    expect(en).toMatchObject({ code: 'en', label: 'English', is_default: true, is_enabled: true })
    expect(de.is_default).toBe(false)
    expect((await api('PUT', `/locales?q=${de.locale_id}`, { is_default: true })).body.is_default).toBe(true)
    expect((await api('GET', `/locales?q=${en.locale_id}`)).body.is_default).toBe(false)
    expect((await api('PUT', `/locales?q=${de.locale_id}`, { is_default: false })).status).toBe(409)
    expect((await api('PUT', `/locales?q=${de.locale_id}`, { is_enabled: false })).status).toBe(400)
    expect((await api('DELETE', `/locales?q=${de.locale_id}`)).status).toBe(409)
    expect((await api('PUT', `/locales?q=${en.locale_id}`, { is_default: true })).status).toBe(200)
    const defaults = (await api('GET', '/locales')).body.filter(
      (row: { is_default: boolean }) => row.is_default,
    )
    expect(defaults).toHaveLength(1)
  })

  it.each([
    ['a code that is there', { code: 'de', label: 'x' }, 409],
    ['no code', { label: 'x' }, 400],
    ['no language tag', { code: 'd_e', label: 'x' }, 400],
    ['a fallback that is not there', { code: 'it', label: 'x', fallback_code: 'es' }, 400],
    ['itself as its fallback', { code: 'it', label: 'x', fallback_code: 'it' }, 400],
  ])('refuse %s', async (_, given, status) => {
    expect((await api('POST', '/locales', given)).status).toBe(status)
  })

  it('fall back in no circle, keep their code, and stay while they are used', async () => {
    expect((await api('PUT', `/locales?q=${en.locale_id}`, { fallback_code: 'de-AT' })).status).toBe(400)
    expect((await api('PUT', `/locales?q=${de.locale_id}`, { code: 'at' })).status).toBe(400)
    expect((await api('DELETE', `/locales?q=${de.locale_id}`)).status).toBe(409)
    expect((await api('DELETE', `/locales?q=${missing}`)).status).toBe(404)
    const { locale_id } = await locale('it')
    expect((await api('DELETE', `/locales?q=${locale_id}`)).status).toBe(204)
    expect((await api('POST', '/locales', { code: 'it', label: 'x' }, 'editor')).status).toBe(403)
  })
})

describe('translated values', () => {
  it('are delivered in the locale, its fallbacks, the default, and without a locale', async () => {
    expect(await shown()).toEqual(['Hello', 'Text', 'x'])
    expect((await write({ titleText: 'Hallo' }, 'de')).status).toBe(200)
    expect(await shown()).toEqual(['Hello', 'Text', 'x'])
    expect(await shown('&locale=de')).toEqual(['Hallo', 'Text', 'x'])
    expect(await shown('&locale=de-AT')).toEqual(['Hallo', 'Text', 'x'])
    await write({ titleText: 'Servus' }, 'de-AT')
    await write({ body: 'English text' }, 'en')
    expect(await shown('&locale=de-AT')).toEqual(['Servus', 'English text', 'x'])
    expect(await shown('&locale=de')).toEqual(['Hallo', 'English text', 'x'])
    expect(await shown()).toEqual(['Hello', 'English text', 'x'])
    const { body: read } = await api('GET', '/page/?format=clean&locale=de-AT')
    expect(read.titleText).toBe('Servus')
    const formats = {
      strapi: (b: { data: { locale: string } }) => b.data.locale,
      contentful: (b: { items: { sys: { locale: string } }[] }) => b.items[0]?.sys.locale,
    }
    for (const [format, localeOf] of Object.entries(formats)) {
      const { body } = await call('GET', `/?format=${format}&locale=de`, { as: 'nobody' })
      expect([format, localeOf(body)]).toEqual([format, 'de'])
    }
  })

  it('are given all at once to Contentful’s own clients', async () => {
    const { body: given } = await call('GET', '/?format=contentful&locale=*', { as: 'nobody' })
    const [{ sys, fields }] = given.items
    expect([sys.locale, fields]).toEqual([
      undefined,
      {
        title: { en: 'Home' },
        slug: { en: '/' },
        titleText: { en: 'Hello', de: 'Hallo', 'de-AT': 'Servus' },
        body: { en: 'English text' },
        code: { en: 'x' },
      },
    ])
    for (const format of ['clean', 'raw', 'sanity', 'strapi', 'wordpress'])
      expect((await call('GET', `/?format=${format}&locale=*`, { as: 'nobody' })).status).toBe(400)
    expect((await api('GET', '/globals?format=contentful&locale=*')).status).toBe(400)
  })

  it('follow a change of the fallbacks at once', async () => {
    await api('PUT', `/locales?q=${austrian.locale_id}`, { fallback_code: null })
    await write({ titleText: 'Servus!' }, 'de-AT')
    expect(await shown('&locale=de-AT')).toEqual(['Servus!', 'English text', 'x'])
    await api('PUT', `/locales?q=${austrian.locale_id}`, { fallback_code: 'de' })
    await write({ body: 'Deutscher Text' }, 'de')
    expect(await shown('&locale=de-AT')).toEqual(['Servus!', 'Deutscher Text', 'x'])
  })

  it('are shown by the best tag there is, as RFC 4647 looks it up, else in the default locale', async () => {
    const [english, german, viennese] = [
      await shown(),
      await shown('&locale=de'),
      await shown('&locale=de-AT'),
    ]
    expect(new Set([english, german, viennese].map(String)).size).toBe(3)
    for (const [tag, expected] of [
      ['DE', german],
      ['de-CH', german],
      ['de-CH-1996-x-own', german],
      ['de-a-DE', german],
      ['de-at', viennese],
      ['de-AT-x-wien', viennese],
      ['en-GB', english],
      ['es', english],
      ['deu', english],
      // Not enabled, so nobody sees it.
      ['fr', english],
      ['fr-CA', english],
    ] as const)
      expect([tag, await shown(`&locale=${tag}`)]).toEqual([tag, expected])
    const localeOf = async (tag: string) =>
      (await call('GET', `/?format=strapi&locale=${tag}`, { as: 'nobody' })).body.data.locale
    expect([await localeOf('de-CH'), await localeOf('es')]).toEqual(['de', 'en'])
    const global = await api('GET', '/globals?format=clean&locale=es')
    expect([global.status, global.body]).toEqual([200, []])
  })

  it('fall back to the shorter tag where no fallback is set', async () => {
    await api('PUT', `/locales?q=${austrian.locale_id}`, { fallback_code: null })
    expect((await shown('&locale=de-AT'))[1]).toBe('Deutscher Text')
    await api('PUT', `/locales?q=${austrian.locale_id}`, { fallback_code: 'en' })
    expect((await shown('&locale=de-AT'))[1]).toBe('English text')
    await api('PUT', `/locales?q=${austrian.locale_id}`, { fallback_code: 'de' })
  })

  it('fill no memory with tags that nobody has configured, and follow a new locale at once', async () => {
    await shown('&locale=de')
    const query = vi.spyOn(db, 'query')
    for (let n = 0; n < 30; n++) await shown(`&locale=de-x${n}`)
    expect(query).not.toHaveBeenCalled()
    query.mockRestore()
    const german = await shown('&locale=de-CH')
    const swiss = await locale('de-CH', { fallback_code: 'en' })
    await write({ titleText: 'Grüezi' }, 'de-CH')
    expect([german[0], (await shown('&locale=de-CH'))[0]]).toEqual(['Hallo', 'Grüezi'])
    await write({ titleText: null }, 'de-CH')
    await api('PUT', `/locales?q=${swiss.locale_id}`, { is_enabled: false })
    expect((await shown('&locale=de-CH'))[0]).toBe('Hallo')
  })

  it('are refused for what is no tag, and written only in a locale that there is, to a field that has one', async () => {
    for (const [query, status] of [
      ['&locale=d_e', 400],
      ['&locale=', 200],
    ] as const)
      expect([query, (await call('GET', `/?format=clean${query}`, { as: 'nobody' })).status]).toEqual([
        query,
        status,
      ])
    expect((await write({ titleText: 'x' }, 'es')).status).toBe(400)
    expect((await write({ code: 'x' }, 'de')).status).toBe(400)
    expect(french.is_enabled).toBe(false)
  })

  it('are published one locale at a time, with a version and an event', async () => {
    await app.subscribe()
    const publish = (body: object) =>
      api('POST', '/content/publish', { content_data_id: root.content_data_id, ...body })
    expect((await publish({ locale: 'de' })).status).toBe(200)
    const events = (await app.deliveries()).map(({ event, payload }) => [
      event,
      JSON.parse(payload).data.locale,
    ])
    expect(events).toEqual([
      ['version.created', 'de'],
      ['locale.published', 'de'],
    ])
    const [version] = (
      await api('GET', `/content/versions?content_data_id=${root.content_data_id}&locale=de`)
    ).body
    expect(version).toMatchObject({ version_number: 1, locale: 'de' })
    expect(version.snapshot.fields.map(({ locale }: { locale: string }) => locale)).toEqual(['de', 'de'])
    await write({ titleText: 'Anders' }, 'de')
    await write({ titleText: 'Other' })
    const restored = await api('POST', '/content/restore', { content_version_id: version.content_version_id })
    expect(restored.body.restored).toBe(1)
    expect(await shown('&locale=de')).toEqual(['Hallo', 'Deutscher Text', 'x'])
    expect((await shown())[0]).toBe('Other')
    expect((await publish({ locale: 'es' })).status).toBe(400)
    await api('PUT', `/content?q=${root.content_data_id}`, { status: 'draft' })
    expect((await publish({ locale: 'de' })).status).toBe(409)
    expect(
      (await db.findAll(tables.contentFields, { field_id: body })).map(({ locale }) => locale).sort(),
    ).toEqual(['', 'de', 'en'])
  })
})

it('has no locales where they are not enabled', async () => {
  const plain = await testApp()
  const { body: page } = await plain.call('POST', '/api/v1/routes', { body: { slug: '/', title: 'x' } })
  const { body: kind } = await plain.call('POST', '/api/v1/datatypes', {
    body: { label: 'x', type: 'content' },
  })
  await plain.call('POST', '/api/v1/content', {
    body: { datatype_id: kind.datatype_id, route_id: page.route_id, status: 'published' },
  })
  expect((await plain.call('GET', '/?format=clean', { as: 'nobody' })).status).toBe(200)
  expect((await plain.call('GET', '/?format=clean&locale=en', { as: 'nobody' })).status).toBe(400)
})
