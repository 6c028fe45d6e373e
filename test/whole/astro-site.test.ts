import { execFile, spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { callerOf, made } from '../support/calls.js'
import { migratedDatabase } from '../support/database.js'
import { amount } from '../support/effort.js'
import { installedPackages } from '../support/installed.js'
import { freePort, portListens, startProduct } from '../support/process.js'
import { testStorage } from '../support/storage.js'

const run = promisify(execFile)
const posts = amount(20, 60)

const packages = await installedPackages('examples/astro', 'astro-site')
/** The example as somebody has copied it, with the packages that it links. */
const folder = mkdtempSync(join(tmpdir(), 'slugline-astro-'))
const example = join(folder, 'astro')
const isSource = (path: string) =>
  !/node_modules|\/dist|\.astro\/?$/.test(path.slice('examples/astro'.length))
cpSync('examples/astro', example, {
  recursive: true,
  filter: path => (path.endsWith('.astro') ? !path.endsWith('/.astro') : isSource(path)),
})
mkdirSync(join(example, 'node_modules/@slugline'), { recursive: true })
for (const name of readdirSync(join(packages, 'node_modules')))
  if (name !== '@slugline')
    symlinkSync(join(packages, 'node_modules', name), join(example, 'node_modules', name))
for (const name of ['client', 'astro'])
  symlinkSync(resolve('packages', name), join(example, 'node_modules/@slugline', name))
const out = join(example, 'dist')

const storage = await testStorage({ readable: true })
const { address, drop } = await migratedDatabase()
const product = await startProduct(address, {
  config: { ...storage.config, i18n_enabled: true },
})
const call = await callerOf(product)
const key: string = (await made(call('POST', '/tokens', { label: 'Site' }))).token

const asked: string[] = []
const proxy = createServer(async (request, response) => {
  asked.push(`${request.method} ${request.url} ${request.headers.authorization ? 'key' : 'no key'}`)
  const { authorization = '' } = request.headers
  const answer = await fetch(product.url + request.url, { headers: { authorization } })
  response.writeHead(answer.status, { 'Content-Type': answer.headers.get('content-type') ?? '' })
  response.end(await answer.text())
})
const proxyPort = await freePort()
const build = (env: Record<string, string> = {}) => {
  asked.length = 0
  return run(join(packages, 'node_modules/.bin/astro'), ['build'], {
    cwd: example,
    env: {
      ...{ PATH: process.env.PATH, HOME: folder, ASTRO_TELEMETRY_DISABLED: '1' },
      ...{ SLUGLINE_URL: `http://127.0.0.1:${proxyPort}`, SLUGLINE_PUBLIC_URL: product.url },
      ...env,
    },
  })
}
const html = (url: string) => readFileSync(join(out, url, 'index.html'), 'utf8')

beforeAll(async () => {
  await new Promise<void>(done => proxy.listen(proxyPort, '127.0.0.1', done))
  await run('node', ['seed.mjs', String(posts)], {
    cwd: 'examples/eleventy',
    env: { PATH: process.env.PATH, SLUGLINE_URL: product.url, SLUGLINE_KEY: key },
  })
  await made(call('POST', '/redirects', { slug: '/old', target: '/posts/post-1' }))
})
afterAll(async () => {
  await new Promise(done => proxy.close(done))
  rmSync(folder, { recursive: true, force: true })
  await drop()
})

it('is built with one request for each list and language, and without a key', async () => {
  await build()
  expect(asked.toSorted()).toEqual([
    'GET /api/v1/query/menu?limit=200&locale=de&children=1 no key',
    'GET /api/v1/query/menu?limit=200&locale=en&children=1 no key',
    'GET /api/v1/query/post?limit=200&locale=de&sort=-date no key',
    'GET /api/v1/query/post?limit=200&locale=en&sort=-date no key',
    'GET /api/v1/query/tag?limit=200&locale=de&sort=name no key',
    'GET /api/v1/query/tag?limit=200&locale=en&sort=name no key',
  ])
})

it('has every post in both languages, with menu, picture and translation, and no dead link', () => {
  for (let n = 1; n <= posts; n++) {
    const [en, de] = [`/posts/post-${n}/`, `/de/beitraege/beitrag-${n}/`]
    expect(html(en)).toContain(`<h1>Post ${n} &lt;of many&gt;</h1>`)
    expect(html(de)).toContain(`<h1>Beitrag ${n} &lt;von vielen&gt;</h1>`)
    for (const text of [html(en), html(de)]) {
      expect(text).toContain(`hreflang="de" href="${de}"`)
      expect([n, text.includes('<picture>')]).toEqual([n, n % 4 !== 0])
    }
  }
  expect(html('/')).toMatch(/post-2\/.*post-1\//s)
  const files = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.html'))
  for (const file of files) {
    const text = readFileSync(join(out, file), 'utf8')
    expect([file, /undefined|NaN|\[object/.exec(text)?.[0]]).toEqual([file, undefined])
    for (const [, href = ''] of text.matchAll(/<a href="(\/[^"]*)"/g))
      expect([file, href, existsSync(join(out, href, 'index.html'))]).toEqual([file, href, true])
  }
})

it('leads from old addresses to the current ones, with a key', async () => {
  await build({ SLUGLINE_KEY: key })
  expect(asked).toHaveLength(8)
  expect(html('/old/')).toContain('/posts/post-1')
})

it('stops if the service refuses or is away', async () => {
  await expect(build({ SLUGLINE_KEY: 'slk_wrong' })).rejects.toThrow(/no valid credentials/)
  await expect(build({ SLUGLINE_URL: `http://127.0.0.1:${await freePort()}` })).rejects.toThrow(
    /did not answer/,
  )
  await build()
})

it('reads live collections whenever a page is rendered', async () => {
  const live = join(folder, 'live')
  cpSync(example, live, { recursive: true, verbatimSymlinks: true })
  writeFileSync(
    join(live, 'astro.config.mjs'),
    `export default { experimental: { liveContentCollections: true }, devToolbar: { enabled: false } }`,
  )
  writeFileSync(
    join(live, 'src/live.config.mjs'),
    `import { liveEntries } from '@slugline/astro'
import { defineLiveCollection } from 'astro:content'
import { cms } from './cms.mjs'
export const collections = {
  news: defineLiveCollection({ loader: liveEntries(cms.query('post').sort('-date'), { body: 'body' }) }),
  none: defineLiveCollection({ loader: liveEntries(cms.query('nothing')) }),
}`,
  )
  writeFileSync(
    join(live, 'src/pages/live.astro'),
    `---
import { getLiveCollection, getLiveEntry, render } from 'astro:content'
export const prerender = false
const whole = await getLiveCollection('news')
const part = await getLiveCollection('news', {
  locale: 'de', limit: 2, where: [['date', 'lt', '2026-01-04'], ['title', 'ne', 'Post 1']],
})
const one = await getLiveEntry('news', { slug: '/posts/post-1', locale: 'de' })
const same = await getLiveEntry('news', { id: one.entry.id })
const { Content } = await render(same.entry)
const missing = await getLiveEntry('news', { id: '01ARZ3NDEKTSV4RRFFQ69G5FAV' })
const nowhere = await getLiveEntry('news', { slug: '/nowhere' })
const refused = [await getLiveCollection('none'), await getLiveEntry('none', { slug: '/a' })]
const seen = {
  count: whole.entries.length,
  part: part.entries.map(({ data }) => data.title),
  one: [one.entry.data.title, same.entry.data.title, same.entry.data.fields.teaser],
  missing: [missing.error.name, nowhere.error.name],
  refused: refused.map(({ error }) => [error.name, error.code]),
}
---
<script is:inline type="application/json" id="seen" set:html={JSON.stringify(seen)} />
<article><Content /></article>`,
  )
  const port = await freePort()
  const args = ['dev', '--port', String(port), '--host', '127.0.0.1']
  const server = spawn(join(packages, 'node_modules/.bin/astro'), args, {
    cwd: live,
    env: { PATH: process.env.PATH, HOME: folder, ASTRO_TELEMETRY_DISABLED: '1', SLUGLINE_URL: product.url },
    stdio: 'ignore',
  })
  const ended = new Promise(done => server.once('close', done))
  onTestFinished(async () => {
    server.kill('SIGKILL')
    await ended
  })
  await expect.poll(() => portListens(port), { timeout: 180_000 }).toBe(true)
  const rendered = async () => {
    const text = await (await fetch(`http://127.0.0.1:${port}/live/`)).text()
    const [, json] = /id="seen">(.*?)<\/script>/s.exec(text) ?? []
    const [, article] = /<article>(.*?)<\/article>/s.exec(text) ?? []
    return { ...JSON.parse(json ?? text), article }
  }
  const first = await rendered()
  expect(first).toEqual({
    count: posts,
    part: ['Beitrag 2 <von vielen>', 'Beitrag 1 <von vielen>'],
    one: ['Beitrag 1 <von vielen>', 'Post 1 <of many>', 'What 1 is about'],
    article: '<p>The <strong>text</strong> of 1</p>',
    missing: ['LiveEntryNotFoundError', 'LiveEntryNotFoundError'],
    refused: [
      ['SluglineError', 'unauthenticated'],
      ['SluglineError', 'unauthenticated'],
    ],
  })
  const [entry] = (await made(call('GET', '/query/post?filter[slug][eq]=/posts/post-1'))).data
  await made(call('PUT', `/content?q=${entry.id}`, { fields: { teaser: 'Changed a moment ago' } }))
  expect((await rendered()).one[2]).toBe('Changed a moment ago')
})
