import type { Socket } from 'node:net'
import type { ServerChannel } from 'ssh2'

/**
 * Writes to a channel, and knows when its reader is behind. The library accepts any amount: data beyond the client's
 * window waits in the channel, and data that the network does not accept waits in the socket, whose window a client may
 * set as large as it likes.
 */
export class Outlet {
  #waiting = 0
  readonly #drained: (() => void)[] = []
  readonly #onDrain: (() => void)[] = []

  /** @param gone aborted when nobody reads the channel any more */
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

  /** Sends data, or keeps it. @returns false if nothing more should be written until it has drained */
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
