import type { Knex } from 'knex'
import type { Failure } from './dialect.js'

interface Host {
  readonly host: string
  readonly port: number
}

/** The state that a server must have for a connection to stay on it. */
export const serverStates = ['read-write', 'read-only', 'any'] as const
export type ServerState = (typeof serverStates)[number]

/** The servers of a database, in the order in which they are tried. */
export interface Servers {
  readonly hosts: readonly Host[]
  readonly state: ServerState
}

/** No server of the list answers in the wanted state. */
class NoServerError extends Error {
  readonly code = 'ENOSERVER'
}

/** How Knex makes a connection: from these settings, which it reads before it waits for anything. */
interface RawClient<C> {
  connectionSettings: object
  acquireRawConnection(): Promise<C>
}

interface Raw<C> {
  isReadOnly(connection: C): Promise<boolean>
  destroy(connection: C): void
  classify(error: unknown): Failure
}

const stateOf = (isReadOnly: boolean): ServerState => (isReadOnly ? 'read-only' : 'read-write')

/**
 * Lets new connections of a pool go to the first server that answers in the wanted state, and from then on to the same
 * until it fails: all connections lead to one server.
 */
export function connectAmong<C>({ client }: Knex, { hosts, state }: Servers, raw: Raw<C>): void {
  if (hosts.length === 1 && state === 'any') return
  const knexClient = client as RawClient<C>
  const connect = knexClient.acquireRawConnection.bind(knexClient)
  let current = 0

  /** @returns the connection, or what is wrong with the server */
  async function connectTo(host: Host): Promise<C | string> {
    let connection: C | undefined
    try {
      Object.assign(knexClient.connectionSettings, host)
      connection = await connect()
      if (state === 'any') return connection
      const found = stateOf(await raw.isReadOnly(connection))
      if (found === state) return connection
      raw.destroy(connection)
      return ` is ${found}`
    } catch (error) {
      if (connection) raw.destroy(connection)
      // With a wrong password the next server is not asked.
      if (raw.classify(error) !== 'unavailable') throw error
      return `: ${error instanceof Error ? error.message : error}`
    }
  }

  knexClient.acquireRawConnection = async () => {
    const first = current
    const problems: string[] = []
    for (const [n] of hosts.entries()) {
      const at = (first + n) % hosts.length
      const one = hosts[at] as Host
      const found = await connectTo(one)
      if (typeof found !== 'string') {
        current = at
        return found
      }
      problems.push(`${one.host}:${one.port}${found}`)
      // Connections that are made meanwhile do not wait for it again.
      if (current === at) current = (at + 1) % hosts.length
    }
    throw new NoServerError(`no server is ${state === 'any' ? 'there' : state}: ${problems.join('; ')}`)
  }
}
