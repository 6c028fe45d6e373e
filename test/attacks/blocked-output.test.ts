import { execFileSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { callerOf, healthOf, statusOf } from '../support/calls.js'
import { migratedDatabase } from '../support/database.js'
import { type Product, type Start, startProduct } from '../support/process.js'

/** Longer than the grace of a stop, in milliseconds. */
const graceAtMost = 25_000

/** Both ends of a pipe; what a process writes to `write` is read by nobody. */
function pipe(): { read: number; write: number } {
  const folder = mkdtempSync(join(tmpdir(), 'slugline-pipe-'))
  const path = join(folder, 'pipe')
  execFileSync('mkfifo', [path])
  const read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const write = openSync(path, constants.O_WRONLY)
  rmSync(folder, { recursive: true })
  return { read, write }
}

/** Every request of the API is one line, so that much more than a pipe holds is written. */
async function start(output: Start): Promise<Product> {
  const { address, drop } = await migratedDatabase()
  onTestFinished(drop)
  return startProduct(address, { config: { log_level: 'debug' }, ...output })
}

/** Writes about 600 kB of log, and then asks for health and for a stop. */
async function expectService(product: Product): Promise<void> {
  const long = 'x'.repeat(4000)
  for (let round = 0; round < 3; round++) {
    const statuses = await Promise.all(
      Array.from({ length: 50 }, () => statusOf(`${product.url}/api/v1/auth/me/${long}`, 20_000)),
    )
    expect([...new Set(statuses)]).toEqual([404])
    expect(await healthOf(product, 10_000)).toBe(200)
  }
  const call = await callerOf(product)
  expect((await call('GET', '/roles')).status).toBe(200)
  expect(await product.stopWithin(graceAtMost)).toBe(0)
}

it('answers and stops when standard output is a pipe that nobody reads', async () => {
  const { read, write } = pipe()
  onTestFinished(() => closeSync(read))
  const product = await start({ stdout: write })
  closeSync(write)
  await expectService(product)
})

it('answers and stops when standard output is a device without room', async () => {
  const full = openSync('/dev/full', 'w')
  onTestFinished(() => closeSync(full))
  await expectService(await start({ stdout: full }))
})

it('answers and stops when standard output and standard error are pipes that were closed', async () => {
  const { read, write } = pipe()
  const product = await start({ stdout: write, stderr: write })
  closeSync(write)
  closeSync(read)
  await expectService(product)
})

it('starts when standard output is a pipe that was closed before', async () => {
  const { read, write } = pipe()
  closeSync(read)
  const product = await start({ stdout: write })
  closeSync(write)
  await expectService(product)
})
