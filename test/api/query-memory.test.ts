import { expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { engine } from '../support/database.js'
import { factories } from '../support/factories.js'

const app = await testApp()
const { call, logged } = app
const make = factories(app)
const { datatype_id } = await make.datatype('Note', { type: '_global', is_public: true })
await make.field(datatype_id, 'Text', 'text')
const { content_data_id } = await make.entry(
  datatype_id,
  {},
  { status: 'published', fields: { text: 'one' } },
)

/** What a caller gets, and whether a line of the log says so: only what goes through the router has one. */
async function asked(path: string, headers: Record<string, string> = {}) {
  const lines = logged.length
  const { status, headers: sent, text } = await call('GET', path, { as: 'nobody', headers })
  sent.delete('X-Request-Id')
  return { status, text, sent: [...sent], isRouted: logged.length > lines }
}

/** The same, as soon as this instance knows that nobody has changed anything since. */
async function remembered(path: string, headers: Record<string, string> = {}) {
  const answers = [await asked(path, headers)]
  const isRouted = async () => answers.unshift(await asked(path, headers)) && answers[0]?.isRouted
  await expect.poll(isRouted, { interval: 20, timeout: 60_000 }).toBe(false)
  return answers[0] as Awaited<ReturnType<typeof asked>>
}

const addresses = ['/api/v1/query/note?limit=5', `/api/v1/query/note/${content_data_id}`]

it.each(addresses)('%s is answered from memory as it was the first time', async path => {
  const first = await asked(path)
  expect(first).toMatchObject({ status: 200, isRouted: true })
  expect(first.text).toContain('"one"')
  expect(await remembered(path)).toEqual({ ...first, isRouted: false })
  const ETag = first.sent.find(([name]) => name === 'etag')?.[1] ?? ''
  const again = await asked(path, { 'If-None-Match': ETag })
  expect([again.status, again.text, again.isRouted]).toEqual([304, '', false])
})

it('a change is in the next answer', async () => {
  for (const text of ['two', 'three']) {
    await call('PUT', `/api/v1/content?q=${content_data_id}`, { body: { fields: { text } } })
    for (const path of addresses) {
      const first = await asked(path)
      expect([first.text.includes(`"${text}"`), first.isRouted]).toEqual([true, true])
      expect((await remembered(path)).text).toBe(first.text)
    }
  }
})

it('another page of a list tells how many there are now', async () => {
  let offset = 0
  const counted = async () => {
    const path = `/api/v1/query/note?filter[text][contains]=counted&count=true&offset=${offset++}`
    return (await call('GET', path, { as: 'nobody' })).body.meta.count
  }
  expect([await counted(), await counted()]).toEqual([0, 0])
  const made = await make.entry(datatype_id, {}, { status: 'published', fields: { text: 'counted' } })
  expect([await counted(), await counted()]).toEqual([1, 1])
  const draft = await make.entry(datatype_id, {}, { fields: { text: 'counted too' } })
  expect([await counted(), await counted()]).toEqual([1, 1])
  const path = '/api/v1/content/publish'
  await call('POST', path, { body: { content_data_id: draft.content_data_id } })
  expect([await counted(), await counted()]).toEqual([2, 2])
  await call('DELETE', `/api/v1/content?q=${made.content_data_id}`)
  expect([await counted(), await counted()]).toEqual([1, 1])
})

it('who may not have it does not get it from memory', async () => {
  const keyOf = async (body: object) =>
    ({ Authorization: `Bearer ${(await call('POST', '/api/v1/tokens', { body })).body.token}` }) as const
  const reader = await keyOf({ permissions: ['content:read'] })
  const other = await keyOf({ permissions: ['routes:read'] })
  const ended = { Cookie: `${app.config.cookie_name}=no-session` }
  const [path = ''] = addresses
  const statuses = async (headers: Record<string, string>) => {
    const answers = [await asked(path, headers), await asked(path, headers), await asked(path, headers)]
    return answers.map(({ status, isRouted }) => `${status}${isRouted ? '' : ' from memory'}`)
  }
  const refused = ['403', '403', '403']
  expect((await remembered(path)).status).toBe(200)
  const foreign = { Authorization: 'Bearer nobodys' }
  expect([...(await statuses(foreign)), ...(await statuses(ended))].join()).not.toContain('memory')
  await call('PUT', `/api/v1/datatypes/${datatype_id}`, { body: { is_public: false } })
  expect(await statuses({})).toEqual(refused)
  // A server has to be asked whether a key still holds.
  const again = engine === 'sqlite' ? remembered : asked
  expect((await again(path, reader)).status).toBe(200)
  // It is in memory now, and for nobody else.
  for (const headers of [{}, other, foreign, ended]) expect(await statuses(headers)).toEqual(refused)
})
