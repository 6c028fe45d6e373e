import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { thumbHashToAverageRGBA } from 'thumbhash'
import { expect, it, onTestFinished } from 'vitest'
import { made } from '../support/calls.js'
import { client, clientSite, toured } from '../support/client-site.js'
import { compiled } from '../support/compiled.js'
import { freePort } from '../support/process.js'

const { here, call } = await clientSite()
const usual = await toured(here, [process.execPath])

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
  expect(usual.markdown.data).toMatch(/^---\n[\s\S]*A new brake: First/)
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

it('finds the target of a redirect that a browser hides, also when a connection is lost once', async () => {
  const { slugline } = await import(pathToFileURL(client).href)
  const asked: string[] = []
  const fetch = async (address: string, { redirect = 'follow' }: RequestInit) => {
    asked.push(redirect)
    if (redirect === 'manual') return { ok: false, status: 0, headers: new Headers() }
    if (asked.length < lostUntil) throw new TypeError('NetworkError')
    return { url: address.replace('/old', '/posts/first') }
  }
  let lostUntil = 3
  const { error } = await slugline({ url: 'http://cms.test', fetch }).page('/old')
  expect([error.location, asked]).toEqual(['/posts/first', ['manual', 'follow', 'follow']])
  lostUntil = Number.POSITIVE_INFINITY
  const lost = await slugline({ url: 'http://cms.test', fetch }).page('/old')
  expect(lost.error).toMatchObject({ code: 'moved', status: 308, location: undefined })
  expect(asked.length).toBe(6)
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

it('is installed from its package into an empty folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'slugline-client-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const npm = (args: string[], cwd: string) =>
    execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  const [packed] = JSON.parse(npm(['pack', '--json', '--pack-destination', folder], 'packages/client'))
  expect(packed.files.map(({ path }: { path: string }) => path)).toEqual([
    'README.md',
    'index.d.ts',
    'index.js',
    'package.json',
  ])
  writeFileSync(join(folder, 'package.json'), '{}')
  npm(['install', '--offline', '--no-audit', '--no-fund', packed.filename], folder)
  const installed = join(folder, 'node_modules/@slugline/client/index.js')
  expect((await toured(here, [process.execPath], installed)).list).toEqual(usual.list)
})

it('is typed by the content model, or by nothing', async () => {
  const types = (await made(call('GET', '/types.ts'))) as string
  const program = `import { image, slugline } from '@slugline/client'
import type { Author, Datatypes, Post } from './types.js'
const cms = slugline<Datatypes>({ url: '' })
export const page = cms.page('/').then(({ data }) => data && data.type === 'post' && data.fields.teaser)
export const clean = cms.page('/', { format: 'clean' }).then(({ data }) => data?.title)
export const text = cms.page('/', { format: 'markdown' }).then(({ data }) => data?.trim())
export const texts = cms.globals('menu', { format: 'markdown' }).then(({ data }) => data?.trim())
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
      [20, 'TS2345'],
      [21, 'TS2345'],
      [22, 'TS2345'],
      [23, 'TS2345'],
      [24, 'TS2339'],
      [25, 'TS18048'],
    ].map(([line, code]) => `program ${line} ${code}`),
  )
})
