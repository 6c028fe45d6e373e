import { createLog } from '../node/ports.js'
import type { Log } from '../ports.js'
import type { Terminal } from './terminal.js'

/** The log of a command, beside which standard output has the result alone. */
export const commandLog = (terminal: Pick<Terminal, 'writeError'>): Log =>
  createLog('error', { write: line => terminal.writeError(line) })
