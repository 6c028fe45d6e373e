import type { Config } from '../config.js'
import { Database } from '../db/database.js'
import type { Dialect } from '../db/dialects/dialect.js'
import { createIds } from '../ids.js'
import { createLog, nodePorts } from '../node/ports.js'

export type State = 'ok' | 'warning' | 'failed' | 'skipped'

export interface Finding {
  readonly check: string
  readonly state: State
  readonly message: string
  readonly advice?: string
}

/** The settings in the database, and how they apply. */
interface StoredFacts {
  readonly names: readonly string[]
  readonly unreadable: readonly string[]
  readonly refused: readonly string[]
  readonly fixed: readonly string[]
}

export interface Patient {
  /** Of the file, with the settings of the database. */
  readonly config: Config
  readonly path: string
  /** The settings in its database; undefined if they cannot be read. */
  readonly stored?: StoredFacts | undefined
  readonly dialect: Dialect | undefined
}

/** The words of an error, with its kind where they do not say it. */
export const wordsOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const { name, message } = error
  return name === 'Error' || message.includes(name) ? message : `${name}: ${message}`
}

/** The database as the service sees it, to read from it. */
export function databaseOf(dialect: Dialect): Database {
  const { clock, random } = nodePorts(createLog('silent'))
  const ids = createIds(clock, random)
  return new Database(dialect, { clock, ids, log: createLog('silent'), webhooksEnabled: () => false })
}

/** How long another server may take to respond, in milliseconds. */
export const answerTimeoutMs = 10_000

export const ok = (check: string, message: string): Finding => ({ check, state: 'ok', message })
export const skipped = (check: string, message: string): Finding => ({ check, state: 'skipped', message })
export const warning = (check: string, message: string, advice: string): Finding => ({
  check,
  state: 'warning',
  message,
  advice,
})
export const failed = (check: string, message: string, advice?: string): Finding => ({
  check,
  state: 'failed',
  message,
  ...(advice !== undefined && { advice }),
})
