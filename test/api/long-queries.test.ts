import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { withoutKey } from '../../src/services/delivery/query/allowance.js'
import { testApp } from '../support/app.js'
import { engine } from '../support/database.js'
import { factories } from '../support/factories.js'

const app = await testApp()
const { call } = app
const make = factories(app)
const count = 1000

const { datatype_id } = await make.datatype('Note', { type: '_global', visibility: 'public' })
const tail = `${'long '.repeat(50)}and longer than its key`
for (const label of ['Text', 'Other', 'Tags']) await make.field(datatype_id, label, 'text')
await make.field(datatype_id, 'Price', 'number')
const children = Array.from({ length: count - 1 }, (_, i) => ({
  datatype_id,
  fields: {
    text: `text ${i % 10}`,
    other: `other ${count - i}`,
    price: i,
    ...(i % 2 === 0 && { tags: tail }),
  },
}))
const made = await call('POST', '/api/v1/content', { body: { datatype_id, status: 'published', children } })
expect(made.status).toBe(201)

/** How often other work has had its turn meanwhile. */
async function turnsDuring<T>(work: () => Promise<T>): Promise<{ result: T; turns: number }> {
  let [turns, running] = [0, true]
  const tick = () => {
    turns++
    if (running) setImmediate(tick)
  }
  setImmediate(tick)
  const result = await work()
  running = false
  return { result, turns }
}
const ask = (query: string, as: 'nobody' | 'viewer' = 'nobody') =>
  turnsDuring(() => call('GET', `/api/v1/query/note?${query}`, { as }))
const pricesOf = (body: { data: { fields: { price: number | null } }[] }) =>
  body.data.map(({ fields }) => fields.price)

describe('a query that looks at every entry', () => {
  it.each([
    ['a text that is nowhere', 'filter[text][contains]=nowhere', []],
    [
      'a text that is in one of two fields',
      'filter[or][0][text][contains]=no&filter[or][1][other][contains]=r 1000',
      [0],
    ],
    ['another order than an index has', 'sort=text,-price&limit=3', [990, 980, 970]],
    ['the order of titles, which no entry has', 'sort=title&filter[price][ne]=0&limit=1&offset=998', [998]],
    ['an order behind a cursor that nothing follows', 'sort=price&filter[other][contains]=nowhere', []],
  ])('finds them by %s', async (_, query, prices) => {
    const { result } = await ask(query)
    expect([result.status, pricesOf(result.body)]).toEqual([200, prices])
  })

  const many = (i: number) => `filter[other][contains]=r ${i}`
  it.each([
    ['filter[text][contains]=9', 99],
    ['filter[text][contains]=ex', count - 1],
    ['filter[text][starts]=te', count - 1],
    ['filter[text][gte]=text 5', 499],
    ['filter[text][exists]=true', count - 1],
    ['filter[price][gte]=500', 499],
    ['filter[text][contains]=t&filter[price][lt]=500', 500],
    [`filter[text][contains]=t 9&filter[or][0]${many(1).slice(6)}&filter[or][1]${many(2).slice(6)}`, 22],
    ['filter[tags][contains]=long', 500],
    ['filter[tags][contains]=longer than its key', 500],
    ['filter[tags][contains]=never there', 0],
  ])('counts those that pass %s', async (query, passing) => {
    const { result } = await ask(`${query}&count=true&limit=1`)
    expect([query, result.body.meta?.count]).toEqual([query, passing])
  })
})

/** Nobody without a key may take any time at all. */
function noTime() {
  vi.spyOn(withoutKey, 'ms', 'get').mockReturnValue(-1)
  onTestFinished(() => {
    vi.restoreAllMocks()
  })
}

describe.runIf(engine === 'sqlite')('a query of more work than a stranger may ask for', () => {
  const long = (text: string) => `/api/v1/query/note?filter[text][contains]=${text}&sort=text,-price`
  const refusal = {
    status: 400,
    body: { member: 'filter', error: expect.stringMatching(/^filter: takes more than a second/) },
  }

  it('is refused without a key, and answered to who has a good key or session', async () => {
    noTime()
    const wrong = { headers: { Authorization: `Bearer ${'x'.repeat(40)}` } }
    expect(await call('GET', long('never'), { as: 'nobody' })).toMatchObject(refusal)
    expect(await call('GET', long('never'), { as: 'nobody', ...wrong })).toMatchObject(refusal)
    expect((await call('GET', long('never'), { as: 'viewer' })).status).toBe(200)
  })

  it('is refused at the roots of other systems too', async () => {
    noTime()
    const path = '/compat/strapi/api/notes?filters[text][$contains]=nothing&sort[0]=text&sort[1]=price'
    const answer = await call('GET', path, { as: 'nobody' })
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('takes more than a second')])
    expect((await call('GET', path, { as: 'nobody', headers: { Authorization: 'Bearer x' } })).status).toBe(
      400,
    )
  })

  it('is no query by what an index has', async () => {
    noTime()
    for (const query of [
      'filter[price][eq]=5',
      'sort=-price&limit=2',
      'sort=published_at',
      'filter[price][lt]=20',
    ])
      expect([query, (await ask(query)).result.status]).toEqual([query, 200])
  })
})

/** Every look at the clock finds that it is time. */
function hasteOfClock() {
  let now = performance.now()
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 9))
  onTestFinished(() => clock.mockRestore())
}

it('entries with everything under them are written in turns', async () => {
  hasteOfClock()
  const { result, turns } = await ask('filter[text][exists]=false&children=1&limit=200', 'viewer')
  expect(result.body.data).toHaveLength(1)
  expect(result.body.data[0].children).toHaveLength(count - 1)
  expect(turns).toBeGreaterThan(count)
})

it('pages of such a query follow each other without a gap', async () => {
  const seen: (number | null)[] = []
  let cursor = ''
  for (let page = 0; page < 10; page++) {
    const { result } = await ask(`filter[text][contains]=3&sort=text,-price&limit=30${cursor}`)
    seen.push(...pricesOf(result.body))
    if (!result.body.meta.next) break
    cursor = `&cursor=${result.body.meta.next}`
  }
  expect(seen).toEqual(Array.from({ length: 100 }, (_, i) => 993 - 10 * i))
})
