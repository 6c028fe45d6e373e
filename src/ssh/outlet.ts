import type { Socket } from 'node:net'
import type { ServerChannel } from 'ssh2'

/**
 * Writes to a channel, and knows when whoever reads it is behind. The library takes whatever it is given: what a client
 * gives no room for waits in the channel, and what the network does not take waits in the socket, whose window a client
 * may name as large as it likes.
 */
export class Outlet {
  #waiting = 0
  readonly #drained: (() => void)[] = []
  readonly #onDrain: (() => void)[] = []

  /** @param gone when nobody reads the channel any more */
  constructor(
    private readonly channel: ServerChannel,
    private readonly socket: Socket,
    private readonly gone: AbortSignal,
  ) {
    const socketDrained = () => this.#looked()
    socket.on('drain', socketDrained)
    gone.addEventListener('abort', () => {
      socket.off('drain', socketDrained)
      this.#looked()
    })
  }

  /** Sends it, or keeps it. @returns false when nothing more should be written until it has drained */
  write(content: string | Uint8Array): boolean {
    if (this.gone.aborted || !this.channel.writable) return false
    this.#waiting++
    this.channel.write(content, () => {
      this.#waiting--
      this.#looked()
    })
    return !this.#isFull()
  }

  onDrain(listener: () => void): void {
    this.#onDrain.push(listener)
  }

  /** Resolves when what was written is taken, or nobody is there any more to take it. */
  async drained(): Promise<void> {
    if (this.gone.aborted || !this.#isFull()) return
    await new Promise<void>(resolve => this.#drained.push(resolve))
  }

  #isFull(): boolean {
    return this.#waiting > 0 || this.socket.writableNeedDrain
  }

  #looked(): void {
    if (!this.gone.aborted && this.#isFull()) return
    for (const resolve of this.#drained.splice(0)) resolve()
    if (!this.gone.aborted) for (const listener of this.#onDrain) listener()
  }
}
