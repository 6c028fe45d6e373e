import { expect, it } from 'vitest'
import { limits } from '../../src/limits.js'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'
import { leavesIn } from '../support/read-markdown.js'

const production = { environment: 'production', client_site: 'https://site.example' }
const app = await testApp({ ...production, i18n_enabled: true })
const { call, clock } = app
const make = factories(app)
const done = async (method: string, path: string, body?: unknown) => {
  const answer = await call(method, `/api/v1${path}`, body === undefined ? {} : { body })
  expect([path, answer.status, answer.text]).toEqual([path, expect.toSatisfy(n => n < 300), answer.text])
  return answer.body
}
const get = (headers: Record<string, string> = {}, method = 'GET') =>
  call(method, '/llms.txt', { as: 'nobody', headers })

await done('POST', '/locales', { code: 'de', label: 'Deutsch' })
const { datatype_id: type } = await make.datatype('Page')
await make.field(type, 'Subtitle', 'text')
await make.field(type, 'Summary', 'textarea', { translatable: true })
const page = async (route: object, fields: object = {}, more: object = {}) => {
  clock.advance(1000)
  const { route_id } = await done('POST', '/routes', route)
  return { route_id, ...(await make.entry(type, { route_id }, { status: 'published', fields, ...more })) }
}
const home = await page(
  { slug: '/', title: 'Home' },
  { summary: 'We\n mend  bicycles.', subtitle: 'not this' },
)
await page(
  { slug: '/über', title: '# x](javascript:alert(1)) <b>', translations: { de: { slug: '/ä', title: 'Ä' } } },
  { subtitle: 'A ['.repeat(200) },
)
await page({ slug: '/titled', title: 'Titled', translations: { de: { title: 'Betitelt' } } })
await page({ slug: '/draft', title: 'Draft' }, {}, { status: 'draft' })

const url = (path: string) => `https://site.example${path}`

it('lists what the public sees as llmstxt.org says, in every locale', async () => {
  await done('PUT', `/content?q=${home.content_data_id}`, {
    locale: 'de',
    fields: { summary: 'Wir flicken.' },
  })
  const { status, headers, text } = await get()
  expect([status, headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8'])
  const leaves = leavesIn(text)
  expect(leaves.map(({ path }) => path)).toEqual([
    'h1',
    'quote>p',
    'h2',
    '->p',
    '->p',
    '->p',
    'h2',
    '->p',
    '->p',
  ])
  expect(leaves[0]?.text).toBe('site.example')
  expect(leaves[1]?.text).toBe('We mend bicycles.')
  expect(leaves[3]).toMatchObject({
    text: 'Home: We mend bicycles.',
    links: [`Home>${url('/?format=markdown')}`],
  })
  expect(leaves[4]?.links).toEqual([`# x](javascript:alert(1)) <b>>${url('/%C3%BCber?format=markdown')}`])
  expect(leaves[4]?.text).toMatch(/: A \[A \[.*…$/)
  expect(leaves[4]?.text.length).toBeLessThan(350)
  expect(leaves.slice(6).map(leaf => [leaf.text.split(':')[0], ...leaf.links])).toEqual([
    ['Deutsch'],
    ['Ä', `Ä>${url('/%C3%A4?format=markdown')}`],
    ['Betitelt', `Betitelt>${url('/titled?format=markdown&locale=de')}`],
  ])
  expect(text).not.toContain('Draft')
  for (const { links } of leaves)
    for (const link of links)
      expect((await call('GET', (link.split('>').at(-1) ?? '').slice(20), { as: 'nobody' })).status).toBe(200)
})

it('has the name and summary of the configuration', async () => {
  await done('PUT', '/config', { site_name: 'Frei*lauf*', site_summary: 'All about > bicycles' })
  expect((await get()).text).toMatch(/^# Frei\\\*lauf\\\*\n\n> All about > bicycles\n/)
  await done('PUT', '/config', { site_name: null, site_summary: null })
})

it('is cached, revalidated and never older than the last change', async () => {
  const { headers, text } = await get()
  expect(headers.get('surrogate-key')).toBe('sitemap content')
  expect(headers.get('cache-control')).toContain('public, max-age=0')
  const tag = headers.get('etag') ?? ''
  expect((await get({ 'If-None-Match': tag })).status).toBe(304)
  const head = await get({}, 'HEAD')
  expect([head.status, head.text, Number(head.headers.get('content-length'))]).toEqual([
    200,
    '',
    new TextEncoder().encode(text).length,
  ])
  await done('PUT', `/content?q=${home.content_data_id}`, { fields: { summary: 'We ride.' } })
  const changed = await get({ 'If-None-Match': tag })
  expect([changed.status, changed.text]).toEqual([200, expect.stringContaining('> We ride.')])
})

it('is not there where it is off, or where all programs are kept away', async () => {
  const statusWith = async (settings: Record<string, unknown>) => {
    await done('PUT', '/config', settings)
    const { status } = await get()
    await done('PUT', '/config', Object.fromEntries(Object.keys(settings).map(name => [name, null])))
    return status
  }
  expect(await statusWith({ llms_txt_enabled: false })).toBe(404)
  expect(await statusWith({ sitemap_enabled: false })).toBe(404)
  expect(await statusWith({ robots_txt: 'User-agent: a\nUser-agent: *\nDisallow: / # all\n' })).toBe(404)
  expect(
    await statusWith({ robots_txt: 'User-agent: a\nDisallow: /\n\nUser-agent: *\nDisallow: /x\n' }),
  ).toBe(200)
  expect(await statusWith({ robots_txt: 'User-agent: *\nDisallow: /', robots_enabled: false })).toBe(200)
  const status = async (config: object) =>
    (await (await testApp(config)).call('GET', '/llms.txt', { as: 'nobody' })).status
  expect(await status({ ...production, environment: 'staging' })).toBe(404)
  expect(await status({ environment: 'production' })).toBe(404)
  expect(await status({ environment: 'local' })).toBe(200)
  expect((await call('POST', '/api/v1/routes', { body: { slug: '/llms.txt', title: 'x' } })).status).toBe(400)
})

it('ends with a link to the sitemap where there is more', async () => {
  const long = 'w'.repeat(250)
  const many = Math.ceil(limits.pages.llmsCharacters / 300)
  for (let n = 0; n < many; n++) await page({ slug: `/${long}-${n}`, title: `Page ${n}` })
  const { text } = await get()
  expect(text.length).toBeLessThan(limits.pages.llmsCharacters + 200)
  expect(text.endsWith(`## More\n\n- [Sitemap](${url('/sitemap.xml')}): every page of the site\n`)).toBe(true)
})
