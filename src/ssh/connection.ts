import type { Socket } from 'node:net'
import type { Connection as Client } from 'ssh2'
import type { Actor, Identity } from '../actor.js'
import { sessionExpired } from '../errors.js'
import type { SshSession } from '../services/accounts/ssh-sign-in.js'
import type { Site } from './terminal.js'

/** How long a client has to take the last sentence, and then to close the connection, before that is done here. */
const farewellMs = 500

const fault = 'Something went wrong here, and the session has ended. The log of the service says what.'

/** The data known about a client. */
export interface Peer {
  readonly address: string
  /** The software that the client says it is. */
  readonly software: string
}

/** Something that is open on a connection. */
export interface Open {
  /** Ends it, with a sentence for the user. */
  end(sentence: string): void
  /** Asks it to come to its end soon, for the service stops; without it, it is ended at once. */
  stop?(sentence: string): void
  /** Called when the client has gone. */
  gone(): void
  /** Resolves when it has come to its end by itself; absent where that takes as long as a person stays. */
  readonly done?: Promise<unknown>
  /** Whether it is at work while nobody types. */
  isBusy?(): boolean
}

/** One connection that somebody has signed in on, with all that is open on it. */
export class Connection {
  readonly #open = new Set<Open>()
  #seen = performance.now()
  #ending = false

  constructor(
    private readonly client: Client,
    readonly socket: Socket,
    readonly session: SshSession,
    readonly peer: Peer,
    readonly site: Site,
  ) {
    // One for each channel that waits, and what the library has.
    socket.setMaxListeners(100)
    this.onClose(() => {
      for (const { gone } of this.#open) this.guarded(gone)
    })
  }

  get isEnding(): boolean {
    return this.#ending
  }

  /** For how long nothing has come, in milliseconds; 0 while a command is at work. */
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

  /** Writes down that the session has ended. */
  async leave(): Promise<void> {
    const { site, session } = this
    await site.services.sshSignIn
      .close(this.#by(session.identity), session)
      .catch(error =>
        site.log.warn({ err: error }, 'the end of a session over SSH could not be written down'),
      )
  }

  /** @returns what is called when it has ended */
  add(open: Open): () => void {
    this.#open.add(open)
    return () => this.#open.delete(open)
  }

  /** Who acts, for one action. @throws when the session is over */
  async actor(): Promise<Actor> {
    const { site, session } = this
    const identity = await site.services.sshSignIn.identify(session)
    if (!identity) throw sessionExpired()
    return this.#by(identity)
  }

  #by(identity: Identity): Actor {
    const { address, software } = this.peer
    const requestId = this.site.newRequestId()
    return { ...identity, surface: 'ssh', requestId, ipAddress: address, userAgent: software }
  }

  /** Runs what belongs to this connection; what it throws ends the connection and nothing else. */
  readonly guarded = (work: () => unknown): void => {
    try {
      const done = work()
      if (done instanceof Promise) done.catch(this.failed)
    } catch (error) {
      this.failed(error)
    }
  }

  readonly failed = (error: unknown): void => {
    this.site.log.error({ err: error, ip: this.peer.address }, 'a session over SSH has failed')
    this.end(fault)
  }

  /** Tells everything that is open to end, with one sentence. */
  end(sentence: string): void {
    if (this.#ending) return
    this.#ending = true
    for (const open of this.#open)
      try {
        open.end(sentence)
      } catch (error) {
        this.site.log.error({ err: error }, 'a session over SSH could not be ended in order')
      }
    // A client that gets the end of the connection drops output that it has not shown yet, so its channels end first.
    setTimeout(() => this.client.end(), this.#open.size > 0 ? farewellMs : 0).unref()
    setTimeout(() => this.destroy(), 2 * farewellMs).unref()
  }

  /** Asks everything that is open to come to its end, and ends when it has. */
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
