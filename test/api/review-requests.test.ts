import { describe, expect, it } from 'vitest'
import { internalTables, tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { callersOf } from '../support/callers.js'
import { factories } from '../support/factories.js'

const sent: { to: string; subject: string; text: string }[] = []
const down = { isDown: false }
const mail = {
  async send(_: unknown, message: { to: string; subject: string; text: string }) {
    if (down.isDown) throw new Error('no mail server')
    sent.push(message)
  },
}
const app = await testApp(
  {
    webhook_enabled: true,
    publish_mode: 'staged',
    client_site: 'https://cms.example',
    email_enabled: true,
    email_host: 'mail.example',
    email_from_address: 'cms@example.com',
  },
  { mail },
)
const { call, db, users, audits, deliveries, services, clock } = app
const { datatype, field, route, entry } = factories(app)
const { callerWith } = callersOf(app)
await app.subscribe()
const path = '/api/v1/review-requests'
const missing = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
const kind = (await datatype('Page')).datatype_id
await field(kind, 'Text', 'text', { required: true })
const pages = { n: 0 }
async function newPage(fields: object = { text: 'x' }) {
  const { route_id } = await route(`/page-${++pages.n}`, `Page ${pages.n}`)
  return (await entry(kind, { route_id }, { fields })).content_data_id as string
}
const ask = (content_data_id: string, note = '', as: 'editor' | 'admin' | 'viewer' | 'nobody' = 'editor') =>
  call('POST', path, { as, body: { content_data_id, note } })
const answer = (how: string, review_request_id: string, note?: string, as: 'editor' | 'admin' = 'admin') =>
  call('POST', `${path}/${how}`, { as, body: { review_request_id, ...(note === undefined ? {} : { note }) } })
const eventsSince = async (n: number) => (await deliveries()).slice(n).map(({ event }) => event)
const statusOf = async (id: string) => (await db.get(tables.contentData, id))?.status
const mailsOf = async () => {
  sent.length = 0
  await services.pendingWork.runDue()
  return sent.map(({ to, subject }) => [to, subject])
}
const addressOf = async (id: string) => (await db.get(tables.users, id))?.email ?? ''
const nameOf = async (id: string) => (await db.get(tables.users, id))?.name
const [admin, editor] = [await addressOf(users.admin), await addressOf(users.editor)]

describe('a request for review', () => {
  it('is a record with its audit event, its delivery and a mail to those who may publish', async () => {
    const id = await newPage()
    const [before, told] = [(await audits()).length, (await deliveries()).length]
    const { status, body } = await ask(id, 'The first one')
    expect([status, body]).toEqual([
      201,
      {
        review_request_id: expect.stringMatching(/^[0-9A-Z]{26}$/),
        ...{ content_data_id: id, status: 'open', note: 'The first one', answer: '' },
        ...{ answered_by: null, answered_at: null, author_id: users.editor },
        date_created: '2026-11-21T12:00:00.000Z',
        date_modified: '2026-11-21T12:00:00.000Z',
      },
    ])
    const left = (await audits()).slice(before).map(({ table_name, operation }) => [table_name, operation])
    expect(left).toEqual([['review_requests', 'INSERT']])
    expect(await eventsSince(told)).toEqual(['review.requested'])
    const [delivery] = (await deliveries()).slice(told)
    expect(JSON.parse(delivery?.payload ?? '').data).toEqual({
      ...{ review_request_id: body.review_request_id, content_data_id: id, slug: '/page-1' },
      ...{ note: 'The first one', requested_by: users.editor },
    })
    expect(await mailsOf()).toEqual([[admin, `${await nameOf(users.editor)} requested a review of “Page 1”`]])
    expect(sent[0]?.text).toContain(`The first one\n\nhttps://cms.example/admin/content/entry/${id}`)
    expect((await call('GET', `${path}/${body.review_request_id}`)).body).toEqual(body)
    expect((await call('GET', `${path}?content_data_id=${id}&status=open`)).body).toEqual([body])
  })

  it('is one for each tree, whichever entry of it was named', async () => {
    const id = await newPage()
    const child = (await entry(kind, { parent_id: id }, { fields: { text: 'y' } })).content_data_id
    expect((await ask(child)).body.content_data_id).toBe(id)
    const second = await ask(id)
    expect([second.status, second.body.error]).toEqual([
      409,
      'somebody already requested a review of this page',
    ])
  })

  it('is one when two people ask at once', async () => {
    const id = await newPage()
    const answers = await Promise.all([ask(id), ask(id, '', 'admin')])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409])
    expect(await db.count(tables.reviewRequests, { content_data_id: id })).toBe(1)
  })

  it('that is approved publishes the page and tells its author', async () => {
    const id = await newPage()
    const { review_request_id } = (await ask(id)).body
    await mailsOf()
    const told = (await deliveries()).length
    const { status, body } = await answer('approve', review_request_id, 'Well done')
    expect([status, body]).toMatchObject([
      200,
      {
        status: 'approved',
        answer: 'Well done',
        answered_by: users.admin,
        answered_at: '2026-11-21T12:00:00.000Z',
      },
    ])
    expect(await statusOf(id)).toBe('published')
    expect((await eventsSince(told)).toSorted()).toEqual(
      ['review.approved', 'content.published', 'version.created'].toSorted(),
    )
    expect(await mailsOf()).toEqual([[editor, `${await nameOf(users.admin)} published “Page ${pages.n}”`]])
    expect((await answer('approve', review_request_id)).status).toBe(409)
    expect((await answer('return', review_request_id, 'x')).status).toBe(409)
    const again = await ask(id)
    expect([again.status, again.body.error]).toEqual([409, 'there is nothing to publish'])
  })

  it('stays open when the page breaks a rule', async () => {
    const id = await newPage({})
    const { review_request_id } = (await ask(id)).body
    const refused = await answer('approve', review_request_id)
    expect([refused.status, refused.body.member]).toEqual([400, 'fields.text'])
    expect((await call('GET', `${path}/${review_request_id}`)).body.status).toBe('open')
    expect(await statusOf(id)).toBe('draft')
  })

  it('that is sent back has a note, and can be made again', async () => {
    const id = await newPage()
    const { review_request_id } = (await ask(id)).body
    await mailsOf()
    expect((await answer('return', review_request_id)).status).toBe(400)
    expect((await answer('return', review_request_id, '  ')).status).toBe(400)
    const told = (await deliveries()).length
    const { body } = await answer('return', review_request_id, 'The price is wrong')
    expect(body).toMatchObject({ status: 'returned', answer: 'The price is wrong' })
    expect(await eventsSince(told)).toEqual(['review.returned'])
    expect(await mailsOf()).toEqual([[editor, `${await nameOf(users.admin)} sent “Page ${pages.n}” back`]])
    expect(sent[0]?.text).toContain('The price is wrong')
    expect(await statusOf(id)).toBe('draft')
    const { reviewRequests } = services
    expect(await reviewRequests.returned(users.editor, 10)).toMatchObject([{ review_request_id }])
    expect((await ask(id)).status).toBe(201)
    expect(await reviewRequests.returned(users.editor, 10)).toEqual([])
    expect((await reviewRequests.open(100)).map(one => one.content_data_id)).toContain(id)
  })

  it('is withdrawn by its author only', async () => {
    const id = await newPage()
    const { review_request_id } = (await ask(id)).body
    expect((await answer('withdraw', review_request_id, undefined, 'admin')).status).toBe(403)
    const told = (await deliveries()).length
    expect((await answer('withdraw', review_request_id, undefined, 'editor')).body.status).toBe('withdrawn')
    expect(await eventsSince(told)).toEqual(['review.withdrawn'])
    expect((await ask(id)).status).toBe(201)
  })

  it('is approved by whoever publishes the page, and by a schedule', async () => {
    const [id, planned] = [await newPage(), await newPage()]
    const requests = [(await ask(id)).body, (await ask(planned)).body]
    await call('POST', '/api/v1/content/publish', { body: { content_data_id: id } })
    const publish_at = new Date(clock.now() + 60_000).toISOString()
    await call('POST', '/api/v1/content/schedule', {
      body: { content_data_id: planned, publish_at, unpublish_at: null },
    })
    clock.advance(120_000)
    await services.space.publishing.runDue()
    const [byHand, bySchedule] = await Promise.all(
      requests.map(({ review_request_id }) => services.reviewRequests.get(review_request_id)),
    )
    expect(byHand).toMatchObject({ status: 'approved', answered_by: users.admin, answer: '' })
    expect(bySchedule).toMatchObject({ status: 'approved' })
  })

  it('is refused to those who may not ask or answer, and with what cannot be read', async () => {
    const id = await newPage()
    for (const as of ['nobody', 'viewer'] as const) {
      expect((await ask(id, '', as)).status).toBe(403)
      expect((await call('GET', path, { as })).status).toBe(403)
    }
    expect((await ask(missing)).status).toBe(400)
    expect((await ask(id, 'x'.repeat(5001))).status).toBe(400)
    expect((await call('POST', path, { body: { content_data_id: id, state: 'approved' } })).status).toBe(400)
    expect((await call('POST', path, { body: {} })).status).toBe(400)
    const { review_request_id } = (await ask(id)).body
    expect((await answer('approve', review_request_id, '', 'editor')).status).toBe(403)
    expect((await answer('return', review_request_id, 'x', 'editor')).status).toBe(403)
    const publisher = await callerWith('content:publish')
    expect((await publisher.call('POST', `${path}/withdraw`, { review_request_id })).status).toBe(403)
    for (const how of ['approve', 'return', 'withdraw'])
      expect((await answer(how, missing, how === 'withdraw' ? undefined : 'x')).status).toBe(404)
    expect((await services.reviewRequests.get(review_request_id)).status).toBe('open')
  })

  it('goes with its tree', async () => {
    const id = await newPage()
    const { review_request_id } = (await ask(id)).body
    await call('DELETE', `/api/v1/content/?q=${id}`)
    expect((await call('GET', `${path}/${review_request_id}`)).status).toBe(404)
  })

  it('is kept a hundred times for a tree, and then the oldest goes', async () => {
    const id = await newPage()
    for (let i = 0; i < 102; i++) {
      const { review_request_id } = (await ask(id)).body
      await answer('withdraw', review_request_id, undefined, 'editor')
    }
    expect(await db.count(tables.reviewRequests, { content_data_id: id })).toBe(100)
  })

  it('is mailed again when the mail server was away', async () => {
    await services.pendingWork.runDue()
    const id = await newPage()
    await ask(id)
    down.isDown = true
    await mailsOf()
    expect(await db.count(internalTables.pendingWork, { kind: 'review_mail' })).toBe(1)
    down.isDown = false
    clock.advance(3_600_000)
    expect((await mailsOf()).length).toBe(1)
    expect(await db.count(internalTables.pendingWork, { kind: 'review_mail' })).toBe(0)
  })
})
