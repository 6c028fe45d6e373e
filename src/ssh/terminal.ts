import type { Config } from '../config.js'
import type { Clock, Log } from '../ports.js'
import type { Services } from '../services/index.js'

/** The terminal of a session's client: size in cells, bytes of keys in, text out. */
export interface Terminal {
  /** From 1 to 500. */
  readonly columns: number
  /** From 1 to 200. */
  readonly rows: number
  /** The type that the client reports, such as `xterm-256color`. */
  readonly term: string
  /** Sends text; false when the client should be waited for (`onDrain`). */
  write(text: string): boolean
  onDrain(listener: () => void): void
  onData(listener: (bytes: Buffer) => void): void
  onResize(listener: () => void): void
  /**
   * Ends the session with one sentence for the user, if any. It leaves the alternate screen first, shows the cursor and
   * ends modes of the mouse and of pasting, so that the sentence is seen whatever was drawn.
   */
  close(sentence?: string): void
  /** Called once, also when the client has gone. */
  onClose(listener: () => void): void
}

/** The parts that commands and screens work with. */
export interface Site {
  readonly services: Services
  readonly clock: Clock
  readonly log: Log
  /** The configuration that is in effect. */
  readonly config: () => Config
  /** For the actor of each action: what the log and the audit events of one action have in common. */
  readonly newRequestId: () => string
}
