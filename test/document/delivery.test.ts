import { beforeAll, describe, expect, it } from 'vitest'
import { made } from '../support/calls.js'
import { startedSite } from '../support/site.js'

/** Content as everybody reads it, in the words of the product document (3.2, 4.10), at the started product. */

const { admin, send, rows } = await startedSite({ config: { i18n_enabled: true } })
const formats = ['clean', 'raw', 'contentful', 'sanity', 'strapi', 'wordpress'] as const
const page = await rows.datatype('Page')
const section = await rows.datatype('Section')
for (const { datatype_id } of [page, section]) await rows.field(datatype_id, 'Text', 'text')

/** A root entry with one child, both drafts. */
async function tree(slug: string) {
  const { route_id } = await rows.route(slug, 'Hello!')
  const root = await rows.entry(page.datatype_id, { route_id }, { fields: { text: 'World' } })
  const place = { parent_id: root.content_data_id }
  const child = await rows.entry(section.datatype_id, place, { fields: { text: 'Part' } })
  return { route_id, root: root.content_data_id as string, child: child.content_data_id as string }
}
const publish = (content_data_id: string) => made(admin('POST', '/content/publish', { content_data_id }))

describe('a published tree', () => {
  let ids: Awaited<ReturnType<typeof tree>>
  beforeAll(async () => {
    ids = await tree('/hello')
    await publish(ids.root)
  })

  it('is in format clean an object with type, title, slug and children, each with type and values', async () => {
    const { status, body } = await send('GET', '/hello?format=clean')
    expect([status, body]).toEqual([
      200,
      {
        type: 'page',
        title: 'Hello!',
        slug: '/hello',
        text: 'World',
        children: [{ type: 'section', text: 'Part' }],
      },
    ])
  })

  it('is in format raw the full database shape with all ids', async () => {
    const { text } = await send('GET', '/hello?format=raw')
    const values = await made(admin('GET', `/content-fields?content_data_id=${ids.root}`))
    for (const id of [...Object.values(ids), values[0].content_field_id]) expect(text).toContain(id)
    expect((await send('GET', '/hello')).text).toBe(text)
  })

  it.each(formats)('is JSON in format %s at both addresses', async format => {
    const open = await send('GET', `/hello?format=${format}`)
    const own = await send('GET', `/api/v1/page/hello?format=${format}`, { as: 'admin' })
    expect([open.status, open.headers.get('content-type')]).toEqual([200, 'application/json'])
    expect([own.status, own.headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(open.text).toContain('World')
    expect(own.text).toContain('World')
  })

  it('has no other format', async () => {
    const { status, body } = await send('GET', '/hello?format=xml')
    expect([status, body.error]).toEqual([400, expect.stringContaining(formats.join(', '))])
  })

  it('can be read by the scripts of every site', async () => {
    const headers = { Origin: 'https://other.example', 'Access-Control-Request-Method': 'GET' }
    const preflight = await send('OPTIONS', '/hello', { headers })
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
  })
})

describe('a route', () => {
  it('is read without authentication once its entry is published, and not before nor after', async () => {
    const { root } = await tree('/once')
    const status = async () => (await send('GET', '/once')).status
    expect(await status()).toBe(404)
    await publish(root)
    expect(await status()).toBe(200)
    await made(admin('POST', '/content/unpublish', { content_data_id: root }))
    expect(await status()).toBe(404)
  })

  it('may have a slug of several parts', async () => {
    const { root } = await tree('/about/us')
    await publish(root)
    expect((await send('GET', '/about/us?format=clean')).body.slug).toBe('/about/us')
    expect((await admin('GET', '/page/about/us?format=clean')).body.slug).toBe('/about/us')
  })

  it('under /page is for those who have signed in', async () => {
    const { root } = await tree('/page-of-a-user')
    await publish(root)
    expect((await send('GET', '/api/v1/page/page-of-a-user')).status).toBe(403)
  })
})

describe('a locale', () => {
  it('has its own values, and can be published by itself', async () => {
    await made(admin('POST', '/locales', { code: 'de', label: 'Deutsch' }))
    const { datatype_id } = await rows.datatype('Translated page')
    await rows.field(datatype_id, 'Text', 'text', { translatable: true })
    const { route_id } = await rows.route('/translated')
    const { content_data_id } = await rows.entry(datatype_id, { route_id }, { fields: { text: 'Hello' } })
    await publish(content_data_id)
    const text = async () => (await send('GET', '/translated?format=clean&locale=de')).body.text
    await made(admin('PUT', `/content/?q=${content_data_id}`, { fields: { text: 'Servus' }, locale: 'de' }))
    await made(admin('POST', '/content/publish', { content_data_id, locale: 'de' }))
    expect(await text()).toBe('Servus')
    expect((await send('GET', '/translated?format=clean')).body.text).toBe('Hello')
  })
})

describe('global trees', () => {
  it('exist independently of routes', async () => {
    const { datatype_id } = await rows.datatype('Menu', { type: '_global' })
    const { content_data_id } = await rows.entry(datatype_id, {}, { status: 'published' })
    const { status, body } = await admin('GET', '/globals')
    expect([status, body.length]).toEqual([200, 1])
    expect(JSON.stringify(body)).toContain(content_data_id)
  })
})
