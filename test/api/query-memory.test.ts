import { expect, it, vi } from 'vitest'
import { testApp } from '../support/app.js'
import { engine } from '../support/database.js'
import { factories } from '../support/factories.js'

const app = await testApp()
const { call, logged } = app
const make = factories(app)
const { datatype_id } = await make.datatype('Note', { type: '_global', visibility: 'public' })
await make.field(datatype_id, 'Text', 'text')
const { content_data_id } = await make.entry(
  datatype_id,
  {},
  { status: 'published', fields: { text: 'one' } },
)

function isInMemory(path: string, hasKey = false): boolean {
  const [, datatype = '', id, search = ''] = /query\/(\w+)(?:\/(\w+))?(?:\?(.*))?$/.exec(path) ?? []
  return app.services.space.queries.inMemory({ datatype, id, search }, { hasKey }) !== undefined
}

/** What a caller gets, and whether a line of the log says so: only what goes through the router has one. */
async function asked(path: string, headers: Record<string, string> = {}) {
  const lines = logged.length
  const { status, headers: sent, text } = await call('GET', path, { as: 'nobody', headers })
  sent.delete('X-Request-Id')
  return { status, text, sent: [...sent], isRouted: logged.length > lines }
}

/** The same, as soon as this instance knows that nobody has changed anything since. */
async function remembered(path: string, headers: Record<string, string> = {}) {
  await asked(path, headers)
  await expect
    .poll(() => isInMemory(path, Object.keys(headers).length > 0), { interval: 20, timeout: 180_000 })
    .toBe(true)
  return asked(path, headers)
}

const addresses = ['/api/v1/query/note?limit=5', `/api/v1/query/note/${content_data_id}`]

it.each(addresses)('%s is answered from memory as it was the first time', async path => {
  expect(isInMemory(path)).toBe(false)
  const first = await asked(path)
  expect(first).toMatchObject({ status: 200, isRouted: false })
  expect(first.text).toContain('"one"')
  expect(await remembered(path)).toEqual(first)
  const ETag = first.sent.find(([name]) => name === 'etag')?.[1] ?? ''
  const again = await asked(path, { 'If-None-Match': ETag })
  expect([again.status, again.text, again.isRouted]).toEqual([304, '', false])
})

it('a change is in the next answer', async () => {
  for (const text of ['two', 'three']) {
    await call('PUT', `/api/v1/content?q=${content_data_id}`, { body: { fields: { text } } })
    for (const path of addresses) {
      expect(isInMemory(path)).toBe(false)
      const first = await asked(path)
      expect(first.text).toContain(`"${text}"`)
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

it.each([
  ['the only page', 'limit=5', 4, 0],
  ['the only page in the order of a field', 'limit=5&sort=-text', 4, 0],
  ['the last of two pages', 'limit=3&offset=3', 4, 0],
  ['the last of two pages in the order of a field', 'limit=3&offset=3&sort=text', 4, 0],
  ['a page behind the last one', 'limit=3&offset=9', 4, 1],
  ['a page in the order of a field that another follows', 'limit=2&sort=text', 4, 1],
])(
  '%s tells how many there are, and is followed by a count only where it must',
  async (name, page, n, counts) => {
    for (let i = 0; i < 4; i++)
      await make.entry(datatype_id, {}, { status: 'published', fields: { text: `${name} ${i}` } })
    const filter = new URLSearchParams({ 'filter[text][in]': [0, 1, 2, 3].map(i => `${name} ${i}`).join() })
    const counted = async (search: string) => {
      const before = app.db.statementCounts.read
      const { body } = await call('GET', `/api/v1/query/note?${search}`, { as: 'nobody' })
      return { total: body.meta.count, read: app.db.statementCounts.read - before }
    }
    // Its entries are known then, and the answer to another address is not.
    await counted(`${page}&${filter}&count=false`)
    const without = await counted(`${filter}&${page}&count=false`)
    const { total, read } = await counted(`${filter}&${page}&count=true`)
    expect([total, read - without.read]).toEqual([n, counts])
  },
)

it('who may not have it does not get it from memory', async () => {
  const keyOf = async (body: object) =>
    ({ Authorization: `Bearer ${(await call('POST', '/api/v1/tokens', { body })).body.token}` }) as const
  const reader = await keyOf({ permissions: ['content:read'] })
  const other = await keyOf({ permissions: ['routes:read'] })
  const ended = { Cookie: `${app.config.cookie_name}=no-session` }
  const [path = ''] = addresses
  const statuses = async (headers: Record<string, string>) => {
    const answers = [await asked(path, headers), await asked(path, headers), await asked(path, headers)]
    return answers.map(({ status, isRouted }) => `${status}${isRouted ? '' : ' past the router'}`)
  }
  const refused = ['403', '403', '403']
  expect((await remembered(path)).status).toBe(200)
  const foreign = { Authorization: 'Bearer nobodys' }
  expect([...(await statuses(foreign)), ...(await statuses(ended))].join()).not.toContain('past')
  await call('PUT', `/api/v1/datatypes/${datatype_id}`, { body: { visibility: 'linked' } })
  expect(await statuses({})).toEqual(refused)
  // A server has to be asked whether a key still holds.
  const again = engine === 'sqlite' ? remembered : asked
  expect((await again(path, reader)).status).toBe(200)
  // It is in memory now, and for nobody else.
  for (const headers of [{}, other, foreign, ended]) expect(await statuses(headers)).toEqual(refused)
})

it('the router answers in the same way, and nothing is tried twice to be refused', async () => {
  const { datatype_id } = await make.datatype('Memo', { type: '_global', visibility: 'public' })
  const { content_data_id } = await make.entry(datatype_id, {}, { status: 'published' })
  const answer = vi.spyOn(app.services.space.queries, 'answer')
  const ended = { Cookie: `${app.config.cookie_name}=no-session` }
  for (const path of ['/api/v1/query/memo', `/api/v1/query/memo/${content_data_id}`]) {
    const past = await asked(path)
    expect(past).toMatchObject({ status: 200, isRouted: false })
    expect(await asked(path, ended)).toEqual({ ...past, isRouted: true })
  }
  for (const [path, status] of [
    ['/api/v1/query/memo?limit=0', 400],
    ['/api/v1/query/memo?filter[none][eq]=1', 400],
    ['/api/v1/query/memo?sort=%00', 400],
    ['/api/v1/query/memo/00000000000000000000000000', 404],
  ] as const) {
    answer.mockClear()
    const refused = await asked(path)
    expect(refused).toMatchObject({ status, isRouted: true })
    expect(answer.mock.calls.length).toBeLessThanOrEqual(1)
    expect(await asked(path, ended)).toEqual(refused)
  }
  answer.mockRestore()
  const hidden = await make.datatype('Diary', { type: '_global' })
  for (const name of [hidden.name, 'none']) {
    const { status, body } = await call('GET', `/api/v1/query/${name}`, { as: 'nobody' })
    expect([status, body.error]).toEqual([403, expect.stringContaining('only public datatypes')])
  }
})
