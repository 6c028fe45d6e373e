import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '../limits.js'
import { limitKey } from '../net/client-address.js'
import type { SshSignInService } from '../services/accounts/ssh-sign-in.js'
import { t } from '../texts/terminal.js'
import { nextTurn } from '../turns.js'
import type { Connection, Peer } from './connection.js'
import type { Site } from './terminal.js'

const perUser = 64
const { guests: maxGuests, guestsOfAddress: maxGuestsOfAddress, guestMinutes } = limits.ssh
const guestMs = guestMinutes * 60_000
const watchIntervalMs = 1000

const over = t('The session is over: sign in again.')
const idle = t('The session has ended because nothing was typed for a while.')
const guestOver = t('Guests may stay {minutes} minutes. Connect again to go on.', { minutes: guestMinutes })
const stopping = t('The service stops. Connect again in a moment.')

const stopTimeoutMs = 3000
const farewellMs = 1500

/** The connections of signed-in users. */
export class Sessions {
  readonly #open = new Set<Connection>()
  readonly #leaving = new Set<Promise<void>>()
  readonly #timer: NodeJS.Timeout
  #watching: Promise<void> | undefined

  constructor(
    private readonly site: Site,
    private readonly limits: { readonly inAll: () => number; readonly idleMs: () => number },
  ) {
    this.#timer = setInterval(() => {
      this.#watching ??= this.#watch().finally(() => {
        this.#watching = undefined
      })
    }, watchIntervalMs).unref()
  }

  hasRoom(userId: string): boolean {
    return this.#open.size < this.limits.inAll() && this.#of(userId).length < perUser
  }

  hasRoomForGuest({ address }: Pick<Peer, 'address'>): boolean {
    const guests = this.#of(null)
    const from = guests.filter(({ peer }) => limitKey(peer.address) === limitKey(address))
    return (
      this.#open.size < this.limits.inAll() && guests.length < maxGuests && from.length < maxGuestsOfAddress
    )
  }

  #of(userId: string | null): Connection[] {
    return [...this.#open].filter(({ session }) => session.identity.userId === userId)
  }

  /** Keeps a connection until its socket is closed, which may have happened already. */
  add(connection: Connection): void {
    this.#open.add(connection)
    connection.onClose(() => {
      this.#open.delete(connection)
      const closed: Promise<void> = connection.leave().finally(() => this.#leaving.delete(closed))
      this.#leaving.add(closed)
    })
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    const stopped = Promise.all([...this.#open].map(connection => connection.stop(stopping)))
    await Promise.race([stopped, sleep(stopTimeoutMs, undefined, { ref: false })])
    for (const connection of this.#open) connection.end(stopping)
    await Promise.race([stopped, sleep(farewellMs, undefined, { ref: false })])
    for (const connection of this.#open) connection.destroy()
    await this.#watching
    // Closed sockets emit `close` by the next turn.
    await nextTurn()
    await Promise.all(this.#leaving)
  }

  async #watch(): Promise<void> {
    const idleMs = this.limits.idleMs()
    for (const connection of this.#open) {
      if (connection.idleForMs() > idleMs) connection.end(idle)
      else if (connection.isGuest && connection.openForMs() > guestMs) connection.end(guestOver)
    }
    const connections = [...this.#open]
    if (connections.length === 0) return
    try {
      const live = await this.#signIn.live(connections.map(({ session }) => session))
      for (const connection of connections) if (!live.has(connection.session)) connection.end(over)
    } catch (error) {
      // The database is unavailable: nobody is signed out for that, and nobody can read anything.
      this.site.log.warn({ err: error }, 'the SSH sessions could not be checked')
    }
  }

  get #signIn(): SshSignInService {
    return this.site.services.sshSignIn
  }
}
