import type { InsertOf } from '../../db/columns.js'
import type { internalTables } from '../../db/tables.js'
import { timestamp } from '../../ids.js'
import { limits } from '../../limits.js'

interface Pending {
  readonly status: 'pending'
  readonly attempts: number
}
interface Retrying {
  readonly status: 'retrying'
  readonly attempts: number
  readonly next_retry_at: string
}
interface Success {
  readonly status: 'success'
  readonly attempts: number
  readonly completed_at: string
}
interface Failed {
  readonly status: 'failed'
  readonly attempts: number
  readonly completed_at: string
}

export const statuses = ['pending', 'success', 'failed', 'retrying'] as const
export type Open = Pending | Retrying
export type State = Open | Success | Failed

export interface Backoff {
  maxAttempts: number
  /** Waiting times in milliseconds; the last one counts for all further attempts. */
  delays: readonly number[]
  /** The delay that the receiver asked for in `Retry-After`, in milliseconds. */
  asked?: number | undefined
  /** From 0 to 1: spreads what failed together. */
  chance: number
}

const jitter = 0.1
/** A receiver is heard when it asks for more time, up to an hour. */
const maxAskedMs = limits.webhooks.retryAfterMs

/** Milliseconds from the n-th attempt to the next. */
export function waitAfter(attempt: number, { delays, asked = 0, chance }: Backoff): number {
  const own = delays[Math.min(attempt, delays.length) - 1] ?? 0
  return Math.round(Math.max(own, Math.min(asked, maxAskedMs)) * (1 + jitter * chance))
}

/** No delivery waits longer than this, for its retry or its claim. */
export const longestWait = (delays: readonly number[]): number =>
  Math.max(...delays, maxAskedMs) * (1 + jitter)

/** A 2xx came. */
export const succeed = ({ attempts }: Open, now: number): Success => ({
  status: 'success',
  attempts: attempts + 1,
  completed_at: timestamp(now),
})

/** Anything else came, or nothing. */
export function fail({ attempts }: Open, now: number, backoff: Backoff): Retrying | Failed {
  const made = attempts + 1
  if (made >= backoff.maxAttempts) return { status: 'failed', attempts: made, completed_at: timestamp(now) }
  return { status: 'retrying', attempts: made, next_retry_at: timestamp(now + waitAfter(made, backoff)) }
}

/** Nothing is sent any more: the webhook takes no deliveries. */
export const abandon = ({ attempts }: Open, now: number): Failed => ({
  status: 'failed',
  attempts,
  completed_at: timestamp(now),
})

/** A finished delivery begins again. */
export const requeue = (_: Success | Failed): Pending => ({ status: 'pending', attempts: 0 })

type DeliveryRow = InsertOf<typeof internalTables.webhookDeliveries>

/** The state that a row holds. */
export function stateOf(row: {
  status: string
  attempts: number
  next_retry_at: string | null
  completed_at: string | null
}): State {
  const { attempts, next_retry_at, completed_at } = row
  switch (row.status) {
    case 'retrying':
      return { status: 'retrying', attempts, next_retry_at: next_retry_at ?? '' }
    case 'success':
    case 'failed':
      return { status: row.status, attempts, completed_at: completed_at ?? '' }
    default:
      return { status: 'pending', attempts }
  }
}

export const isOpen = (state: State): state is Open =>
  state.status === 'pending' || state.status === 'retrying'

/** Returns the columns of a delivery in a state that was reached now. No instance holds it. */
export const columnsOf = (
  state: State,
  now: number,
): Pick<DeliveryRow, 'status' | 'attempts' | 'next_retry_at' | 'completed_at' | 'due_at' | 'leased_by'> => ({
  status: state.status,
  attempts: state.attempts,
  next_retry_at: state.status === 'retrying' ? state.next_retry_at : null,
  completed_at: 'completed_at' in state ? state.completed_at : null,
  due_at: state.status === 'retrying' ? state.next_retry_at : isOpen(state) ? timestamp(now) : null,
  leased_by: null,
})
