import { expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { internalTables, tables } from '../../src/db/tables.js'
import type { HttpError } from '../../src/errors.js'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'
import { stagedSite } from '../support/staged.js'

const app = await testApp({ webhook_enabled: true, i18n_enabled: true })
const { call, db, clock, users, services } = app
const made = factories(app)
const api = (method: string, path: string, body?: unknown) =>
  call(method, `/api/v1${path}`, body === undefined ? {} : { body })

let pages = 0
/** A datatype with one field of these rules, and a way to make entries of it. */
async function typeWith(field_type: string, more: object = {}) {
  const { datatype_id, name } = await made.datatype(`Kind ${++pages}`)
  const field = await made.field(datatype_id, 'Thing', field_type, more)
  const entry = async (fields: object, more: object = {}) => {
    const { route_id } = await made.route(`/rules-${++pages}`)
    return (await made.entry(datatype_id, { route_id }, { fields, ...more })).content_data_id as string
  }
  return { datatype_id, name, field_id: field.field_id as string, entry }
}
const publish = (content_data_id: string) => api('POST', '/content/publish', { content_data_id })
const statusOf = async (id: string) => (await db.get(tables.contentData, id))?.status

async function mediaItem(mimetype: string, texts: { alt_text?: string; display_name?: string } = {}) {
  const { media_id } = await db.write(systemActor, tx =>
    tx.insert(tables.media, {
      name: 'file',
      mimetype,
      size: 1,
      object_key: `key-${++pages}`,
      content_hash: 'x',
      author_id: users.admin,
      ...texts,
    }),
  )
  return media_id
}

const long = '🚲'.repeat(6)
const refused: [type: string, data: object, value: string | number, rule: string, problem: string][] = [
  ['text', { minLength: 7 }, long, 'minLength', 'must have at least 7 characters'],
  ['text', { maxLength: 5 }, long, 'maxLength', 'must have at most 5 characters'],
  ['textarea', { maxLength: 5 }, 'abcdef', 'maxLength', 'must have at most 5 characters'],
  ['text', { pattern: '^[A-Z]{2}-\\d+$' }, 'ab-1', 'pattern', 'must match the pattern ^[A-Z]{2}-\\d+$'],
  ['slug', { pattern: '^[a-z-]+$' }, 'Not-Low', 'pattern', 'must match the pattern ^[a-z-]+$'],
  [
    'email',
    { pattern: '@example\\.com$' },
    'a@b.example',
    'pattern',
    'must match the pattern @example\\.com$',
  ],
  ['url', { pattern: '^https:' }, 'http://a.example', 'pattern', 'must match the pattern ^https:'],
  ['number', { min: 3 }, 2.5, 'min', 'must be at least 3'],
  ['number', { max: 3 }, 3.5, 'max', 'must be at most 3'],
  ['number', { integer: true }, 3.5, 'integer', 'must be a whole number'],
  ['date', { min: '2026-01-01' }, '2025-12-31', 'min', 'must be not before 2026-01-01'],
  ['date', { max: '2026-01-01' }, '2026-01-02', 'max', 'must be not after 2026-01-01'],
  [
    'datetime',
    { min: '2026-01-01T00:00:00Z' },
    '2026-01-01T00:30:00+01:00',
    'min',
    'must be not before 2026-01-01T00:00:00Z',
  ],
  [
    'select',
    { options: ['red', { value: 'blue', label: 'Blue' }, 3] },
    'green',
    'options',
    'must be one of red, blue, 3',
  ],
]
it.each(refused)(
  'a draft may break a rule of %s %j, and what is public may not',
  async (type, data, value, rule, problem) => {
    const { entry, field_id } = await typeWith(type, { data })
    const id = await entry({ thing: value })
    const error = {
      error: `fields.thing: ${problem}`,
      member: 'fields.thing',
      rule,
      content_data_id: id,
      field_id,
      locale: '',
    }
    const answer = await publish(id)
    expect([answer.status, answer.body]).toEqual([
      400,
      { error: error.error, code: 'invalid', member: 'fields.thing', errors: [error] },
    ])
    const byStatus = await api('PUT', `/content?q=${id}`, { status: 'published' })
    expect([byStatus.status, byStatus.body.errors]).toEqual([400, [error]])
    expect((await api('GET', `/content/check?q=${id}`)).body).toEqual({
      content_data_id: id,
      errors: [error],
    })
    expect(await statusOf(id)).toBe('draft')
  },
)

const taken: [type: string, data: object, value: string | number | boolean][] = [
  ['text', { minLength: 6, maxLength: 6 }, long],
  ['text', { pattern: '\\d' }, 'a1b'],
  ['number', { min: 3, max: 3, integer: true }, 3],
  ['date', { min: '2026-01-01', max: '2026-01-01' }, '2026-01-01'],
  ['select', { options: ['red', { value: 'blue' }, 3] }, 3],
  ['text', { minLength: 3 }, ''],
]
it.each(taken)('what keeps the rules of %s %j is published', async (type, data, value) => {
  const { entry } = await typeWith(type, { data })
  const id = await entry({ thing: value })
  expect((await api('GET', `/content/check?q=${id}`)).body.errors).toEqual([])
  expect((await publish(id)).status).toBe(200)
})

it('names what is missing or wrong in all entries at once', async () => {
  const { datatype_id, entry, field_id } = await typeWith('text', { required: true })
  const amount = await made.field(datatype_id, 'Amount', 'number', { data: { max: 10 }, sort_order: 1 })
  const root = await entry({ amount: 11 })
  const child = await made.entry(datatype_id, { parent_id: root }, { fields: { thing: '', amount: 12 } })
  const fine = await made.entry(datatype_id, { parent_id: root }, { fields: { thing: 'x' } })
  const answer = await publish(root)
  expect(answer.status).toBe(400)
  expect(answer.body.error).toBe('fields.thing: is required (and 3 more)')
  const short = answer.body.errors.map((one: { content_data_id: string; field_id: string; rule: string }) => [
    one.content_data_id,
    one.field_id,
    one.rule,
  ])
  expect(short).toEqual([
    [root, field_id, 'required'],
    [root, amount.field_id, 'max'],
    [child.content_data_id, field_id, 'required'],
    [child.content_data_id, amount.field_id, 'max'],
  ])
  expect(await statusOf(fine.content_data_id)).toBe('draft')
  const created = await made.route(`/rules-${++pages}`)
  const born = await api('POST', '/content', { datatype_id, route_id: created.route_id, status: 'published' })
  expect([born.status, born.body.member]).toEqual([400, 'fields.thing'])
  expect(await db.count(tables.contentData, { route_id: created.route_id })).toBe(0)
})

it('a required translatable field is filled by its default locale, and a translation may be missing', async () => {
  await api('POST', '/locales', { code: 'en', label: 'English' })
  await api('POST', '/locales', { code: 'de', label: 'Deutsch' })
  const { entry } = await typeWith('text', { required: true, translatable: true })
  const [english, german] = [await entry({}), await entry({})]
  await api('PUT', `/content?q=${english}`, { fields: { thing: 'x' }, locale: 'en' })
  await api('PUT', `/content?q=${german}`, { fields: { thing: 'x' }, locale: 'de' })
  expect((await publish(english)).status).toBe(200)
  expect((await publish(german)).body.errors).toMatchObject([{ rule: 'required', locale: '' }])
})

it('an edit of what is public keeps the rules of the fields that it changes', async () => {
  const { datatype_id, entry, field_id } = await typeWith('text', { required: true })
  const id = await entry({ thing: 'x' }, { status: 'published' })
  const value = await db.find(tables.contentFields, { content_data_id: id, field_id })
  const later = await made.field(datatype_id, 'Later', 'text', { required: true })
  const path = `/content-fields?q=${value?.content_field_id}`
  expect((await api('PUT', `/content?q=${id}`, { fields: { thing: '' } })).status).toBe(400)
  expect((await api('PUT', path, { field_value: '' })).status).toBe(400)
  expect((await api('DELETE', path)).body.errors).toMatchObject([{ rule: 'required', content_data_id: id }])
  expect((await api('PUT', `/content?q=${id}`, { fields: { thing: 'y' } })).status).toBe(200)
  const empty = { content_data_id: id, field_id: later.field_id, field_value: '' }
  expect((await api('POST', '/content-fields', empty)).status).toBe(400)
  await api('POST', '/content/unpublish', { content_data_id: id })
  expect((await api('DELETE', path)).status).toBe(204)
})

it('pictures have an alt text where the field requires it, when they are published and after', async () => {
  const [silent, told, film] = [
    await mediaItem('image/png', { alt_text: ' ', display_name: 'Wall "1".png' }),
    await mediaItem('image/png', { alt_text: 'A wall' }),
    await mediaItem('video/mp4'),
  ]
  const data = { cardinality: 'many', altRequired: true }
  const gallery = await typeWith('media', { data })
  const files = (...ids: string[]) => ({ thing: JSON.stringify(ids) })
  const draft = await gallery.entry(files(told, film, silent))
  const refusal = await publish(draft)
  expect([refusal.status, refusal.body.error, refusal.body.errors]).toMatchObject([
    400,
    'fields.thing: needs an alt text: add one to the image "Wall "1".png"',
    [{ member: 'fields.thing', rule: 'altRequired', content_data_id: draft }],
  ])
  expect(await statusOf(draft)).toBe('draft')
  const live = await gallery.entry(files(told, film), { status: 'published' })
  const edit = (ids: string) => api('PUT', '/content', { content_data_id: live, fields: { thing: ids } })
  expect((await edit(JSON.stringify([silent]))).status).toBe(400)
  await api('PUT', `/media/?q=${silent}`, { alt_text: 'Another wall' })
  expect((await edit(JSON.stringify([silent]))).status).toBe(200)
  expect((await publish(draft)).status).toBe(200)

  // A new rule counts what is public already, and a setting of another type or value is refused.
  const { field_id } = gallery
  await api('PUT', `/media/?q=${silent}`, { alt_text: '' })
  const broken = await api('GET', `/fields/check?q=${field_id}`)
  expect(broken.body).toMatchObject({ published: 2, examples: [{ rule: 'altRequired' }, {}] })
  expect((await api('PUT', `/fields/?q=${field_id}`, { data: { altRequired: 'yes' } })).status).toBe(400)
  const text = await api('POST', '/fields', {
    ...{ parent_id: gallery.datatype_id, label: 'T' },
    field_type: 'text',
    data,
  })
  expect(text.status).toBe(400)
})

it('media are of the kinds that a field takes, relations name its targets, and both as many as it says', async () => {
  const [png, film, pdf] = [
    await mediaItem('image/png'),
    await mediaItem('video/mp4'),
    await mediaItem('application/pdf'),
  ]
  const pictures = await typeWith('media', {
    data: { cardinality: 'many', kinds: ['image', 'application/pdf'], minItems: 2, maxItems: 2 },
  })
  const rulesOf = async (entry: string) =>
    (await publish(entry)).body.errors?.map((one: { rule: string }) => one.rule) ?? []
  const files = (...ids: string[]) => pictures.entry({ thing: JSON.stringify(ids) })
  expect(await rulesOf(await files(png, film))).toEqual(['kinds'])
  expect(await rulesOf(await files(png))).toEqual(['minItems'])
  expect(await rulesOf(await files(png, png, png))).toEqual(['maxItems'])
  expect(await rulesOf(await files(png, pdf))).toEqual([])

  const [a, b] = [await typeWith('text'), await typeWith('text')]
  const one = await typeWith('relation', { data: { target: a.name } })
  const either = await typeWith('relation', { data: { target: [a.name, b.name] } })
  const [of, other] = [await a.entry({}), await b.entry({})]
  expect(await rulesOf(await one.entry({ thing: other }))).toEqual(['target'])
  expect(await rulesOf(await one.entry({ thing: of }))).toEqual([])
  expect(await rulesOf(await either.entry({ thing: other }))).toEqual([])
  // A target goes on to mean the datatype when that is renamed.
  await api('PUT', `/datatypes?q=${a.datatype_id}`, { name: `${a.name}New` })
  expect((await db.get(tables.fields, one.field_id))?.data).toEqual({ target: `${a.name}New` })
  expect((await db.get(tables.fields, either.field_id))?.data).toEqual({ target: [`${a.name}New`, b.name] })
  expect(await rulesOf(await one.entry({ thing: of }))).toEqual([])
})

it('unique values are those of published entries, in each locale for itself', async () => {
  const { entry, field_id } = await typeWith('text', { translatable: true, data: { unique: true } })
  const text = 'é🚲'.repeat(60)
  const [first, second, third] = [
    await entry({ thing: `${text}1` }),
    await entry({ thing: `${text}1` }),
    await entry({ thing: `${text}2` }),
  ]
  expect((await publish(first)).status).toBe(200)
  const answer = await publish(second)
  expect([answer.status, answer.body.errors]).toEqual([
    400,
    [
      {
        error: `fields.thing: must be unique, but entry ${first} has the same value`,
        member: 'fields.thing',
        rule: 'unique',
        content_data_id: second,
        field_id,
        locale: '',
      },
    ],
  ])
  expect((await publish(third)).status).toBe(200)
  expect((await api('PUT', `/content?q=${third}`, { fields: { thing: `${text}1` } })).status).toBe(400)
  const inGerman = { fields: { thing: `${text}1` }, locale: 'de' }
  expect((await api('PUT', `/content?q=${third}`, inGerman)).status).toBe(200)
  expect((await api('PUT', `/content?q=${first}`, { fields: { thing: `${text}1 ` } })).status).toBe(200)
  expect((await publish(second)).status).toBe(200)
})

it('of many who publish the same unique value at once, one does', async () => {
  const { entry } = await typeWith('slug', { data: { unique: true } })
  const ids: string[] = []
  for (let i = 0; i < 12; i++) ids.push(await entry({ thing: 'the-one' }))
  const other = app.otherInstance().services.space.publishing
  const results = await Promise.all(
    ids.map(async (content_data_id, i) => {
      if (i % 3 === 0) return (await publish(content_data_id)).status
      if (i % 3 === 1)
        return (await api('PUT', `/content?q=${content_data_id}`, { status: 'published' })).status
      const done = await other.publish(systemActor, { content_data_id }).catch((error: HttpError) => error)
      return done.status === 'published' ? 200 : done.status
    }),
  )
  expect(results.toSorted()).toEqual([200, ...ids.slice(1).map(() => 400)])
  const published = await Promise.all(ids.map(statusOf))
  expect(published.filter(status => status === 'published')).toHaveLength(1)
})

it('two entries of one publication do not have the same unique value either', async () => {
  const { datatype_id, entry } = await typeWith('text', { data: { unique: true } })
  const root = await entry({ thing: 'same' })
  await made.entry(datatype_id, { parent_id: root }, { fields: { thing: 'same' } })
  expect((await publish(root)).body.errors).toHaveLength(2)
  expect(await statusOf(root)).toBe('draft')
})

it('a new entry gets the defaults of fields that it does not name', async () => {
  const { datatype_id, entry } = await typeWith('text', { required: true, data: { default: 'as ever' } })
  await made.field(datatype_id, 'Count', 'number', { data: { default: 0 } })
  await made.field(datatype_id, 'On', 'boolean', { data: { default: false } })
  await made.field(datatype_id, 'Hours', 'json', { data: { default: { mon: null } } })
  await made.field(datatype_id, 'None', 'text')
  const valuesOf = async (id: string) => {
    const fields = await db.findAll(tables.fields, { parent_id: datatype_id })
    const nameOf = new Map(fields.map(field => [field.field_id, field.name]))
    const rows = await db.findAll(tables.contentFields, { content_data_id: id })
    return Object.fromEntries(rows.map(row => [nameOf.get(row.field_id), row.field_value]))
  }
  const all = { thing: 'as ever', count: '0', on: 'false', hours: '{"mon":null}' }
  const id = await entry({}, { status: 'published' })
  expect(await valuesOf(id)).toEqual(all)
  expect(await valuesOf(await entry({ thing: '', count: 7 }))).toEqual({ ...all, thing: '', count: '7' })
  await api('PUT', `/content?q=${id}`, { sort_order: 7 })
  expect(await valuesOf(id)).toEqual(all)
})

it('a plan that breaks a rule ends with a record of why, and once', async () => {
  const { entry, field_id } = await typeWith('text', { required: true })
  const id = await entry({})
  const publish_at = new Date(clock.now() + 60_000).toISOString()
  await api('POST', '/content/schedule', { content_data_id: id, publish_at })
  clock.advance(61_000)
  const known = app.logged.length
  await services.space.publishing.runDue()
  await services.space.publishing.runDue()
  expect(app.logged.slice(known).map(({ message }) => message)).toEqual([
    'schedules could not be carried out',
  ])
  const row = await db.get(tables.contentData, id)
  expect([row?.status, row?.publish_at]).toEqual(['draft', null])
  const notes = await db.findAll(internalTables.auditEvents, {
    record_id: id,
    table_name: 'content_data.schedule',
  })
  expect(notes.map(({ old_values, new_values }) => [old_values, new_values])).toEqual([
    [
      { publish_at, unpublish_at: null },
      {
        error: 'fields.thing: is required',
        errors: [expect.objectContaining({ rule: 'required', content_data_id: id, field_id })],
      },
    ],
  ])
})

it('a version that breaks a rule is not restored to the public', async () => {
  const { entry, field_id } = await typeWith('text')
  const id = await entry({ thing: 'short' }, { status: 'published' })
  const version = (await api('POST', '/content/versions', { content_data_id: id })).body.content_version_id
  await api('PUT', `/content?q=${id}`, { fields: { thing: 'long enough' } })
  await api('PUT', `/fields?q=${field_id}`, { data: { minLength: 8 } })
  const answer = await api('POST', '/content/restore', { content_version_id: version })
  expect([answer.status, answer.body.errors]).toMatchObject([400, [{ rule: 'minLength' }]])
  expect((await db.find(tables.contentFields, { content_data_id: id }))?.field_value).toBe('long enough')
  await api('POST', '/content/unpublish', { content_data_id: id })
  expect((await api('POST', '/content/restore', { content_version_id: version })).status).toBe(200)
})

it('a change of rules tells which values break it, before and after', async () => {
  const { entry, field_id } = await typeWith('text')
  const open = [
    await entry({ thing: 'abc' }, { status: 'published' }),
    await entry({}, { status: 'published' }),
  ]
  for (let i = 0; i < 24; i++) await entry({ thing: 'abc' })
  const path = `/fields?q=${field_id}`
  const change = { required: true, data: { maxLength: 2 } }
  const before = await api('GET', path)
  const dry = await api('PUT', `${path}&dry_run=true`, change)
  expect(dry.body).toMatchObject({ ...change, broken_values: { published: 2, drafts: 24 } })
  expect(dry.body.broken_values.examples).toHaveLength(20)
  expect(dry.body.broken_values.examples.slice(0, 2)).toEqual([
    {
      content_data_id: open[0],
      status: 'published',
      locale: '',
      rule: 'maxLength',
      error: 'fields.thing: must have at most 2 characters',
    },
    {
      content_data_id: open[1],
      status: 'published',
      locale: '',
      rule: 'required',
      error: 'fields.thing: is required',
    },
  ])
  expect((await api('GET', path)).text).toBe(before.text)
  const done = await api('PUT', path, change)
  expect(done.body).toMatchObject({ ...change, broken_values: dry.body.broken_values })
  expect(done.headers.get('etag')).toBe((await api('GET', path)).headers.get('etag'))
  expect((await api('GET', `/fields/check?q=${field_id}`)).body).toEqual(dry.body.broken_values)
  expect((await api('PUT', path, { label: 'Other' })).body).not.toHaveProperty('broken_values')
  const unique = await api('PUT', `${path}&dry_run=true`, { required: false, data: { unique: true } })
  expect(unique.body.broken_values).toMatchObject({ published: 0, drafts: 24 })
  const stale = await call('PUT', `/api/v1${path}&dry_run=true`, {
    body: change,
    headers: { 'If-Match': '"x"' },
  })
  expect(stale.status).toBe(412)
})

it('looks through many entries in pieces', async () => {
  const { datatype_id, field_id, entry } = await typeWith('number')
  const root = await entry({ thing: 5 })
  await db.write(systemActor, async tx => {
    const rows = await tx.insertAll(
      tables.contentData,
      Array.from({ length: 1500 }, (_, i) => ({
        datatype_id,
        parent_id: root,
        root_id: root,
        sort_order: i,
        status: i % 3 === 0 ? 'published' : 'draft',
        author_id: users.admin,
      })),
    )
    await tx.insertAll(
      tables.contentFields,
      rows.map(({ content_data_id }, i) => ({
        content_data_id,
        field_id,
        field_value: String(i % 10),
        author_id: users.admin,
      })),
    )
  })
  const answer = await api('PUT', `/fields?q=${field_id}&dry_run=true`, { data: { max: 4 } })
  expect(answer.body.broken_values).toMatchObject({ published: 250, drafts: 501 })
})

it('pending changes may break rules, and their publication may not', async () => {
  const {
    app: staged,
    done,
    api: send,
    page,
    set,
    publish: publishPage,
    clean,
    post,
    type,
  } = await stagedSite()
  const field = (
    await post('/fields', {
      label: 'Code',
      field_type: 'text',
      parent_id: type,
      data: { unique: true, maxLength: 3 },
    })
  ).field_id
  const one = await page({ code: 'a' })
  const two = await page({ code: 'b' })
  await done('PUT', `/content?q=${one.root}`, { fields: { code: 'long' } })
  const wrong = await send('POST', '/content/publish', { content_data_id: one.root })
  expect([wrong.status, wrong.body.errors]).toMatchObject([400, [{ rule: 'maxLength', field_id: field }]])
  expect((await clean(one.slug)).code).toBe('a')
  // What the public still sees is taken, and what waits is not.
  for (const id of [one.root, two.root]) await done('PUT', `/content?q=${id}`, { fields: { code: 'c' } })
  const third = await page({ code: 'z' })
  await done('PUT', `/content?q=${third.root}`, { fields: { code: 'a' } })
  const again = await send('POST', '/content/publish', { content_data_id: third.root })
  expect([again.status, again.body.errors]).toMatchObject([
    400,
    [{ rule: 'unique', error: `fields.code: must be unique, but entry ${one.root} has the same value` }],
  ])
  await done('POST', '/content/changes/drop', { content_data_id: third.root })
  await publishPage(one.root)
  const late = await send('POST', '/content/publish', { content_data_id: two.root })
  expect([late.status, late.body.errors]).toMatchObject([400, [{ rule: 'unique' }]])
  await done('PUT', `/content?q=${two.root}`, { fields: { code: 'a' } })
  await publishPage(two.root)
  expect([(await clean(one.slug)).code, (await clean(two.slug)).code]).toEqual(['c', 'a'])
  // Where changes are no longer pending at a start, what breaks rules waits on.
  await done('PUT', `/content?q=${one.root}`, { fields: { code: 'long' } })
  await set(two.a, 'other')
  await staged.services.space.publishing.publishPending()
  expect((await clean(one.slug)).code).toBe('c')
  const trees = await staged.db.findAll(tables.contentTrees)
  expect(trees.filter(({ pending_since }) => pending_since !== null)).toHaveLength(1)
  expect(staged.logged.at(-1)).toMatchObject({ level: 'error', fields: { root_id: one.root } })
})

it('what is pending does not come to the public by a move into a tree without pending changes', async () => {
  const { done, api: send, page, post, type } = await stagedSite()
  await post('/fields', { label: 'Code', field_type: 'text', parent_id: type, data: { maxLength: 3 } })
  const { a, root } = await page()
  const { route_id } = await post('/routes', { slug: '/draft', title: 'Draft' })
  const draft = (await post('/content', { datatype_id: type, route_id })).content_data_id
  await done('PUT', `/content?q=${a}`, { fields: { code: 'long' } })
  const move = { content_data_id: a, parent_id: draft }
  const answer = await send('POST', '/content/move', move)
  expect([answer.status, answer.body.errors]).toMatchObject([
    400,
    [{ rule: 'maxLength', content_data_id: a }],
  ])
  expect((await done('GET', `/content?q=${a}`)).parent_id).toBe(root)
  await done('PUT', `/content?q=${a}`, { fields: { code: 'fit' } })
  expect((await done('POST', '/content/move', move)).parent_id).toBe(draft)
})
