import type { Config } from '../config.js'
import type { Clock, Log } from '../ports.js'
import type { Services } from '../services/index.js'

/** The settings that a client may send before its terminal or command: `ssh -o SetEnv="NO_COLOR=1 TZ=Europe/Berlin"`. */
export interface Wishes {
  readonly noColour: boolean
  /** Whether the terminal has 24-bit colours, by `COLORTERM`. */
  readonly trueColour: boolean
  readonly zone: string
}

/** The terminal of a session's client: size in cells, bytes of keys in, text out. */
export interface Terminal {
  /** From 1 to 500. */
  readonly columns: number
  /** From 1 to 200. */
  readonly rows: number
  readonly term: string
  /** The settings that the client has sent. */
  readonly wishes: Wishes
  /** Sends text. Returns false if the caller should wait for the client (`onDrain`). */
  write(text: string): boolean
  onDrain(listener: () => void): void
  onData(listener: (bytes: Buffer) => void): void
  onResize(listener: () => void): void
  /**
   * Ends the session with one sentence for the user, if any. It first leaves the alternate screen, shows the cursor and
   * ends the modes of mouse and paste, so that the sentence is visible on any terminal.
   */
  close(sentence?: string): void
  /** Called once, even if the client has gone. */
  onClose(listener: () => void): void
}

/** The parts that commands and screens work with. */
export interface Site {
  readonly services: Services
  readonly clock: Clock
  readonly log: Log
  readonly config: () => Config
  readonly newRequestId: () => string
}
