import type { AddressInfo } from 'node:net'
import { createServer, connect as dial, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { DatabaseAddress } from '../../src/db/connect.js'

type State = 'open' | 'cut' | 'silent'

export interface Line {
  /** Its near end, on 127.0.0.1. */
  port: number
  /** Refuses new connections and breaks open ones. */
  cut(): void
  /** Accepts connections and data, and sends nothing: a lost host behind a firewall behaves so. */
  silence(): void
  mend(): void
}

/** Opens a line to a server that can fail in the ways of networks. */
export async function lineToPort(
  port: number,
  { host = '127.0.0.1', until = onTestFinished as (end: () => void) => void } = {},
): Promise<Line> {
  let state: State = 'open'
  const sockets = new Set<Socket>()
  const breakAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  }
  const server = createServer(near => {
    keep(near)
    if (state === 'cut') {
      near.destroy()
      return
    }
    const far = dial(port, host)
    keep(far)
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
    near.on('data', (piece: Buffer) => {
      if (state === 'open') far.write(piece)
    })
    far.on('data', (piece: Buffer) => {
      if (state !== 'silent') near.write(piece)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  until(() => {
    breakAll()
    server.close()
  })
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      state = 'cut'
      breakAll()
    },
    silence() {
      state = 'silent'
    },
    mend() {
      state = 'open'
      // Swallowed data is lost, and so are its connections.
      breakAll()
    },
  }
}

/** Opens a line to a database server. @returns it with the database's address through the line */
export async function lineTo(address: DatabaseAddress): Promise<Line & { address: DatabaseAddress }> {
  const url = new URL(address.db_url ?? '')
  const line = await lineToPort(Number(url.port), { host: url.hostname })
  url.hostname = '127.0.0.1'
  url.port = String(line.port)
  return { ...line, address: { ...address, db_url: url.href } }
}
