import { describe, expect, it } from 'vitest'
import { internalTables, tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'

const app = await testApp({ webhook_enabled: true })
const { call, db, subscribe, deliveries } = app
const make = factories(app)
const api = (method: string, path: string, body?: unknown, as: 'admin' | 'editor' | 'viewer' = 'admin') =>
  call(method, `/api/v1${path}`, { as, ...(body === undefined ? {} : { body }) })

const { datatype_id: page } = await make.datatype('Page')
const { datatype_id: section } = await make.datatype('Section')
const { datatype_id: inner } = await make.datatype('Inner', { parent_id: section })
for (const [parent, label, type, more] of [
  [page, 'Head', 'text', {}],
  [section, 'Text', 'text', { translatable: true }],
  [section, 'Count', 'number', {}],
  [section, 'Shown', 'boolean', {}],
  [section, 'Settings', 'json', {}],
  [section, 'Related', 'relation', { data: { cardinality: 'many' } }],
  [section, 'Must', 'text', { required: true }],
  [inner, 'Text', 'text', {}],
] as const)
  await make.field(parent, label, type, more)
await subscribe(['content.published', 'content.unpublished', 'content.updated', 'content.deleted'])

let number = 0
const slug = () => `/page-${number++}`
const counts = async () => ({
  entries: await db.count(tables.contentData),
  values: await db.count(tables.contentFields),
  routes: await db.count(tables.routes),
  audits: await db.count(internalTables.auditEvents),
  deliveries: (await deliveries()).length,
})
const clean = async (at: string) => (await call('GET', `${at}?format=clean`, { as: 'nobody' })).body
const eventsSince = async (before: number) => (await deliveries()).slice(before).map(({ event }) => event)

/** A section with so many inner entries. */
const sectionOf = (text: string, below: number) => ({
  datatype_id: section,
  fields: { text, count: 3, must: 'be' },
  children: Array.from({ length: below }, (_, i) => ({
    datatype_id: inner,
    fields: { text: `${text} ${i}` },
  })),
})

describe('the locale of a request', () => {
  it('is that of the entries under it too, unless they name their own', async () => {
    await api('POST', '/locales', { code: 'fr', label: 'Français' })
    const textsOf = async (id: string) => {
      const rows = await db.findAll(tables.contentFields, { content_data_id: id })
      return Object.fromEntries(rows.map(({ locale, field_value }) => [locale, field_value]))
    }
    const texts = { datatype_id: section, fields: { text: 'One' } }
    const { body } = await api('POST', '/pages', {
      ...{ slug: slug(), title: 'Texts', datatype_id: page, locale: 'fr' },
      children: [
        { ...texts, children: [] },
        { ...texts, locale: '' },
      ],
    })
    const [first, second] = body.entry.children.map((one: { content_data_id: string }) => one.content_data_id)
    expect([await textsOf(first), await textsOf(second)]).toEqual([{ fr: 'One' }, { '': 'One' }])
    const { status } = await api('PUT', `/content?q=${body.entry.content_data_id}`, {
      locale: 'fr',
      children: [
        { content_data_id: first, locale: '', fields: { text: 'One' } },
        { content_data_id: second, fields: { text: 'Un' } },
        { datatype_id: section, fields: { text: 'Neuf' } },
      ],
    })
    expect(status).toBe(200)
    expect([await textsOf(first), await textsOf(second)]).toEqual([
      { '': 'One', fr: 'One' },
      { '': 'One', fr: 'Un' },
    ])
    const made = await db.find(tables.contentFields, { field_value: 'Neuf' })
    expect(made?.locale).toBe('fr')
  })
})

describe('an entry with everything under it', () => {
  it('is made by one request: 300 entries, their audit events, one event', async () => {
    const before = await counts()
    const at = slug()
    const made = await api('POST', '/pages', {
      slug: at,
      title: 'Whole',
      datatype_id: page,
      status: 'published',
      fields: { head: 'Hello' },
      children: Array.from({ length: 23 }, (_, i) => sectionOf(`s${i}`, 12)),
    })
    expect([made.status, made.status === 201 ? '' : made.text]).toEqual([201, ''])
    const after = await counts()
    expect(after.entries - before.entries).toBe(300)
    expect(after.values - before.values).toBe(1 + 23 * 3 + 23 * 12)
    // A route, its entries and values, and the version of what was published.
    expect(after.audits - before.audits).toBe(1 + 300 + 346 + 1)
    expect(await eventsSince(before.deliveries)).toEqual(['content.published'])
    const { route, entry } = made.body
    expect(entry).toMatchObject({
      route_id: route.route_id,
      status: 'published',
      root_id: entry.content_data_id,
    })
    expect(entry.children).toHaveLength(23)
    expect(entry.children[22].children[11]).toMatchObject({
      parent_id: entry.children[22].content_data_id,
      root_id: entry.content_data_id,
      status: 'published',
    })
    const audits = (await app.audits()).slice(-625)
    expect(new Set(audits.map(event => event.request_id)).size).toBe(1)
    const shown = await clean(at)
    expect(shown).toMatchObject({ title: 'Whole', head: 'Hello' })
    expect(shown.children.map(({ text }: { text: string }) => text)).toEqual(
      Array.from({ length: 23 }, (_, i) => `s${i}`),
    )
    expect(shown.children[3].children[11]).toEqual({ type: 'inner', text: 's3 11' })
    const [version] = await db.findAll(tables.contentVersions, { content_data_id: entry.content_data_id })
    expect(version?.snapshot).toMatchObject({ entries: { length: 300 } })
  })

  it('answers with the ETag that the entry has when it is read', async () => {
    const { route_id } = await make.route(slug())
    const made = await api('POST', '/content', {
      datatype_id: page,
      route_id,
      children: [sectionOf('a', 40)],
    })
    expect(made.status).toBe(201)
    const read = await api('GET', `/content?q=${made.body.content_data_id}`)
    expect(read.headers.get('etag')).toBe(made.headers.get('etag'))
    expect(read.body).not.toHaveProperty('children')
  })

  it('takes values as JSON and as text', async () => {
    const { route_id } = await make.route(slug())
    const { body: target } = await api('POST', '/content', { datatype_id: page, route_id })
    const id = target.content_data_id
    const made = await api('POST', '/content', {
      datatype_id: section,
      parent_id: id,
      fields: { text: null, count: 1.5, shown: true, settings: { a: [1, null] }, related: [id] },
    })
    expect(made.status).toBe(201)
    const valuesOf = async () =>
      (await db.findAll(tables.contentFields, { content_data_id: made.body.content_data_id }))
        .map(({ field_value }) => field_value)
        .sort()
    expect(await valuesOf()).toEqual(['1.5', `["${id}"]`, 'true', '{"a":[1,null]}'].sort())
    const put = await api('PUT', `/content?q=${made.body.content_data_id}`, {
      fields: { count: null, shown: 'false', settings: '{"b":2}', text: null },
    })
    expect(put.status).toBe(200)
    expect(await valuesOf()).toEqual([`["${id}"]`, 'false', '{"b":2}'].sort())
  })

  const refusals: [string, object, string, RegExp][] = [
    [
      'an array where one text is',
      { children: [{ fields: { text: ['a'] } }] },
      'children.0.fields.text',
      /does not accept an array/,
    ],
    [
      'an object where a number is',
      { children: [{ fields: { count: {} } }] },
      'children.0.fields.count',
      /does not accept an object/,
    ],
    [
      'no such field',
      { children: [{}, { fields: { nope: 1 } }] },
      'children.1.fields.nope',
      /the datatype does not have this field/,
    ],
    [
      'a wrong number',
      { children: [{ children: [] }, { fields: { count: 'x' } }] },
      'children.1.fields.count',
      /must be a number/,
    ],
    [
      'null for what is required',
      { status: 'published', children: [{ fields: { must: 'be' } }, { fields: { must: null } }] },
      'children.1.fields.must',
      /required/,
    ],
    [
      'no such record',
      { children: [{ fields: { related: ['01ARZ3NDEKTSV4RRFFQ69G5FAV'] } }] },
      'children.0.fields.related',
      /must be the id of an existing entry/,
    ],
    [
      'no such datatype',
      { children: [{ datatype_id: '01ARZ3NDEKTSV4RRFFQ69G5FAV' }] },
      'children.0.datatype_id',
      /names no record/,
    ],
    [
      'a datatype of another place',
      { children: [{ children: [{ datatype_id: inner, children: [{ datatype_id: inner }] }] }] },
      'children.0.children.0.children.0.datatype_id',
      /can be placed only under/,
    ],
    [
      'a locale that is not there',
      { children: [{ locale: 'de', fields: { text: 'a' } }] },
      'locale',
      /the locale does not exist/,
    ],
  ]
  it.each(refusals)('is refused whole: %s', async (_, given, member, sentence) => {
    const fill = (entry: { datatype_id?: string; children?: object[] }): object => ({
      datatype_id: section,
      ...entry,
      ...(entry.children && { children: entry.children.map(fill) }),
    })
    const before = await counts()
    const answer = await api('POST', '/pages', {
      slug: slug(),
      title: 'x',
      ...fill(given),
      datatype_id: page,
    })
    expect(answer.body).toMatchObject({ member, error: expect.stringMatching(sentence) })
    expect(answer.status).toBe(400)
    expect(await counts()).toEqual(before)
  })

  it('is refused whole with more than 5,000 entries', async () => {
    const before = await counts()
    const children = Array.from({ length: 5000 }, () => ({ datatype_id: section }))
    const answer = await api('POST', '/pages', { slug: slug(), title: 'x', datatype_id: page, children })
    expect([answer.status, answer.body.error]).toEqual([
      400,
      expect.stringMatching(/5001 entries.*at most 5000/),
    ])
    expect(await counts()).toEqual(before)
  })

  it('says nothing of a page that is a draft', async () => {
    const before = await counts()
    const children = [{ ...sectionOf('a', 2), status: 'published' }]
    const made = await api('POST', '/pages', { slug: slug(), title: 'x', datatype_id: page, children })
    expect(made.body.entry).toMatchObject({ status: 'draft', children: [{ status: 'published' }] })
    expect(await eventsSince(before.deliveries)).toEqual([])
  })
})

describe('POST /pages', () => {
  it('makes neither route nor entry when one of them cannot be made', async () => {
    const at = slug()
    await make.route(at)
    const before = await counts()
    const taken = await api('POST', '/pages', { slug: at, title: 'x', datatype_id: page })
    expect([taken.status, taken.body.member]).toEqual([409, 'slug'])
    const missing = { slug: slug(), title: 'x', datatype_id: '01ARZ3NDEKTSV4RRFFQ69G5FAV' }
    expect((await api('POST', '/pages', missing)).status).toBe(400)
    expect(await counts()).toEqual(before)
  })

  it('needs the rights to create routes and content', async () => {
    const given = { slug: slug(), title: 'x', datatype_id: page }
    expect((await api('POST', '/pages', given, 'viewer')).status).toBe(403)
    const { role_id } = (await api('POST', '/roles', { label: 'writer' })).body
    const permissions = (await api('GET', '/permissions')).body as { permission_id: string; label: string }[]
    const allow = async (label: string) =>
      api('POST', '/role-permissions', {
        role_id,
        permission_id: permissions.find(one => one.label === label)?.permission_id,
      })
    await allow('content:create')
    await api('PUT', '/users/', { user_id: app.users.viewer, role: 'writer' })
    const key = (await api('POST', '/tokens', { user_id: app.users.viewer })).body.token
    const post = () =>
      call('POST', '/api/v1/pages', {
        as: 'nobody',
        body: given,
        headers: { Authorization: `Bearer ${key}` },
      })
    expect((await post()).status).toBe(403)
    await allow('routes:create')
    expect((await post()).status).toBe(201)
  })

  it('is there for the admin space too', async () => {
    const { datatype_id } = (await api('POST', '/admin/datatypes', { label: 'P', type: 'content' })).body
    const made = await api('POST', '/admin/pages', { slug: '/p', title: 'P', datatype_id })
    expect([made.status, made.body.entry.route_id]).toEqual([201, made.body.route.route_id])
  })
})

describe('PUT /content with entries under it', () => {
  const published = async () => {
    const at = slug()
    const { body } = await api('POST', '/pages', {
      slug: at,
      title: 'P',
      datatype_id: page,
      status: 'published',
      fields: { head: 'one' },
      children: [sectionOf('a', 1), sectionOf('b', 1), sectionOf('c', 0)],
    })
    return { at, entry: body.entry, children: body.entry.children }
  }

  it('changes what it names, makes what has no id, and leaves the rest: one event', async () => {
    const { at, entry, children } = await published()
    const before = await counts()
    const put = await api('PUT', `/content?q=${entry.content_data_id}`, {
      fields: { head: 'two' },
      children: [
        {
          content_data_id: children[1].content_data_id,
          fields: { text: 'B' },
          children: [
            { content_data_id: children[1].children[0].content_data_id, fields: { text: 'inside B' } },
            { datatype_id: inner, fields: { text: 'new in B' } },
          ],
        },
        {
          datatype_id: section,
          fields: { text: 'd', must: 'be' },
          children: [{ datatype_id: inner, fields: { text: 'd 0' } }],
        },
        { datatype_id: section, fields: { text: 'e', must: 'be' } },
      ],
    })
    expect(put.status).toBe(200)
    expect(put.body.children).toHaveLength(3)
    expect(await eventsSince(before.deliveries)).toEqual(['content.updated'])
    expect((await counts()).entries - before.entries).toBe(4)
    const inside = (text: string) => ({ type: 'inner', text })
    expect(await clean(at)).toMatchObject({
      head: 'two',
      children: [
        { text: 'a', children: [inside('a 0')] },
        { text: 'B', count: '3', children: [inside('inside B'), inside('new in B')] },
        { text: 'c' },
        { text: 'd', children: [inside('d 0')] },
        { text: 'e' },
      ],
    })
    const again = await counts()
    const same = { fields: { head: 'two' }, children: [{ content_data_id: children[1].content_data_id }] }
    expect((await api('PUT', `/content?q=${entry.content_data_id}`, same)).status).toBe(200)
    expect(await counts()).toEqual(again)
  })

  it('keeps to If-Match', async () => {
    const { entry, children } = await published()
    const before = await counts()
    const stale = await call('PUT', `/api/v1/content?q=${entry.content_data_id}`, {
      headers: { 'If-Match': '"stale"' },
      body: { children: [{ content_data_id: children[0].content_data_id, fields: { text: 'x' } }] },
    })
    expect(stale.status).toBe(412)
    expect(await counts()).toEqual(before)
  })

  it('publishes and takes back entries under it, with one event and one version', async () => {
    const { at, entry, children } = await published()
    const names = () => clean(at).then(({ children }) => children.map(({ text }: { text: string }) => text))
    const put = (given: object[]) => api('PUT', `/content?q=${entry.content_data_id}`, { children: given })
    let before = await counts()
    await put([
      { content_data_id: children[0].content_data_id, status: 'draft' },
      { content_data_id: children[2].content_data_id, status: 'draft' },
    ])
    expect(await names()).toEqual(['b'])
    expect(await eventsSince(before.deliveries)).toEqual(['content.updated'])
    before = await counts()
    const versions = await db.count(tables.contentVersions)
    await put([{ content_data_id: children[0].content_data_id, status: 'published', fields: { text: 'A' } }])
    expect(await names()).toEqual(['A', 'b'])
    expect(await eventsSince(before.deliveries)).toEqual(['content.updated'])
    expect((await db.count(tables.contentVersions)) - versions).toBe(1)
  })

  it('publishes the page with what is made under it: one event', async () => {
    const at = slug()
    const { body } = await api('POST', '/pages', { slug: at, title: 'P', datatype_id: page })
    const before = await counts()
    const put = await api('PUT', `/content?q=${body.entry.content_data_id}`, {
      status: 'published',
      children: [sectionOf('a', 2)],
    })
    expect(put.status).toBe(200)
    expect(await eventsSince(before.deliveries)).toEqual(['content.published'])
    expect((await clean(at)).children[0].children).toHaveLength(2)
  })

  it.each([
    [
      'an entry of elsewhere',
      async () => (await published()).children[0].content_data_id,
      'children.0.content_data_id',
      /not a child/,
    ],
    [
      'an entry that is not there',
      async () => '01ARZ3NDEKTSV4RRFFQ69G5FAV',
      'children.0.content_data_id',
      /not a child/,
    ],
    ['an entry without a datatype', async () => undefined, 'children.0.datatype_id', /is required/],
  ])('is refused whole: %s', async (_, idOf, member, sentence) => {
    const { entry } = await published()
    const content_data_id = await idOf()
    const before = await counts()
    const put = await api('PUT', `/content?q=${entry.content_data_id}`, {
      fields: { head: 'two' },
      children: [{ ...(content_data_id && { content_data_id }), fields: { text: 'x' } }],
    })
    expect(put.body).toMatchObject({ member, error: expect.stringMatching(sentence) })
    expect(await counts()).toEqual(before)
  })

  it('refuses an entry that is named twice', async () => {
    const { entry, children } = await published()
    const one = { content_data_id: children[0].content_data_id }
    const put = await api('PUT', `/content?q=${entry.content_data_id}`, { children: [one, one] })
    expect([put.status, put.body.member]).toEqual([400, 'children.1.content_data_id'])
  })
})
