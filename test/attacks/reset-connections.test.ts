import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { callerOf, dial, getText, healthOf, made } from '../support/calls.js'
import { freshDatabase } from '../support/database.js'
import { startProduct } from '../support/process.js'
import { samplePage } from '../support/sample-page.js'

/** So many at once, and so many rounds of each way to break a connection. */
const [atOnce, rounds] = [50, Number(process.env.RESET_ROUNDS ?? 5)]

it('leaves no line for connections that are reset or aborted', async () => {
  const { address, drop } = await freshDatabase()
  onTestFinished(drop)
  const product = await startProduct(address, { config: { log_level: 'warn' } })
  const cookie = await product.login()
  const call = await callerOf(product, cookie)
  const { datatype_id, content_data_id: parent_id } = await samplePage(call, 'textarea')
  const body = { datatype_id, parent_id, fields: { text: 'x'.repeat(300_000) } }
  for (let i = 0; i < 6; i++) await made(call('POST', '/content', body))
  const list = getText('/api/v1/content-fields', { Cookie: cookie })
  const post = (length: number) =>
    getText('/api/v1/content', {
      Cookie: cookie,
      'Content-Type': 'application/json',
      'Content-Length': String(length),
    }).replace(/^GET/, 'POST')
  const text = JSON.stringify(body)
  /** What is sent, and whether anything of the answer is waited for before the reset. */
  const ways: readonly (readonly [sent: string, waits: boolean])[] = [
    ['', false],
    ['GET / HT', false],
    [getText('/?format=clean'), false],
    [getText('/?format=clean'), true],
    [list, false],
    [list, true],
    [post(text.length) + text.slice(0, 50_000), false],
    [`${post(9)}{"a":tru}`, false],
  ]
  const before = product.output()
  for (let round = 0; round < rounds; round++)
    for (const [sent, waits] of ways)
      await Promise.all(
        Array.from({ length: atOnce }, async (_, i) => {
          const socket = dial(product.port)
          await new Promise(done => socket.once('connect', done))
          socket.write(sent)
          if (waits) await new Promise(done => socket.once('readable', done))
          else await sleep(i % 5)
          if (i % 2) socket.destroy()
          else socket.resetAndDestroy()
        }),
      )
  await sleep(500)
  expect(await healthOf(product)).toBe(200)
  expect(product.output()).toBe(before)
}, 300_000)
