import { beforeAll, expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'

const app = await testApp({ i18n_enabled: true, webhook_enabled: true })
const { call, audits, deliveries, subscribe } = app
const { datatype, field } = factories(app)
let page: string
let card: string

beforeAll(async () => {
  page = (await datatype('Page', { visibility: 'public' })).datatype_id
  card = (await datatype('Card')).datatype_id
  await field(page, 'Intro', 'text', { translatable: true, data: { default: 'Hello' } })
  await field(page, 'Price', 'number')
  await field(card, 'Text', 'text', { translatable: true })
  for (const code of ['de', 'fr']) await call('POST', '/api/v1/locales', { body: { code, label: code } })
})

const given = (slug: string) => ({
  ...{ slug, title: 'About', datatype_id: page, status: 'published' },
  translations: { de: { slug: `/de${slug}`, title: 'Über uns' }, fr: { title: 'À propos' } },
  fields: { intro: 'English', price: 3 },
  locales: { de: { fields: { intro: 'Deutsch' } }, fr: { fields: { intro: 'Français' } } },
  children: [
    { datatype_id: card, fields: { text: 'A card' }, locales: { de: { fields: { text: 'Eine Karte' } } } },
  ],
})
const shown = async (path: string) => {
  const { status, body } = await call('GET', `${path}${path.includes('?') ? '&' : '?'}format=clean`, {
    as: 'nobody',
  })
  return [status, body.title, body.intro, body.children?.[0]?.text]
}

it('makes a page in three languages by one request, public at once, with one event', async () => {
  await subscribe()
  const answer = await call('POST', '/api/v1/pages', { body: given('/about') })
  expect([answer.status, answer.body.route.translations.de.slug]).toEqual([201, '/de/about'])
  expect(await shown('/about')).toEqual([200, 'About', 'English', 'A card'])
  expect(await shown('/de/about')).toEqual([200, 'Über uns', 'Deutsch', 'Eine Karte'])
  expect(await shown('/about?locale=fr')).toEqual([200, 'À propos', 'Français', 'A card'])
  const sent = await deliveries()
  expect(sent.map(({ event }) => event)).toEqual(['version.created', 'content.published', 'route.created'])
  const written = (await audits()).filter(({ table_name }) => table_name === 'content_fields')
  expect(written).toHaveLength(6)
})

it('begins a page in any language', async () => {
  const body = {
    ...given('/impressum'),
    locale: 'de',
    fields: { intro: 'Deutsch' },
    locales: {},
    children: [],
  }
  expect((await call('POST', '/api/v1/pages', { body })).status).toBe(201)
  expect(await shown('/de/impressum')).toEqual([200, 'Über uns', 'Deutsch', undefined])
})

it('changes values in several languages, of an entry and of those under it', async () => {
  const { entry } = (await call('POST', '/api/v1/pages', { body: given('/update') })).body
  const path = `/api/v1/content?q=${entry.content_data_id}`
  const change = {
    fields: { intro: 'New' },
    locales: { de: { fields: { intro: 'Neu' } }, fr: { fields: { intro: null } } },
    children: [
      {
        content_data_id: entry.children[0].content_data_id,
        locales: { de: { fields: { text: 'Neue Karte' } }, fr: { fields: { text: 'Carte' } } },
      },
    ],
  }
  expect((await call('PUT', path, { body: change })).status).toBe(200)
  expect(await shown('/update')).toEqual([200, 'About', 'New', 'A card'])
  expect(await shown('/de/update')).toEqual([200, 'Über uns', 'Neu', 'Neue Karte'])
  expect(await shown('/update?locale=fr')).toEqual([200, 'À propos', 'New', 'Carte'])
  const before = (await audits()).length
  expect((await call('PUT', path, { body: change })).status).toBe(200)
  expect(await audits()).toHaveLength(before)
})

it('refuses what it cannot write, and writes nothing', async () => {
  const before = (await audits()).length
  const refused = async (body: object, path = '/api/v1/pages') => {
    const answer = await call('POST', path, { body })
    return [answer.status, answer.body.code, answer.body.member]
  }
  const from = given('/never')
  const locales = (of: object) => ({ ...from, locales: of })
  expect(await refused(locales({ es: { fields: { intro: 'x' } } }))).toEqual([400, 'invalid', 'locales.es'])
  expect(await refused(locales({ de: { fields: { price: 1 } } }))).toEqual([400, 'invalid', 'locales.de'])
  expect(await refused(locales({ de: { fields: { nothing: 1 } } }))).toEqual([
    400,
    'invalid',
    'locales.de.fields.nothing',
  ])
  expect(await refused(locales({ de: { fields: {}, values: {} } }))).toEqual([400, 'invalid', 'locales.de'])
  expect((await refused(locales({ 'no tag': { fields: {} } })))[0]).toBe(400)
  expect(await refused({ ...from, locale: 'de' })).toEqual([400, 'invalid', 'locales.de'])
  const child = { datatype_id: card, locales: { de: { fields: { text: 1.5, other: 2 } } } }
  expect(await refused({ ...from, children: [child] })).toEqual([
    ...[400, 'invalid', 'children.0.locales.de.fields.other'],
  ])
  expect(await refused({ ...from, translations: { es: { title: 'x' } } })).toEqual([
    400,
    'invalid',
    'translations.es',
  ])
  expect(await refused({ ...from, translations: { de: { slug: '/about' } } })).toEqual([
    ...[409, 'duplicate', 'translations.de.slug'],
  ])
  const many = Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`f${n}`, 1]))
  expect((await refused(locales({ de: { fields: many }, fr: { fields: many } })))[0]).toBeGreaterThanOrEqual(
    400,
  )
  for (const as of ['nobody', 'viewer'] as const)
    expect((await call('POST', '/api/v1/pages', { as, body: from })).status).toBe(403)
  expect(await audits()).toHaveLength(before)
})
