import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { callerOf, made } from './calls.js'
import { migratedDatabase } from './database.js'
import { picture } from './media.js'
import { startProduct } from './process.js'
import { testStorage } from './storage.js'
import { whenDone } from './when-done.js'

const run = promisify(execFile)

export const client = resolve('packages/client/index.js')

type Post = (path: string, body: object) => ReturnType<typeof made>

async function filled(url: string, post: Post, change: (id: string, body: object) => Promise<unknown>) {
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
  const uploaded = await fetch(`${url}/api/v1/media/upload`, { method: 'POST', headers, body: form })
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
  await change(id, { locale: 'de', fields: { teaser: 'Eine neue Bremse' } })
  await post('/redirects', { slug: '/old', target: '/posts/first' })
  const { content_data_id } = draft.entry
  const { token } = await post('/content/preview-links', { content_data_id })
  return { url: url, key, token, id, draft: content_data_id }
}

/**
 * A service with content for a tour of the client.
 * @param origins of browsers that may read it
 */
export async function clientSite(origins: readonly string[] = []) {
  const storage = await testStorage({ readable: true })
  const { address, drop } = await migratedDatabase()
  whenDone(drop)
  const product = await startProduct(address, {
    config: { ...storage.config, i18n_enabled: true, cors_origins: origins },
  })
  const call = await callerOf(product)
  const post = (path: string, body: object) => made(call('POST', path, body))
  const change = (id: string, body: object) => made(call('PUT', `/content?q=${id}`, body))
  const here = await filled(product.url, post, change)
  return { here, call, change }
}
export type ClientSite = Awaited<ReturnType<typeof filled>>

/** Takes the tour in a runtime that starts a file. @returns what the tour has seen */
export async function toured(site: ClientSite, [runtime = '', ...flags]: readonly string[], from = client) {
  const env = {
    ...{ PATH: process.env.PATH, HOME: process.env.HOME },
    ...{ CLIENT: pathToFileURL(from).href, SITE: JSON.stringify(site) },
  }
  const { stdout } = await run(runtime, [...flags, 'test/support/run-client-tour.mjs'], {
    env,
    maxBuffer: 2 ** 26,
    timeout: 180_000,
  })
  return JSON.parse(stdout)
}
