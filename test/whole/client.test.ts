import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { chromium } from 'playwright-core'
import { thumbHashToAverageRGBA } from 'thumbhash'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { browserFlags, chromiumMissing, executablePath } from '../support/browser.js'
import { callerOf, made } from '../support/calls.js'
import { compiled } from '../support/compiled.js'
import { migratedDatabase } from '../support/database.js'
import { installedPackages } from '../support/installed.js'
import { picture } from '../support/media.js'
import { freePort, startProduct } from '../support/process.js'
import { testStorage } from '../support/storage.js'

const run = promisify(execFile)
const client = resolve('packages/client/index.js')

/** A site on another origin than the service, for the browser. */
const sitePort = await freePort()
const site = createServer((_, response) =>
  response.setHeader('Content-Type', 'text/html').end('<title>Site</title>'),
)
await new Promise<void>(done => site.listen(sitePort, '127.0.0.1', done))

const storage = await testStorage({ readable: true })
const { address, drop } = await migratedDatabase()
afterAll(async () => {
  await new Promise(done => site.close(done))
  await drop()
})
const product = await startProduct(address, {
  config: { ...storage.config, i18n_enabled: true, cors_origins: [`http://127.0.0.1:${sitePort}`] },
})
const call = await callerOf(product)
const post = (path: string, body: object) => made(call('POST', path, body))

async function filled() {
  const { token: key } = await post('/tokens', { label: 'Site' })
  await post('/locales', { code: 'de', label: 'Deutsch' })
  const type = async (
    label: string,
    kind: string,
    fields: readonly (readonly [string, string, object?])[],
  ) => {
    const { datatype_id } = await post('/datatypes', { label, type: kind, visibility: 'public' })
    for (const [name, field_type, more] of fields)
      await post('/fields', { parent_id: datatype_id, label: name, field_type, ...more })
    return datatype_id
  }
  const author = await type('Author', 'content', [['Name', 'text', { required: true }]])
  const posts = await type('Post', 'content', [
    ['Teaser', 'text', { translatable: true }],
    ['Date', 'date'],
    ['Price', 'number'],
    ['Picture', 'media'],
    ['Author', 'relation', { data: { target: 'author' } }],
  ])
  const menu = await type('Menu', '_global', [['Name', 'text']])
  await post('/content', { datatype_id: menu, status: 'published', fields: { name: 'main' } })
  const form = new FormData()
  form.set('file', new Blob([new Uint8Array(await picture(900, 600).png().toBuffer())]), 'wall.png')
  for (const [name, value] of [
    ['alt_text', 'A wall'],
    ['focal_x', '25'],
    ['focal_y', '75'],
  ] as const)
    form.set(name, value)
  const headers = { Authorization: `Bearer ${key}` }
  const uploaded = await fetch(`${product.url}/api/v1/media/upload`, { method: 'POST', headers, body: form })
  const { media_id } = await uploaded.json()
  const zoe = await post('/pages', {
    ...{ slug: '/zoe', title: 'Zoe', datatype_id: author, status: 'published' },
    fields: { name: 'Zoe' },
  })
  const page = (slug: string, title: string, date: string, status = 'published') =>
    post('/pages', {
      ...{ slug, title, datatype_id: posts, status },
      fields: {
        teaser: `A new brake: ${title}`,
        date,
        price: 2.5,
        picture: media_id,
        author: zoe.entry.content_data_id,
      },
    })
  const first = await page('/posts/first', 'First', '2026-01-01')
  await page('/posts/second', 'Second', '2026-01-02')
  await page('/posts/third', 'Third', '2026-01-03')
  const draft = await page('/soon', 'Soon', '2026-02-01', 'draft')
  const id = first.entry.content_data_id
  await made(call('PUT', `/content?q=${id}`, { locale: 'de', fields: { teaser: 'Eine neue Bremse' } }))
  await post('/redirects', { slug: '/old', target: '/posts/first' })
  const { content_data_id } = draft.entry
  const { token } = await post('/content/preview-links', { content_data_id })
  return { url: product.url, key, token, id, draft: content_data_id }
}
const here = await filled()

const toured = async (runtime: string, from = client) => {
  const env = { PATH: process.env.PATH, CLIENT: pathToFileURL(from).href, SITE: JSON.stringify(here) }
  const { stdout } = await run(runtime, ['test/support/run-client-tour.mjs'], {
    env,
    maxBuffer: 2 ** 26,
    timeout: 60_000,
  })
  return JSON.parse(stdout)
}
const usual = await toured(process.execPath)

it('is smaller than 4 kB compressed, and depends on nothing', async () => {
  const { outputFiles } = await build({
    entryPoints: [client],
    ...{ bundle: true, minify: true, write: false, format: 'esm', platform: 'browser' },
  })
  expect(gzipSync(outputFiles[0]?.contents ?? '').length).toBeLessThan(4000)
  const { dependencies, version } = JSON.parse(readFileSync('packages/client/package.json', 'utf8'))
  expect(dependencies).toBeUndefined()
  expect(version).toBe(JSON.parse(readFileSync('package.json', 'utf8')).version)
})

it('reads what the service has, and returns errors as values', () => {
  const fields = { teaser: 'A new brake: First', date: '2026-01-01', price: 2.5 }
  expect(usual.native.data).toMatchObject({ slug: '/posts/first', fields })
  expect(usual.clean.data).toMatchObject({ type: 'post', teaser: fields.teaser })
  expect(usual.raw.data.route.slug).toBe('/posts/first')
  for (const format of ['contentful', 'sanity', 'strapi', 'wordpress'])
    expect(JSON.stringify(usual[format].data)).toContain('A new brake: First')
  expect(usual.german.data.fields.teaser).toBe('Eine neue Bremse')
  expect(usual['german by default']).toEqual(usual.german)
  expect(usual.expanded.data.fields.author.fields).toEqual({ name: 'Zoe' })
  const moved = { code: 'moved', status: 308, location: '/posts/first' }
  expect([usual.moved, usual['moved with a key']]).toEqual([moved, moved])
  expect(usual.missing).toEqual({ code: 'not_found', status: 404 })
  expect(usual['a draft with a key'].data.title).toBe('Soon')
  for (const name of ['a draft without', 'a draft as the public sees it', 'no preview'])
    expect([name, usual[name].status]).toEqual([name, 404])
  expect(usual.preview.data.title).toBe('Soon')
  expect(usual.globals.data).toMatchObject([{ fields: { name: 'main' } }])
  for (const name of ['globals without a key', 'redirects without a key', 'unknown datatype'])
    expect([name, usual[name]]).toEqual([name, { code: 'unauthenticated', status: 403 }])
  expect(usual.redirects.data).toEqual([{ slug: '/old', target: '/posts/first', status: 308 }])
  expect(usual.pages.data.map(({ slug }: { slug: string }) => slug).toSorted()).toEqual([
    ...['/posts/first', '/posts/second', '/posts/third', '/zoe'],
  ])
  expect(usual.anything.data).toHaveLength(1)
  expect(usual.text.data).toContain('export interface Datatypes')
  expect([usual['nobody there'].code, usual.aborted.code]).toEqual(['unreachable', 'aborted'])
  expect(usual.error).toEqual([true, true, 'not found'])
})

it('asks by conditions, and page by page', () => {
  const titles = (name: string) => usual[name].data.map(({ title }: { title: string }) => title)
  expect([titles('list'), usual.list.count]).toEqual([['Third', 'Second'], 3])
  expect([titles('next page'), usual['next page'].next]).toEqual([['First'], null])
  expect(titles('all')).toEqual(['First', 'Second', 'Third'])
  expect(usual.all.data[0].fields).toEqual({ date: '2026-01-01' })
  expect(usual.first.data.title).toBe('Second')
  expect(usual.none.data).toBe(null)
  expect(usual.one.data.fields).toMatchObject({
    teaser: 'Eine neue Bremse',
    author: { fields: { name: 'Zoe' } },
  })
  expect(titles('alternatives')).toEqual(['Second'])
  expect(usual['unknown field']).toMatchObject({
    code: 'invalid',
    status: 400,
    member: 'filter[fields][eq]',
  })
  expect(usual.search).toMatchObject({ count: 3, next: null })
  expect(usual.search.data[0].highlights[0].html).toContain('<mark>brake</mark>')
})

it('describes a picture by its variants and its focal point', () => {
  const { picture: media } = usual.native.data.fields
  const of = (fit: string, type: string) =>
    media.variants.find((one: { fit: string; mimetype: string }) => one.fit === fit && one.mimetype === type)
  const { r, g, b } = thumbHashToAverageRGBA(Buffer.from(media.thumbhash, 'base64'))
  const color = `rgb(${[r, g, b].map(level => Math.round(255 * level)).join(' ')})`
  expect(usual.image).toEqual({
    img: {
      ...{ src: media.url, srcset: `${of('inside', 'image/png').url} 640w`, sizes: '50vw' },
      ...{ width: 900, height: 600, alt: 'A wall' },
      style: `object-position: 25% 75%; background-color: ${color}`,
    },
    color,
    sources: [{ type: 'image/webp', srcset: `${of('inside', 'image/webp').url} 640w`, sizes: '50vw' }],
  })
  expect(usual.cropped.img).toMatchObject({ src: of('cover', 'image/png').url, width: 300, height: 300 })
  expect(usual.named.img).toMatchObject({ src: of('inside', 'image/png').url, width: 640 })
  expect(usual.noImage).toBe(null)
  expect([usual.transparent.color, usual.transparent.img.style]).toEqual([undefined, undefined])
})

it('makes one page for each address of translated entries', () => {
  const page = (locale: string, id: number, slug: string, translations: object) => ({
    ...{ locale, entry: { id, slug }, translations },
  })
  expect(usual.translated).toEqual([
    page('en', 1, '/a', { en: '/a', de: '/de/a' }),
    page('en', 2, '/b', { en: '/b' }),
    page('de', 1, '/de/a', { en: '/a', de: '/de/a' }),
  ])
})

it('follows the changes of a preview link until it is over', () => {
  expect(usual.changes).toEqual([
    { type: 'ready' },
    { type: 'change', slugs: ['/soon'] },
    { type: 'error', code: 'not_found' },
  ])
})

it('connects again by itself, after the last event', async () => {
  const { slugline } = await import(pathToFileURL(client).href)
  const asked: string[] = []
  const stops = createServer((request, response) => {
    asked.push(request.url ?? '')
    if (asked.length === 2) {
      response.writeHead(503, { 'Retry-After': '0' }).end('{}')
      return
    }
    if (asked.length === 4) {
      response.writeHead(410).end('{"error":"over","code":"gone"}')
      return
    }
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    // In pieces that are no whole events, with a comment between.
    response.write(`: hello\n\nevent: change\nid: ${asked.length}\nda`)
    setTimeout(() => response.end(`ta: {"all":true,"pages":[],"at":"ü"}\n\n`), 20)
  })
  const port = await freePort()
  await new Promise<void>(done => stops.listen(port, '127.0.0.1', done))
  onTestFinished(() => void stops.close())
  const seen: string[] = []
  for await (const event of slugline({ url: `http://127.0.0.1:${port}/` }).changes({ after: '0', wait: 1 }))
    seen.push(`${event.type} ${event.id ?? event.error.code}`)
  expect(seen).toEqual(['change 1', 'change 3', 'error gone'])
  expect(asked.map(url => url.replace(/.*=/, ''))).toEqual(['0', '1', '1', '3'])
})

it.skipIf(chromiumMissing !== undefined)('does the same in a browser, on another origin', async () => {
  const bundled = await build({
    stdin: {
      contents: `import * as client from './packages/client/index.js'
import { tour } from './test/support/client-tour.mjs'
export const toured = site => tour(client, site)`,
      resolveDir: resolve('.'),
    },
    ...{ bundle: true, write: false, format: 'iife', globalName: 'site', platform: 'browser' },
  })
  const browser = await chromium.launch({ executablePath: executablePath ?? '', args: browserFlags })
  onTestFinished(() => browser.close())
  const page = await browser.newPage()
  await page.goto(`http://127.0.0.1:${sitePort}/`)
  await page.addScriptTag({ content: bundled.outputFiles[0]?.text ?? '' })
  await page.exposeFunction('save', () =>
    made(call('PUT', `/content?q=${here.draft}`, { fields: { price: Date.now() } })),
  )
  const seen = await page.evaluate(`site.toured({ ...${JSON.stringify(here)}, save: window.save })`)
  expect(settled(seen)).toEqual(settled(usual))
})

/** Without what each tour changes in the draft. */
const settled = (seen: typeof usual) =>
  JSON.parse(JSON.stringify(seen, (name, value) => (name === 'price' ? undefined : value)))

it.runIf(process.env.TEST_ALL !== undefined)('does the same on Node 22, 24 and 26', async () => {
  const at = await installedPackages('test/runtimes', 'runtimes')
  for (const version of ['22', '24', '26']) {
    const seen = await toured(join(at, `node_modules/node${version}/bin/node`))
    expect([version, settled(seen)]).toEqual([version, settled(usual)])
  }
})

it('is installed from its package into an empty folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'slugline-client-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const npm = (args: string[], cwd: string) =>
    execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  const [packed] = JSON.parse(npm(['pack', '--json', '--pack-destination', folder], 'packages/client'))
  expect(packed.files.map(({ path }: { path: string }) => path)).toEqual([
    'index.d.ts',
    'index.js',
    'package.json',
  ])
  writeFileSync(join(folder, 'package.json'), '{}')
  npm(['install', '--offline', '--no-audit', '--no-fund', packed.filename], folder)
  const installed = join(folder, 'node_modules/@slugline/client/index.js')
  expect((await toured(process.execPath, installed)).list).toEqual(usual.list)
})

it('is typed by the content model, or by nothing', async () => {
  const types = (await made(call('GET', '/types.ts'))) as string
  const program = `import { image, slugline } from '@slugline/client'
import type { Author, Datatypes, Post } from './types.js'
const cms = slugline<Datatypes>({ url: '' })
export const page = cms.page('/').then(({ data }) => data && data.type === 'post' && data.fields.teaser)
export const clean = cms.page('/', { format: 'clean' }).then(({ data }) => data?.title)
const query = cms.query('post').where('price', 'gte', 2).where('date', 'lt', new Date()).where('author.name', 'eq', 'Zoe')
export async function posts(): Promise<Post[]> {
  const { data, error } = await query.sort('-date', 'title').all()
  if (error) throw error
  image(data[0]?.fields.picture)?.img.src.length
  return data
}
export async function author(): Promise<Author | undefined> {
  const { data } = await query.expand('author').first()
  return data?.fields.author ?? undefined
}
export const partly = query.fields('date').list().then(({ data }) => data?.[0]?.fields.date)
cms.query('psot')
cms.query('post').where('prcie', 'eq', 1)
cms.query('post').where('price', 'eq', 'much')
cms.query('post').sort('-day')
export const wrong = query.fields('date').list().then(({ data }) => data?.[0]?.fields.price)
export const notRead = cms.page('/').then(({ data }) => data.title)
const any = slugline({ url: '' })
export const anything = any.query('whatever').where('x', 'eq', 1).first().then(({ data }) => data?.fields.y.z)
for await (const change of any.changes()) if (change.type === 'change') change.pages.map(({ slug }) => slug)
`
  expect(await compiled(types, program)).toEqual(
    [
      [18, 'TS2345'],
      [19, 'TS2345'],
      [20, 'TS2345'],
      [21, 'TS2345'],
      [22, 'TS2339'],
      [23, 'TS18048'],
    ].map(([line, code]) => `program ${line} ${code}`),
  )
})
