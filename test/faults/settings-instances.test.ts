import { afterAll, expect, it } from 'vitest'
import { migratedDatabase } from '../support/database.js'
import { type Product, startProduct } from '../support/process.js'

const { address, drop } = await migratedDatabase()
afterAll(drop)
// Two processes on one SQLite database find the one secret that is beside it.
const [one, two] = await Promise.all([startProduct(address), startProduct(address)])
const Cookie = await one.login()

const config = async ({ url }: Product, body?: object) => {
  const answer = await fetch(`${url}/api/v1/config`, {
    method: body ? 'PUT' : 'GET',
    headers: { Cookie, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  expect([answer.status, body]).toEqual([200, body])
  return answer.json()
}
const robots = async ({ url }: Product) => (await fetch(`${url}/robots.txt`)).status

it('a setting saved at one instance acts on the other, and on one that starts later', async () => {
  for (let round = 0; round < 3; round++)
    for (const [by, other] of [
      [one, two],
      [two, one],
    ] as const) {
      await config(by, { robots_enabled: false })
      expect(await robots(by)).toBe(404)
      // Nobody asks for the configuration here: the instance notices by itself.
      await expect.poll(() => robots(other), { timeout: 180_000, interval: 20 }).toBe(404)
      await config(other, { robots_enabled: null })
      await expect.poll(() => robots(by), { timeout: 180_000, interval: 20 }).toBe(200)
    }
  await config(one, { robots_enabled: false, email_password: 'of the mail server', webhook_workers: 2 })
  expect(await config(two)).toMatchObject({
    email_password: '********',
    restart_required: ['webhook_workers'],
    set_by_file: [],
  })
  const three = await startProduct(address)
  expect(await robots(three)).toBe(404)
  expect(await config(three)).toMatchObject({ webhook_workers: 2, restart_required: [] })
  expect(three.output()).not.toContain('"level"')
  const fixed = await startProduct(address, { config: { robots_enabled: true } })
  expect(await robots(fixed)).toBe(200)
  expect(await config(fixed)).toMatchObject({ robots_enabled: true, set_by_file: ['robots_enabled'] })
  // Whoever saves it there decides for all.
  await config(fixed, { robots_enabled: null })
  expect(await robots(fixed)).toBe(200)
  for (const other of [one, two, three])
    await expect.poll(() => robots(other), { timeout: 180_000, interval: 20 }).toBe(200)
})
