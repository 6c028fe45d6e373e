import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { siteOptions } from '../../src/cli/site.js'
import { Follower } from '../../src/cli/twin/follow.js'
import { TwinObjects } from '../../src/cli/twin/objects.js'
import { siteOf } from '../../src/cli/twin/site.js'
import { Twin } from '../../src/cli/twin/twin.js'
import { open } from '../../src/server.js'
import { bodyName, shardName } from '../../src/twin/layout.js'
import { callerOf, made } from '../support/calls.js'
import { freshDatabase } from '../support/database.js'
import { startProduct } from '../support/process.js'
import { unread } from '../support/terminal.js'
import { folderStore, handler, twinFolder } from '../support/twin.js'

const terminal = {
  ...unread,
  variables: {},
  write() {},
  writeError() {},
  writeSurely() {},
  readSecret: async () => '',
  isInteractive: false,
}

/** A follower in this process beside a service in another one; it notes which pages it asks for. */
async function followedSite(config: Record<string, unknown> = { output_format: 'clean' }) {
  const { address, drop } = await freshDatabase()
  onTestFinished(drop)
  const product = await startProduct(address, { config })
  const call = await callerOf(product)
  const api = async (method: string, path: string, body?: unknown) => made(call(method, path, body))
  const { datatype_id } = await api('POST', '/datatypes', {
    label: 'Page',
    type: 'content',
    visibility: 'public',
  })
  await api('POST', '/fields', { label: 'Head', field_type: 'text', parent_id: datatype_id })
  await api('POST', '/fields', { label: 'See', field_type: 'relation', parent_id: datatype_id })
  const page = async (slug: string, fields: object): Promise<string> => {
    const { route_id } = await api('POST', '/routes', { slug, title: slug })
    const entry = await api('POST', '/content', { datatype_id, route_id, status: 'published', fields })
    return entry.content_data_id
  }
  const opened = await open(await siteOptions(terminal, join(product.folder, 'cms.config.json')))
  onTestFinished(() => opened.db.close())
  await opened.db.begin()
  const folder = twinFolder()
  const bucket = await opened.ports.storage.open({
    ...{ folder, bucket: 'twin', endpoint: '', pathStyle: true, publicEndpoint: '' },
    appSecret: undefined,
  })
  const clock = { ms: Date.now() }
  const objects = new TwinObjects(bucket, '')
  const twin = new Twin(objects, () => clock.ms)
  const asked: string[] = []
  const during = new Map<string, () => Promise<unknown>>()
  const ownSite = siteOf(opened)
  const site = async () => {
    const own = await ownSite()
    const pageAt: typeof own.pageAt = async slug => {
      asked.push(slug)
      const then = during.get(slug)
      during.delete(slug)
      await then?.()
      return own.pageAt(slug)
    }
    return { ...own, pageAt }
  }
  const follower = new Follower({ db: opened.db, services: opened.services, twin, site })
  const change = (id: string, fields: object) => api('PUT', `/content/?q=${id}`, { fields })
  const store = folderStore(join(folder, 'twin'))
  return { api, page, change, clock, objects, twin, asked, during, follower, product, store }
}

it('reads the page that shows an edited one with it, and many of them in pieces after newer edits', async () => {
  const { page, change, asked, during, follower, twin } = await followedSite()
  const shown = await page('/shown', { head: 'first' })
  const other = await page('/other', { head: 'first' })
  await page('/others', { head: 'shows another', see: other })
  const many = Array.from({ length: 9 }, (_, i) => `/showing/${i}`)
  for (const slug of many) await page(slug, { head: 'shows it', see: shown })
  await follower.follow()
  expect(follower.isBehind).toBe(false)
  asked.length = 0
  during.set('/shown', () => change(other, { head: 'second' }))
  await change(shown, { head: 'second' })
  await follower.follow()
  const [own, piece, ...more] = asked.splice(0)
  expect([own, many.includes(piece ?? ''), more, follower.isBehind]).toEqual(['/shown', true, [], true])
  const { change: known = 0 } = twin.root ?? {}
  await follower.follow()
  expect(asked.splice(0, 2)).toEqual(['/other', '/others'])
  while (follower.isBehind) await follower.follow()
  expect([...asked, piece].toSorted()).toEqual(many)
  expect(twin.root?.change).toBeGreaterThan(known)
}, 300_000)

it('passes requests to the origin for addresses that are still to be read again', async () => {
  const { page, change, during, follower, twin, product, store } = await followedSite()
  const { fetch } = await handler()
  const shown = await page('/shown', { head: 'first' })
  const other = await page('/other', { head: 'first' })
  const many = Array.from({ length: 9 }, (_, i) => `/showing/${i}`)
  for (const slug of many) await page(slug, { head: 'shows it', see: shown })
  await follower.follow()
  /** How many of the pages show the edit. */
  const current = async (origin?: string) => {
    const texts = many.map(async slug => {
      const asked = new Request(`https://edge.example${slug}?format=contentful`)
      return (await fetch(asked, { ...store }, origin === undefined ? {} : { origin })).text()
    })
    return (await Promise.all(texts)).filter(text => text.includes('second')).length
  }
  during.set('/shown', () => change(other, { head: 'other' }))
  await change(shown, { head: 'second' })
  expect([twin.root?.behind, await current(product.url)]).toEqual([undefined, 0])
  await follower.follow()
  expect(follower.isBehind).toBe(true)
  const read = await current()
  expect(read).toBeLessThan(many.length)
  expect(await current(product.url)).toBe(many.length)
  await product.kill9()
  expect(await current(product.url)).toBe(read)
  while (follower.isBehind) await follower.follow()
  expect([twin.root?.behind, await current(product.url)]).toEqual([undefined, many.length])
}, 300_000)

it('says of the whole site that it may be outdated while it reads all of it after a change of settings or locales', async () => {
  const { api, page, during, follower, twin, product, store } = await followedSite({ i18n_enabled: true })
  const { fetch } = await handler()
  await page('/some', { head: 'first' })
  await follower.follow()
  const asked = async (query: string) => {
    const request = new Request(`https://edge.example/some${query}`)
    return (await fetch(request, { ...store }, { origin: product.url })).text()
  }
  const changes: [string, () => Promise<unknown>][] = [
    ['?locale=de', () => api('POST', '/locales', { code: 'de', label: 'Deutsch' })],
    ['', () => api('PUT', '/config', { output_format: 'contentful' })],
  ]
  for (const [query, change] of changes) {
    await change()
    const service = await (await globalThis.fetch(`${product.url}/some${query}`)).text()
    const meanwhile: unknown[] = []
    during.set('/some', async () => meanwhile.push(twin.root?.behind?.length, await asked(query)))
    await follower.follow()
    expect(meanwhile).toEqual([twin.root?.shards.length, service])
    expect([twin.root?.behind, follower.isBehind]).toEqual([undefined, false])
  }
}, 300_000)

it('reads a page again whose relation has lost its entry, or gets it back', async () => {
  const { api, page, asked, follower } = await followedSite()
  const shown = await page('/shown', { head: 'first' })
  await page('/other', { head: 'first' })
  await page('/showing', { head: 'shows it', see: shown })
  await follower.follow()
  for (const step of ['unpublish', 'publish']) {
    asked.length = 0
    await api('POST', `/content/${step}`, { content_data_id: shown })
    do await follower.follow()
    while (follower.isBehind)
    expect([step, asked.toSorted()]).toEqual([
      step,
      step === 'publish' ? ['/showing', '/shown'] : ['/showing'],
    ])
  }
  asked.length = 0
  await api('DELETE', `/content/?q=${shown}`)
  do await follower.follow()
  while (follower.isBehind)
  expect(asked).toEqual(['/showing'])
}, 300_000)

it('reads a page twice if an entry that it shows comes and goes while it is read', async () => {
  const { api, page, asked, during, follower, twin } = await followedSite()
  const shown = await page('/shown', { head: 'first' })
  await page('/other', { head: 'first' })
  await page('/showing', { head: 'shows it', see: shown })
  const change = (step: string) => api('POST', `/content/${step}`, { content_data_id: shown })
  during.set('/showing', () => change('unpublish'))
  await follower.follow()
  expect(asked.filter(slug => slug === '/showing')).toHaveLength(2)
  expect(twin.entries.get('/showing')?.shows).toEqual([])
}, 300_000)

it('keeps an object while something names it, and a minute longer', async () => {
  const { page, change, clock, objects, twin, follower } = await followedSite()
  const named = () => [
    ...(twin.root?.shards ?? []).map(shardName),
    ...[...twin.entries.values()].flatMap(({ objects }) => objects.map(bodyName)),
  ]
  const id = await page('/a', { head: 'first' })
  await page('/b', { head: 'first' })
  const stepMs = 25_000
  const lastNamed = new Map<string, number>()
  for (let step = 0; step < 12; step++) {
    // What was named before is named again, and some of it after it was removed.
    await change(id, { head: ['second', 'first', `third ${step}`][step % 3] })
    await follower.follow()
    for (const name of named()) lastNamed.set(name, clock.ms)
    const kept = [...lastNamed].filter(([, at]) => clock.ms - at < stepMs + 60_000).map(([name]) => name)
    expect([...objects.names].toSorted(), `step ${step}`).toEqual(kept.toSorted())
    clock.ms += stepMs
  }
  expect(lastNamed.size).toBeGreaterThan(objects.names.size)
}, 300_000)

it('reads all pages again in pieces after a change of the model', async () => {
  const { api, page, change, asked, during, follower } = await followedSite()
  const first = await page('/a', { head: 'first' })
  for (const slug of ['/b', '/c']) await page(slug, { head: slug })
  await follower.follow()
  asked.length = 0
  const [field] = (await api('GET', '/fields')) as unknown as { field_id: string }[]
  during.set('/b', () => change(first, { head: 'second' }))
  await api('PUT', `/fields/?q=${field?.field_id}`, { label: 'Heading' })
  await follower.follow()
  expect([asked.splice(0), follower.isBehind]).toEqual([['/b'], true])
  while (follower.isBehind) await follower.follow()
  expect(asked).toEqual(['/a', '/c'])
}, 300_000)
