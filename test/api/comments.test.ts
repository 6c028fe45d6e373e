import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { internalTables, tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { callersOf } from '../support/callers.js'
import { factories } from '../support/factories.js'

const app = await testApp({ webhook_enabled: true, client_site: 'https://cms.example' })
const { call, db, users, audits, deliveries, services } = app
const { datatype, field, route, entry } = factories(app)
const { callerWith } = callersOf(app)
await app.subscribe()
const path = '/api/v1/comments'
const missing = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
const kind = (await datatype('Page')).datatype_id
const text = (await field(kind, 'Text', 'text')).field_id
const other = (await field((await datatype('Other')).datatype_id, 'Text', 'text')).field_id
const { route_id } = await route('/page')
const page = (await entry(kind, { route_id })).content_data_id
const below = (await entry(kind, { parent_id: page })).content_data_id
const write = (body: object, as: 'admin' | 'editor' = 'editor') =>
  call('POST', path, { as, body: { content_data_id: page, body: 'Is this right?', ...body } })
const events = async () => (await deliveries()).map(({ event }) => event)
const owed = async () =>
  (await db.findAll(internalTables.pendingWork, { kind: 'review_mail' })).map(({ subject }) => subject)

describe('a comment', () => {
  it('is a record with its audit event and its delivery, and no others', async () => {
    const [before, told] = [(await audits()).length, (await deliveries()).length]
    const { status, body } = await write({ field_id: text, body: ' One\r\ntwo ' })
    expect([status, body]).toEqual([
      201,
      {
        comment_id: expect.stringMatching(/^[0-9A-Z]{26}$/),
        content_data_id: page,
        field_id: text,
        locale: '',
        body: 'One\ntwo',
        mentions: [],
        resolved: false,
        resolved_by: null,
        author_id: users.editor,
        date_created: '2026-11-21T12:00:00.000Z',
        date_modified: '2026-11-21T12:00:00.000Z',
      },
    ])
    const left = (await audits()).slice(before).map(({ table_name, operation }) => [table_name, operation])
    expect(left).toEqual([['comments', 'INSERT']])
    const [delivery, ...others] = (await deliveries()).slice(told)
    expect([delivery?.event, others]).toEqual(['comment.created', []])
    expect(JSON.parse(delivery?.payload ?? '').data).toEqual({
      ...{ comment_id: body.comment_id, content_data_id: page, field_id: text, locale: '', slug: '/page' },
      ...{ body: 'One\ntwo', mentions: [], author_id: users.editor, created_by: users.editor },
    })
    expect((await call('GET', `${path}/${body.comment_id}`)).body).toEqual(body)
  })

  it('is settled and opened again by everybody who edits content, and changed by its author only', async () => {
    const { comment_id } = (await write({})).body
    const put = (body: object, as: 'admin' | 'editor') =>
      call('PUT', `${path}/?q=${comment_id}`, { as, body })
    const told = (await deliveries()).length
    const settled = await put({ resolved: true }, 'admin')
    expect(settled.body).toMatchObject({ resolved: true, resolved_by: users.admin })
    expect((await put({ resolved: true }, 'editor')).body).toMatchObject({ resolved_by: users.admin })
    expect((await put({ resolved: false }, 'editor')).body).toMatchObject({
      resolved: false,
      resolved_by: null,
    })
    expect((await put({ body: 'Mine' }, 'admin')).status).toBe(403)
    expect((await put({ body: 'Mine' }, 'editor')).body.body).toBe('Mine')
    expect((await events()).slice(told)).toEqual(['comment.resolved', 'comment.reopened', 'comment.updated'])
  })

  it('is deleted by its author, or with content:admin', async () => {
    const colleague = await callerWith('content:update')
    const own = (await write({})).body.comment_id
    const admins = (await write({}, 'admin')).body.comment_id
    expect((await colleague.call('DELETE', `${path}/?q=${own}`)).status).toBe(403)
    expect((await call('DELETE', `${path}/?q=${admins}`, { as: 'editor' })).status).toBe(403)
    expect((await call('DELETE', `${path}/?q=${own}`, { as: 'editor' })).status).toBe(204)
    const again = (await write({})).body.comment_id
    expect((await call('DELETE', `${path}/?q=${again}`)).status).toBe(204)
    expect((await call('DELETE', `${path}/?q=${again}`)).status).toBe(404)
    expect((await events()).at(-1)).toBe('comment.deleted')
  })

  it.each([
    ['an entry that is not there', { content_data_id: missing }, 400],
    ['a field of another datatype', { field_id: other }, 400],
    ['a field that is not there', { field_id: missing }, 400],
    ['a locale that is not there', { locale: 'fr' }, 400],
    ['no text', { body: ' \n ' }, 400],
    ['a long text', { body: 'x'.repeat(5001) }, 400],
    ['a control character', { body: 'a\u0000b' }, 400],
    ['an unknown member', { of_nobody: 1 }, 400],
    ['a number as its text', { body: 1 }, 400],
  ])('with %s is refused', async (_, body, status) => {
    const count = await db.countAll(tables.comments)
    expect((await write(body)).status).toBe(status)
    expect(await db.countAll(tables.comments)).toBe(count)
  })

  it('is not for people who do not edit content', async () => {
    const { comment_id } = (await write({})).body
    for (const as of ['nobody', 'viewer'] as const) {
      expect((await call('POST', path, { as, body: { content_data_id: page, body: 'x' } })).status).toBe(403)
      expect((await call('GET', path, { as })).status).toBe(403)
      expect((await call('PUT', `${path}/${comment_id}`, { as, body: { resolved: true } })).status).toBe(403)
      expect((await call('DELETE', `${path}/${comment_id}`, { as })).status).toBe(403)
    }
    expect((await call('GET', `${path}/${missing}`)).status).toBe(404)
    expect((await call('PUT', `${path}/${missing}`, { body: { resolved: true } })).status).toBe(404)
  })

  it('names people who edit content, and they are told by mail', async () => {
    const names = await Promise.all(
      [users.admin, users.editor, users.viewer].map(async id => (await db.get(tables.users, id))?.username),
    )
    const [admin, editor, viewer] = names
    const { body } = await write({ body: `@${admin}, @${viewer}: see @${editor} and @nobody-here.` })
    expect(body.mentions.toSorted()).toEqual([users.admin, users.editor].toSorted())
    expect((await owed()).filter(subject => subject.includes(body.comment_id))).toEqual([
      `comment ${body.comment_id} ${users.admin}`,
    ])
    // Without a mail server nothing is sent, and nothing waits.
    await services.pendingWork.runDue()
    expect(await owed()).toEqual([])
    expect((await write({ body: `mail@${admin} is no name` })).body.mentions).toEqual([])
  })
})

describe('the list of comments', () => {
  it('is narrowed by entry, page, field and state, and is paged', async () => {
    const { comment_id } = (await write({ content_data_id: below, body: 'below' })).body
    const list = async (query: string) => (await call('GET', `${path}?${query}`)).body as { body: string }[]
    expect((await list(`content_data_id=${below}`)).map(({ body }) => body)).toEqual(['below'])
    const all = await list(`route_id=${route_id}`)
    expect(all.length).toBe(await db.countAll(tables.comments))
    expect((await list(`route_id=${missing}`)).length).toBe(0)
    expect((await list(`content_data_id=${page}&field_id=${text}`)).map(({ body }) => body)).toEqual([
      'One\ntwo',
    ])
    await call('PUT', `${path}/${comment_id}`, { body: { resolved: true } })
    expect(await list('resolved=true')).toMatchObject([{ body: 'below', resolved: true }])
    const first = await call('GET', `${path}?limit=1`)
    expect([first.body.length, first.headers.get('x-total-count')]).toEqual([1, String(all.length)])
    expect(await list(`after=${first.body[0].comment_id}&limit=1`)).toEqual([all[1]])
    expect(await list('offset=1&limit=1')).toEqual([all[1]])
    expect((await call('GET', `${path}?resolved=maybe`)).status).toBe(400)
  })

  it('loses the comments of an entry that is deleted', async () => {
    const gone = (await call('POST', path, { body: { content_data_id: below, body: 'x' } })).body.comment_id
    expect((await call('DELETE', `/api/v1/content/?q=${below}`)).status).toBe(204)
    expect((await call('GET', `${path}/${gone}`)).status).toBe(404)
    expect(await db.count(tables.comments, { content_data_id: below })).toBe(0)
  })

  it('ends at a bound for each entry', async () => {
    const full = (await entry(kind, { parent_id: page })).content_data_id
    const row = { content_data_id: full, body: 'x', author_id: users.admin }
    await db.write(systemActor, tx =>
      tx.insertAll(
        tables.comments,
        Array.from({ length: 1000 }, () => row),
      ),
    )
    const { status, body } = await write({ content_data_id: full })
    expect([status, body.error]).toEqual([409, 'the entry has 1000 comments: delete some'])
  })
})
