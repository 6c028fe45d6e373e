import type { Socket } from 'node:net'
import type { Connection as Client } from 'ssh2'
import type { Actor, Guest, Identity } from '../actor.js'
import { sessionExpired } from '../errors.js'
import type { SshSession } from '../services/accounts/ssh-sign-in.js'
import { t } from '../texts/terminal.js'
import type { Site } from './terminal.js'

const farewellMs = 500

const fault = t('Something went wrong, and the session has ended. The log of the service has the details.')

/** The data known about a client. */
export interface Peer {
  readonly address: string
  readonly software: string
}

/** An open channel of a connection. */
export interface Open {
  end(sentence: string): void
  /** Asks it to end soon, because the service stops; without this function it is ended at once. */
  stop?(sentence: string): void
  gone(): void
  /** Resolves when it has ended by itself; absent if that takes as long as a person stays. */
  readonly done?: Promise<unknown>
  isBusy?(): boolean
}

/** One connection of a signed-in user, with its open channels. */
export class Connection {
  readonly #open = new Set<Open>()
  readonly #opened = performance.now()
  #seen = this.#opened
  #ending = false

  constructor(
    private readonly client: Client,
    readonly socket: Socket,
    readonly session: SshSession,
    readonly peer: Peer,
    readonly site: Site,
  ) {
    // One listener for each waiting channel, and those of the library.
    socket.setMaxListeners(100)
    this.onClose(() => {
      for (const { gone } of this.#open) this.guarded(gone)
    })
  }

  get isEnding(): boolean {
    return this.#ending
  }

  /** Whether the client has no account. */
  get isGuest(): boolean {
    return this.session.identity.userId === null
  }

  openForMs(): number {
    return performance.now() - this.#opened
  }

  /** How long the client has been silent, in milliseconds; 0 while a command works. */
  idleForMs(): number {
    for (const open of this.#open) if (open.isBusy?.()) this.seen()
    return performance.now() - this.#seen
  }

  readonly seen = (): void => {
    this.#seen = performance.now()
  }

  onClose(listener: () => void): void {
    if (this.socket.closed) setImmediate(listener)
    else this.socket.once('close', listener)
  }

  async leave(): Promise<void> {
    const { site, session } = this
    await site.services.sshSignIn
      .close(this.#by(session.identity), session)
      .catch(error => site.log.warn({ err: error }, 'the end of an SSH session could not be stored'))
  }

  /** @returns a function to call when it has ended */
  add(open: Open): () => void {
    this.#open.add(open)
    return () => this.#open.delete(open)
  }

  /** Returns the actor for one action. @throws if the session is over */
  async actor(): Promise<Actor> {
    const { site, session } = this
    const identity = await site.services.sshSignIn.identify(session)
    if (!identity) throw sessionExpired()
    return this.#by(identity)
  }

  #by(identity: Identity | Guest): Actor {
    const { address, software } = this.peer
    const requestId = this.site.newRequestId()
    return { ...identity, surface: 'ssh', requestId, ipAddress: address, userAgent: software }
  }

  readonly guarded = (work: () => unknown): void => {
    try {
      const done = work()
      if (done instanceof Promise) done.catch(this.failed)
    } catch (error) {
      this.failed(error)
    }
  }

  readonly failed = (error: unknown): void => {
    this.site.log.error({ err: error, ip: this.peer.address }, 'an SSH session failed')
    this.end(fault)
  }

  end(sentence: string): void {
    if (this.#ending) return
    this.#ending = true
    for (const open of this.#open)
      try {
        open.end(sentence)
      } catch (error) {
        this.site.log.error({ err: error }, 'an SSH session could not be closed cleanly')
      }
    // A client that gets the end of the connection drops output that it has not shown yet, so its channels end first.
    setTimeout(() => this.client.end(), this.#open.size > 0 ? farewellMs : 0).unref()
    setTimeout(() => this.destroy(), 2 * farewellMs).unref()
  }

  async stop(sentence: string): Promise<void> {
    const closed = new Promise<void>(resolve => this.onClose(resolve))
    for (const open of this.#open) this.guarded(() => open.stop?.(sentence))
    await Promise.all([...this.#open].map(({ done }) => done))
    this.end(sentence)
    await closed
  }

  destroy(): void {
    this.socket.destroy()
  }
}
