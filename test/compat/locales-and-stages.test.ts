import { createClient } from '@sanity/client'
import { strapi } from '@strapi/client'
import { describe, expect, it } from 'vitest'
import { blog, editorKey, reached } from './sample.js'

describe('locales', async () => {
  const { app, make } = await blog({ i18n_enabled: true })
  const { call } = app
  const origin = await reached(app)
  const client = strapi({ baseURL: `${origin}/compat/strapi/api` })
  const story = await make.datatype('Story', { type: '_global', visibility: 'public' })
  await make.field(story.datatype_id, 'Title', 'text', { translatable: true })
  for (const [code, is_enabled] of [
    ['de', true],
    ['fr', false],
  ])
    await call('POST', '/api/v1/locales', { body: { code, label: code, is_enabled, fallback_code: 'en' } })
  const { content_data_id } = await make.entry(story.datatype_id, {}, { status: 'published' })
  const texts = { en: 'Hello', de: 'Hallo', fr: 'Bonjour' }
  for (const [locale, title] of Object.entries(texts))
    await call('PUT', `/api/v1/content?q=${content_data_id}`, { body: { fields: { title }, locale } })

  it('are chosen as in the other system, and hidden ones are not shown', async () => {
    const stories = client.collection('stories')
    const shown = async (locale?: string) => {
      const { data } = await stories.find(locale === undefined ? {} : { locale })
      return data.map(({ title, locale }) => [title, locale])
    }
    expect(await shown()).toEqual([['Hello', 'en']])
    expect(await shown('de')).toEqual([['Hallo', 'de']])
    expect(JSON.stringify(await shown('fr'))).not.toContain('Bonjour')
    const german = { locale: 'de', filters: { title: { $eq: 'Hallo' } } }
    expect((await stories.find(german)).data).toHaveLength(1)
    expect((await stories.find({ ...german, locale: 'en' })).data).toEqual([])
    const among = { filters: { locale: { $eq: 'de' }, title: { $eq: 'Hallo' } } }
    expect((await stories.find(among)).data).toMatchObject([{ title: 'Hallo', locale: 'de' }])
    const sanity = createClient({
      ...{ apiHost: `${origin}/compat/sanity`, useProjectHostname: false, useCdn: false },
      ...{ projectId: 'site', dataset: 'production', apiVersion: '2025-02-19' },
    })
    const titlesIn = (dataset: string) => sanity.withConfig({ dataset }).fetch('*[_type == "story"].title')
    expect([await titlesIn('production'), await titlesIn('de'), await titlesIn('fr')]).toEqual([
      ['Hello'],
      ['Hallo'],
      ['Hello'],
    ])
    const byTitle = '*[_type == "story" && title == "Hallo"].title'
    expect(await sanity.withConfig({ dataset: 'de' }).fetch(byTitle)).toEqual(['Hallo'])
    expect(await sanity.fetch(byTitle)).toEqual([])
    const listed = await client.fetch('/i18n/locales')
    expect((await listed.json()).map(({ code }: { code: string }) => code)).toEqual(['de', 'en'])
  })
})

describe('staged mode', async () => {
  const { app, posts } = await blog({ publish_mode: 'staged' })
  const origin = await reached(app)
  const [first] = posts

  it('shows the public what was published, and editors what waits', async () => {
    const { call } = app
    await call('PUT', `/api/v1/content?q=${first?.content_data_id}`, {
      body: { fields: { excerpt: 'Later' } },
    })
    const wordpress = `${origin}/compat/wordpress/wp-json/wp/v2/posts?slug=post-1`
    const sanityList = `${origin}/compat/sanity/v1/data/query/x?query=${encodeURIComponent('*[_type == "post" && price == 1.5]')}`
    const strapiList = `${origin}/compat/strapi/api/posts?filters[price][$eq]=1.5`
    const headers = { Authorization: `Bearer ${editorKey}` }
    const shown = async (address: string) => (await fetch(address, { headers })).text()
    for (const address of [wordpress, strapiList, sanityList]) {
      expect(await shown(address)).toContain('Short 1')
      expect(await shown(address)).not.toContain('Later')
    }
    expect(await shown(`${wordpress}&status=any`)).toContain('Later')
    expect(await shown(`${strapiList}&status=draft`)).toContain('Later')
    expect(await shown(`${sanityList}&perspective=drafts`)).toContain('Later')
    const published = await call('POST', '/api/v1/content/publish', {
      body: { content_data_id: first?.content_data_id },
    })
    expect(published.status).toBe(200)
    for (const address of [wordpress, strapiList, sanityList]) expect(await shown(address)).toContain('Later')
  })
})
