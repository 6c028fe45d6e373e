import { readFileSync } from 'node:fs'
import { limits } from '../limits.js'

const minDescriptors = 192
/** For the database, files of the service, modules that are loaded late, and calls to other servers. */
const reservedDescriptors = 128
/** A request may need another one beside its connection, as an upload for its file. */
const descriptorsPerConnection = 2
const maxConnections = limits.requests.connections

/** How many this process may have; undefined where that is not told, or has no bound. */
function descriptorLimit(): number | undefined {
  try {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))
    return limit ? Number(limit[1]) : undefined
  } catch {
    return undefined
  }
}

/**
 * How many connections may be open, so that descriptors are left for everything else: a module that could not be
 * opened is never loaded again by this process (docs/decisions/201-logs-and-stops.md).
 * @throws when the process may have too few descriptors to serve at all
 */
export function connectionLimit(limit = descriptorLimit()): number {
  if (limit === undefined) return maxConnections
  if (limit < minDescriptors)
    throw new Error(
      `the limit of file descriptors is ${limit}, and at least ${minDescriptors} are needed: raise it, for example by ulimit -n`,
    )
  return Math.min(maxConnections, Math.floor((limit - reservedDescriptors) / descriptorsPerConnection))
}
