import { expect, it } from 'vitest'
import { callerOf, made } from '../support/calls.js'
import { migratedDatabase } from '../support/database.js'
import { eventReader } from '../support/event-stream.js'
import { startProduct } from '../support/process.js'

it('tells of changes of other instances, goes on after a kill, and ends with a stop', async () => {
  const { address, drop } = await migratedDatabase()
  const config = { app_secret: 'a secret that all instances of a test share' }
  const [one, other] = await Promise.all([
    startProduct(address, { config }),
    startProduct(address, { config }),
  ])
  const call = await callerOf(other)
  const { datatype_id } = await made(call('POST', '/datatypes', { label: 'Page', type: 'content' }))
  await made(call('POST', '/fields', { label: 'Text', field_type: 'text', parent_id: datatype_id }))
  const page = async (slug: string) => {
    const { route_id } = await made(call('POST', '/routes', { slug, title: slug }))
    const place = { datatype_id, route_id, fields: { text: 'a' } }
    return (await made(call('POST', '/content', place))).content_data_id as string
  }
  const mine = await page('/mine')
  const edit = (id: string, text: string) => made(call('PUT', `/content?q=${id}`, { fields: { text } }))
  const link = await made(call('POST', '/content/preview-links', { content_data_id: mine }))
  const listen = async (url: string, headers: Record<string, string> = {}) =>
    eventReader(
      await fetch(`${url}/api/v1/preview/events?token=${link.token}`, {
        headers: { Accept: 'text/event-stream', ...headers },
      }),
    )
  const text = async (url: string) => {
    const answer = await fetch(`${url}/api/v1/preview?token=${link.token}&format=native`)
    return (await answer.json()).fields.text
  }

  const first = await listen(one.url)
  const local = await listen(other.url)
  for (const stream of [first, local]) expect((await stream.next())?.event).toBe('ready')
  await edit(await page('/other'), 'b')
  await edit(mine, 'b')
  const seen = await first.next()
  expect(seen?.data.pages).toEqual([{ content_data_id: mine, slug: '/mine' }])
  expect(await text(one.url)).toBe('b')
  expect((await local.next())?.id).toBe(seen?.id)

  await one.kill9()
  expect(await first.next()).toBeUndefined()
  await edit(mine, 'c')
  await edit(mine, 'd')
  const again = await listen(other.url, { 'Last-Event-ID': seen?.id ?? '' })
  const ids = [await again.next(), await again.next(), await again.next()].map(event => [
    event?.event,
    event?.data.pages?.length,
  ])
  expect(ids).toEqual([
    ['ready', undefined],
    ['change', 1],
    ['change', 1],
  ])
  expect(await text(other.url)).toBe('d')

  // A stream that is broken off is no end: a stop closes all of them first.
  const raw = await fetch(`${other.url}/api/v1/preview/events?token=${link.token}`, {
    headers: { Accept: 'text/event-stream' },
  })
  const rest = raw.text()
  expect(await other.stop()).toBe(0)
  expect(await rest).toContain('event: ready')
  expect(await again.next()).toBeUndefined()
  await drop()
})
