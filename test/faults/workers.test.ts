import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { engine, freshDatabase, migratedDatabase } from '../support/database.js'
import { amount } from '../support/effort.js'
import { freePort, type Product, portListens, startProduct } from '../support/process.js'
import { whenDone } from '../support/when-done.js'

/** Nothing that the service does takes nearly as long: a connection without an answer for so long has none to come. */
const silenceMs = 40_000

const workersOf = ({ pid }: Product): number[] =>
  execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map(Number)

/** Whether a process is there and has not ended. */
const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function metric(port: number, name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const lines = text.split('\n').filter(line => line.startsWith(name))
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)
}

/** Starts two workers on a database of its own, and waits until both serve. */
async function started(config: Record<string, unknown> = {}) {
  const { address, drop } = await migratedDatabase()
  whenDone(drop)
  const metrics = await freePort()
  const more = { workers: 2, metrics_port: metrics, output_format: 'clean', ...config }
  const product = await startProduct(address, { config: more })
  await bothServe(metrics)
  return { product, metrics, address }
}

async function bothServe(metrics: number): Promise<void> {
  while ((await metric(metrics, 'slugline_processes').catch(() => 0)) !== 2) await sleep(50)
}

/** Asks on a connection of its own, which any of the workers may accept. */
const ask = (url: string) =>
  new Promise<{ status: number; text: string } | 'cut' | 'silent'>(resolve => {
    const request = get(url, { agent: false, timeout: silenceMs }, response => {
      let text = ''
      response.on('data', data => (text += data))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      response.on('error', () => resolve('cut'))
    })
    request.on('timeout', () => {
      resolve('silent')
      request.destroy()
    })
    request.on('error', () => resolve('cut'))
  })

const headIn = (answer: { text: string }) => (JSON.parse(answer.text) as { head: string }).head

/** A page at `/`, and how it is changed: on a connection of its own, with the status of the answer. */
async function makePage(product: Product) {
  const Cookie = await product.login()
  const api = async (method: string, path: string, body: object) => {
    const answer = await fetch(`${product.url}/api/v1${path}`, {
      method,
      headers: { Cookie, 'Content-Type': 'application/json', Connection: 'close' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(silenceMs),
    })
    return { status: answer.status, json: (await answer.json()) as Record<string, string> }
  }
  const { datatype_id } = (await api('POST', '/datatypes', { label: 'Page', type: 'content' })).json
  await api('POST', '/fields', { label: 'Head', field_type: 'text', parent_id: datatype_id })
  const page = { slug: '/', title: 'Home', datatype_id, status: 'published', fields: { head: '0' } }
  const { entry } = (await api('POST', '/pages', page)).json as unknown as {
    entry: { content_data_id: string }
  }
  return async (head: string): Promise<number | 'cut' | 'silent'> =>
    api('PUT', `/content/?q=${entry.content_data_id}`, { fields: { head } }).then(
      ({ status }) => status,
      (error: Error) => (error.name === 'TimeoutError' ? 'silent' : 'cut'),
    )
}

const { product, metrics } = await started({ trusted_proxies: ['127.0.0.1'] })
const change = await makePage(product)
/** Of the page as it is shown. */
const shown = async () => {
  const answer = await ask(`${product.url}/`)
  return typeof answer === 'string' ? answer : headIn(answer)
}

it.runIf(engine === 'sqlite')(
  'shows what one worker has changed to the first request after it, whichever worker gets that',
  async () => {
    for (let i = 1; i <= amount(100, 500); i++) {
      expect(await change(`${i}`)).toBe(200)
      expect([i, await Promise.all([shown(), shown(), shown()])]).toEqual([i, Array(3).fill(`${i}`)])
    }
  },
)

it('adds up the metrics of all workers', async () => {
  const before = await metric(metrics, 'slugline_requests_total{surface="site"')
  for (let i = 0; i < 40; i++) await shown()
  expect(await metric(metrics, 'slugline_requests_total{surface="site"')).toBe(before + 40)
  expect(await metric(metrics, 'slugline_request_duration_seconds_count{surface="site"')).toBe(before + 40)
})

it('counts tries to sign in of all workers together', async () => {
  const statuses: number[] = []
  for (let i = 0; i < 40; i++) {
    const answer = await fetch(`${product.url}/api/v1/auth/login`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'X-Forwarded-For': '10.99.0.1',
        Connection: 'close',
      },
      body: JSON.stringify({ email: 'nobody@example.com', password: 'wrong wrong wrong' }),
    })
    await answer.arrayBuffer()
    statuses.push(answer.status)
  }
  expect(statuses).toEqual([...Array(10).fill(401), ...Array(30).fill(429)])
})

it('loses no acknowledged change and leaves nobody waiting when workers are killed', async () => {
  const outcomes = new Set<unknown>()
  let [on, last, lastTried] = [true, 1000, 1000]
  expect(await change(`${last}`)).toBe(200)
  const reading = Promise.all(
    Array.from({ length: 6 }, async () => {
      while (on) {
        const answer = await ask(`${product.url}/`)
        outcomes.add(typeof answer === 'string' ? answer : answer.status)
      }
    }),
  )
  const writing = (async () => {
    while (on) {
      const outcome = await change(`${++lastTried}`)
      outcomes.add(outcome)
      if (outcome === 200) last = lastTried
    }
  })()
  for (let kill = 0; kill < amount(3, 10); kill++) {
    await sleep(300)
    process.kill(workersOf(product)[kill % 2] ?? 0, 'SIGKILL')
    await bothServe(metrics)
  }
  on = false
  await Promise.all([reading, writing])
  outcomes.delete('cut')
  expect([...outcomes]).toEqual([200])
  // A change whose answer was cut off may be there too.
  await expect.poll(async () => Number(await shown())).toBeGreaterThanOrEqual(last)
  expect(product.output()).toContain('a worker has ended: starting another one')
})

it('ends with the reason when it cannot start, as one process does', async () => {
  const { address, drop } = await freshDatabase()
  onTestFinished(drop)
  const port = await freePort()
  const other = createServer(socket => socket.destroy()).listen(port, '127.0.0.1')
  onTestFinished(() => void other.close())
  const start = startProduct(address, { port, config: { workers: 2 } })
  await expect(start).rejects.toThrow(/ended with 1: .*another program listens there/s)
})

it('stops all workers in order', async () => {
  const pids = workersOf(product)
  expect(pids).toHaveLength(2)
  const stopped = product.stop()
  // Service managers signal the workers too.
  for (const pid of pids) process.kill(pid, 'SIGTERM')
  expect(await stopped).toBe(0)
  expect(pids.map(isAlive)).toEqual([false, false])
  expect(await portListens(product.port)).toBe(false)
})

it.runIf(engine === 'sqlite')('gives up when no worker can start any more', async () => {
  const { product, address } = await started()
  // A worker that goes on could write pages of a database into these files.
  const workers = workersOf(product)
  for (const pid of workers) process.kill(pid, 'SIGSTOP')
  for (const name of ['', '-wal', '-shm']) writeFileSync(`${address.db_url}${name}`, 'this is no database')
  for (const pid of workers) process.kill(pid, 'SIGKILL')
  await expect.poll(() => isAlive(product.pid), { timeout: 180_000, interval: 100 }).toBe(false)
  expect(product.output()).toContain('no worker is running')
  expect(product.output()).toContain('file is not a database')
})

it('leaves no worker behind when the first process is killed', async () => {
  const { product } = await started()
  const pids = workersOf(product)
  await product.kill9()
  await expect.poll(() => pids.map(isAlive), { timeout: 180_000 }).toEqual([false, false])
})
