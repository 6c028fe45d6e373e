import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { dial } from '../support/calls.js'
import { freshDatabase } from '../support/database.js'
import { startProduct } from '../support/process.js'
import { testStorage } from '../support/storage.js'

function folderOf(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `slugline-${name}-`))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A device of so many kilobytes; its size can be changed. */
function device(kilobytes: number): { folder: string; resize(kilobytes: number): void } {
  const folder = folderOf('device')
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', folder])
  onTestFinished(() => void execFileSync('umount', ['-l', folder]))
  return {
    folder,
    resize: size => void execFileSync('mount', ['-o', `remount,size=${size}k`, folder]),
  }
}

/** Only root may mount, and not everywhere. */
function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'slugline-mount-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder], { stdio: 'ignore' })
    execFileSync('umount', ['-l', folder])
    return true
  } catch {
    return false
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const mounts = canMount()
if (!mounts) process.stderr.write('skipped: tests of full devices, for nothing can be mounted here\n')

async function database() {
  const { address, drop } = await freshDatabase()
  onTestFinished(drop)
  return address
}

const storage = await testStorage()
const image = new Uint8Array(3 * 2 ** 20)
const text = new TextEncoder().encode('a text of the test\n'.repeat(10))

async function upload(
  url: string,
  cookie: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<number | 'no answer'> {
  const body = new FormData()
  body.set('file', new Blob([bytes]), 'notes.txt')
  const headers = { Cookie: cookie }
  return fetch(`${url}/api/v1/media/upload`, {
    method: 'POST',
    body,
    headers,
    signal: AbortSignal.timeout(60_000),
  }).then(
    async answer => {
      await answer.arrayBuffer()
      return answer.status
    },
    () => 'no answer' as const,
  )
}

describe.skipIf(!mounts)('a full device', () => {
  it('of temporary files refuses an upload at once, and takes one when there is room again', async () => {
    const { folder, resize } = device(1024)
    const product = await startProduct(await database(), { env: { TMPDIR: folder }, config: storage.config })
    const cookie = await product.login()
    expect(await upload(product.url, cookie, text)).toBe(201)
    for (let i = 0; i < 3; i++) expect([503, 507]).toContain(await upload(product.url, cookie, image))
    // What was written until then is gone.
    expect(readdirSync(folder)).toEqual([])
    expect(await upload(product.url, cookie, new TextEncoder().encode('another text'))).toBe(201)
    writeFileSync(join(folder, 'other'), new Uint8Array(1024 * 1024))
    expect([503, 507]).toContain(await upload(product.url, cookie, text))
    rmSync(join(folder, 'other'))
    resize(20_000)
    expect(await upload(product.url, cookie, new Uint8Array(2 ** 21).fill(65))).toBe(201)
  })
})

interface Said {
  status: number
  error?: string
  checks?: { database: boolean }
}

/** What an endpoint says, or a title of `bytes` characters added to the routes. */
async function ask(url: string, cookie: string, path: string, bytes?: number): Promise<Said> {
  const title = (bytes ?? 0) > 0 ? 't'.repeat(bytes ?? 0) : 'title'
  const answer = await fetch(`${url}/api/v1${path}`, {
    ...(bytes === undefined
      ? {}
      : { method: 'POST', body: JSON.stringify({ slug: `/${randomUUID()}`, title, status: 200 }) }),
    headers: { Cookie: cookie, 'Content-Type': 'application/json' },
    signal: AbortSignal.timeout(60_000),
  })
  const said = (await answer.json()) as Said
  return { ...said, status: answer.status }
}

describe.skipIf(!mounts)('a full device', () => {
  it('of the database refuses writes and says so, goes on reading, and needs no restart', async () => {
    const { folder } = device(8192)
    const address = { db_driver: 'sqlite', db_url: join(folder, 'site.db') } as const
    const product = await startProduct(address)
    const cookie = await product.login()
    const write = () => ask(product.url, cookie, '/routes', 0)
    const read = () => ask(product.url, cookie, '/routes')
    const health = () => ask(product.url, '', '/health')
    expect([(await write()).status, (await health()).status]).toEqual([201, 200])

    // What others put there, to the last byte.
    const other = join(folder, 'other')
    expect(() => writeFileSync(other, new Uint8Array(16 * 2 ** 20))).toThrow('ENOSPC')
    let refused = await write()
    // The log of the database may have some pages of its own left.
    for (let i = 0; refused.status === 201 && i < 2000; i++) refused = await write()
    expect(refused).toMatchObject({
      status: 503,
      error: 'the database accepts no changes: its disk is full, or it is read-only',
    })
    for (let i = 0; i < 5; i++) {
      expect(await write()).toMatchObject({ status: 503 })
      expect(await read()).toMatchObject({ status: 200 })
      expect(await health()).toMatchObject({ status: 503, checks: { database: false } })
    }
    expect(product.output()).not.toContain('internal server error')

    rmSync(other)
    await expect.poll(async () => (await write()).status).toBe(201)
    await expect.poll(async () => (await health()).status).toBe(200)
    expect(await product.stop()).toBe(0)
  })
})

/** A part of an upload, whose file is there until the connection ends. It goes on, for a silent one is ended. */
async function halfUpload(port: number, cookie: string, folder: string): Promise<string> {
  const before = new Set(readdirSync(folder))
  const boundary = 'XYZ'
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n`
  const socket = dial(port)
  const more = setInterval(() => socket.write('x'.repeat(5000)), 1000)
  socket.once('close', () => clearInterval(more))
  socket.write(
    `POST /api/v1/media/upload HTTP/1.1\r\nHost: localhost\r\nCookie: ${cookie}\r\n` +
      `Content-Type: multipart/form-data; boundary=${boundary}\r\nContent-Length: 5000000\r\n\r\n${head}${'x'.repeat(200_000)}`,
  )
  const added = () => readdirSync(folder).filter(name => !before.has(name))
  await expect.poll(added).toHaveLength(1)
  return added()[0] as string
}

it('removes at its start the temporary files of a process that is gone, and only those', async () => {
  const folder = folderOf('temporary')
  const start = async () => {
    const product = await startProduct(await database(), { env: { TMPDIR: folder }, config: storage.config })
    return { product, cookie: await product.login() }
  }
  const living = await start()
  const running = await halfUpload(living.product.port, living.cookie, folder)
  const gone = await start()
  const left = await halfUpload(gone.product.port, gone.cookie, folder)
  await gone.product.kill9()
  expect(readdirSync(folder)).toEqual(expect.arrayContaining([running, left]))
  mkdirSync(join(folder, 'not-ours'))
  await start()
  await expect.poll(() => readdirSync(folder).includes(left)).toBe(false)
  expect(readdirSync(folder)).toEqual(expect.arrayContaining([running, 'not-ours']))
})
