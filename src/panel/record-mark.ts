import { changedMeanwhile } from '../errors.js'
import type { Check } from '../resources/resource.js'
import type { PanelContext } from './context.js'

/** Returns the mark of a record as a form shows it. */
export const markOf = (context: PanelContext, record: unknown): string =>
  context.hashing.sha256(JSON.stringify(record)).slice(0, 32)

/** Refuses a change of a record that differs from what the form showed. */
export const unlessChanged =
  (context: PanelContext, seen: string): Check =>
  before => {
    if (seen !== '' && markOf(context, before) !== seen) throw changedMeanwhile()
  }
