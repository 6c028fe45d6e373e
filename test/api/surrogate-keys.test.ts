import { expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { editedSite } from '../support/edited-site.js'
import { amount } from '../support/effort.js'

const app = await testApp({
  webhook_enabled: true,
  i18n_enabled: true,
  client_site: 'https://www.example.com',
  output_format: 'clean',
})
const { call } = app

const done = async (method: string, path: string, body?: unknown) => {
  const answer = await call(method, `/api/v1${path}`, body === undefined ? {} : { body })
  expect([path, answer.status, answer.text]).toEqual([path, expect.toSatisfy(n => n < 300), answer.text])
  return answer.body
}

interface Kept {
  readonly status: number
  readonly text: string
  readonly location: string | null
  readonly keys: readonly string[]
}

/** What a cache keeps of an address: answers with keys, and nothing else. */
async function fresh(path: string): Promise<Kept | undefined> {
  const { status, text, headers } = await call('GET', path, { as: 'nobody' })
  const keys = headers.get('surrogate-key')
  if (keys === null) return undefined
  expect(keys.length).toBeLessThan(1000)
  return { status, text, location: headers.get('location'), keys: keys.split(' ') }
}

it('leaves no wrong answer in a cache that drops by the keys of events alone', async () => {
  const site = await editedSite(done, 38)
  await app.subscribe()
  const cache = new Map<string, Kept>()
  const fill = async () => {
    for (const path of await site.paths()) {
      const answer = cache.has(path) ? undefined : await fresh(path)
      if (answer) cache.set(path, answer)
    }
  }
  await fill()
  let told = (await app.deliveries()).length
  let [compared, dropped] = [0, 0]
  for (let n = 0; n < amount(200, 500); n++) {
    const kind = await site.edit(n)
    const deliveries = await app.deliveries()
    const keys = new Set(
      deliveries
        .slice(told)
        .flatMap(({ payload }) => (JSON.parse(payload).data.surrogate_keys ?? []) as string[]),
    )
    told = deliveries.length
    for (const [path, answer] of cache)
      if (answer.keys.some(key => keys.has(key))) {
        cache.delete(path)
        dropped++
      }
    for (const [path, answer] of cache) {
      compared++
      expect([kind, path, await fresh(path)]).toEqual([kind, path, answer])
    }
    await fill()
  }
  expect(compared).toBeGreaterThan(1000)
  expect(dropped).toBeGreaterThan(1000)
}, 600_000)
