import { createLog } from '../node/ports.js'
import type { Log } from '../ports.js'
import type { Terminal } from './terminal.js'

/** The log of a command, on standard error: standard output has only the result. */
export const commandLog = (terminal: Pick<Terminal, 'writeError'>): Log =>
  createLog('error', { write: line => terminal.writeError(line) })
