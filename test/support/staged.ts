import { expect } from 'vitest'
import { tables } from '../../src/db/tables.js'
import { formatNames } from '../../src/services/delivery/formats/index.js'
import { type Caller, testApp } from './app.js'

/** A site whose edits stay unpublished until the next publish, with actions of its editors and visitors. */
export async function stagedSite() {
  const app = await testApp({ publish_mode: 'staged', webhook_enabled: true, i18n_enabled: true })
  const { call, db, clock, audits } = app
  await app.subscribe()
  const api = async (method: string, path: string, body?: unknown, as: Caller = 'admin') =>
    call(method, `/api/v1${path}`, { as, ...(body === undefined ? {} : { body }) })
  const post = async (path: string, body: unknown) => (await api('POST', path, body)).body
  const done = async (method: string, path: string, body?: unknown) => {
    const answer = await api(method, path, body)
    expect([path, answer.status, answer.text]).toEqual([path, expect.toSatisfy(n => n < 300), answer.text])
    return answer.body
  }

  await post('/locales', { code: 'de', label: 'Deutsch' })
  const type = (await post('/datatypes', { label: 'Page', type: 'content' })).datatype_id
  const other = (await post('/datatypes', { label: 'Other', type: 'content' })).datatype_id
  const global = (await post('/datatypes', { label: 'Menu', type: '_global' })).datatype_id
  const field = async (parent_id: string, label: string, field_type: string, more: object = {}) =>
    (await post('/fields', { label, field_type, parent_id, ...more })).field_id as string
  const name = await field(type, 'Name', 'text', { translatable: true })
  await field(type, 'Next', 'relation')
  await field(global, 'Name', 'text')

  const formats = [...formatNames, 'strapi-v4']
  let pages = 0
  const entry = async (place: object, name: string, more: object = {}) =>
    (
      await done('POST', '/content', {
        datatype_id: type,
        ...place,
        ...more,
        fields: { name, ...((more as { fields?: object }).fields ?? {}) },
      })
    ).content_data_id as string

  /** Creates a published page with two children, one of which has a child. @returns it with its public responses */
  async function page(fields: object = {}) {
    const slug = `/page-${++pages}`
    const { route_id } = await post('/routes', { slug, title: slug })
    const root = await entry({ route_id }, 'root', { fields })
    const a = await entry({ parent_id: root }, 'a')
    const b = await entry({ parent_id: root }, 'b')
    const deep = await entry({ parent_id: a }, 'deep')
    await publish(root)
    clock.advance(1)
    return { slug, route_id: route_id as string, root, a, b, deep }
  }
  const publish = (id: string) => done('POST', '/content/publish', { content_data_id: id })
  const unpublish = (id: string) => done('POST', '/content/unpublish', { content_data_id: id })
  const set = (id: string, name: string) => done('PUT', `/content?q=${id}`, { fields: { name } })
  const changes = async (id: string) => done('GET', `/content/changes?q=${id}`)
  const drop = (id: string) => done('POST', '/content/changes/drop', { content_data_id: id })
  const clean = async (slug: string) =>
    (await call('GET', `${slug}?format=clean`, { as: 'nobody' })).body ?? null
  const working = async (slug: string) => (await api('GET', `/page${slug}?format=clean`)).body

  /** Returns the public responses for a page in every format and locale, and by `/page`. */
  async function seen(slug: string) {
    const texts: Record<string, string> = {}
    for (const format of formats)
      for (const locale of ['', '&locale=de']) {
        const [shape, version] = format.split('-')
        const headers = version ? { 'Strapi-Response-Format': version } : {}
        const query = `format=${shape}${locale}`
        const answer = await call('GET', `${slug}?${query}`, { as: 'nobody', headers })
        const own = await call('GET', `/api/v1/page${slug}?${query}&status=published`, { headers })
        expect(own.text).toBe(answer.text)
        texts[format + locale] = `${answer.status} ${answer.headers.get('etag')} ${answer.text}`
      }
    return texts
  }
  /** Returns the events and audit entries that `work` creates. */
  async function traces(work: () => Promise<unknown>) {
    const known = new Set([
      ...(await app.deliveries()).map(({ delivery_id }) => delivery_id),
      ...(await audits()).map(({ audit_event_id }) => audit_event_id),
    ])
    await work()
    const [told, changed] = [await app.deliveries(), await audits()]
    return {
      events: told.filter(({ delivery_id }) => !known.has(delivery_id)).map(({ event }) => event),
      changes: changed
        .filter(({ audit_event_id }) => !known.has(audit_event_id))
        .map(event => `${event.operation} ${event.table_name}`),
    }
  }
  /** Whether a tree has unpublished changes, and how many of its entries have a different public version. */
  const kept = async (root_id: string) => {
    const { pending_since } = (await db.get(tables.contentTrees, root_id)) ?? { pending_since: null }
    const now = await db.findAll(tables.contentData, { root_id })
    const revisions = new Map(now.map(entry => [entry.content_data_id, entry.revision]))
    const shown = await db.findAll(tables.publicEntries, { root_id })
    const others = shown.filter(row => revisions.get(row.content_data_id) !== row.revision)
    return [pending_since === null ? 0 : 1, others.length]
  }
  const value = async (id: string, locale = '') =>
    (await db.find(tables.contentFields, { content_data_id: id, field_id: name, locale }))?.content_field_id
  return {
    app,
    api,
    post,
    done,
    type,
    other,
    global,
    name,
    entry,
    page,
    publish,
    unpublish,
    set,
    changes,
    drop,
    clean,
    working,
    seen,
    traces,
    kept,
    value,
  }
}
