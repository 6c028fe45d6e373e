import { expect, it } from 'vitest'
import { blog } from './sample.js'

const { app } = await blog({ page_cache_bytes: 0 })
const { call, db } = app

/** The statements that an answer takes which nobody has asked for yet. */
async function reads(path: string): Promise<number> {
  const { read } = db.statementCounts
  const { status } = await call('GET', `/compat${path}`, { as: 'nobody' })
  expect([path, status]).toEqual([path, 200])
  return db.statementCounts.read - read
}

it('reads what relations name by one statement more: their values, for records are read together', async () => {
  const list = '/strapi/api/posts?sort=publishedAt&pagination[withCount]=false'
  await reads(`${list}&populate=cover`)
  const alone = await reads(`${list}&populate=cover`)
  expect((await reads(`${list}&populate[0]=cover&populate[1]=author`)) - alone).toBe(1)
})
