import { expect, it, onTestFinished } from 'vitest'
import { listen } from '../../src/node/http-listener.js'
import { dial, getText, wholeOf } from '../support/calls.js'

it('an answer that HTTP does not allow is a 500 with a line in the log, and the process goes on', async () => {
  const lines: string[] = []
  const say = (_: object, message: string) => void lines.push(message)
  const log = { debug: say, info: say, warn: say, error: say }
  const answers: Record<string, () => Response | Promise<Response>> = {
    '/at-once': () => new Response(null, { status: 204, headers: { 'X-Odd': '\u{1f600}' } }),
    '/with-a-body': () => new Response('text', { headers: { 'X-Odd': 'a\nb' } }),
    '/later': async () => new Response('text', { headers: { 'X-Odd': '\u{1f600}' } }),
    '/thrown': () => {
      throw new Error('of the test')
    },
  }
  const listener = await listen(
    '127.0.0.1:0',
    request => answers[new URL(request.url).pathname]?.() ?? new Response('good'),
    { log, maxConnections: 10, unread: { afterMs: 10_000, everyMs: 10_000 } },
  )
  onTestFinished(() => listener.stop())
  const ask = async (path: string) => {
    const socket = dial(listener.port)
    socket.write(getText(path, { Connection: 'close' }))
    return Number((await wholeOf(socket)).text.slice(9, 12))
  }
  for (const path of Object.keys(answers)) expect([path, await ask(path)]).toEqual([path, 500])
  expect(await ask('/')).toBe(200)
  expect(lines).toContain('a response could not be written')
})
