import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { idsNamed } from '../../src/services/content/references.js'
import { type TestApp, testApp } from '../support/app.js'
import { factories } from '../support/factories.js'
import { chooser } from '../support/random.js'

const { contentData, contentFields, contentReferences, fields, media, publicReferences, publicValues } =
  tables

const picture = (app: TestApp, name: string) =>
  app.db.write(systemActor, tx =>
    tx.insert(media, {
      name,
      mimetype: 'image/png',
      size: 1,
      object_key: name,
      content_hash: name,
      author_id: app.users.admin,
    }),
  )

/** A site with a relation, a picture and rich text in each entry. */
async function site(mode: string) {
  const app = await testApp({ publish_mode: mode, webhook_enabled: true, readers_see_drafts: false })
  const make = factories(app)
  const type = (await make.datatype('Page')).datatype_id
  await make.field(type, 'Name', 'text')
  await make.field(type, 'Next', 'relation', { data: { cardinality: 'many' } })
  await make.field(type, 'One', 'relation')
  await make.field(type, 'Photo', 'media')
  await make.field(type, 'Text', 'richtext')
  const pictures = await Promise.all(['a', 'b', 'c'].map(name => picture(app, name)))
  const roots: string[] = []
  for (const slug of ['/one', '/two']) {
    const { route_id } = await make.route(slug)
    roots.push((await make.entry(type, { route_id })).content_data_id)
  }
  const api = (method: string, path: string, body?: unknown) =>
    app.call(method, `/api/v1${path}`, body === undefined ? {} : { body })
  for (const root of [...roots, ...roots]) await make.entry(type, { parent_id: root })
  return { app, type, roots, api, pictures: pictures.map(({ media_id }) => media_id) }
}

/** Who refers to whom, by the values of each book. */
async function expected(app: TestApp, ids: readonly string[]) {
  const types = new Map((await app.db.findAll(fields)).map(field => [field.field_id, field.field_type]))
  const values = [
    ...(await app.db.findAll(contentFields)).map(value => ({ ...value, book: 'working' })),
    ...(await app.db.findAll(publicValues, { position: 0 })).map(value => ({ ...value, book: 'public' })),
  ]
  return values
    .filter(({ field_id }) => types.get(field_id) !== 'text')
    .flatMap(({ book, field_value, content_field_id, content_data_id, field_id }) =>
      ids
        .filter(id => field_value.includes(id))
        .map(id => `${book} ${id} ${content_field_id} ${content_data_id} ${field_id}`),
    )
    .sort()
}

const indexed = async ({ db }: TestApp) =>
  [
    ...(await db.findAll(contentReferences)).map(row => ({ ...row, book: 'working' })),
    ...(await db.findAll(publicReferences)).map(row => ({ ...row, book: 'public' })),
  ]
    .map(row => [row.book, row.target_id, row.content_field_id, row.content_data_id, row.field_id].join(' '))
    .sort()

describe.each(['live', 'staged'])('in %s mode the references are those of the values', mode => {
  it.each([1, 2, 3])('after random edits (%i)', async seed => {
    const { app, type, roots, api, pictures } = await site(mode)
    const { below, one } = chooser(seed)
    await app.subscribe()
    const known = new Set([...roots, ...pictures])
    let [most, rebuilt] = [0, 0]
    for (let round = 0; round < 60; round++) {
      app.clock.advance(1000)
      const ids = (await app.db.findAll(contentData)).map(({ content_data_id }) => content_data_id)
      for (const id of ids) known.add(id)
      const [id, other, root, photo] = [one(ids), one(ids), one(roots), one(pictures)]
      const html = `<p>See <img src="/media/${photo}/x.png"> and <a href="entry:${other}">it</a> ${below(99)}</p>`
      const all = { name: `${photo}`, next: JSON.stringify([other, id]), one: other, photo, text: html }
      const edits: (() => ReturnType<typeof api>)[] = [
        () => api('PUT', `/content?q=${id}`, { fields: { next: JSON.stringify([other, id]) } }),
        () => api('PUT', `/content?q=${id}`, { fields: { one: other, photo } }),
        () => api('PUT', `/content?q=${id}`, { fields: { one: '', text: html } }),
        () => api('PUT', `/content?q=${id}`, { fields: { photo: '', next: '[]', name: other } }),
        () => api('POST', '/content', { datatype_id: type, parent_id: id, status: 'published', fields: all }),
        () => api('POST', '/content/move', { content_data_id: id, parent_id: other, position: 0 }),
        () => api('POST', '/content/duplicate', { content_data_id: id, parent_id: other }),
        () => api('DELETE', `/content?q=${id}&recursive=true`),
        () => api('POST', '/content/publish', { content_data_id: one([root, id]) }),
        () => api('POST', '/content/publish', { content_data_id: root }),
        () => api('POST', '/content/unpublish', { content_data_id: id }),
        () => api('POST', '/content/changes/drop', { content_data_id: root }),
      ]
      const step = below(edits.length)
      if (step === 7 && roots.includes(id)) continue
      expect((await (edits[step] as (typeof edits)[number])()).status).toBeLessThan(500)
      for (const { content_data_id } of await app.db.findAll(contentData)) known.add(content_data_id)
      const now = await indexed(app)
      expect([seed, round, step, now]).toEqual([seed, round, step, await expected(app, [...known])])
      most = Math.max(most, now.length)
      if (below(12) > 0) continue
      await app.services.space.publicBook.rebuild()
      expect(await indexed(app)).toEqual(now)
      rebuilt++
    }
    expect(most).toBeGreaterThan(15)
    expect(rebuilt).toBeGreaterThan(1)
  })

  it('and what names a picture is what has its id in it, for editors and for readers', async () => {
    const { app, type, roots, api, pictures } = await site(mode)
    const [first = '', second = ''] = pictures
    const [page = '', other = ''] = roots
    const set = (id: string, given: object) => api('PUT', `/content?q=${id}`, { fields: given })
    const uses = async (id: string, as: 'admin' | 'viewer') =>
      (await app.call('GET', `/api/v1/media/${id}/references`, { as })).body.map(
        (row: { content_data_id: string }) => row.content_data_id,
      )
    await set(page, { photo: first })
    await set(other, { text: `<img src="/image?url=%2Fmedia%2F${first}%2Fx.png">`, name: second })
    expect(await uses(first, 'admin')).toEqual([page, other])
    expect(await uses(first, 'viewer')).toEqual([])
    for (const root of roots) await api('POST', '/content/publish', { content_data_id: root })
    expect(await uses(first, 'viewer')).toEqual([page, other])
    await set(page, { photo: second })
    const isStaged = mode === 'staged'
    expect(await uses(first, 'viewer')).toEqual(isStaged ? [page, other] : [other])
    expect(await uses(second, 'viewer')).toEqual(isStaged ? [] : [page])
    expect(await uses(second, 'admin')).toEqual([page])
    await set(other, { text: '' })
    const refused = await api('DELETE', `/media/${first}`)
    expect(refused.status).toBe(isStaged ? 409 : 204)
    if (isStaged) expect(refused.body.error).toContain(page)
    await api(
      'DELETE',
      `/fields/?q=${(await app.db.find(fields, { name: 'photo', parent_id: type }))?.field_id}&recursive=true`,
    )
    await api('DELETE', `/content?q=${page}&recursive=true`)
    for (const root of roots) await api('POST', '/content/publish', { content_data_id: root })
    expect(await indexed(app)).toEqual(await expected(app, [...pictures, ...roots]))
  })
})

it('costs a write at most three statements where a value names something, and none where it does not', async () => {
  const { app, roots, api, pictures } = await site('live')
  const [root = '', other] = roots
  const set = async (given: object) => {
    const before = app.db.statementCounts.write
    expect((await api('PUT', `/content?q=${root}`, { fields: given })).status).toBe(200)
    return app.db.statementCounts.write - before
  }
  await set({ name: 'x', text: 'x' })
  const plain = await set({ text: 'y' })
  expect(await set({ name: other })).toBe(plain + 1)
  // The types of fields, the row that goes and the one that comes.
  expect(await set({ text: `<img src="/${pictures[0]}">` })).toBe(plain + 2)
  expect(await set({ text: `<img src="/${pictures[1]}">` })).toBe(plain + 3)
  expect(await set({ text: 'y' })).toBe(plain + 1)
})

it.each([
  ['', []],
  ['01JZZZZZZZZZZZZZZZZZZZZZZZ', ['01JZZZZZZZZZZZZZZZZZZZZZZZ']],
  ['81JZZZZZZZZZZZZZZZZZZZZZZZ', []],
  [
    '["01JZZZZZZZZZZZZZZZZZZZZZZZ","01JZZZZZZZZZZZZZZZZZZZZZZY"]',
    ['01JZZZZZZZZZZZZZZZZZZZZZZZ', '01JZZZZZZZZZZZZZZZZZZZZZZY'],
  ],
  ['<img src="https://x.example/media/01JZZZZZZZZZZZZZZZZZZZZZZZ/a.png">', ['01JZZZZZZZZZZZZZZZZZZZZZZZ']],
  ['01jzzzzzzzzzzzzzzzzzzzzzzz', []],
  ['%2F01JZZZZZZZZZZZZZZZZZZZZZZZ%2F', ['2F01JZZZZZZZZZZZZZZZZZZZZZ', '01JZZZZZZZZZZZZZZZZZZZZZZZ']],
  ['0'.repeat(100_000), []],
])('the ids in %.60j are %j', (text, ids) => {
  expect(idsNamed(text)).toEqual(ids)
})
