import type { Config } from '../config.js'
import type { Dialect } from '../db/dialects/dialect.js'
import type { Storage } from '../ports.js'

export type State = 'ok' | 'warning' | 'failed' | 'skipped'

export interface Finding {
  readonly check: string
  readonly state: State
  readonly message: string
  /** The advice on what to do. */
  readonly advice?: string
}

export interface Patient {
  readonly config: Config
  /** The path of the configuration file. */
  readonly path: string
  readonly storage: Storage
  /** The database, if it responds. */
  readonly dialect: Dialect | undefined
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
