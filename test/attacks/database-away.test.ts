import { describe, expect, it, onTestFinished } from 'vitest'
import { callerOf, healthOf, statusOf } from '../support/calls.js'
import { engine, migratedDatabase } from '../support/database.js'
import { lineTo } from '../support/line.js'
import { startProduct } from '../support/process.js'
import { samplePage } from '../support/sample-page.js'

/** The service has 5 s to say that its database is away; the rest is for a machine that is busy. */
const patience = 30_000

async function started() {
  const { address, drop } = await migratedDatabase()
  onTestFinished(drop)
  const line = await lineTo(address)
  const product = await startProduct(line.address)
  const cookie = await product.login()
  const call = await callerOf(product, cookie)
  await samplePage(call)
  const page = `${product.url}/?format=clean`
  for (let i = 0; i < 3; i++) expect(await statusOf(page)).toBe(200)
  return { product, cookie, line, page }
}

describe.skipIf(engine === 'sqlite')('a database server that is away', () => {
  it('is a 503 with Retry-After for signed-in requests, pages in memory go on, and a stop ends', async () => {
    const { product, cookie, line, page } = await started()
    const ask = (path: string) =>
      fetch(`${product.url}/api/v1${path}`, {
        headers: { Cookie: cookie },
        signal: AbortSignal.timeout(patience),
      }).then(
        answer => [path, answer.status, answer.headers.has('retry-after')],
        () => [path, 'no answer', false],
      )
    const expectAway = async () => {
      // More than there are connections in the pool.
      const paths = ['/auth/me', '/roles', '/content', '/users']
      const asked = Array.from({ length: 16 }, (_, i) => paths[i % paths.length] as string)
      const [health, ...answers] = await Promise.all([healthOf(product, patience), ...asked.map(ask)])
      expect(answers).toEqual(asked.map(path => [path, 503, true]))
      expect(health).toBe(503)
      for (let i = 0; i < 5; i++) expect(await statusOf(page, patience)).toBe(200)
    }
    const failures = [
      () => line.cut(),
      // What takes packets and never answers ends no connection by itself.
      () => line.silence(),
    ]
    for (const fail of failures) {
      fail()
      await expectAway()
      line.mend()
      await expect
        .poll(async () => [await healthOf(product), await ask('/roles')], { timeout: 180_000, interval: 100 })
        .toEqual([200, ['/roles', 200, false]])
      expect(await statusOf(page)).toBe(200)
    }
    line.silence()
    void statusOf(`${product.url}/not-in-memory?format=clean`)
    expect(await product.stopWithin(25_000)).toBe(0)
  }, 120_000)
})
