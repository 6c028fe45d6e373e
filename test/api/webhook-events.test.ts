import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { type EventName, webhookEvents } from '../../src/events.js'
import { testApp } from '../support/app.js'
import { receiver } from '../support/receiver.js'

const app = await testApp({ webhook_enabled: true, webhook_allow_http: true, i18n_enabled: true })
const target = await receiver()
const post = async (path: string, body?: object) => {
  const answer = await app.call('POST', `/api/v1${path}`, body === undefined ? {} : { body })
  expect([path, answer.status < 300, answer.body?.error]).toEqual([path, true, undefined])
  return answer.body
}

/** Does to one entry of a space all that there are events for. */
async function history(prefix: '' | '/admin') {
  const { datatype_id } = await post(`${prefix}/datatypes`, { label: 'Page', type: 'content' })
  const { route_id } = await post(`${prefix}/routes`, { slug: '/page', title: 'x' })
  const entry = { datatype_id, route_id }
  const { content_data_id } = await post(`${prefix}/content`, entry)
  await post(`${prefix}/content/schedule`, { content_data_id, publish_at: '2999-01-01T00:00:00Z' })
  await post(`${prefix}/content/publish`, { content_data_id })
  const child = await post(`${prefix}/content`, {
    datatype_id,
    parent_id: content_data_id,
    status: 'published',
  })
  const update = { body: { author_id: app.users.editor } }
  expect((await app.call('PUT', `/api/v1${prefix}/content?q=${content_data_id}`, update)).status).toBe(200)
  if (prefix === '') await post('/content/publish', { content_data_id, locale: 'en' })
  await post(`${prefix}/content/versions`, { content_data_id })
  await post(`${prefix}/content/unpublish`, { content_data_id })
  for (const id of [child.content_data_id, content_data_id])
    expect((await app.call('DELETE', `/api/v1${prefix}/content?q=${id}`)).status).toBe(204)
}

/** Makes, changes and deletes one record of each resource that has events. */
async function records() {
  const call = async (method: string, path: string, body?: object) => {
    const answer = await app.call(method, `/api/v1${path}`, body ? { body } : {})
    expect([path, answer.status < 300, answer.body?.error]).toEqual([path, true, undefined])
    return answer.body
  }
  const one = async (path: string, key: string, body: object, patch: object) => {
    const id = (await call('POST', path, body))[key]
    await call('PUT', `${path}?q=${id}`, patch)
    return () => call('DELETE', `${path}?q=${id}`)
  }
  const remove = await one('/datatypes', 'datatype_id', { label: 'Kind', type: 'content' }, { label: 'Sort' })
  const { datatype_id } = (await call('GET', '/datatypes')).find(
    ({ label }: { label: string }) => label === 'Sort',
  )
  const field = { label: 'F', field_type: 'text', parent_id: datatype_id }
  await (await one('/fields', 'field_id', field, { label: 'G' }))()
  await remove()
  await (await one('/routes', 'route_id', { slug: '/r', title: 'R' }, { title: 'S' }))()
  await (await one('/redirects', 'redirect_id', { slug: '/from', target: '/to' }, { target: '/other' }))()
  await (await one('/locales', 'locale_id', { code: 'nl', label: 'N' }, { label: 'M' }))()
  const { media_id } = await app.db.write(systemActor, tx =>
    tx.insert(tables.media, {
      name: 'a.txt',
      mimetype: 'text/plain',
      size: 1,
      object_key: 'x/a.txt',
      content_hash: 'x',
      author_id: app.users.admin,
    }),
  )
  await call('PUT', `/media?q=${media_id}`, { alt_text: 'A' })
  await app.db.write(systemActor, tx => tx.remove(tables.media, media_id))

  const kind = (await call('POST', '/datatypes', { label: 'Reviewed', type: 'content' })).datatype_id
  const { entry } = await call('POST', '/pages', { slug: '/reviewed', title: 'R', datatype_id: kind })
  const { content_data_id } = entry
  const { comment_id } = await call('POST', '/comments', { content_data_id, body: 'Why?' })
  for (const patch of [{ body: 'Why so?' }, { resolved: true }, { resolved: false }])
    await call('PUT', `/comments?q=${comment_id}`, patch)
  await call('DELETE', `/comments?q=${comment_id}`)
  for (const [how, note] of [['withdraw'], ['return', { note: 'Not yet' }], ['approve']] as const) {
    const { review_request_id } = await call('POST', '/review-requests', { content_data_id })
    await call('POST', `/review-requests/${how}`, { review_request_id, ...note })
  }
}

it('has exactly the data members that are described, in the document for people and the one for machines', async () => {
  const { webhook_id } = await post('/admin/webhooks', {
    name: 'x',
    url: target.origin,
    events: ['*'],
    is_active: true,
  })
  await history('')
  await history('/admin')
  await records()
  await post(`/admin/webhooks/${webhook_id}/test`)
  app.clock.advance(2000)
  await app.services.delivery.drain()

  const seen = new Set<string>()
  for (const { headers, body } of target.received) {
    const { id, event, occurred_at, data, ...rest } = JSON.parse(String(body))
    expect([rest, headers['x-cms-event'], id.length, occurred_at.length]).toEqual([{}, event, 26, 24])
    const described = z.strictObject(webhookEvents[event as EventName].data.shape)
    expect([event, described.safeParse(data).error]).toEqual([event, undefined])
    seen.add(event)
  }
  expect([...seen].sort()).toEqual(Object.keys(webhookEvents).sort())

  const { webhooks } = (await app.call('GET', '/api/v1/openapi.json')).body
  expect(Object.keys(webhooks)).toEqual(Object.keys(webhookEvents))
  const text = readFileSync('docs/webhooks.md', 'utf8')
  for (const [name, { data }] of Object.entries(webhookEvents)) {
    const { schema } = webhooks[name].post.requestBody.content['application/json']
    expect(Object.keys(schema.properties.data.properties)).toEqual(Object.keys(data.shape))
    const isListed =
      name.startsWith('admin.') ||
      /^(datatype|comment|review|field|route|redirect|media)\.|^locale\.[^p]/.test(name)
    const row = isListed ? `.${name.split('.').at(-1)}` : `\`${name}\``
    expect(text).toContain(row)
    for (const member of Object.keys(data.shape)) expect(text).toContain(`\`${member}\``)
  }
})
