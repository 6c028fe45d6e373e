import { Agent, request } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { callerOf, made } from '../support/calls.js'
import { engine, freshDatabase } from '../support/database.js'
import { amount } from '../support/effort.js'
import { type Product, startProduct } from '../support/process.js'
import { rowsOf } from './rows.js'

const repeats = amount(500, 10_000)

interface Answer {
  status: number
  text: string
  replayed: boolean
}

/** Sends the same POST again and again over one connection, and says how many connections there were. */
function sender({ port }: Product, cookie: string, body: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const connections = new Set<unknown>()
  const send = () =>
    new Promise<Answer>((resolve, reject) => {
      const headers = {
        Cookie: cookie,
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
        'Idempotency-Key': 'the-one',
      }
      const sent = request(
        { agent, host: '127.0.0.1', port, path: '/api/v1/routes', method: 'POST', headers },
        answer => {
          let text = ''
          answer.setEncoding('utf8')
          answer.on('data', piece => (text += piece))
          answer.on('error', reject)
          answer.on('end', () =>
            resolve({
              status: answer.statusCode ?? 0,
              text,
              replayed: answer.headers['idempotency-replayed'] === 'true',
            }),
          )
        },
      )
      sent.on('socket', socket => connections.add(socket))
      sent.on('error', reject)
      sent.end(body)
    })
  return { send, connections }
}

it(`makes one record of ${repeats} repeats of one POST, at every instance`, {
  timeout: 300_000,
}, async () => {
  const { address, drop } = await freshDatabase()
  onTestFinished(drop)
  const instances = [await startProduct(address)]
  const [one] = instances as [Product]
  if (engine !== 'sqlite') instances.push(await startProduct(address))
  const cookie = await one.login()
  const call = await callerOf(one, cookie)
  const title = 'made once'
  const senders = instances.map(to => sender(to, cookie, JSON.stringify({ slug: '/once', title })))
  const seen = new Map<string, number>()
  let done = 0
  const repeat = async ({ send }: (typeof senders)[number]) => {
    while (done++ < repeats) {
      const { status, text, replayed } = await send()
      // The first at the other instance may come while this one is at it.
      const told = status === 409 ? '409' : `${status} ${replayed} ${text}`
      seen.set(told, (seen.get(told) ?? 0) + 1)
    }
  }
  await Promise.all(senders.map(repeat))

  const told = [...seen.keys()].filter(text => text !== '409')
  expect(told.map(text => text.slice(0, 9)).sort()).toEqual(['201 false', '201 true '])
  const { route_id } = (await made(call('GET', '/routes')))[0]
  expect(new Set(told.map(text => JSON.parse(text.replace(/^201 \w+ /, '')).route_id))).toEqual(
    new Set([route_id]),
  )
  expect(seen.get('409') ?? 0).toBeLessThan(instances.length === 1 ? 1 : repeats / 10)
  expect([...seen.values()].reduce((sum, n) => sum + n, 0)).toBe(repeats)
  for (const { connections } of senders) expect(connections.size).toBe(1)
  const audits = await rowsOf(address, `select record_id from audit_events where table_name = 'routes'`)
  expect(audits).toEqual([{ record_id: route_id }])
  expect(await rowsOf(address, 'select state from idempotency_keys')).toEqual([{ state: 'answered' }])
})
