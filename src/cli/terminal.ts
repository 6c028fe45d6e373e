import type { FirstAdministrator } from '../services/bootstrap.js'

/** Where a command writes, and what it is started with. */
export interface Terminal {
  write(text: string): void
  writeError(text: string): void
  /** Whether somebody sees a line change in place. */
  readonly isInteractive: boolean
  readonly variables: Readonly<Record<string, string | undefined>>
}

export const processTerminal: Terminal = {
  write: text => void process.stdout.write(text),
  writeError: text => void process.stderr.write(text),
  isInteractive: process.stdout.isTTY === true,
  variables: process.env,
}

export const say = (terminal: Terminal, text: string): void => terminal.write(`${text}\n`)
export const complain = (terminal: Terminal, text: string): void => terminal.writeError(`slugline: ${text}\n`)

/** Shows what nobody will be told again. */
export const announceAdministrator =
  (terminal: Terminal) =>
  ({ email, password }: FirstAdministrator): void => {
    say(terminal, `First administrator: ${email}`)
    if (password) say(terminal, `Password, shown this once: ${password}`)
  }
