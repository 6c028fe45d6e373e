import { afterAll, expect, it } from 'vitest'
import { migratedDatabase } from '../support/database.js'
import { type Product, startProduct } from '../support/process.js'

const { address, drop } = await migratedDatabase()
afterAll(drop)
const three = await Promise.all([1, 2, 3].map(() => startProduct(address)))
const [one, two, killed] = three as [Product, Product, Product]
const Cookie = await one.login()

const pidsAt = async ({ url }: Product) => {
  const answer = await fetch(`${url}/api/v1/instances`, { headers: { Cookie } })
  expect(answer.status).toBe(200)
  return ((await answer.json()) as { pid: number }[]).map(({ pid }) => pid).sort()
}
const pidsOf = (products: readonly Product[]) => products.map(({ pid }) => pid).sort()

it('instances know each other, one that was killed is forgotten, and one that has stopped at once', async () => {
  // An instance answers a moment before it has reported that it runs.
  const shown = (product: Product, all: readonly Product[]) =>
    expect.poll(() => pidsAt(product), { timeout: 180_000, interval: 100 }).toEqual(pidsOf(all))
  for (const product of three) await shown(product, three)
  await killed.kill9()
  await shown(one, [one, two])
  const four = await startProduct(address)
  await shown(one, [one, two, four])
  await four.stop()
  expect(await pidsAt(one)).toEqual(pidsOf([one, two]))
})
