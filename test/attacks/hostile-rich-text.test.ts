import { expect, it, onTestFinished } from 'vitest'
import { connect, type DatabaseAddress } from '../../src/db/connect.js'
import { callerOf, made, statusOf } from '../support/calls.js'
import { migratedDatabase } from '../support/database.js'
import { startProduct } from '../support/process.js'

/** What grew to gigabytes, and what only takes long. */
const growing = `<p>${Array.from({ length: 190 }, (_, i) => `<b a${i}>`).join('')}x${'<p>x'.repeat(10_000)}`
const long = '<p>harmless</p>'.repeat(60_000)

/** As it was stored before there were bounds. */
async function store(address: DatabaseAddress, text: string): Promise<void> {
  const dialect = await connect(address)
  await dialect
    .transaction(session => session.run(`update content_fields set field_value = '${text}'`, []))
    .finally(() => dialect.close())
}

it('a stored rich text that grows ends no process with a small heap, and is refused when it is written', async () => {
  const { address, drop } = await migratedDatabase()
  onTestFinished(drop)
  const start = () => startProduct(address, { flags: ['--max-old-space-size=160'] })
  const first = await start()
  const call = await callerOf(first)
  const { datatype_id } = await made(call('POST', '/datatypes', { label: 'Page', type: 'content' }))
  await made(call('POST', '/fields', { label: 'Text', field_type: 'richtext', parent_id: datatype_id }))
  const { route_id } = await made(call('POST', '/routes', { slug: '/', title: 'Home' }))
  const entry = { datatype_id, route_id, status: 'published', fields: { text: '<p>short</p>' } }
  const { content_data_id } = await made(call('POST', '/content', entry))
  for (const text of [growing, long])
    expect(await call('PUT', `/content?q=${content_data_id}`, { fields: { text } })).toMatchObject({
      status: 400,
      body: { member: 'fields.text' },
    })
  await first.stop()

  for (const text of [growing, long]) {
    await store(address, text)
    const { url, stop } = await start()
    for (const format of ['wordpress', 'contentful', 'sanity', 'strapi', 'clean', 'raw'])
      expect([format, await statusOf(`${url}/?format=${format}`, 180_000)]).toEqual([format, 200])
    expect(await statusOf(`${url}/api/v1/health`)).toBe(200)
    expect(await stop()).toBe(0)
  }
})
