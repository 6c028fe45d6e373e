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
} from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { callerOf, made } from '../support/calls.js'
import { migratedDatabase } from '../support/database.js'
import { amount } from '../support/effort.js'
import { eventReader } from '../support/event-stream.js'
import { installedPackages } from '../support/installed.js'
import { freePort, startProduct } from '../support/process.js'
import { testStorage } from '../support/storage.js'

const run = promisify(execFile)
const posts = amount(40, 220)
const postsOnPage = 20

const packages = await installedPackages('examples/eleventy', 'example-site')
/** The example as somebody has copied it, alone. */
const folder = mkdtempSync(join(tmpdir(), 'slugline-site-'))
const example = join(folder, 'eleventy')
cpSync('examples/eleventy', example, { recursive: true })
mkdirSync(join(example, 'node_modules/@slugline'), { recursive: true })
for (const name of readdirSync(join(packages, 'node_modules')))
  if (name !== '@slugline')
    symlinkSync(join(packages, 'node_modules', name), join(example, 'node_modules', name))
for (const name of ['client', 'eleventy'])
  symlinkSync(resolve('packages', name), join(example, 'node_modules/@slugline', name))
const out = join(example, '_site')

const storage = await testStorage({ readable: true })
const { address, drop } = await migratedDatabase()
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await drop()
})
const product = await startProduct(address, {
  config: {
    ...storage.config,
    i18n_enabled: true,
    webhook_enabled: true,
    webhook_allow_http: true,
    webhook_retry_delays: ['1s'],
    app_secret: 'a secret of the test, long enough',
  },
})
const call = await callerOf(product)
const key = (await made(call('POST', '/tokens', { label: 'Seed' }))).token
const seed = (count: number) =>
  run('npm', ['run', 'seed', '--', String(count)], {
    cwd: example,
    env: { PATH: process.env.PATH, SLUGLINE_URL: product.url, SLUGLINE_KEY: key },
  })
await seed(posts)
const [postType] = (await made(call('GET', '/datatypes'))).filter(
  ({ name }: { name: string }) => name === 'post',
)
const draft = await made(
  call('POST', '/pages', {
    ...{ slug: '/posts/soon', title: 'SECRET title', datatype_id: postType.datatype_id },
    fields: { teaser: 'SECRET teaser', date: '2026-01-01' },
  }),
)
const draftId = draft.entry.content_data_id

/** What the build asks for, as a proxy before the service sees it. */
const asked: string[] = []
const proxy = createServer(async (request, response) => {
  asked.push(`${request.method} ${request.url} ${request.headers.authorization ?? 'no key'}`)
  const { authorization = '' } = request.headers
  const answer = await fetch(product.url + request.url, { headers: { authorization } })
  response.writeHead(answer.status, { 'Content-Type': answer.headers.get('content-type') ?? '' })
  response.end(await answer.text())
})
const proxyPort = await freePort()
await new Promise<void>(done => proxy.listen(proxyPort, '127.0.0.1', done))
afterAll(() => new Promise(done => proxy.close(done)))
const siteEnv = {
  PATH: process.env.PATH,
  SLUGLINE_URL: `http://127.0.0.1:${proxyPort}`,
  SLUGLINE_PUBLIC_URL: product.url,
}
const build = (env: Record<string, string> = {}) => {
  asked.length = 0
  const options = { cwd: example, env: { ...siteEnv, ...env } }
  return run(join(packages, 'node_modules/.bin/eleventy'), ['--quiet'], options)
}

/** A page of the built site by its address. */
const html = (url: string) => readFileSync(join(out, url, 'index.html'), 'utf8')
const links = (text: string, within: RegExp) =>
  [...(within.exec(text)?.[0] ?? '').matchAll(/href="([^"]+)"/g)].map(([, href = '']) => href)
const pagesOf = (url: string) =>
  Array.from({ length: 50 }, (_, n) => (n === 0 ? url : `${url}page/${n + 1}/`)).filter(at =>
    existsSync(join(out, at, 'index.html')),
  )
const listed = (url: string) =>
  pagesOf(url).flatMap(at => links(html(at), /<ol class="posts">.*<\/ol>/s).filter(href => href !== at))

it('is built with as many requests as it has lists, and nothing in it knows an id or a key', async () => {
  await build()
  expect(asked).toHaveLength(2 * (Math.ceil(posts / 200) + 2))
  for (const one of asked) expect(one).toMatch(/^GET \/api\/v1\/query\/(post|tag|menu)\?\S+ no key$/)
  for (const file of readdirSync('examples/eleventy', { recursive: true, encoding: 'utf8' }))
    if (/\.(mjs|njk)$/.test(file) && !file.includes('node_modules'))
      expect([
        file,
        /\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b/.test(readFileSync(`examples/eleventy/${file}`, 'utf8')),
      ]).toEqual([file, false])
})

it('has every post in both languages, with its picture, tags, menu and translation', async () => {
  for (let n = 1; n <= posts; n++) {
    const [en, de] = [`/posts/post-${n}/`, `/de/beitraege/beitrag-${n}/`]
    const [english, german] = [html(en), html(de)]
    expect(english).toContain(`<h1>Post ${n} &lt;of many&gt;</h1>`)
    expect(german).toContain(`<h1>Beitrag ${n} &lt;von vielen&gt;</h1>`)
    expect([
      english.includes(`<p>The <strong>text</strong> of ${n}</p>`),
      german.includes('lang="de"'),
    ]).toEqual([true, true])
    for (const text of [english, german]) {
      for (const [code, url] of [
        ['en', en],
        ['de', de],
      ])
        expect(text).toContain(`<link rel="alternate" hreflang="${code}" href="${url}">`)
      expect([n, text.includes('<picture>')]).toEqual([n, n % 4 !== 0])
    }
    expect(links(english, /<ul class="menu">.*?<\/ul>/s)).toEqual([
      '/',
      '/tags/cities/',
      '/tags/rivers/',
      '/search/',
    ])
    expect([english, german].map(text => /On cities|Über Städte/.exec(text)?.[0])).toEqual([
      'On cities',
      'Über Städte',
    ])
    expect(links(german, /<ul class="menu">.*?<\/ul>/s)).toEqual([
      '/de/',
      '/de/themen/cities/',
      '/de/themen/rivers/',
      '/de/search/',
    ])
  }
  expect(html('/de/')).toContain('Über Städte')
  const [, set = ''] = /<source type="image\/webp" srcset="([^"]+)"/.exec(html('/posts/post-1/')) ?? []
  const variants = set.split(', ').map(one => one.split(' '))
  expect(variants.map(([, width]) => width)).toEqual(['640w', '1024w'])
  for (const [url = ''] of variants) {
    const answer = await fetch(url)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/webp'])
  }
  expect(html('/posts/post-1/')).toContain('alt="Hills &quot;2&quot;"')
})

it('lists posts by date, and those of a tag, in pages', async () => {
  const numbers = Array.from({ length: posts }, (_, i) => posts - i)
  const tagsOf = (n: number) => (n % 5 === 0 ? [] : n % 2 ? [n % 3] : [n % 3, (n + 1) % 3])
  for (const [home, slug, tags] of [
    ['/', '/posts/post-', '/tags/'],
    ['/de/', '/de/beitraege/beitrag-', '/de/themen/'],
  ] as const) {
    expect(pagesOf(home)).toHaveLength(posts / postsOnPage)
    expect(listed(home)).toEqual(numbers.map(n => `${slug}${n}/`))
    for (const [i, tag] of ['cities', 'rivers', 'roads-rails'].entries()) {
      const own = numbers.filter(n => tagsOf(n).includes(i))
      expect([tag, listed(`${tags}${tag}/`)]).toEqual([tag, own.map(n => `${slug}${n}/`)])
    }
  }
})

it('has no link that leads nowhere, nothing that is missing, and no draft', () => {
  const files = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.html'))
  expect(files.length).toBeGreaterThan(2 * posts)
  for (const file of files) {
    const text = readFileSync(join(out, file), 'utf8')
    const odd = /undefined|null|NaN|\[object|SECRET|\{\{/.exec(text)?.[0]
    expect([file, odd]).toEqual([file, undefined])
    for (const [, href = ''] of text.matchAll(/href="(\/[^"]*)"/g)) {
      const target = href.endsWith('/') ? `${href}index.html` : href
      expect([file, href, existsSync(join(out, target))]).toEqual([file, href, true])
    }
  }
})

it('leads from old addresses to the current ones, with a key', async () => {
  const moved = [
    ['/old', '/posts/post-1', '/posts/post-1/'],
    ['/older/one', '/files/list.pdf', '/files/list.pdf'],
    ['/elsewhere', 'https://other.example/?a=1&b="2"', 'https://other.example/?a=1&amp;b=%222%22'],
  ] as const
  for (const [slug, target] of moved) await made(call('POST', '/redirects', { slug, target }))
  await build({ SLUGLINE_KEY: key })
  expect(asked.filter(one => one.includes('Bearer')).toSorted()).toEqual([
    `GET /api/v1/redirects Bearer ${key}`,
    `GET /api/v1/routes Bearer ${key}`,
  ])
  for (const [slug, , to] of moved) expect(html(slug)).toContain(`content="0; url=${to}"`)
})

it('stops if the service refuses or is away, and refuses a name that Eleventy has itself', async () => {
  await expect(build({ SLUGLINE_KEY: 'slk_wrong' })).rejects.toThrow(/no valid credentials/)
  const nobody = `http://127.0.0.1:${await freePort()}`
  await expect(build({ SLUGLINE_URL: nobody })).rejects.toThrow(/did not answer/)
  const { default: plugin } = await import(pathToFileURL(resolve('packages/eleventy/index.js')).href)
  expect(() => plugin({}, { queries: { tags: {} } })).toThrow('Eleventy has its own "tags"')
  await build()
})

it('is what the guide shows', () => {
  const shown = [...readFileSync('docs/front-end.md', 'utf8').matchAll(/^```js\n(.+?)^```$/gms)].map(
    ([, text = '']) => text,
  )
  const files = ['eleventy.config.mjs', 'post.mjs', 'preview.mjs'].map(file =>
    readFileSync(join('examples/eleventy', file), 'utf8').replaceAll(/^ +/gm, ''),
  )
  expect(shown).toHaveLength(files.length)
  for (const [i, text] of shown.entries())
    for (const line of text.trim().split('\n')) expect(files[i]?.split('\n')).toContain(line.trim())
})

/** What a browser's EventSource does of it that the example uses. */
class Stream {
  readonly ready: Promise<unknown>
  private readonly listeners = new Map<string, () => Promise<void>>()

  constructor(url: string) {
    const opened = fetch(url, { headers: { Accept: 'text/event-stream' } }).then(eventReader)
    this.ready = opened.then(stream => stream.next())
    void this.ready.then(async () => {
      const stream = await opened
      for (let event = await stream.next(); event; event = await stream.next())
        await this.listeners.get(event.event ?? '')?.()
    })
  }

  addEventListener(name: string, listener: () => Promise<void>): void {
    this.listeners.set(name, listener)
  }
}

it('shows a draft by its link, shows it again when it is saved, and says when the link is over', async () => {
  const { preview } = await import(pathToFileURL(join(out, 'preview.mjs')).href)
  const link = await made(call('POST', '/content/preview-links', { content_data_id: draftId }))
  const [, api = ''] = /data-api="([^"]+)"/.exec(html('/preview/')) ?? []
  const main = { dataset: { api }, innerHTML: '' }
  const changes: Stream = await preview(main, `?preview=${link.token}`, Stream)
  expect(main.innerHTML).toContain('SECRET teaser')
  await changes.ready
  await made(call('PUT', `/content?q=${draftId}`, { fields: { teaser: 'Saved a moment ago' } }))
  while (!main.innerHTML.includes('Saved a moment ago')) await sleep(5)
  await made(call('DELETE', `/content/preview-links?q=${link.preview_link_id}`))
  const over = { dataset: { api }, innerHTML: '' }
  await preview(over, `?preview=${link.token}`, Stream)
  expect(over.innerHTML).toBe('<p>This preview is over.</p>')
})

it('is built again when something is published', async () => {
  const port = await freePort()
  const webhook = {
    name: 'Site',
    url: `http://127.0.0.1:${port}/`,
    events: ['content.published'],
    is_active: true,
  }
  const { secret } = await made(call('POST', '/admin/webhooks', webhook))
  const rebuild = spawn('node', ['rebuild.mjs'], {
    cwd: example,
    env: { ...siteEnv, WEBHOOK_SECRET: secret, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => {
    rebuild.kill()
  })
  let output = ''
  const until = async (isSo: () => boolean) => {
    while (!isSo()) {
      if (/Error/.test(output)) throw new Error(output)
      await sleep(20)
    }
  }
  rebuild.stdout.on('data', data => (output += data))
  await until(() => output.includes('waits for events'))
  await made(call('POST', '/content/publish', { content_data_id: draftId }))
  // The last line of a build.
  await until(() => /Wrote \d+ files/.test(output))
  expect(html('/posts/soon/')).toContain('Saved a moment ago')
  // It has no German address, so both lists lead to the one page.
  for (const list of ['/', '/de/']) expect(listed(list)).toContain('/posts/soon/')
})

it('is made once, into an empty service', async () => {
  const count = async () => (await made(call('GET', '/datatypes'))).length
  const before = await count()
  await expect(seed(1)).rejects.toThrow('begin with an empty one')
  expect(await count()).toBe(before)
})

it('names the address if it is not that of the service', async () => {
  const port = await freePort()
  const other = createServer((_, response) => response.end('<title>Another program</title>'))
  await new Promise<void>(done => other.listen(port, '127.0.0.1', done))
  onTestFinished(() => void other.close())
  const at = (url: string, secret: Record<string, string>) =>
    run('node', ['seed.mjs', '1'], {
      cwd: example,
      env: { PATH: process.env.PATH, SLUGLINE_URL: url, ...secret },
    })
  const wanted = (url: string, reason: string) =>
    new RegExp(`${url} ${reason}.* Set SLUGLINE_URL to the address that the service showed`)
  const another = `http://127.0.0.1:${port}`
  await expect(at(another, { CMS_ADMIN_PASSWORD: 'x' })).rejects.toThrow(
    wanted(another, 'is not this service'),
  )
  await expect(at(another, { SLUGLINE_KEY: key })).rejects.toThrow(wanted(another, 'is not this service'))
  await expect(at(product.url, { CMS_ADMIN_PASSWORD: 'of another service' })).rejects.toThrow(
    wanted(product.url, '.*another password: 401'),
  )
  const nobody = `http://127.0.0.1:${await freePort()}`
  await expect(at(nobody, { SLUGLINE_KEY: key })).rejects.toThrow(wanted(nobody, 'does not answer'))
})
