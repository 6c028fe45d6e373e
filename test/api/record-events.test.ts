import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'
import { publicRow } from '../support/public-rows.js'

const app = await testApp({ webhook_enabled: true, i18n_enabled: true })
const { call, db } = app
const make = factories(app)
const done = async (method: string, path: string, body?: unknown) => {
  const answer = await call(method, `/api/v1${path}`, body === undefined ? {} : { body })
  expect([path, answer.status, answer.text]).toEqual([path, expect.toSatisfy(n => n < 300), answer.text])
  return answer.body
}
const { datatype_id: post } = await make.datatype('Post')
const { datatype_id: menu } = await make.datatype('Menu', { type: '_global' })
const text = await make.field(post, 'Text', 'text')
await make.field(post, 'Photo', 'media')
await make.field(post, 'Next', 'relation')
await make.field(post, 'Menu', 'relation')
await make.field(menu, 'Label', 'text')
await make.field(menu, 'Page', 'relation')
const page = async (slug: string, fields: object = {}) => {
  const { route_id } = await make.route(slug)
  const entry = await make.entry(post, { route_id }, { status: 'published', fields })
  return { route_id, id: entry.content_data_id as string }
}
const media = async () =>
  db.write(systemActor, tx =>
    tx.insert(tables.media, {
      name: 'a.txt',
      mimetype: 'text/plain',
      size: 1,
      object_key: `x/${app.parts.ids.ulid()}`,
      content_hash: 'x',
      author_id: app.users.admin,
    }),
  )
const { media_id } = await media()
const one = await page('/one', { photo: media_id })
const two = await page('/two', { next: one.id })
await page('/three')
await app.subscribe()

/** What is told of a change, in the order in which it was. */
async function told(work: () => Promise<unknown>, about = /./) {
  const known = new Set((await app.deliveries()).map(({ delivery_id }) => delivery_id))
  await work()
  return (await app.deliveries())
    .filter(({ delivery_id, event }) => !known.has(delivery_id) && about.test(event))
    .map(({ event, payload }) => ({ event, ...JSON.parse(payload).data }))
}

describe('an event', () => {
  it('of a media item names the pages that show it and the datatypes of their entries', async () => {
    const change = () => done('PUT', `/media?q=${media_id}`, { alt_text: 'A' })
    expect(await told(change)).toEqual([
      {
        event: 'media.updated',
        media_id,
        datatypes: ['post'],
        slugs: ['/one', '/two'],
        all_pages: false,
        surrogate_keys: [one.route_id, two.route_id, 'content', 'kind:post'].sort(),
        updated_by: app.users.admin,
      },
    ])
    expect(await told(change)).toEqual([])
    const { folder_id } = await done('POST', '/media-folders', { name: 'Here' })
    const move = () => done('POST', '/media/move', { media_ids: [media_id], folder_id })
    expect(await told(move)).toMatchObject([{ event: 'media.updated', datatypes: [], slugs: [] }])
    expect(await told(media)).toMatchObject([{ event: 'media.created', slugs: [], created_by: null }])
  })

  it('of a field or datatype names the datatype, under both names, and its pages', async () => {
    const rename = () => done('PUT', `/datatypes?q=${post}`, { name: 'article' })
    const pages = { slugs: ['/menu-target', '/one', '/three', '/two', '/with-menu'], all_pages: false }
    expect(await told(rename)).toEqual([
      {
        event: 'datatype.updated',
        datatype_id: post,
        name: 'article',
        datatypes: ['article', 'post'],
        ...pages,
        surrogate_keys: expect.arrayContaining([
          one.route_id,
          two.route_id,
          'content',
          'kind:article',
          'kind:post',
          'query',
        ]),
        updated_by: app.users.admin,
      },
    ])
    const change = () => done('PUT', `/fields?q=${text.field_id}`, { name: 'body' })
    expect(await told(change)).toMatchObject([
      { event: 'field.updated', field_id: text.field_id, name: 'body', datatypes: ['article'], ...pages },
    ])
  })

  it('of fields comes once for each that goes with its datatype', async () => {
    const { datatype_id } = await make.datatype('Gone')
    for (const label of ['a', 'b']) await make.field(datatype_id, label, 'text')
    const events = await told(() => done('DELETE', `/datatypes?q=${datatype_id}&recursive=true`))
    expect(events.map(({ event, name }) => `${event} ${name}`).sort()).toEqual([
      'datatype.deleted gone',
      'field.deleted a',
      'field.deleted b',
    ])
    expect(events.flatMap(({ datatypes }) => datatypes)).toContain('gone')
  })

  it('of a route names old and new addresses and the pages that link to it, and its redirect beside it', async () => {
    const translate = { translations: { en: { slug: '/one-en' } } }
    await done('PUT', `/routes?q=${one.route_id}`, translate)
    const rename = () => done('PUT', `/routes?q=${one.route_id}`, { slug: '/uno' })
    const by = { updated_by: app.users.admin }
    expect(await told(rename, /^(route|redirect)/)).toEqual([
      {
        event: 'route.updated',
        route_id: one.route_id,
        slug: '/uno',
        datatypes: ['article'],
        slugs: ['/one', '/one-en', '/two', '/uno'],
        all_pages: false,
        surrogate_keys: [one.route_id, two.route_id, 'content', 'kind:article', 'query', 'redirects'].sort(),
        ...by,
      },
      {
        event: 'redirect.created',
        redirect_id: expect.any(String),
        slug: '/one',
        target: null,
        route_id: one.route_id,
        datatypes: [],
        slugs: ['/one'],
        all_pages: false,
        surrogate_keys: [expect.any(String), 'content'],
        created_by: app.users.admin,
      },
    ])
    const { datatypes } = (
      await told(() => done('PUT', `/content?q=${one.id}`, { fields: { body: 'x' } }))
    )[0]
    expect(datatypes).toEqual(['article'])
  })

  it('of a page names it with everything that is made for it', async () => {
    const made = await told(() =>
      done('POST', '/pages', { slug: '/new', title: 'N', datatype_id: post, status: 'published' }),
    )
    expect(made.map(({ event }) => event)).toEqual(['version.created', 'content.published', 'route.created'])
    expect(made[2]).toMatchObject({ slug: '/new', slugs: ['/new'], datatypes: ['article'] })
  })

  it('of a locale says that any page may have changed', async () => {
    const create = () => done('POST', '/locales', { code: 'de', label: 'D' })
    expect(await told(create)).toMatchObject([
      { event: 'locale.created', code: 'de', datatypes: [], slugs: [], all_pages: true },
    ])
  })

  it('is not sent for what was rolled back, for another author, or to who asked for others', async () => {
    const refused = async () =>
      expect((await call('POST', '/api/v1/routes', { body: { slug: '/uno', title: 'x' } })).status).toBe(409)
    expect(await told(refused)).toEqual([])
    const author = () => done('PUT', `/routes?q=${one.route_id}`, { author_id: app.users.editor })
    expect(await told(author, /^route/)).toEqual([])
    const [all] = await db.findAll(tables.webhooks)
    await db.write(systemActor, tx => tx.update(tables.webhooks, all?.webhook_id ?? '', { is_active: false }))
    const other = await app.subscribe(['content.updated', 'media.deleted'])
    expect(await told(() => done('PUT', `/routes?q=${one.route_id}`, { title: 'Uno' }))).toMatchObject([
      { event: 'content.updated' },
    ])
    await db.write(systemActor, async tx => {
      await tx.update(tables.webhooks, all?.webhook_id ?? '', { is_active: true })
      await tx.update(tables.webhooks, other, { is_active: false })
    })
  })

  it('of the admin space is one of its content', async () => {
    const create = () => done('POST', '/admin/routes', { slug: '/x', title: 'x' })
    expect(await told(create)).toEqual([])
  })
})

describe('a menu', async () => {
  const root = await make.entry(menu, {}, { status: 'published', fields: { label: 'Main' } })
  const target = await page('/menu-target')
  const item = await make.entry(
    menu,
    { parent_id: root.content_data_id },
    { status: 'published', fields: { label: 'Target', page: target.id } },
  )
  await page('/with-menu', { menu: root.content_data_id })

  it('names the pages that show it when any entry in it changes', async () => {
    const rename = (id: string) => done('PUT', `/content?q=${id}`, { fields: { label: `New ${id}` } })
    for (const { content_data_id } of [root, item])
      expect(await told(() => rename(content_data_id), /^content/)).toMatchObject([
        { event: 'content.updated', slug: null, slugs: ['/with-menu'], datatypes: ['menu'] },
      ])
  })

  it('is told of by a page that it names', async () => {
    const rename = () => done('PUT', `/routes?q=${target.route_id}`, { slug: '/menu-target-new' })
    const [updated] = await told(rename, /^content\.updated/)
    expect(updated.slugs).toEqual(['/menu-target', '/menu-target-new', '/with-menu'])
  })
})

it('more pages than can be listed are told of together', async () => {
  const { datatype_id } = await make.datatype('Many')
  await db.write(systemActor, tx =>
    tx.insertAllInternal(
      tables.publicEntries,
      Array.from({ length: 1001 }, () => {
        const id = app.parts.ids.ulid()
        return publicRow({ content_data_id: id, datatype_id, author_id: app.users.admin })
      }),
    ),
  )
  const change = () => done('PUT', `/datatypes?q=${datatype_id}`, { label: 'Very many' })
  expect(await told(change)).toMatchObject([{ slugs: [], all_pages: true, datatypes: ['many'] }])
})
