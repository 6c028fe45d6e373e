import { afterAll, describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { adminTables, tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { callersOf } from '../support/callers.js'
import { amount } from '../support/effort.js'
import { picture, uploader } from '../support/media.js'
import { testStorage } from '../support/storage.js'

const storage = await testStorage()
const live = await testApp({ ...storage.config, webhook_enabled: true, i18n_enabled: true })
const staged = await testApp({ publish_mode: 'staged' })
const missing = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
const day = 86_400_000
type Site = typeof live

// Sessions of these tests outlive the months that their clock goes on.
const endOfTime = '2999-01-01T00:00:00.000Z'
for (const { db } of [live, staged])
  await db.write(systemActor, async tx => {
    const ids = (await tx.findAll(tables.sessions)).map(({ session_id }) => session_id)
    await tx.updateAll(tables.sessions, ids, { last_access: endOfTime, expires_at: endOfTime })
  })

let names = 0
const next = () => `t${++names}`

/** A model, and a page with two sections in it that a second page refers to. */
async function site(app: Site, prefix: '' | '/admin' = '') {
  const { call } = app
  const done = async (method: string, path: string, body?: object, status?: number) => {
    const answer = await call(method, `/api/v1${path}`, body === undefined ? {} : { body })
    expect([path, status ?? answer.status, answer.text]).toEqual([path, answer.status, answer.text])
    if (status === undefined)
      expect([path, answer.status < 300, answer.text]).toEqual([path, true, answer.text])
    return answer.body
  }
  const name = next()
  const { datatype_id } = await done('POST', `${prefix}/datatypes`, { label: name, type: 'content' })
  const field = (label: string, field_type: string, more: object = {}) =>
    done('POST', `${prefix}/fields`, { parent_id: datatype_id, label, field_type, ...more })
  const { field_id } = await field('Text', 'text', prefix === '' ? { translatable: true } : {})
  await field('Next', 'relation')
  const page = (slug: string, fields: object, children: object[] = []) =>
    done('POST', `${prefix}/pages`, {
      ...{ slug, title: slug, datatype_id, status: 'published', fields },
      children,
    })
  const slug = `/${name}`
  const child = (text: string) => ({ datatype_id, fields: { text } })
  const { entry, route } = await page(slug, { text: 'top' }, [child('a'), child('b')])
  const other = await page(`${slug}-other`, { text: 'other', next: entry.content_data_id })
  await done('POST', `${prefix}/content/versions`, { content_data_id: entry.content_data_id, label: 'kept' })
  const id: string = entry.content_data_id
  const raw = async (at = slug) => (await call('GET', `${at}?format=raw`, { as: 'nobody' })).text
  const trash = async (): Promise<Record<string, unknown>[]> =>
    done('GET', `${prefix}/trash?content_data_id=${id}`)
  return {
    ...{ datatype_id, field_id, slug, id, route_id: route.route_id as string, done, raw, trash, prefix },
    children: entry.children.map((one: { content_data_id: string }) => one.content_data_id) as string[],
    otherSlug: `${slug}-other`,
    otherId: other.entry.content_data_id as string,
    removePage: () => done('DELETE', `${prefix}/routes?q=${route.route_id}&recursive=true`),
    async restore(status?: number) {
      const [row] = await trash()
      return done('POST', `${prefix}/trash/restore`, { trash_id: row?.trash_id }, status)
    },
  }
}

/** Every row of the tree and its route, without what a restore may change. */
async function rowsOf({ db }: Site, one: Awaited<ReturnType<typeof site>>) {
  const space = one.prefix === '' ? tables : adminTables
  const ids = [one.id, ...one.children]
  const versions = await db.findIn(space.contentVersions, 'content_data_id', ids)
  return {
    entries: await db.findIn(space.contentData, 'content_data_id', ids),
    values: await db.findIn(space.contentFields, 'content_data_id', ids),
    versions: versions.filter(({ trigger }) => trigger !== 'restore'),
    route: await db.get(space.routes, one.route_id),
    redirects: one.prefix === '' ? await db.findAll(tables.redirects, { route_id: one.route_id }) : [],
  }
}

describe.each([
  ['live', live],
  ['staged', staged],
] as const)('the trash in %s mode', (mode, app) => {
  it.each(['', '/admin'] as const)('gives a page of "%s" back byte for byte', async prefix => {
    const one = await site(app, prefix)
    if (prefix === '') {
      await one.done('POST', '/redirects', { slug: `${one.slug}-old`, route_id: one.route_id })
      await one.done('PUT', `/routes?q=${one.route_id}`, { translations: { en: { title: 'In English' } } })
    }
    const before = [await rowsOf(app, one), await one.raw(), await one.raw(one.otherSlug)]
    await one.removePage()
    expect((await app.call('GET', one.slug, { as: 'nobody' })).status).toBe(404)
    const [row] = await one.trash()
    expect(row).toMatchObject({ content_data_id: one.id, title: one.slug, slug: one.slug, entries: 3 })
    const restored = await one.restore()
    expect(restored).toEqual({ content_data_id: one.id, slug: one.slug, missing_fields: [] })
    expect([await rowsOf(app, one), await one.raw(), await one.raw(one.otherSlug)]).toEqual(before)
    expect(await one.trash()).toEqual([])
    expect((await app.call('GET', `${one.slug}-old`, { as: 'nobody' })).status).toBe(
      prefix === '' ? 308 : 404,
    )
  })

  it('gives an entry of a page back to its place', async () => {
    const one = await site(app)
    const before = await one.raw()
    await one.done('DELETE', `/content?q=${one.children[0]}`)
    if (mode === 'live') expect(await one.raw()).not.toBe(before)
    const [row] = await one.done('GET', `/trash?parent_id=${one.id}`)
    expect(row).toMatchObject({ title: 'a', slug: null, entries: 1 })
    await one.done('POST', '/trash/restore', { trash_id: row.trash_id })
    expect(await one.raw()).toBe(before)
    const tree = await app.call('GET', `/api/v1/content/tree/${one.route_id}`)
    expect(tree.text).toContain(one.children[0])
  })

  it('gives a page another address where its own is taken', async () => {
    const one = await site(app)
    await one.removePage()
    await one.done('POST', '/pages', {
      ...{ slug: one.slug, title: 'another', datatype_id: one.datatype_id, fields: { text: 'new' } },
    })
    expect(await one.restore()).toMatchObject({ slug: `${one.slug}-2` })
    const { status } = await app.call('GET', `${one.slug}-2`, { as: 'nobody' })
    expect(status).toBe(200)
  })

  it('puts an entry back onto its page when only that was deleted', async () => {
    const one = await site(app)
    const before = await one.raw()
    await one.done('DELETE', `/content?q=${one.id}&recursive=true`)
    expect(await one.restore()).toMatchObject({ slug: one.slug })
    expect(await one.raw()).toBe(before)
  })
})

describe('what had unpublished changes', () => {
  it('has them again, and the public sees what it saw', async () => {
    const one = await site(staged)
    const before = await one.raw()
    await one.done('PUT', `/content?q=${one.id}`, { fields: { text: 'secret' } })
    await one.done('DELETE', `/content?q=${one.children[1]}`)
    expect(await one.raw()).toBe(before)
    await one.removePage()
    expect((await staged.call('GET', one.slug, { as: 'nobody' })).status).toBe(404)
    await one.restore()
    expect(await one.raw()).toBe(before)
    const tree = await staged.call('GET', `/api/v1/content/tree/${one.route_id}`)
    expect(tree.text).toContain('secret')
    const search = await staged.call('GET', '/api/v1/search?q=top&limit=50')
    expect(search.text).toContain(one.slug)
    await one.done('POST', '/content/publish', { content_data_id: one.id })
    expect(await one.raw()).toContain('secret')
  })

  it('is published as it is where nothing waits any more', async () => {
    const one = await site(staged)
    await one.done('PUT', `/content?q=${one.id}`, { fields: { text: 'waiting' } })
    await one.removePage()
    await one.restore()
    const pending = await one.done('GET', `/content/changes?q=${one.id}`)
    expect(JSON.stringify(pending)).toContain('waiting')
  })
})

describe('a restore is refused', () => {
  it('without what the entry was under', async () => {
    const one = await site(live)
    await one.done('DELETE', `/content?q=${one.children[0]}`)
    const [row] = await one.done('GET', `/trash?parent_id=${one.id}`)
    await one.removePage()
    const { status, body } = await live.call('POST', '/api/v1/trash/restore', {
      body: { trash_id: row.trash_id },
    })
    expect([status, body.error]).toEqual([409, 'its parent entry is deleted: restore that entry first'])
    await one.restore()
    await one.done('POST', '/trash/restore', { trash_id: row.trash_id })
  })

  it('without its datatype, and says so', async () => {
    const one = await site(live)
    await one.removePage()
    await one.done('DELETE', `/datatypes?q=${one.datatype_id}&recursive=true`)
    const body = await one.restore(409)
    expect(body.error).toBe('its datatype is deleted: it cannot be restored')
    expect(await one.trash()).toHaveLength(1)
  })

  it('when a version has brought the entry back', async () => {
    const one = await site(live)
    const [version] = await one.done('GET', `/content/versions?content_data_id=${one.id}`)
    await one.done('DELETE', `/content?q=${one.children[0]}`)
    const [row] = await one.done('GET', `/trash?parent_id=${one.id}`)
    await one.done('POST', '/content/restore', { content_version_id: version.content_version_id })
    const { status, body } = await live.call('POST', '/api/v1/trash/restore', {
      body: { trash_id: row.trash_id },
    })
    expect([status, body.error]).toEqual([
      409,
      'the entry exists already: restoring a version brought it back',
    ])
  })

  it('twice, and for what is not there', async () => {
    const one = await site(live)
    await one.removePage()
    const [row] = await one.trash()
    await one.restore()
    for (const trash_id of [row?.trash_id, missing, 'x']) {
      const { status } = await live.call('POST', '/api/v1/trash/restore', { body: { trash_id } })
      expect(status).toBe(404)
    }
    for (const body of [{}, { trash_id: 1 }, { trash_id: missing, more: 1 }, []])
      expect((await live.call('POST', '/api/v1/trash/restore', { body })).status).toBe(400)
  })

  it('of two at once, one', async () => {
    const one = await site(live)
    await one.removePage()
    const [row] = await one.trash()
    const body = { trash_id: row?.trash_id }
    const answers = await Promise.all(
      [1, 2, 3].map(() => live.call('POST', '/api/v1/trash/restore', { body })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404])
  })

  it('where the public would see what breaks a rule', async () => {
    const one = await site(live)
    await one.removePage()
    await one.done('PUT', `/fields?q=${one.field_id}`, { data: { maxLength: 2 } })
    const body = await one.restore(400)
    expect(body.error).toContain('fields.text')
    expect(await one.trash()).toHaveLength(1)
  })
})

describe('rights', () => {
  const { callerWith } = callersOf(live)

  it('are those to work on content, and to delete it', async () => {
    const one = await site(live)
    await one.removePage()
    const [row] = await one.trash()
    const at = '/api/v1/trash'
    const restore = { trash_id: row?.trash_id }
    for (const as of ['nobody', 'viewer'] as const) {
      expect((await live.call('GET', at, { as })).status).toBe(403)
      expect((await live.call('POST', `${at}/restore`, { as, body: restore })).status).toBe(403)
      expect((await live.call('DELETE', `${at}?q=${row?.trash_id}`, { as })).status).toBe(403)
    }
    const reader = await callerWith('content:read', 'content:update')
    expect((await reader.call('GET', at)).status).toBe(200)
    expect((await reader.call('POST', `${at}/restore`, restore)).status).toBe(403)
    expect((await reader.call('DELETE', `${at}?q=${row?.trash_id}`)).status).toBe(403)
    const remover = await callerWith('content:read', 'content:delete')
    const refused = await remover.call('POST', `${at}/restore`, restore)
    expect([refused.status, refused.body.error]).toEqual([403, expect.stringContaining('content:publish')])
    const publisher = await callerWith('content:delete', 'content:publish')
    expect((await publisher.call('POST', `${at}/restore`, restore)).status).toBe(200)
  })

  it('are those of the admin space there', async () => {
    const caller = await callerWith('content:update', 'content:delete')
    expect((await caller.call('GET', '/api/v1/admin/trash')).status).toBe(403)
  })
})

describe('what is in the trash', () => {
  it('is deleted for good by hand', async () => {
    const one = await site(live)
    await one.removePage()
    const [row] = await one.trash()
    await one.done('DELETE', `/trash?q=${row?.trash_id}`)
    expect(await one.trash()).toEqual([])
    expect(await live.db.count(tables.trashPieces, { trash_id: row?.trash_id as string })).toBe(0)
    expect((await live.call('DELETE', '/api/v1/trash')).status).toBe(400)
  })

  it('leaves one audit event beside those of its rows, and the event of a deletion', async () => {
    const one = await site(live)
    await live.subscribe(['content.deleted', 'content.published', 'version.created'])
    const [events, audits] = [(await live.deliveries()).length, (await live.audits()).length]
    await one.removePage()
    const [row] = await one.trash()
    const audited = (await live.audits()).slice(audits)
    expect(audited.filter(({ table_name }) => table_name === 'trash')).toMatchObject([
      { operation: 'INSERT', record_id: row?.trash_id },
    ])
    expect((await live.deliveries()).slice(events).map(({ event }) => event)).toEqual(['content.deleted'])
    const now = (await live.audits()).length
    await one.restore()
    const then = (await live.audits()).slice(now)
    expect(then.filter(({ table_name }) => table_name === 'trash')).toMatchObject([{ operation: 'DELETE' }])
    expect(
      then.filter(({ table_name, operation }) => table_name === 'content_data' && operation === 'INSERT'),
    ).toHaveLength(3)
    const told = (await live.deliveries()).slice(events + 1)
    expect(told.map(({ event }) => event).sort()).toEqual(['content.published', 'version.created'])
    const { data } = JSON.parse(told.find(({ event }) => event === 'content.published')?.payload ?? '{}')
    expect(data).toMatchObject({ slug: one.slug, slugs: [one.slug, one.otherSlug].sort() })
  })

  it('goes when its time is over, and nothing else', async () => {
    const [old, young] = [await site(live), await site(live)]
    await old.removePage()
    live.clock.advance(29 * day)
    await young.removePage()
    live.clock.advance(2 * day)
    await live.services.removeExpired()
    expect([await old.trash(), (await young.trash()).length]).toEqual([[], 1])
    expect(await live.db.count(tables.trashPieces)).toBeGreaterThan(0)
  })

  it('is not kept where the configuration says so', async () => {
    const app = await testApp({ trash_retention: '0s' })
    const one = await site(app)
    await one.removePage()
    expect(await one.trash()).toEqual([])
    expect(await app.db.count(tables.trashPieces)).toBe(0)
  })

  it('is not published by a plan whose time is over', async () => {
    const one = await site(live)
    await one.done('POST', '/content/unpublish', { content_data_id: one.id })
    const publish_at = new Date(live.clock.now() + day).toISOString()
    await one.done('POST', '/content/schedule', { content_data_id: one.id, publish_at, unpublish_at: null })
    await one.removePage()
    live.clock.advance(2 * day)
    await one.restore()
    await live.services.space.publishing.runDue()
    expect((await live.call('GET', one.slug, { as: 'nobody' })).status).toBe(404)
    expect(await live.db.get(tables.contentData, one.id)).toMatchObject({ publish_at: null, status: 'draft' })
  })

  it('has its comments and requests for review, and they come back', async () => {
    const one = await site(staged)
    await one.done('PUT', `/content?q=${one.id}`, { fields: { text: 'reviewed' } })
    await one.done('POST', '/comments', { content_data_id: one.children[0], body: 'Is this right?' })
    await one.done('POST', '/review-requests', { content_data_id: one.id, note: 'please' })
    const said = async () => [
      await one.done('GET', `/comments?content_data_id=${one.children[0]}`),
      await one.done('GET', `/review-requests?content_data_id=${one.id}`),
    ]
    const before = await said()
    expect(before.map((list: object[]) => list.length)).toEqual([1, 1])
    await one.removePage()
    expect(await said()).toEqual([[], []])
    await one.restore()
    expect(await said()).toEqual(before)
  })

  it('comes back without values of fields that are gone, and with authors that are there', async () => {
    const one = await site(live)
    await one.removePage()
    await one.done('DELETE', `/fields?q=${one.field_id}&values=true`)
    expect(await one.restore()).toMatchObject({ missing_fields: [one.field_id] })
  })
})

describe('a large tree', () => {
  it('with relations, media, redirects and versions comes back byte for byte', async () => {
    const one = await site(live)
    const field = (label: string, field_type: string) =>
      one.done('POST', '/fields', { parent_id: one.datatype_id, label, field_type })
    await field('Photo', 'media')
    await field('Body', 'richtext')
    const png = await picture(8, 8).png().toBuffer()
    const file = (await uploader(live)('large.png', png, { fields: { alt_text: 'A square' } })).body
    const photo: string = file.media_id
    const body = `<p>See <img src="${file.url}" alt="A square"></p>`
    const sections = amount(400, 2499)
    const children = Array.from({ length: sections }, (_, i) => ({
      datatype_id: one.datatype_id,
      fields: { text: `${i} ${'words '.repeat(200)}` },
      children: [
        {
          datatype_id: one.datatype_id,
          fields: { text: `under ${i}`, next: one.otherId, ...(i % 5 === 0 && { photo, body }) },
        },
      ],
    }))
    const slug = `${one.slug}-large`
    const { route, entry } = await one.done('POST', '/pages', {
      ...{ slug, title: slug, datatype_id: one.datatype_id, status: 'published' },
      fields: { text: 'x', next: one.id },
      children,
    })
    const id = entry.content_data_id
    await one.done('PUT', `/content?q=${one.otherId}`, { fields: { next: id } })
    await one.done('POST', '/content/versions', { content_data_id: id })
    const [first, last] = [entry.children[0].content_data_id, entry.children.at(-1).content_data_id]
    await one.done('POST', '/content/versions', { content_data_id: last, label: 'the last section' })
    // Relations within the tree, in both directions of its order.
    await one.done('PUT', `/content?q=${first}`, { fields: { next: last } })
    await one.done('PUT', `/content?q=${last}`, { fields: { next: first } })
    for (const old of ['old', 'older'])
      await one.done('POST', '/redirects', { slug: `${slug}-${old}`, route_id: route.route_id })
    const pages = () => Promise.all([slug, one.slug, one.otherSlug].map(at => one.raw(at)))
    const uses = async () => (await one.done('GET', `/media/${photo}/references`)).length
    const [before, usesBefore] = [await pages(), await uses()]
    expect([before[0]?.includes(photo), usesBefore]).toEqual([true, 2 * Math.ceil(sections / 5)])
    await one.done('DELETE', `/routes?q=${route.route_id}&recursive=true`)
    expect(await uses()).toBe(0)
    expect(await live.db.count(tables.contentData, { root_id: id })).toBe(0)
    expect(await live.db.count(tables.publicEntries, { root_id: id })).toBe(0)
    const [row] = await one.done('GET', `/trash?content_data_id=${id}`)
    expect(row.entries).toBe(2 * sections + 1)
    await one.done('POST', '/trash/restore', { trash_id: row.trash_id })
    expect(await pages()).toEqual(before)
    expect(await uses()).toBe(usesBefore)
    expect(await live.db.count(tables.redirects, { route_id: route.route_id })).toBe(2)
    expect(await live.db.count(tables.contentVersions, { content_data_id: id })).toBe(3)
    expect(await live.db.count(tables.contentVersions, { content_data_id: last })).toBe(1)
  })
})

afterAll(async () => {
  for (const { db } of [live, staged])
    expect(await db.count(tables.trashPieces)).toBeGreaterThanOrEqual(await db.count(tables.trash))
})
