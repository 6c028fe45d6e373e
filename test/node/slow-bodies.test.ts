import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { files } from '../../src/node/files.js'
import { testApp } from '../support/app.js'

const { send } = await testApp()

afterEach(() => vi.useRealTimers())

const boundary = 'XYZ'
const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n`

/** A body that begins and then comes at this pace, in bytes a second, and whether all that came has been read. */
function dripping(start: string, pace: number) {
  let timer: ReturnType<typeof setInterval>
  let isRead = () => false
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(start))
      timer = setInterval(() => controller.enqueue(new Uint8Array(pace)), 1000)
      isRead = () => controller.desiredSize === null || controller.desiredSize > 0
    },
    cancel() {
      clearInterval(timer)
      isRead = () => true
    },
  })
  return { stream, isRead: () => isRead() }
}

const request = (body: ReadableStream) =>
  new Request('http://localhost/', {
    method: 'POST',
    body,
    headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` },
    duplex: 'half',
  } as RequestInit)

/** So many seconds. Streams and files are real, so each second waits until what came has been read. */
async function pass(seconds: number, isRead: () => boolean): Promise<void> {
  for (let i = 0; i < seconds; i++) {
    await vi.advanceTimersByTimeAsync(1000)
    do await new Promise(resolve => setImmediate(resolve))
    while (!isRead())
  }
  await vi.advanceTimersByTimeAsync(100)
}

it('gives up an upload that comes by single bytes, and keeps one that is slow', async () => {
  const own = mkdtempSync(join(tmpdir(), 'slugline-slow-'))
  vi.stubEnv('TMPDIR', own)
  onTestFinished(() => {
    vi.unstubAllEnvs()
    rmSync(own, { recursive: true })
  })
  vi.useFakeTimers({ toFake: ['setInterval', 'setTimeout', 'clearInterval', 'clearTimeout'] })
  const outcome = async (pace: number, seconds: number) => {
    const body = dripping(head, pace)
    const ended = files.receive(request(body.stream), 100_000).then(
      () => 'received',
      error => `${error.status} ${error.message}`,
    )
    await pass(seconds, body.isRead)
    return ended
  }
  expect(await outcome(1, 20)).toBe('400 the upload came too slowly')
  expect(await outcome(2000, 60)).toBe('413 the file is larger than 100000 bytes')
  vi.useRealTimers()
  await expect.poll(() => readdirSync(own)).toEqual([])
})

it('gives up a JSON body that has not come after a minute', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'setTimeout', 'clearInterval', 'clearTimeout'] })
  const answer = send('POST', '/api/v1/routes', {
    body: dripping('{"slug":"', 1).stream,
    headers: { 'Content-Type': 'application/json' },
  })
  await vi.advanceTimersByTimeAsync(60_100)
  const { status, body, headers } = await answer
  expect([status, body.error, headers.get('connection')]).toEqual([400, 'the body came too slowly', 'close'])
})
