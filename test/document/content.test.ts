import { beforeAll, describe, expect, it } from 'vitest'
import { connect } from '../../src/db/connect.js'
import { made } from '../support/calls.js'
import { missing, startedSite, timestamp, ulid } from '../support/site.js'

/** Routes, datatypes and entries in the words of the product document (2, 3.2, 4.4 to 4.7, 6.6, 7), at the started product. */

const { admin, address, rows, account } = await startedSite()
const page = await rows.datatype('Page')
const section = await rows.datatype('Section')
const title = await rows.field(page.datatype_id, 'Title', 'text')
const administrator = (await made(admin('GET', '/auth/me'))).user_id as string

let pages = 0
const route = () => rows.route(`/page-${++pages}`, 'Page')
const root = async (more: object = {}) => {
  const { route_id } = await route()
  return rows.entry(page.datatype_id, { route_id }, more)
}
/** Past the product, as an operator might; it hears of it as of a change by another instance. */
async function change(sql: string, values: readonly string[]) {
  const dialect = await connect(address)
  await dialect
    .transaction(async session => {
      await session.run(sql, values)
      await dialect.raiseVersion(session)
    })
    .finally(() => dialect.close())
}
const child = (parent_id: string, more: object = {}) => rows.entry(section.datatype_id, { parent_id }, more)

describe('a list', () => {
  beforeAll(async () => {
    await root({ fields: { title: 'x' } })
    await made(admin('POST', '/media-folders', { name: 'Folder' }))
    await made(admin('POST', '/tokens', { label: 'key' }))
  })

  it.each([
    '/users',
    '/sessions',
    '/roles',
    '/permissions',
    '/role-permissions',
    '/routes',
    '/content',
    '/content-fields',
    '/datatypes',
    '/fields',
    '/tokens',
    '/field-types',
    '/media-folders',
  ])('GET %s gives all items, with ULIDs and times in UTC', async path => {
    const { status, body, headers } = await admin('GET', path)
    expect([status, body.length > 0]).toEqual([200, true])
    expect(headers.get('x-total-count') ?? String(body.length)).toBe(String(body.length))
    for (const [name, value] of Object.entries(body[0] as object))
      if (/^date_|_at$/.test(name) && value !== null)
        expect([name, value]).toEqual([name, expect.stringMatching(timestamp)])
    const [first] = Object.values(body[0] as object)
    expect(first).toMatch(ulid)
  })
})

describe('a route', () => {
  it('is created with slug, title and status, and answered with 201', async () => {
    const { status, body } = await admin('POST', '/routes', { slug: '/hello', title: 'Hello', status: 1 })
    expect([status, body]).toEqual([
      201,
      expect.objectContaining({
        route_id: expect.stringMatching(ulid),
        slug: '/hello',
        title: 'Hello',
        status: 1,
        author_id: administrator,
        date_created: expect.stringMatching(timestamp),
        date_modified: expect.stringMatching(timestamp),
      }),
    ])
  })

  it('is updated with any subset of its fields', async () => {
    const { route_id, slug } = await route()
    const { body } = await admin('PUT', `/routes/?q=${route_id}`, { title: 'Other' })
    expect(body).toMatchObject({ route_id, slug, title: 'Other' })
    expect((await admin('GET', `/routes/?q=${route_id}`)).body).toEqual(body)
  })

  it('is deleted', async () => {
    const { route_id } = await route()
    expect((await admin('DELETE', `/routes/?q=${route_id}`)).status).toBe(204)
    expect((await admin('GET', `/routes/?q=${route_id}`)).status).toBe(404)
  })

  it.each([
    ['no-slash', '/no-slash'],
    ['/trailing/', '/trailing'],
    ['a/b/c/', '/a/b/c'],
  ])('has its slug put right: %s', async (slug, right) => {
    expect((await rows.route(slug)).slug).toBe(right)
  })
})

describe('datatypes and fields', () => {
  it('are created with label, type and name, which may be absent', async () => {
    const named = await rows.datatype('News', { name: 'newsItem' })
    expect([named.name, section.name]).toEqual(['newsItem', 'section'])
  })

  it('have usable names of their own from labels in any script', async () => {
    const name = /^[A-Za-z_][A-Za-z0-9_]*$/
    const scripts = ['首页', 'Überschrift', 'Страница', '🎉', 'مقال', 'Überschrift', '!!!', '1st']
    const names = [[], []] as [string[], string[]]
    for (const label of scripts) {
      names[0].push((await rows.datatype(label)).name)
      names[1].push((await rows.field(section.datatype_id, label, 'text')).name)
    }
    for (const list of names) {
      for (const [i, one] of list.entries())
        expect([scripts[i], one]).toEqual([scripts[i], expect.stringMatching(name)])
      expect(new Set(list).size).toBe(scripts.length)
    }
  })

  it('have the fourteen field types and no other', async () => {
    const types =
      'text textarea number date datetime boolean select media relation json richtext slug email url'.split(
        ' ',
      )
    expect(types).toHaveLength(14)
    const { datatype_id: parent_id } = await rows.datatype('Of all types')
    for (const type of types) expect((await rows.field(parent_id, `A ${type}`, type)).field_type).toBe(type)
    const body = { parent_id, label: 'Other', field_type: 'colour' }
    expect((await admin('POST', '/fields', body)).status).toBe(400)
  })
})

describe('an entry', () => {
  it('is created with a route, or as a child with a parent in place of it', async () => {
    const { user_id } = await account('editor')
    const top = await root({ status: 'draft' })
    expect(top).toMatchObject({ parent_id: null, status: 'draft', author_id: administrator })
    const under = await child(top.content_data_id, { status: 'draft', author_id: user_id })
    expect(under).toMatchObject({ parent_id: top.content_data_id, route_id: null, author_id: user_id })
  })

  it('is updated with any subset of its fields', async () => {
    const { content_data_id } = await root()
    const update = async (patch: object) =>
      (await admin('PUT', `/content/?q=${content_data_id}`, patch)).body.status
    expect(await update({ fields: { title: 'Hello' } })).toBe('draft')
    expect(await update({ status: 'published' })).toBe('published')
    const { body } = await admin('GET', `/content-fields?content_data_id=${content_data_id}`)
    expect(body).toMatchObject([{ field_value: 'Hello' }])
  })

  it('has values that are created, updated, read and deleted', async () => {
    const { content_data_id, route_id } = await root()
    const { status, body } = await admin('POST', '/content-fields', {
      content_data_id,
      field_id: title.field_id,
      field_value: 'Héllo',
      route_id,
      author_id: administrator,
    })
    expect([status, body.field_value]).toEqual([201, 'Héllo'])
    const item = `/content-fields/?q=${body.content_field_id}`
    expect((await admin('PUT', item, { field_value: 'World' })).body.field_value).toBe('World')
    expect((await admin('GET', item)).body.field_value).toBe('World')
    expect((await admin('DELETE', item)).status).toBe(204)
  })

  it('goes from draft to published by publish and back by unpublish', async () => {
    const { content_data_id } = await root()
    expect((await admin('POST', '/content/publish', { content_data_id })).body.status).toBe('published')
    expect((await admin('POST', '/content/unpublish', { content_data_id })).body.status).toBe('draft')
  })

  it('is scheduled, and published then by who planned it', async () => {
    const { content_data_id } = await root()
    const publish_at = '2999-01-01T00:00:00.000Z'
    const planned = await admin('POST', '/content/schedule', { content_data_id, publish_at })
    expect([planned.status, planned.body.publish_at]).toEqual([200, publish_at])
    const due = '2026-01-01T00:00:00.000Z'
    await change('update content_data set publish_at = ? where content_data_id = ?', [due, content_data_id])
    const now = async () => (await admin('GET', `/content/?q=${content_data_id}`)).body
    await expect.poll(async () => (await now()).status, { timeout: 120_000, interval: 100 }).toBe('published')
    expect((await now()).published_by).toBe(administrator)
  })

  it('is deleted', async () => {
    const { content_data_id } = await root()
    expect((await admin('DELETE', `/content/?q=${content_data_id}`)).status).toBe(204)
    expect((await admin('GET', `/content/?q=${content_data_id}`)).status).toBe(404)
  })

  it('records an audit event of each change: operation, old and new values, request and time', async () => {
    const { content_data_id } = await root()
    await made(admin('POST', '/content/publish', { content_data_id }))
    const { body } = await admin('GET', `/audit-events?record_id=${content_data_id}`)
    const event = body.find(({ operation }: { operation: string }) => operation === 'UPDATE')
    expect(event).toMatchObject({
      table_name: 'content_data',
      old_values: { status: 'draft' },
      new_values: { status: 'published' },
      occurred_at: expect.stringMatching(timestamp),
      user_id: administrator,
      request_id: expect.stringMatching(ulid),
      ip_address: '127.0.0.1',
      user_agent: 'node',
    })
  })
})

describe('a record', () => {
  it('that still has children is not deleted', async () => {
    const { content_data_id, route_id } = await root({ fields: { title: 'x' } })
    await child(content_data_id)
    for (const item of [
      `/content/?q=${content_data_id}`,
      `/routes/?q=${route_id}`,
      `/datatypes/?q=${page.datatype_id}`,
      `/fields/?q=${title.field_id}`,
    ])
      expect([item, (await admin('DELETE', item)).status]).toEqual([item, 409])
  })

  it('whose parent does not exist is a foreign-key failure', async () => {
    const { datatype_id } = page
    const { route_id } = await route()
    for (const [member, body] of Object.entries({
      datatype_id: { datatype_id: missing },
      route_id: { datatype_id, route_id: missing },
      parent_id: { datatype_id, parent_id: missing },
      author_id: { datatype_id, route_id, author_id: missing },
    })) {
      const answer = await admin('POST', '/content', body)
      expect([answer.status, answer.body.error]).toEqual([
        400,
        expect.stringMatching(`^foreign key failure: ${member} names no record`),
      ])
    }
  })
})

describe('a content tree', () => {
  const chain = async () => {
    const top = await root()
    const upper = (await child(top.content_data_id)).content_data_id as string
    const lower = (await child(upper)).content_data_id as string
    return { tree: `/content/tree/${top.route_id}`, upper, lower }
  }

  it('takes no entry under itself: "Circular reference detected"', async () => {
    const { upper, lower } = await chain()
    const place = { parent_id: lower }
    const said = { status: 400, body: { error: expect.stringContaining('Circular reference detected') } }
    const move = { content_data_id: upper, ...place }
    expect(await admin('POST', '/content/move', move)).toMatchObject(said)
    expect(await admin('PUT', `/content/?q=${upper}`, place)).toMatchObject(said)
  })

  it('that has a cycle all the same is reported as "Circular reference detected"', async () => {
    const { tree, upper, lower } = await chain()
    expect((await admin('GET', tree)).status).toBe(200)
    await change('update content_data set parent_id = ? where content_data_id = ?', [lower, upper])
    expect(await admin('GET', tree)).toMatchObject({
      status: 409,
      body: { error: 'Circular reference detected' },
    })
  })
})
