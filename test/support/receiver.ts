import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Network, network } from '../../src/node/network.js'
import { createOutgoing } from '../../src/node/outgoing.js'
import { whenDone } from './when-done.js'

export interface Received {
  path: string
  headers: Record<string, string>
  body: Buffer
}

export interface Receiver {
  origin: string
  port: number
  /** Every complete request, in order. */
  received: Received[]
  /** Sends the response; 200 unless a test changes it. */
  answer: (request: Received, response: ServerResponse, message: IncomingMessage) => void
}

/** Starts a real HTTP server on loopback that keeps its requests. */
export async function receiver(): Promise<Receiver> {
  const received: Received[] = []
  const state: Pick<Receiver, 'answer'> = { answer: (_, response) => response.end() }
  const server = createServer((message, response) => {
    const pieces: Buffer[] = []
    message.on('data', piece => pieces.push(piece))
    message.on('end', () => {
      const request = {
        path: message.url ?? '',
        headers: message.headers as Record<string, string>,
        body: Buffer.concat(pieces),
      }
      received.push(request)
      state.answer(request, response, message)
    })
    message.on('error', () => undefined)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  whenDone(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return Object.assign(state, { origin: `http://127.0.0.1:${port}`, port, received })
}

/** A name service and dialer for tests: tests define the names, and every socket goes to loopback. */
export function testNetwork() {
  const names = new Map<string, string[]>()
  /** The addresses that each socket could have used. */
  const dialled: string[][] = []
  const resolved: string[] = []
  const real: Network = {
    async resolve(host) {
      resolved.push(host)
      const found = names.get(host)
      if (!found) throw Object.assign(new Error(`${host} is not known`), { code: 'ENOTFOUND' })
      return found.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))
    },
    connector(addresses, timeoutMs) {
      dialled.push(addresses.map(({ address }) => address))
      const connect = network.connector([{ address: '127.0.0.1', family: 4 }], timeoutMs)
      return (options, done) => connect({ ...options, hostname: 'loopback.test' }, done)
    },
  }
  return { names, dialled, resolved, outgoing: createOutgoing(real) }
}
