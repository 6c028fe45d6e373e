import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { callerOf, made } from '../support/calls.js'
import { freshDatabase } from '../support/database.js'
import { editedSite } from '../support/edited-site.js'
import { amount } from '../support/effort.js'
import { type Product, runProduct, startProduct } from '../support/process.js'
import { testStorage } from '../support/storage.js'
import {
  type Asked,
  checkedStore,
  folderStore,
  followed,
  fromServer,
  handler,
  handlerFile,
  killed,
  requestsFor,
  type Seen,
  seen,
  siteRequests,
  twinFolder,
} from '../support/twin.js'

/** Only a twin that has stopped takes this long, in milliseconds. */
const patience = { timeout: 180_000, interval: 100 }
const { fetch: twinFetch } = await handler()

async function startSite(config: Record<string, unknown> = {}): Promise<Product> {
  const { address, drop } = await freshDatabase()
  onTestFinished(drop)
  return startProduct(address, {
    config: { i18n_enabled: true, client_site: 'www.example.com', output_format: 'clean', ...config },
  })
}

const caller = async (product: Product) => {
  const call = await callerOf(product)
  return async (method: string, path: string, body?: unknown) => made(call(method, path, body))
}

const fromTwin =
  (folder: string) =>
  async ({ path, ...init }: Asked, store = folderStore(folder)): Promise<Seen> =>
    seen(await twinFetch(new Request(`https://edge.example${path}`, init), store))

/** The first request that the twin answers otherwise than the service, with both answers; undefined if there is none. */
async function difference(product: Product, folder: string, requests: readonly Asked[]) {
  const store = folderStore(folder)
  const ask = fromTwin(folder)
  for (const request of requests) {
    const [twin, service] = [await ask(request, store), await fromServer(product.url, request)]
    if (!isDeepStrictEqual(twin, service)) return JSON.stringify({ request, twin, service }, null, 1)
  }
  return undefined
}

/** Waits until the twin answers as the service does now. */
const untilEqual = (product: Product, folder: string, requests: readonly Asked[]) =>
  expect.poll(() => difference(product, folder, requests), patience).toBeUndefined()

it('the handler is one small module that needs nothing else', () => {
  const text = readFileSync(handlerFile, 'utf8')
  expect(text.length).toBeLessThan(10_000)
  expect(text).not.toMatch(/\b(?:import|require)\b|node:/)
})

it('answers as the service after edits of every kind', async () => {
  const product = await startSite()
  const call = await caller(product)
  const site = await editedSite(call, 7)
  await call('POST', '/locales', { code: 'de', label: 'Deutsch', is_default: true })
  const folder = twinFolder()
  followed(product, folder)
  const requests = async () => {
    const slugs = (await site.paths()).filter(path => /^\/[a-z]\d+$/.test(path))
    return [...requestsFor(slugs, ['DE-at', '', 'xa-100'].slice(0, amount(1, 3))), ...siteRequests]
  }
  await untilEqual(product, folder, await requests())
  for (let n = 0; n < amount(5, 60); n++) {
    await site.edit(n)
    await untilEqual(product, folder, await requests())
  }
  await call('PUT', '/config', { output_format: 'strapi' })
  await untilEqual(product, folder, await requests())
  await call('PUT', '/config', { i18n_enabled: false, llms_txt_enabled: false })
  await untilEqual(product, folder, await requests())
  checkedStore(folder)
}, 900_000)

describe('a site of many pages', async () => {
  const pages = amount(10, 1000)
  const slugs = Array.from({ length: pages }, (_, i) => (i === 0 ? '/' : `/blog/ä ${i}`.replace(' ', '-')))

  async function filled() {
    const product = await startSite()
    const call = await caller(product)
    await call('POST', '/locales', { code: 'de', label: 'Deutsch' })
    const page = await call('POST', '/datatypes', { label: 'Page', type: 'content', visibility: 'public' })
    const { datatype_id } = page
    await call('POST', '/fields', {
      label: 'Head',
      field_type: 'text',
      parent_id: datatype_id,
      translatable: true,
    })
    await call('POST', '/fields', { label: 'Text', field_type: 'richtext', parent_id: datatype_id })
    const ids: string[] = []
    for (const [i, slug] of slugs.entries()) {
      const translations = { de: { slug: `/de/${i}`, title: `Seite ${i}` } }
      const fields = { head: `Page ${i} 🚲`, text: `<p>Text <em>${i}</em></p>` }
      const { route_id } = await call('POST', '/routes', { slug, title: `Page ${i}`, translations })
      const entry = await call('POST', '/content', { datatype_id, route_id, status: 'published', fields })
      ids.push(entry.content_data_id)
    }
    await call('POST', '/redirects', { slug: '/old', target: '/de/1' })
    await call('POST', '/redirects', { slug: '/out', target: 'https://other.example/x?a=1', status: 301 })
    const all = [...slugs.map(encodeURI), ...slugs.map((_, i) => `/de/${i}`), '/old', '/out', '/Old']
    return { product, call, ids, requests: [...requestsFor(all, ['', 'de', 'en-US', 'fr']), ...siteRequests] }
  }

  it('has the same responses in every format and locale, and without the service', async () => {
    const { product, requests } = await filled()
    const folder = twinFolder()
    const written = await runProduct(['twin', '--to', folder, '--once'], { cwd: product.folder })
    expect(written).toEqual({ code: 0, err: '', out: `${2 * pages + 5} addresses are in ${folder}.\n` })
    expect(await difference(product, folder, requests)).toBeUndefined()
    const ask = fromTwin(folder)
    const known = await ask({ path: '/?format=raw' })
    const headers = { 'If-None-Match': `"other", W/${known.headers.etag}` }
    const unchanged = await fromServer(product.url, { path: '/?format=raw', headers })
    expect(unchanged.status).toBe(304)
    expect(await ask({ path: '/?format=raw', headers })).toEqual(unchanged)
    await product.kill9()
    expect(await ask({ path: '/?format=raw' })).toEqual(known)
    const beyond = ['/api/v1/query/page', '/admin', '/?format=native&expand=author']
    for (const path of beyond)
      expect(await ask({ path })).toMatchObject({
        status: 503,
        body: expect.stringContaining('"unavailable"'),
      })
  }, 1_200_000)

  it('is whole after the command was killed at any moment, and catches up', async () => {
    const { product, call, ids } = await filled()
    const folder = twinFolder()
    await runProduct(['twin', '--to', folder, '--once'], { cwd: product.folder })
    const ask = fromTwin(folder)
    const sent: string[] = ['Page 0 🚲']
    for (let n = 0; n < amount(2, 30); n++) {
      const twin = followed(product, folder)
      for (let edit = 0; edit < 4; edit++) {
        const head = `edit ${n} ${edit}`
        sent.push(head)
        await call('PUT', `/content/?q=${ids[0]}`, { fields: { head } })
      }
      if (n % 2 === 0) await call('PUT', '/config', { site_name: `Name ${n}` })
      // Another moment each time: from the start of the process until after it has written.
      await new Promise(done => setTimeout(done, (n * 397) % 2500))
      await killed(twin)
      expect(checkedStore(folder)).toBeGreaterThan(pages)
      const { body } = await ask({ path: '/?format=clean' }, folderStore(folder))
      expect(sent).toContain(JSON.parse(Buffer.from(body, 'latin1').toString()).head)
    }
    followed(product, folder)
    await untilEqual(product, folder, [{ path: '/?format=clean' }, { path: '/llms.txt' }])
    const [redirect] = await call('GET', '/redirects?slug=/out')
    await call('PUT', `/redirects/?q=${redirect.redirect_id}`, { target: '/elsewhere' })
    await untilEqual(product, folder, [{ path: '/out?format=raw' }])
    await call('DELETE', `/redirects/?q=${redirect.redirect_id}`)
    await call('DELETE', `/content/?q=${ids[1]}`)
    const gone = ['/out', '/de/1', encodeURI(slugs[1] ?? '')].map(path => ({ path: `${path}?format=raw` }))
    await untilEqual(product, folder, [...gone, { path: '/old' }, { path: '/sitemap.xml' }])
    for (const request of gone)
      expect([request, (await ask(request, folderStore(folder))).status]).toEqual([request, 404])
  }, 600_000)
})

it('passes to the origin what it does not have', async () => {
  const product = await startSite()
  const folder = twinFolder()
  expect((await runProduct(['twin', '--to', folder, '--once'], { cwd: product.folder })).code).toBe(0)
  const request = new Request('https://edge.example/api/v1/routes/published')
  const passed = await twinFetch(request, folderStore(folder), { origin: product.url })
  expect(await seen(passed)).toEqual(await fromServer(product.url, { path: '/api/v1/routes/published' }))
  await product.kill9()
  const lost = await twinFetch(request.clone(), folderStore(folder), { origin: product.url })
  expect([lost.status, (await lost.json()).error]).toEqual([
    503,
    expect.stringContaining('origin does not answer'),
  ])
})

it('passes on what a proxy before the origin would compress', async () => {
  const compressing = createServer(({ headers }, response) => {
    const isWanted = /gzip/.test(headers['accept-encoding'] ?? '')
    response.writeHead(200, isWanted ? { 'Content-Encoding': 'gzip' } : {})
    response.end(isWanted ? gzipSync('some text') : 'some text')
  })
  onTestFinished(() => void compressing.close())
  await once(compressing.listen(0, '127.0.0.1'), 'listening')
  const { port } = compressing.address() as AddressInfo
  const request = new Request('https://edge.example/api/x', { headers: { 'Accept-Encoding': 'gzip, br' } })
  const answer = await twinFetch(request, folderStore(twinFolder()), { origin: `http://127.0.0.1:${port}` })
  expect([answer.headers.get('content-encoding'), await answer.text()]).toEqual([null, 'some text'])
})

it('is written into a store that speaks S3', async () => {
  const storage = await testStorage()
  const product = await startSite(storage.config)
  const to = `s3://${storage.config.bucket_media}/edge/site`
  const { code, err } = await runProduct(['twin', '--to', to, '--once'], { cwd: product.folder })
  expect([code, err]).toEqual([0, ''])
  const store = {
    async get(name: string) {
      const keys = await storage.keys()
      return keys.includes(`edge/site/${name}`)
        ? (await storage.object(`edge/site/${name}`)).bytes
        : undefined
    },
  }
  const robots = await twinFetch(new Request('https://edge.example/robots.txt'), store)
  expect(await seen(robots)).toEqual(await fromServer(product.url, { path: '/robots.txt' }))
})

it('says without a store that it has nothing, and when the store fails', async () => {
  const empty = { get: async () => undefined }
  const nothing = await twinFetch(new Request('https://edge.example/'), empty)
  expect([nothing.status, (await nothing.json()).code]).toEqual([503, 'unavailable'])
  const failing = { get: () => Promise.reject(new Error('secret detail')) }
  const failed = await twinFetch(new Request('https://edge.example/'), failing)
  expect([failed.status, await failed.text()]).toEqual([503, expect.not.stringContaining('secret')])
})

describe('slugline twin', () => {
  it('names the port of a service that was started on another one', async () => {
    const product = await startSite({ client_site: undefined, bucket_endpoint: 'file:./media' })
    const call = await caller(product)
    const form = new FormData()
    form.append('file', new Blob(['%PDF-1.4']), 'note.pdf')
    const init = { method: 'POST', headers: { Cookie: await product.login() }, body: form }
    const uploaded = await fetch(`${product.url}/api/v1/media/upload`, init)
    expect(uploaded.status).toBe(201)
    const { media_id } = await uploaded.json()
    const page = { label: 'Page', type: 'content', visibility: 'public' }
    const { datatype_id } = await call('POST', '/datatypes', page)
    await call('POST', '/fields', { label: 'File', field_type: 'media', parent_id: datatype_id })
    const { route_id } = await call('POST', '/routes', { slug: '/a', title: 'A' })
    await call('POST', '/content', { datatype_id, route_id, status: 'published', fields: { file: media_id } })
    const [folder, other] = [twinFolder(), twinFolder()]
    const written = async (to: string, ...more: string[]) => {
      const run = await runProduct(['twin', '--to', to, '--once', ...more], { cwd: product.folder })
      expect([run.code, run.err]).toEqual([0, ''])
      return (await fromTwin(to)({ path: '/a?format=contentful' })).body
    }
    expect(await written(folder)).toContain(`localhost:${product.port}/`)
    expect(await written(other, '--port', '9999')).toContain('localhost:9999/')
  })

  it.each([
    [[], 2, '--to'],
    [['--to', 's3://'], 1, 's3://bucket/prefix'],
    [['--to', 's3://bucket/site'], 1, 'bucket_endpoint'],
    [['--to', '/twin', '--port', 'http'], 1, '--port must be a port'],
  ])('refuses %j', async (args, code, words) => {
    const product = await startSite()
    const end = await runProduct(['twin', ...args, '--once'], { cwd: product.folder })
    expect(end).toEqual({ code, out: '', err: expect.stringContaining(words) })
  })
})
