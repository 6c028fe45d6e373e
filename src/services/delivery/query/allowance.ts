import type { Allowance, AllowanceOf } from '../../../db/allowance.js'
import { HttpError, invalid } from '../../../errors.js'

/** The limit of one query for a caller without a key. */
export const withoutKey = {
  get ms(): number {
    return 1000
  },
}

const refusal = () =>
  invalid('filter', 'takes more than a second: narrow it, or send an API key, which allows more time')

/** Limits a query. @param isKnown whether the caller has a good key or session; asked when it matters, once */
export function allowanceFor(isKnown: () => Promise<boolean>): AllowanceOf {
  let found: Promise<Allowance | undefined> | undefined
  return () => {
    found ??= isKnown().then(known => (known ? undefined : { leftMs: withoutKey.ms, refusal }))
    return found
  }
}

/** Whether a check lets the caller pass: it does not on a 401 or 403. @throws any other error */
export const passes = (check: () => Promise<unknown>): Promise<boolean> =>
  check().then(
    () => true,
    error => {
      if (error instanceof HttpError && (error.status === 401 || error.status === 403)) return false
      throw error
    },
  )
