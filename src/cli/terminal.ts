import { writeSync } from 'node:fs'
import type { FirstAdministrator } from '../services/bootstrap.js'

/** Where a command writes, and what it is started with. */
export interface Terminal {
  write(text: string): void
  writeError(text: string): void
  /** Writes what nobody can be told again. @throws when nobody takes it */
  writeSurely(text: string): void
  /**
   * Asks a person for a secret, twice and without showing it, or reads it as one line where no person types.
   * @throws when there is none, or the two differ
   */
  readSecret(question: string): Promise<string>
  /** Asks a person for one line, empty where they only agree; undefined where no person types. */
  readonly ask: ((question: string) => Promise<string>) | undefined
  /** Whether somebody sees a line of standard error change in place. */
  readonly isInteractive: boolean
  readonly variables: Readonly<Record<string, string | undefined>>
}

/** Where errors go, and when nobody takes it there, where output goes. */
const sureOutputs = [2, 1]

/** A file descriptor says at once whether it took something; a stream says it later. */
function writeSurely(text: string): void {
  const bytes = Buffer.from(text)
  for (const fd of sureOutputs)
    try {
      for (let written = 0; written < bytes.byteLength; ) written += writeSync(fd, bytes, written)
      return
    } catch {
      // The next one.
    }
  throw new Error('the first password cannot be shown: nobody reads standard error or standard output')
}

export const processTerminal: Terminal = {
  write: text => void process.stdout.write(text),
  writeError: text => void process.stderr.write(text),
  writeSurely,
  readSecret: async question => (await import('./input.js')).readSecret(question),
  ask: process.stdin.isTTY ? async question => (await import('./input.js')).ask(question) : undefined,
  isInteractive: process.stderr.isTTY === true,
  variables: process.env,
}

export const say = (terminal: Pick<Terminal, 'write'>, text: string): void => terminal.write(`${text}\n`)
export const complain = (terminal: Pick<Terminal, 'writeError'>, text: string): void =>
  terminal.writeError(`slugline: ${text}\n`)

/** Shows who signs in first, and the password where it was made up here: nobody will be told again. */
export const showAdministrator =
  (terminal: Terminal) =>
  ({ email, password }: FirstAdministrator): void => {
    const who = `First administrator: ${email}\n`
    if (password) terminal.writeSurely(`${who}Password, shown this once: ${password}\n`)
    else terminal.writeError(who)
  }
