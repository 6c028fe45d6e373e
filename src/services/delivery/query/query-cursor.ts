import { z } from 'zod'
import type { Scalar } from '../../../db/columns.js'
import { invalid } from '../../../errors.js'
import { isUlid } from '../../../ids.js'
import { trimmedEnd } from '../../text.js'

/** The last entry of a page: what it was sorted by, and its id. */
export interface Position {
  readonly keys: readonly (Scalar | null)[]
  readonly id: string
}

export const malformedCursor = () => invalid('cursor', 'is not the cursor of this query')

const stored = z.object({
  o: z.string(),
  k: z.array(z.union([z.string().max(1000), z.number(), z.null()])).max(8),
  i: z.string().refine(isUlid),
})

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true })

/** @param order of the query, which the cursor holds to */
export function writeCursor({ keys, id }: Position, order: string): string {
  const bytes = encoder.encode(JSON.stringify({ o: order, k: keys, i: id }))
  const base64 = btoa(String.fromCharCode(...bytes))
  return trimmedEnd(base64.replaceAll('+', '-').replaceAll('/', '_'), '=')
}

/** @throws 400 for what no query with this order has given */
export function readCursor(text: string, order: string): Position {
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
    const json: unknown = JSON.parse(decoder.decode(Uint8Array.from(binary, mark => mark.charCodeAt(0))))
    const { o, k, i } = stored.parse(json)
    if (o === order) return { keys: k, id: i }
  } catch {
    // Whatever is wrong with it, the answer is the same.
  }
  throw malformedCursor()
}
