import { createMiddleware } from 'hono/factory'
import type { z } from 'zod'
import { invalid, malformed, notFound, unknownMember } from '../errors.js'
import { isUlid, storedId } from '../ids.js'
import { addressProblem } from '../services/text.js'
import type { Env } from './context.js'

/**
 * Refuses what no path or query may hold, whatever endpoint is asked.
 * @throws 400
 */
export function refuseBadAddress(address: string): void {
  const problem = addressProblem(address)
  if (problem) throw malformed(`the address ${problem}`)
}

export const refusingBadAddresses = createMiddleware<Env>(async (c, next) => {
  refuseBadAddress(c.req.url.slice(c.req.url.indexOf('/', 8)))
  await next()
})

/** A path with an impossible id names nothing; some engines could not even search for it. */
export const refusingOddIds = createMiddleware<Env>(async (c, next) => {
  for (const [name, value] of Object.entries(c.req.param() as Record<string, string>))
    if (name.endsWith('_id') && !isUlid(storedId(value))) throw notFound()
  await next()
})

/** Refuses unknown parameters. @throws 400 with the nearest known name */
export function refuseUnknownParameters(
  given: Readonly<Record<string, unknown>>,
  known: readonly string[],
): void {
  for (const name in given) if (!known.includes(name)) throw unknownMember([name], known, 'parameter')
}

/**
 * Refuses `q[]`, `q.x` and `Q` where `q` is a parameter: who writes them means it, and would get an answer as if they
 * had asked for nothing.
 */
export function refuseOtherForms(given: Readonly<Record<string, unknown>>, { shape }: z.ZodObject): void {
  for (const name in given) {
    if (Object.hasOwn(shape, name)) continue
    const meant = (name.split(/[[.]/, 1)[0] ?? '').trim().toLowerCase()
    if (Object.hasOwn(shape, meant)) throw invalid(meant, `is given as ${name.slice(0, 64)}`)
  }
}
