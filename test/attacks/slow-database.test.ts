import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { callerOf, made, statusOf } from '../support/calls.js'
import { engine, migratedDatabase } from '../support/database.js'
import { lineTo } from '../support/line.js'
import { startProduct } from '../support/process.js'
import { samplePage } from '../support/sample-page.js'

/** The service has 5 s to say that its database is too slow; the rest is for a machine that is busy. */
const patience = 30_000

describe.skipIf(engine === 'sqlite')('a database server that answers each statement late', () => {
  it.each([1200, 2000])(
    'is a 503 with Retry-After in one time for all statements: %d ms',
    async latency => {
      const { address, drop } = await migratedDatabase()
      onTestFinished(drop)
      const line = await lineTo(address)
      const product = await startProduct(line.address)
      const cookie = await product.login()
      const call = await callerOf(product, cookie)
      const { datatype_id, content_data_id, route_id } = await samplePage(call)
      const page = `${product.url}/?format=clean`
      expect(await statusOf(page)).toBe(200)
      const changes: readonly (readonly [method: string, path: string, body?: unknown])[] = [
        ['POST', '/content', { datatype_id, parent_id: content_data_id }],
        ['POST', '/content/publish', { content_data_id }],
        ['PUT', `/routes?q=${route_id}`, { title: 'Slow' }],
        ['DELETE', `/content?q=${content_data_id}&recursive=true`],
        ['POST', '/content/duplicate', { content_data_id, parent_id: content_data_id }],
      ]
      const ask = async ([method, path, body]: (typeof changes)[number]) => {
        try {
          const answer = await fetch(`${product.url}/api/v1${path}`, {
            method,
            headers: { Cookie: cookie, 'Content-Type': 'application/json' },
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
            signal: AbortSignal.timeout(patience),
          })
          return [path, answer.status, answer.headers.has('retry-after')]
        } catch {
          return [path, 'no answer', false]
        }
      }
      line.slow(latency)
      const answers = changes.map(ask)
      const missing = statusOf(`${product.url}/not-in-memory`, patience)
      for (let i = 0; i < 5; i++) {
        expect(await statusOf(page, patience)).toBe(200)
        await sleep(500)
      }
      expect(await Promise.all(answers)).toEqual(changes.map(([, path]) => [path, 503, true]))
      expect([404, 503]).toContain(await missing)
      line.slow(0)
      // Nothing of what was refused was done, and whatever is asked now is answered.
      await expect.poll(() => statusOf(`${product.url}/api/v1/health`)).toBe(200)
      expect(await made(call('GET', '/content'))).toMatchObject([{ content_data_id, status: 'published' }])
      expect(await made(call('GET', `/routes?q=${route_id}`))).toMatchObject({ title: 'Home' })
    },
    120_000,
  )

  it('takes as many statements as there are where each is answered soon', async () => {
    const { address, drop } = await migratedDatabase()
    onTestFinished(drop)
    const line = await lineTo(address)
    const product = await startProduct(line.address)
    const call = await callerOf(product)
    const { datatype_id, content_data_id } = await samplePage(call)
    line.slow(300)
    // Twenty statements and more: in all it takes longer than one statement may.
    const created = await call('POST', '/content', { datatype_id, parent_id: content_data_id })
    expect(created.status).toBe(201)
  }, 120_000)
})
