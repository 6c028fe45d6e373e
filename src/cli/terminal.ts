import { createReadStream, writeSync } from 'node:fs'
import type { FirstAdministrator } from '../services/bootstrap.js'
import { visible } from './visible.js'

/** The input and output of a command, and its environment. */
export interface Terminal {
  write(text: string): void
  writeError(text: string): void
  writeBytes(bytes: Uint8Array): void
  /** Resolves when the written output is accepted. @throws if nobody reads it any more */
  drained(): Promise<void>
  input(): AsyncIterable<Uint8Array>
  /** Opens a file of the machine; undefined where a command may not name one. */
  readonly openFile?: (path: string) => AsyncIterable<Uint8Array>
  /** Aborted when the command is to end: finished work is kept, and unfinished work is given up. */
  readonly stopped: AbortSignal
  /** Writes text that cannot be shown again. @throws if nobody reads it */
  writeSurely(text: string): void
  /**
   * Asks a person for a secret, twice and without showing it, or reads it as one line if no person types.
   * @throws without input, or if the two differ
   */
  readSecret(question: string): Promise<string>
  /** Asks a person for one line, which is empty for Enter alone; undefined if no person types. */
  readonly ask: ((question: string) => Promise<string>) | undefined
  readonly isInteractive: boolean
  readonly isTerminal: boolean
  readonly hasColour: boolean
  /** The width of the terminal in cells, which lists keep to; undefined in a pipe or where it is unknown. */
  readonly columns?: number | undefined
  /** Makes the shown value of a column of a record a hyperlink, if it is an address and the terminal shows links. */
  readonly linked?:
    | ((shown: string, column: string, record: Readonly<Record<string, unknown>>) => string)
    | undefined
  /** The zone in which the person reads and types times. */
  readonly zone: string
  readonly variables: Readonly<Record<string, string | undefined>>
}

/** Standard error, and if nobody reads it, standard output. */
const sureOutputs = [2, 1]

/** Writes to file descriptors, which report at once whether they accept data; a stream reports it later. */
function writeSurely(text: string): void {
  const bytes = Buffer.from(text)
  for (const fd of sureOutputs)
    try {
      for (let written = 0; written < bytes.byteLength; ) written += writeSync(fd, bytes, written)
      return
    } catch {
      // Try the next one.
    }
  throw new Error(
    'the first password cannot be shown, because standard error and standard output are closed: set CMS_ADMIN_PASSWORD',
  )
}

/** Listens for signals once a command asks for it; otherwise a signal ends the process as usual. */
function stopSignal(): AbortSignal {
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
  return stopping.signal
}

/** The reader of standard output has gone, as `head` does. */
export class NobodyReads extends Error {}

let stopped: AbortSignal | undefined

export const processTerminal: Terminal = {
  write: text => void process.stdout.write(text),
  writeError: text => void process.stderr.write(text),
  writeBytes: bytes => void process.stdout.write(bytes),
  async drained() {
    const { stdout } = process
    if (stdout.writableNeedDrain && stdout.writable)
      await new Promise<void>(resolve => {
        for (const event of ['drain', 'close', 'error']) stdout.once(event, () => resolve())
      })
    if (!stdout.writable || stdout.errored) throw new NobodyReads('nobody reads standard output')
  },
  input: () => process.stdin,
  openFile: path => createReadStream(path),
  get stopped() {
    stopped ??= stopSignal()
    return stopped
  },
  writeSurely,
  readSecret: async question => (await import('./input.js')).readSecret(question),
  ask: process.stdin.isTTY ? async question => (await import('./input.js')).ask(question) : undefined,
  isInteractive: process.stderr.isTTY === true,
  isTerminal: process.stdout.isTTY === true,
  hasColour: process.stdout.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb',
  get columns() {
    return process.stdout.isTTY ? process.stdout.columns || undefined : undefined
  },
  get zone() {
    return new Intl.DateTimeFormat().resolvedOptions().timeZone
  },
  variables: process.env,
}

export const say = (terminal: Pick<Terminal, 'write'>, text: string): void => terminal.write(`${text}\n`)
export const complain = (terminal: Pick<Terminal, 'writeError'>, text: string): void =>
  terminal.writeError(`slugline: ${visible(text)}\n`)

/** The product document gives the role editor all permissions on content except publish. */
const aboutEditors =
  'Editors cannot publish yet. To change that, open the role “editor” in the panel and choose “Let editors publish”.\n'

/** Shows the first administrator's address, and the password if it was generated here: it cannot be shown again. */
export const showAdministrator =
  (terminal: Terminal) =>
  ({ email, password }: FirstAdministrator): void => {
    const who = `First administrator: ${email}\n`
    if (password) terminal.writeSurely(`${who}Password, shown only once: ${password}\n${aboutEditors}`)
    else terminal.writeError(who + aboutEditors)
  }
