import { expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'

const { call, services } = await testApp()
const make = factories({ call })
const type = await make.datatype('Ticker', { type: '_global' })
await make.field(type.datatype_id, 'Price', 'number')
const { content_data_id } = await make.entry(
  type.datatype_id,
  {},
  { status: 'published', fields: { price: 0 } },
)
let price = 0
const write = async () => {
  price++
  const body = { fields: { price } }
  expect((await call('PUT', `/api/v1/content?q=${content_data_id}`, { body })).status).toBe(200)
}
const priceIn = (text: string) => JSON.parse(text).data[0].fields.price

it('answers although content changes in each of its attempts, with what is there at one moment', async () => {
  const { queries } = services.space
  const seen: number[] = []
  // It is called while an answer is made, after the version of the content has been read.
  const changing = async () => {
    seen.push(price)
    await write()
  }
  const { body } = await queries.answer(
    { datatype: 'ticker', search: 'sort=price' },
    { hasKey: true, allow: changing },
  )
  expect(seen).toEqual([0, 1, 2, 3])
  expect(priceIn(new TextDecoder().decode(body))).toBe(3)
  // What was written meanwhile is in the next one: nothing older was kept.
  const next = await call('GET', '/api/v1/query/ticker?sort=price', { as: 'viewer' })
  expect(priceIn(next.text)).toBe(4)
})

it('answers under steady writes, and never with anything older than what was written before it was asked', async () => {
  const other = await make.entry(type.datatype_id, {}, { status: 'published' })
  let [isOver, acknowledged] = [false, price]
  const untilOver = async (work: () => Promise<unknown>) => {
    while (!isOver) await work()
  }
  const writers = [
    untilOver(async () => {
      await write()
      acknowledged = price
    }),
    untilOver(() =>
      call('PUT', `/api/v1/content?q=${other.content_data_id}`, { body: { fields: { price } } }),
    ),
  ]
  try {
    for (let i = 0; i < 40; i++) {
      const before = acknowledged
      const answer = await call('GET', `/api/v1/query/ticker?sort=id&limit=${1 + (i % 3)}`, { as: 'viewer' })
      expect(answer.status).toBe(200)
      expect(priceIn(answer.text)).toBeGreaterThanOrEqual(before)
    }
  } finally {
    isOver = true
    await Promise.all(writers)
  }
})
