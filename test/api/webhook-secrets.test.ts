import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { receiver } from '../support/receiver.js'

const target = await receiver()
target.answer = (_, response) => response.writeHead(204).end()
const settings = { webhook_allow_http: true, app_secret: 'a long secret of this test, not to be told' }
const app = await testApp(settings)
const { call, db, config } = app
const path = '/api/v1/admin/webhooks'
const given = { name: 'x', url: target.origin, events: ['*'] }
const own = 'a secret of my own'
const signed = (secret: string, body: unknown) =>
  createHmac('sha256', secret).update(String(body)).digest('hex')
const rowOf = (id: string) => db.get(tables.webhooks, id)
const test = async (id: string) => (await call('POST', `${path}/${id}/test`)).body.status

it('a stored secret cannot be read, and signs as before', async () => {
  const { body } = await call('POST', path, { body: { ...given, secret: own } })
  expect(body.secret).toBe(own)
  const first = await rowOf(body.webhook_id)
  expect(first?.secret).toMatch(/^sealed:eyJ/)
  expect(await test(body.webhook_id)).toBe('success')
  const sent = target.received.at(-1)
  expect(sent?.headers['x-cms-signature']).toBe(signed(own, sent?.body))

  const { body: rotated } = await call('POST', `${path}/${body.webhook_id}/rotate-secret`)
  const second = await rowOf(body.webhook_id)
  expect(second?.secret).toMatch(/^sealed:eyJ/)
  expect(second?.previous_secret).toBe(first?.secret)
  expect(await test(body.webhook_id)).toBe('success')
  const both = target.received.at(-1)
  expect(both?.headers['x-cms-signature']).toBe(signed(rotated.secret, both?.body))
  expect(both?.headers['x-cms-signature-previous']).toBe(signed(own, both?.body))

  await call('PUT', `${path}/${body.webhook_id}`, { body: { secret: `${own} again` } })
  expect((await rowOf(body.webhook_id))?.secret).toMatch(/^sealed:eyJ/)
  expect(await test(body.webhook_id)).toBe('success')
  const last = target.received.at(-1)
  expect(last?.headers['x-cms-signature']).toBe(signed(`${own} again`, last?.body))
  const everything = JSON.stringify([await app.audits(), await db.findAll(tables.webhooks)])
  for (const secret of [own, rotated.secret]) expect(everything).not.toContain(secret)
})

it('a secret that was stored before there was an app_secret still signs', async () => {
  config.app_secret = undefined
  const { body } = await call('POST', path, { body: { ...given, secret: own } })
  expect((await rowOf(body.webhook_id))?.secret).toBe(own)
  config.app_secret = settings.app_secret
  expect(await test(body.webhook_id)).toBe('success')
  const sent = target.received.at(-1)
  expect(sent?.headers['x-cms-signature']).toBe(signed(own, sent?.body))
})

it('nothing is sent unsigned when the app_secret is another one', async () => {
  const { body } = await call('POST', path, { body: given })
  const before = target.received.length
  for (const other of [undefined, 'another secret of the app']) {
    config.app_secret = other
    expect(await test(body.webhook_id)).toBe('failed')
  }
  config.app_secret = settings.app_secret
  expect(target.received.length).toBe(before)
})

it.each([
  ['that looks encrypted', 'sealed:eyJhbGciOiJkaXIi'],
  ['that is too long once it is encrypted', 'x'.repeat(400)],
])('a secret %s is refused', async (_, secret) => {
  const { status, body } = await call('POST', path, { body: { ...given, secret } })
  expect([status, body.member]).toEqual([400, 'secret'])
})
