import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { type Caller, type TestApp, testApp } from '../support/app.js'
import { factories } from '../support/factories.js'
import { publicRow } from '../support/public-rows.js'

const callsOf = ({ call }: TestApp) => ({
  get: (path: string, as: Caller = 'nobody', headers = {}, method = 'GET') =>
    call(method, path, { as, headers }),
  async done(method: string, path: string, body?: unknown) {
    const answer = await call(method, `/api/v1${path}`, body === undefined ? {} : { body })
    expect([path, answer.status, answer.text]).toEqual([path, expect.toSatisfy(n => n < 300), answer.text])
    return answer.body
  },
})

const app = await testApp({ i18n_enabled: true, publish_mode: 'staged', client_site: 'https://site.example' })
const { get, done } = callsOf(app)
const { db, clock } = app
const make = factories(app)
for (const code of ['de', 'fr']) await done('POST', '/locales', { code, label: code })
const { datatype_id: type } = await make.datatype('Page')
await make.field(type, 'Text', 'text')
const page = async (route: object, more: object = {}) => {
  clock.advance(1000)
  const { route_id } = await done('POST', '/routes', route)
  return { route_id, ...(await make.entry(type, { route_id }, { status: 'published', ...more })) }
}
const about = await page({
  slug: '/a&b',
  title: 'About',
  translations: { de: { slug: '/über', title: 'Über' }, fr: { title: 'À propos' } },
})
const plain = await page({ slug: '/plain', title: 'Plain' })
await page({ slug: '/draft', title: 'Draft' }, { status: 'draft' })
const published = '/api/v1/routes/published'
const list = async (query = '') => (await get(published + query)).body
const modified = async () =>
  Object.fromEntries(
    (await list()).data.map(({ slug, modified }: Record<string, string>) => [slug, modified]),
  )

describe('/routes/published', () => {
  it('lists what the public sees, to everybody, with slug and title in each locale that has them', async () => {
    const { data, meta } = await list()
    expect(meta).toEqual({ next: null })
    expect(data).toEqual([
      {
        id: about.content_data_id,
        type: 'page',
        slug: '/a&b',
        title: 'About',
        locales: { de: { slug: '/über', title: 'Über' }, fr: { slug: '/a&b', title: 'À propos' } },
        modified: expect.stringMatching(/^2026-11-21T/),
      },
      expect.objectContaining({ slug: '/plain', title: 'Plain', locales: {} }),
    ])
  })

  it('goes on from a cursor, in bounds', async () => {
    const first = await list('?limit=1')
    expect(first.meta.next).toBe(about.route_id)
    const second = await list(`?limit=1&cursor=${first.meta.next}`)
    expect([second.data.length, second.data[0].slug, second.meta.next]).toEqual([1, '/plain', null])
    for (const query of [
      '?limit=0',
      '?limit=1001',
      '?limit=x',
      '?cursor=a%20b',
      '?offset=1',
      '?limit=1&limit=2',
    ])
      expect([query, (await get(published + query)).status]).toEqual([query, 400])
    expect((await get(`${published}?cursor=zzz`)).body.data).toEqual([])
  })

  it('says when a page was last changed for the public, and nothing of drafts and pending changes', async () => {
    const before = await modified()
    const changes = async (work: () => Promise<unknown>) => {
      const was = await modified()
      clock.advance(1000)
      await work()
      const is = await modified()
      return Object.keys(is).filter(slug => is[slug] !== was[slug])
    }
    const set = (text: string) => done('PUT', `/content?q=${plain.content_data_id}`, { fields: { text } })
    const publish = () => done('POST', '/content/publish', { content_data_id: plain.content_data_id })
    expect(await changes(() => set('one'))).toEqual([])
    expect(await changes(() => set('two'))).toEqual([])
    expect(await changes(publish)).toEqual(['/plain'])
    const child = () => done('POST', '/content', { datatype_id: type, parent_id: plain.content_data_id })
    expect(await changes(child)).toEqual([])
    expect(await changes(publish)).toEqual(['/plain'])
    expect(await changes(() => done('PUT', `/routes?q=${plain.route_id}`, { title: 'Plainer' }))).toEqual([
      '/plain',
    ])
    expect((await modified())['/a&b']).toBe(before['/a&b'])
  })

  it('is never older than the last change, and is revalidated', async () => {
    const { headers } = await get(published)
    const tag = headers.get('etag') ?? ''
    expect(headers.get('cache-control')).toBe(
      'public, max-age=0, stale-while-revalidate=30, stale-if-error=86400',
    )
    expect((await get(published, 'nobody', { 'If-None-Match': tag })).status).toBe(304)
    let statements = 0
    const { findIn } = db
    db.findIn = (...given: Parameters<typeof findIn>) => {
      statements++
      return findIn.apply(db, given) as never
    }
    expect([(await get(published)).status, statements]).toEqual([200, 0])
    db.findIn = findIn
    await done('PUT', `/routes?q=${plain.route_id}`, { title: 'Plain' })
    expect((await list()).data[1].title).toBe('Plain')
    expect((await get(published, 'nobody', { 'If-None-Match': tag })).status).toBe(200)
    await done('POST', '/content/unpublish', { content_data_id: plain.content_data_id })
    expect((await list()).data).toHaveLength(1)
    await done('POST', '/content/publish', { content_data_id: plain.content_data_id })
  })

  it('needs the right to read content where the sitemap is off', async () => {
    await done('PUT', '/config', { sitemap_enabled: false })
    expect((await get(published)).status).toBe(403)
    const { status, headers } = await get(published, 'viewer')
    expect([status, headers.get('cache-control')]).toEqual([200, 'private, no-cache'])
    expect((await get('/sitemap.xml')).status).toBe(404)
    await done('PUT', '/config', { sitemap_enabled: true })
  })
})

describe('/sitemap.xml', () => {
  it('names every address of each page with its alternates', async () => {
    const { status, headers, text } = await get('/sitemap.xml')
    expect([status, headers.get('content-type')]).toEqual([200, 'application/xml; charset=UTF-8'])
    const times = await modified()
    const [own, german] = ['https://site.example/a&amp;b', 'https://site.example/%C3%BCber']
    const alternates = [
      ['en', own],
      ['de', german],
      ['x-default', own],
    ].map(([code, href]) => `<xhtml:link rel="alternate" hreflang="${code}" href="${href}"/>`)
    const url = (loc: string, time: string, links: string[] = []) =>
      `<url><loc>${loc}</loc><lastmod>${time}</lastmod>${links.join('')}</url>\n`
    expect(text).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">\n' +
        url(own, times['/a&b'], alternates) +
        url(german, times['/a&b'], alternates) +
        url('https://site.example/plain', times['/plain']) +
        '</urlset>\n',
    )
  })

  it('is revalidated, and answers HEAD', async () => {
    const { headers, text } = await get('/sitemap.xml')
    const head = await get('/sitemap.xml', 'nobody', {}, 'HEAD')
    expect([head.status, head.text, head.headers.get('content-length')]).toEqual([
      200,
      '',
      String(new TextEncoder().encode(text).length),
    ])
    const known = { 'If-None-Match': headers.get('etag') ?? '' }
    expect((await get('/sitemap.xml', 'nobody', known)).status).toBe(304)
    await done('PUT', `/locales?q=${(await done('GET', '/locales?code=de'))[0].locale_id}`, {
      is_enabled: false,
    })
    const later = await get('/sitemap.xml', 'nobody', known)
    expect([later.status, later.text.includes('%C3%BCber')]).toEqual([200, false])
    expect((await get('/sitemap.xml', 'nobody', {}, 'POST')).status).toBe(405)
    for (const query of ['?after=x', '?after=&until=1', '?until=%3Cb%3E'])
      expect((await get(`/sitemap.xml${query}`)).status).toBe(400)
  })
})

describe('/robots.txt', () => {
  it('keeps every site but that of production from being searched', async () => {
    const { text, headers } = await get('/robots.txt')
    expect(text).toBe('User-agent: *\nDisallow: /\n')
    expect(headers.get('content-type')).toBe('text/plain; charset=UTF-8')
    const folder = mkdtempSync(join(tmpdir(), 'slugline-certificates-'))
    const start = { environment: 'production', cert_dir: folder }
    const live = callsOf(await testApp({ ...start, client_site: 'site.example' }))
    expect((await live.get('/robots.txt')).text).toBe(
      'User-agent: *\nDisallow: /api/\nDisallow: /admin/\n\nSitemap: https://site.example/sitemap.xml\n',
    )
    // The host of a request is whatever its sender likes.
    const nameless = callsOf(await testApp(start))
    expect((await nameless.get('/robots.txt')).text).not.toContain('Sitemap')
    expect((await nameless.get('/sitemap.xml')).status).toBe(404)
  })

  it('says what the configuration says, or is not there', async () => {
    const robots_txt = 'User-agent: *\nDisallow: /private/\n'
    await done('PUT', '/config', { robots_txt })
    const { text } = await get('/robots.txt')
    expect(text).toBe(robots_txt)
    const head = await get('/robots.txt', 'nobody', {}, 'HEAD')
    expect([head.text, head.headers.get('content-length')]).toEqual(['', String(robots_txt.length)])
    await done('PUT', '/config', { robots_enabled: false })
    expect((await get('/robots.txt')).status).toBe(404)
    const wrong = await app.call('PUT', '/api/v1/config', { body: { robots_txt: 'a\u0000b' } })
    expect([wrong.status, wrong.body.member]).toEqual([400, 'robots_txt'])
  })

  it('is no slug, and neither is the sitemap', async () => {
    for (const slug of ['/robots.txt', '/sitemap.xml'])
      expect((await app.call('POST', '/api/v1/routes', { body: { slug, title: 'x' } })).body.error).toContain(
        'belongs to the service itself',
      )
    await page({ slug: '/robots.txt/more', title: 'x' })
    expect((await get('/robots.txt/more')).status).toBe(200)
  })
})

it('a local site without an address is at that of the request, for nobody else', async () => {
  const other = await testApp()
  const { get } = callsOf(other)
  const { datatype_id } = await factories(other).datatype('Page')
  const { route_id } = await factories(other).route('/x')
  await factories(other).entry(datatype_id, { route_id }, { status: 'published' })
  const { text, headers } = await get('/sitemap.xml')
  expect(text).toContain('<loc>http://localhost/x</loc>')
  expect(headers.get('cache-control')).toBe('no-store')
})

describe('a site of many pages', async () => {
  const many = await testApp({ i18n_enabled: true, client_site: 'https://many.example/' })
  const { get } = callsOf(many)
  const { datatype_id } = await factories(many).datatype('Page')
  const number = 1100
  const slugs: string[] = []
  await many.db.write(systemActor, async tx => {
    const author_id = many.users.admin
    for (let n = 0; n < 24; n++)
      await tx.insert(tables.locales, { code: `x${String.fromCharCode(97 + n)}`, label: 'x' })
    const routes = await tx.insertAll(
      tables.routes,
      Array.from({ length: number }, (_, n) => ({ slug: `/page-${n}`, title: 'x', author_id })),
    )
    const entries = routes.map(({ route_id, slug }) => {
      slugs.push(slug)
      const id = many.parts.ids.ulid()
      return publicRow({ content_data_id: id, datatype_id, author_id, route_id })
    })
    await tx.insertAllInternal(tables.publicEntries, entries)
  })
  const locationsIn = (text: string) =>
    [...text.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, found = '']) => found)

  it('has an index, whose sitemaps name every page once', async () => {
    const { text, headers } = await get('/sitemap.xml')
    expect(text).toContain('<sitemapindex')
    const parts = locationsIn(text).map(part => part.replaceAll('&amp;', '&'))
    expect(parts.length).toBe(15)
    const found: string[] = []
    for (const part of parts) {
      const { status, text, headers } = await get(part.replace('https://many.example', ''))
      expect([status, headers.get('content-length')]).toEqual([200, null])
      expect(text.endsWith('</urlset>\n')).toBe(true)
      found.push(...locationsIn(text))
    }
    expect(found).toEqual(slugs.map(slug => `https://many.example${slug}`))
    const known = { 'If-None-Match': headers.get('etag') ?? '' }
    expect((await get('/sitemap.xml', 'nobody', known)).status).toBe(304)
    expect((await get(published, 'nobody')).body.data).toHaveLength(100)
  })

  it('leaves others their turn while it is read, and ends with its reader', async () => {
    let turns = 0
    let isRead = false
    const count = () => {
      turns++
      if (!isRead) setImmediate(count)
    }
    setImmediate(count)
    await get('/sitemap.xml?after=')
    isRead = true
    expect(turns).toBeGreaterThan(30)
    const response = await many.app.fetch(new Request('http://localhost/sitemap.xml?after='))
    const reader = response.body?.getReader()
    await reader?.read()
    await reader?.cancel()
    expect((await get('/sitemap.xml?after=', 'nobody', {}, 'HEAD')).text).toBe('')
  })
})
