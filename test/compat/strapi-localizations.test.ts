import { strapi } from '@strapi/client'
import { describe, expect, it } from 'vitest'
import { blog, editorKey, reached } from './sample.js'

type Document = Record<string, unknown>

describe('localizations', async () => {
  const { app, make, about, ann } = await blog({
    i18n_enabled: true,
    compat: { story: { children: 'blocks' } },
  })
  const { call } = app
  const origin = await reached(app)
  const ask = async (path: string, root = 'api') => {
    const answer = await fetch(`${origin}/compat/strapi/${root}${path}`)
    const body = (await answer.json()) as { data: Document; error?: { message: string } }
    return { status: answer.status, ...body }
  }
  for (const [code, is_enabled] of [
    ['de', true],
    ['fr', true],
    ['it', false],
  ])
    await call('POST', '/api/v1/locales', { body: { code, label: code, is_enabled, fallback_code: 'en' } })
  const story = await make.datatype('Story', { visibility: 'public' })
  await make.field(story.datatype_id, 'Intro', 'text', { translatable: true })
  await make.field(story.datatype_id, 'Price', 'number')
  await make.field(story.datatype_id, 'By', 'relation', { translatable: true })
  await make.field(story.datatype_id, 'Next', 'relation')
  const write = (id: string, fields: object, locale?: string) =>
    call('PUT', `/api/v1/content?q=${id}`, { body: { fields, ...(locale ? { locale } : {}) } })

  const { route_id } = await make.route('/hello', 'Hello')
  const translations = { de: { slug: '/hallo', title: 'Hallo' }, it: { slug: '/ciao', title: 'Ciao' } }
  await call('PUT', `/api/v1/routes/?q=${route_id}`, { body: { translations } })
  const hello = await make.entry(story.datatype_id, { route_id }, { status: 'published' })
  await write(hello.content_data_id, { price: 3 })
  await write(hello.content_data_id, { intro: 'First' }, 'en')
  await write(hello.content_data_id, { intro: 'Premier', by: ann.content_data_id }, 'fr')
  const plain = await make.entry(
    story.datatype_id,
    { route_id: (await make.route('/plain', 'Plain')).route_id },
    { status: 'published', fields: { price: 4, next: hello.content_data_id } },
  )
  const note = await make.datatype('Note', { type: '_global', visibility: 'public' })
  await make.field(note.datatype_id, 'Text', 'text', { translatable: true })
  await make.field(note.datatype_id, 'Number', 'number')
  const loose = await make.entry(note.datatype_id, {}, { status: 'published', fields: { number: 1 } })
  await write(loose.content_data_id, { text: 'Hallo' }, 'de')

  const hellos = `/stories/${hello.content_data_id}`
  const times = {
    createdAt: hello.date_created,
    updatedAt: expect.any(String),
    publishedAt: expect.any(String),
  }
  const own = { id: hello.numeric_id, documentId: hello.content_data_id }
  const german = { locale: 'de', title: 'Hallo', slug: 'hallo', intro: 'First', price: 3 }
  const french = { locale: 'fr', title: 'Hello', slug: 'hello', intro: 'Premier', price: 3 }
  const english = { locale: 'en', title: 'Hello', slug: 'hello', intro: 'First', price: 3 }
  const all = (...others: object[]) => others.map(other => ({ ...own, ...times, ...other }))

  it('are the document in the other locales that it is written in, whichever way they are asked for', async () => {
    for (const populate of ['populate=localizations', 'populate[0]=localizations', 'populate=*'])
      expect((await ask(`${hellos}?${populate}`)).data.localizations).toEqual(all(german, french))
    for (const populate of ['[localizations]=true', '[localizations]=*', '[localizations][fields][0]=*'])
      expect((await ask(`${hellos}?populate${populate}`)).data.localizations).toMatchObject(
        all(german, french),
      )
    const inGerman = await ask(`${hellos}?locale=de&populate=localizations`)
    expect(inGerman.data).toMatchObject({ locale: 'de', slug: 'hallo' })
    expect(inGerman.data.localizations).toEqual(all(english, french))
    expect((await ask(`${hellos}?populate=by`)).data).not.toHaveProperty('localizations')
    expect(
      (await ask(`/stories/${plain.content_data_id}?populate=localizations`)).data.localizations,
    ).toEqual([])
  })

  it('have the fields and relations that are asked for, in their locale', async () => {
    const found = await strapi({ baseURL: `${origin}/compat/strapi/api` })
      .collection('stories')
      .find({
        filters: { slug: { $eq: 'hello' } },
        populate: { localizations: { fields: ['slug', 'locale'] } },
      })
    expect(found.data).toMatchObject([
      {
        localizations: [
          { ...own, slug: 'hallo', locale: 'de' },
          { ...own, slug: 'hello', locale: 'fr' },
        ],
      },
    ])
    expect(Object.keys(found.data[0]?.localizations[0])).toEqual(['id', 'documentId', 'slug', 'locale'])
    const { data } = await ask(`${hellos}?populate[localizations][populate][by][fields][0]=name`)
    expect(data.localizations).toMatchObject([{ by: null }, { by: { name: 'Ann' } }])
    expect(data).not.toHaveProperty('by')
  })

  it('come by their names where nothing is said, as middlewares of Strapi populate them for front ends', async () => {
    const { data } = await ask(`/stories?filters[slug][$eq]=hello&locale=fr`)
    const [document] = data as unknown as { localizations: Record<string, string>[] }[]
    const slugs = Object.fromEntries(document?.localizations.map(one => [one.locale, one.slug]) ?? [])
    expect(slugs).toEqual({ de: 'hallo', en: 'hello' })
    expect(document?.localizations[0]).not.toHaveProperty('intro')
  })

  it('are wrapped in version 4', async () => {
    const { data } = await ask(`/stories/${hello.numeric_id}?populate=localizations`, 'v4/api')
    expect(data).toMatchObject({
      attributes: {
        localizations: {
          data: [
            { id: hello.numeric_id, attributes: { ...times, ...german } },
            { id: hello.numeric_id, attributes: { ...times, ...french } },
          ],
        },
      },
    })
  })

  it('are those of what a relation names too', async () => {
    const { data } = await ask(
      `/stories/${plain.content_data_id}?locale=de&populate[next][populate][localizations][fields][0]=slug`,
    )
    expect(data.next).toMatchObject({ slug: 'hallo', localizations: [{ slug: 'hello' }, { slug: 'hello' }] })
  })

  it('have their locale where a relation names them, if their type is written in several', async () => {
    const path = `/stories/${plain.content_data_id}?locale=de`
    for (const query of ['', '&populate=next', '&populate=*', '&populate[next][populate]=by'])
      expect((await ask(path + query)).data.next).toMatchObject({ ...own, locale: 'de', slug: 'hallo' })
    const english = await ask(`/stories/${plain.numeric_id}?populate=next`, 'v4/api')
    expect(english.data).toMatchObject({ attributes: { next: { data: { attributes: { locale: 'en' } } } } })
    const named = await ask(`${path}&populate[next][fields][0]=slug`)
    expect(named.data.next).toEqual({ ...own, slug: 'hallo' })
    const author = (await ask(`${hellos}?locale=fr&populate=by`)).data.by
    expect(author).toMatchObject({ name: 'Ann' })
    expect(author).not.toHaveProperty('locale')
  })

  it('leave out hidden locales, for editors of drafts too', async () => {
    const headers = { Authorization: `Bearer ${editorKey}` }
    const drafts = `${origin}/compat/strapi/api${hellos}?status=draft&populate=localizations`
    const { data } = (await (await fetch(drafts, { headers })).json()) as { data: Document }
    expect(data.localizations).toMatchObject(all(german, french))
    expect(JSON.stringify(data)).not.toContain('ciao')
  })

  it('know the default locale of what is written for it or is on a route', async () => {
    expect((await ask(`/notes?populate=localizations`)).data).toMatchObject([
      { text: null, localizations: [{ locale: 'de', text: 'Hallo', number: 1 }] },
    ])
    expect((await ask(`/notes?locale=de&populate=localizations`)).data).toMatchObject([
      { text: 'Hallo', localizations: [] },
    ])
    const there = await ask(`/pages/${about.content_data_id}?locale=de&populate=localizations`)
    expect(there.data).toMatchObject({ locale: 'de', localizations: [{ locale: 'en', slug: 'about' }] })
  })

  it('are not asked for in each other, nor with the children', async () => {
    const refused = async (populate: string) => {
      const { status, error } = await ask(`${hellos}?populate${populate}`)
      return [status, error?.message]
    }
    expect(await refused('[localizations][populate]=localizations')).toEqual([
      ...[400, 'populate: Invalid key localizations'],
    ])
    expect(await refused('[localizations][populate]=blocks')).toEqual([
      ...[400, 'populate: localizations cannot be combined with blocks; request each locale separately'],
    ])
    expect(await refused('[localizations][populate]=nothing')).toEqual([400, 'populate: Invalid key nothing'])
    expect(await refused('[blocks][populate]=localizations')).toEqual([
      ...[400, 'populate: Invalid key localizations'],
    ])
  })

  it('show a translation as soon as it is there', async () => {
    await write(plain.content_data_id, { intro: 'Schlicht' }, 'de')
    expect((await ask(`/stories/${plain.content_data_id}?populate=localizations`)).data).toMatchObject({
      localizations: [{ locale: 'de', intro: 'Schlicht' }],
    })
  })

  it('give way to a field of their name', async () => {
    const odd = await make.datatype('Odd', { type: '_global', visibility: 'public' })
    await make.field(odd.datatype_id, 'Localizations', 'text', { translatable: true })
    const entry = await make.entry(odd.datatype_id, {}, { status: 'published' })
    await write(entry.content_data_id, { localizations: 'Mine' }, 'de')
    await write(entry.content_data_id, { localizations: 'Own' }, 'en')
    expect((await ask('/odds?populate=*')).data).toMatchObject([{ localizations: 'Own' }])
    expect((await ask('/odds?populate=localizations')).status).toBe(400)
  })
})

it('are refused where they would be larger than an answer may be', async () => {
  const { app, make } = await blog({ i18n_enabled: true })
  const origin = await reached(app)
  const long = await make.datatype('Long', { visibility: 'public' })
  await make.field(long.datatype_id, 'Text', 'textarea')
  const { route_id } = await make.route('/long', 'Long')
  const codes = 'ar bg cs da de el es et fi fr'.split(' ')
  for (const code of codes)
    await app.call('POST', '/api/v1/locales', { body: { code, label: code, is_enabled: true } })
  const translations = Object.fromEntries(codes.map(code => [code, { title: code }]))
  await app.call('PUT', `/api/v1/routes/?q=${route_id}`, { body: { translations } })
  const fields = { text: 'x'.repeat(1_700_000) }
  await make.entry(long.datatype_id, { route_id }, { status: 'published', fields })
  const statusOf = async (query: string) => (await fetch(`${origin}/compat/strapi/api/longs?${query}`)).status
  expect(await statusOf('populate=localizations')).toBe(400)
  expect(await statusOf('populate[localizations][fields]=title')).toBe(200)
})

it('there are none where content has no locales', async () => {
  const { app } = await blog()
  const origin = await reached(app)
  const posts = strapi({ baseURL: `${origin}/compat/strapi/api` }).collection('posts')
  expect((await posts.find({ populate: ['localizations'] })).data[0]).toHaveProperty('localizations', [])
  expect((await posts.find()).data[0]).toHaveProperty('localizations', [])
})
