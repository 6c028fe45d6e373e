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

/** A body that begins and then comes at this pace, in bytes a second. */
function dripping(start: string, pace: number) {
  let timer: ReturnType<typeof setInterval>
  return new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(start))
      timer = setInterval(() => controller.enqueue(new Uint8Array(pace)), 1000)
    },
    cancel: () => clearInterval(timer),
  })
}

const request = (body: ReadableStream) =>
  new Request('http://localhost/', {
    method: 'POST',
    body,
    headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` },
    duplex: 'half',
  } as RequestInit)

/** So many seconds, each with time for what streams and files do meanwhile. */
async function pass(seconds: number): Promise<void> {
  for (let i = 0; i < seconds; i++) {
    await vi.advanceTimersByTimeAsync(1000)
    for (let turn = 0; turn < 20; turn++) await new Promise(resolve => setImmediate(resolve))
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
  const outcome = (pace: number) =>
    files.receive(request(dripping(head, pace)), 100_000).then(
      () => 'received',
      error => `${error.status} ${error.message}`,
    )
  const single = outcome(1)
  await pass(20)
  expect(await single).toBe('400 the upload came too slowly')
  const slow = outcome(2000)
  await pass(60)
  expect(await slow).toBe('413 the file is larger than 100000 bytes')
  vi.useRealTimers()
  await vi.waitFor(() => expect(readdirSync(own)).toEqual([]))
})

it('gives up a JSON body that has not come after a minute', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'setTimeout', 'clearInterval', 'clearTimeout'] })
  const answer = send('POST', '/api/v1/routes', {
    body: dripping('{"slug":"', 1),
    headers: { 'Content-Type': 'application/json' },
  })
  await vi.advanceTimersByTimeAsync(60_100)
  const { status, body, headers } = await answer
  expect([status, body.error, headers.get('connection')]).toEqual([400, 'the body came too slowly', 'close'])
})
