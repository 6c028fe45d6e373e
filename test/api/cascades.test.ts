import { describe, expect, it } from 'vitest'
import { tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'

const live = await testApp({ webhook_enabled: true })
const staged = await testApp({ publish_mode: 'staged' })
const events = ['content.deleted']

/** A page with two sections, each with a note in it, over a model of its own. */
async function site({ call, db }: typeof live) {
  const make = factories({ call })
  const name = `n${await db.count(tables.datatypes)}`
  const { datatype_id: page } = await make.datatype(`page ${name}`)
  const { datatype_id: section } = await make.datatype(`section ${name}`)
  const { datatype_id: note } = await make.datatype(`note ${name}`, { parent_id: section })
  const fields: string[] = []
  for (const parent of [page, section, note]) fields.push((await make.field(parent, 'Text', 'text')).field_id)
  const fieldsOf = (text: string) => ({ fields: { text } })
  const children = ['a', 'b'].map(text => ({
    datatype_id: section,
    ...fieldsOf(text),
    children: [{ datatype_id: note, ...fieldsOf(`${text} note`) }],
  }))
  const body = {
    slug: `/${name}`,
    title: name,
    datatype_id: page,
    status: 'published',
    children,
    ...fieldsOf('top'),
  }
  const made = await call('POST', '/api/v1/pages', { body })
  expect([made.status, made.text]).toEqual([201, made.text])
  return { page, section, note, fields, slug: body.slug, ...made.body }
}

const countsOf = async ({ db }: typeof live) => ({
  routes: await db.count(tables.routes),
  datatypes: await db.count(tables.datatypes),
  fields: await db.count(tables.fields),
  entries: await db.count(tables.contentData),
  values: await db.count(tables.contentFields),
  versions: await db.count(tables.contentVersions),
})
type Site = Awaited<ReturnType<typeof site>>

const nothing = { routes: 0, datatypes: 0, fields: 0, entries: 0, values: 0, versions: 0 }
const kinds: [string, (one: Site) => string, object][] = [
  [
    'a route with its tree',
    one => `/routes?q=${one.route.route_id}&recursive=true`,
    { routes: 1, entries: 5, values: 5, versions: 1 },
  ],
  ['a field with its values', one => `/fields?q=${one.fields[1]}&values=true`, { fields: 1, values: 2 }],
  [
    'a datatype inside of a page',
    one => `/datatypes?q=${one.section}&recursive=true`,
    { datatypes: 2, fields: 2, entries: 4, values: 4 },
  ],
  [
    'the datatype of a page',
    one => `/datatypes?q=${one.page}&recursive=true`,
    { datatypes: 1, fields: 1, entries: 5, values: 5, versions: 1 },
  ],
]

describe.each([
  ['live', live],
  ['staged', staged],
] as const)('in %s mode', (_, app) => {
  it.each(kinds)('counts and deletes %s', async (_, pathOf, expected) => {
    const { call, db, audits } = app
    const one = await site(app)
    const path = `/api/v1${pathOf(one)}`
    const before = await countsOf(app)
    const audited = (await audits()).length
    const dry = await call('DELETE', `${path}&dry_run=true`)
    expect([dry.status, dry.body]).toEqual([200, { ...nothing, ...expected }])
    expect(await countsOf(app)).toEqual(before)
    expect((await call('DELETE', path.split('&')[0] ?? '')).status).toBe(409)
    expect((await call('DELETE', path)).status).toBe(204)
    const after = await countsOf(app)
    const gone = Object.fromEntries(
      Object.entries(before).map(([name, n]) => [name, n - after[name as keyof typeof after]]),
    )
    expect(gone).toEqual({ ...nothing, ...expected })
    const deletions = (await audits()).slice(audited).filter(({ operation }) => operation === 'DELETE')
    expect(deletions).toHaveLength(Object.values({ ...nothing, ...expected }).reduce((sum, n) => sum + n, 0))
    const shown = await call('GET', `${one.slug}?format=clean`, { as: 'nobody' })
    expect(shown.status).toBe(
      (await db.exists(tables.contentData, { content_data_id: one.entry.content_data_id })) ? 200 : 404,
    )
    expect((await call('DELETE', path)).status).toBe(404)
  })
})

it('says once that a page is deleted', async () => {
  await live.subscribe(events)
  const one = await site(live)
  const before = (await live.deliveries()).length
  await live.call('DELETE', `/api/v1/routes?q=${one.route.route_id}&recursive=true`)
  const [delivery, ...others] = (await live.deliveries()).slice(before)
  expect(others).toEqual([])
  expect(JSON.parse(delivery?.payload ?? '').data).toMatchObject({
    content_data_id: one.entry.content_data_id,
    slug: one.slug,
    slugs: [one.slug],
  })
})

it('shows what is pending without what the model has lost, and publishes it', async () => {
  const { call } = staged
  const one = await site(staged)
  const put = { fields: { text: 'changed' } }
  await call('PUT', `/api/v1/content?q=${one.entry.content_data_id}`, { body: put })
  await call('DELETE', `/api/v1/datatypes?q=${one.note}&recursive=true`)
  await call('DELETE', `/api/v1/fields?q=${one.fields[1]}&values=true`)
  const page = async () => (await call('GET', `${one.slug}?format=clean`, { as: 'nobody' })).body
  expect(await page()).toMatchObject({ text: 'top' })
  expect(JSON.stringify(await page())).not.toContain('note')
  const body = { content_data_id: one.entry.content_data_id }
  expect((await call('POST', '/api/v1/content/publish', { body })).status).toBe(200)
  expect(await page()).toMatchObject({ text: 'changed' })
})

it('needs the right to delete everything that goes', async () => {
  const { call, users } = live
  const one = await site(live)
  const { role_id } = (await call('POST', '/api/v1/roles', { body: { label: 'router' } })).body
  const permissions = (await call('GET', '/api/v1/permissions')).body as {
    permission_id: string
    label: string
  }[]
  const allow = (label: string) => {
    const permission_id = permissions.find(found => found.label === label)?.permission_id
    return call('POST', '/api/v1/role-permissions', { body: { role_id, permission_id } })
  }
  await allow('routes:delete')
  await call('PUT', '/api/v1/users/', { body: { user_id: users.viewer, role: 'router' } })
  const { token } = (await call('POST', '/api/v1/tokens', { body: { user_id: users.viewer } })).body
  const headers = { Authorization: `Bearer ${token}` }
  const remove = () =>
    call('DELETE', `/api/v1/routes?q=${one.route.route_id}&recursive=true`, { as: 'nobody', headers })
  expect((await remove()).status).toBe(403)
  await allow('content:delete')
  expect((await remove()).status).toBe(204)
})

it('keeps to If-Match, and dry_run goes with the deletion that it counts', async () => {
  const one = await site(live)
  const path = `/api/v1/routes?q=${one.route.route_id}`
  const headers = { 'If-Match': '"stale"' }
  expect((await live.call('DELETE', `${path}&recursive=true`, { headers })).status).toBe(412)
  expect((await live.call('DELETE', `${path}&dry_run=true`)).body.member).toBe('dry_run')
})
