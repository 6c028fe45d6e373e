import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { migratedDatabase } from '../support/database.js'
import { productEnv, startProduct } from '../support/process.js'
import { rowsOf } from './rows.js'

/** Several transactions of fifty trees. */
const count = 400
const changed = new Set<number>()

const post = (id: number) => {
  const modified = `2024-01-01T${String(Math.floor(id / 60)).padStart(2, '0')}:${String(id % 60).padStart(2, '0')}:00`
  return {
    ...{ id, type: 'post', status: 'publish', slug: `post-${id}`, link: `http://127.0.0.1/post-${id}` },
    ...{ date: modified, date_gmt: modified, modified, modified_gmt: modified, author: 0, featured_media: 0 },
    title: { rendered: `Post ${id}` },
    content: { rendered: `<p>${changed.has(id) ? 'Changed' : 'Text'} ${id}</p>` },
    ...{ excerpt: { rendered: '' }, categories: [], tags: [] },
  }
}

/** A REST API of WordPress with posts alone. */
async function wordpress(): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://127.0.0.1')
    const [page, size] = [Number(searchParams.get('page')), Number(searchParams.get('per_page'))]
    const lists: Readonly<Record<string, unknown>> = {
      '/wp-json/': { home: 'http://127.0.0.1' },
      '/wp-json/wp/v2/types': { post: { rest_base: 'posts' } },
      '/wp-json/wp/v2/taxonomies': {},
    }
    const ids = Array.from({ length: count }, (_, i) => i + 1).slice((page - 1) * size, page * size)
    response.end(JSON.stringify(lists[pathname] ?? (pathname.endsWith('/posts') ? ids.map(post) : [])))
  })
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    server.close().closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/wp-json`
}

it('a follower that was killed goes on: everything arrives, and nothing twice', {
  timeout: 300_000,
}, async () => {
  const { address, drop } = await migratedDatabase()
  onTestFinished(drop)
  const product = await startProduct(address)
  expect(await product.stop()).toBe(0)
  const url = await wordpress()
  const start = () => {
    const words = ['import', 'wordpress', '--from', url, '--follow', '--every', '1', '--json']
    const child = spawn(process.execPath, [resolve('dist/cli.js'), ...words], {
      cwd: product.folder,
      env: productEnv,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let [out, err] = ['', '']
    child.stdout.on('data', data => (out += data))
    child.stderr.on('data', data => (err += data))
    const end = once(child, 'exit').then(([code]) => ({ code, out, err }))
    onTestFinished(async () => {
      child.kill('SIGKILL')
      await end
    })
    return { child, end, err: () => err }
  }
  const number = async (sql: string): Promise<number> => {
    const [row] = await rowsOf<{ n: number | string }>(address, sql)
    return Number(row?.n ?? 0)
  }
  const entries = () => number('select count(*) as n from content_data')
  const withChange = () =>
    number(`select count(*) as n from content_fields where field_value like '<p>Changed%'`)

  const first = start()
  while (first.child.exitCode === null && (await entries()) < count / 4) await sleep(5)
  first.child.kill('SIGKILL')
  expect(await first.end).toMatchObject({ code: null })
  expect(await entries()).toBeLessThan(count)

  const second = start()
  while (second.child.exitCode === null && !second.err().includes('Created')) await sleep(50)
  expect(await entries()).toBe(count)
  for (let id = 1; id <= count; id += 2) changed.add(id)
  while (second.child.exitCode === null && (await withChange()) < 20) await sleep(5)
  second.child.kill('SIGKILL')
  await second.end
  const before = await withChange()
  expect(before).toBeGreaterThanOrEqual(20)

  const third = start()
  while (third.child.exitCode === null && !third.err().includes('Created')) await sleep(50)
  third.child.kill('SIGINT')
  const { code, out } = await third.end
  expect(code).toBe(0)
  expect(JSON.parse(out)).toMatchObject({ entries: 0, changes: { updated: count / 2 - before, left: [] } })
  expect([await entries(), await withChange()]).toEqual([count, count / 2])
})
