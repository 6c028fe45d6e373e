import { expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { type TestApp, testApp } from '../support/app.js'
import { factories } from '../support/factories.js'

/** A page, another that shows it through a relation, a list and a draft. */
async function site(publish_mode: 'live' | 'staged') {
  const app = await testApp({ publish_mode })
  const make = factories(app)
  const { datatype_id: type } = await make.datatype('Page', { visibility: 'public' })
  await make.field(type, 'Name', 'text')
  await make.field(type, 'Next', 'relation')
  const page = async (slug: string, fields: object, status = 'published') => {
    const { route_id } = await make.route(slug)
    return (await make.entry(type, { route_id }, { fields, status })).content_data_id
  }
  const shown = await page('/shown', { name: 'Shown' })
  await page('/linking', { name: 'Linking', next: shown })
  const draft = await page('/draft', { name: 'Draft' }, 'draft')
  return { app, shown, draft }
}

const paths = ['/shown?format=clean', '/linking?format=native', '/api/v1/query/page', '/sitemap.xml']

/** What the public gets, and how many statements that took. */
async function visits({ call, db }: TestApp) {
  const query = db.query
  let statements = 0
  db.query = (what, values) => {
    statements++
    return query.call(db, what, values) as never
  }
  const texts = []
  for (const path of paths) texts.push((await call('GET', path, { as: 'nobody' })).text)
  db.query = query
  return { texts, statements }
}

it.each(['live', 'staged'] as const)('drop no answer of the public in %s mode', async mode => {
  const { app, draft, shown } = await site(mode)
  const { call, users, db } = app
  const warm = async () => {
    await visits(app)
    return visits(app)
  }
  const before = await warm()
  expect(before.statements).toBe(0)
  const done = async (method: string, path: string, body: unknown) =>
    expect((await call(method, `/api/v1${path}`, { body })).status).toBeLessThan(300)

  for (let n = 0; n < 20; n++) {
    await done('PUT', `/content?q=${draft}`, { fields: { name: `Draft ${n}` } })
    if (mode === 'staged') await done('PUT', `/content?q=${shown}`, { fields: { name: `Pending ${n}` } })
  }
  const kind = await call('POST', '/api/v1/admin/datatypes', { body: { label: 'Note', type: '_global' } })
  await warm()
  const note = { datatype_id: kind.body.datatype_id, status: 'published', author_id: users.admin }
  await done('POST', '/admin/content', note)
  expect(await visits(app)).toEqual(before)

  // What it can see drops it.
  if (mode === 'staged') await done('POST', '/content/publish', { content_data_id: shown })
  else await done('PUT', `/content?q=${shown}`, { fields: { name: 'Other' } })
  const after = await visits(app)
  expect(after.statements).toBeGreaterThan(0)
  for (const i of [0, 2]) expect(after.texts[i]).not.toBe(before.texts[i])
  expect(await db.count(tables.publicEntries)).toBe(2)
})

it('a warm answer stays through a thousand edits of drafts', async () => {
  const { app, draft } = await site('live')
  await visits(app)
  expect((await visits(app)).statements).toBe(0)
  for (let n = 0; n < 1000; n++) {
    await app.services.space.content.update(systemActor, draft, { fields: { name: `Draft ${n}` } })
  }
  expect((await visits(app)).statements).toBe(0)
})
