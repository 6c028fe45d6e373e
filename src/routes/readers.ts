import { LRUCache } from 'lru-cache'
import { type Authentication, bearerOf, callerInMemory } from '../middleware/authenticate.js'
import type { RequestInfo } from '../middleware/context.js'
import { cookieIn } from '../middleware/session-cookie.js'
import type { PartOfContent } from '../role-limits.js'
import type { Services, ServicesOfPart } from '../services/index.js'

type Answer = Response | Promise<Response>
export type Fetcher = { fetch(request: Request, info: RequestInfo): Answer }

/** So many parts of the content have surfaces in memory, of about 3 MB each. */
const maxParts = 32

interface OfPart<S> {
  readonly surfaces: S
  readonly release: () => void
}

/** Asks which part of the content the caller of a request may read; undefined for all of it. */
async function partOf(
  { auth, access, cookieName }: Authentication,
  { headers }: Request,
): Promise<PartOfContent | undefined> {
  const identity = await auth.identify({
    cookie: cookieIn(headers.get('cookie'), cookieName()),
    bearer: bearerOf(headers.get('authorization')),
  })
  const part = identity && (await access.partOf(identity))
  return part?.name ? part : undefined
}

/**
 * Gives callers who may read only a part of the content surfaces over services that read nothing else. Those over
 * all of the content refuse such callers (docs/decisions/929-limits-of-reading.md).
 * @param own the surfaces over all of the content
 * @param surfacesOver makes the surfaces over other services
 */
export function byReader<S extends Readonly<Record<string, Fetcher | undefined>>>(
  own: S,
  authentication: Authentication,
  servicesOfPart: (part: PartOfContent) => Promise<ServicesOfPart>,
  surfacesOver: (services: Services) => S,
): S {
  const dispose = (made: Promise<OfPart<S>>): void => {
    made.then(({ release }) => release()).catch(() => undefined)
  }
  const kept = new LRUCache<string, Promise<OfPart<S>>>({ max: maxParts, dispose })

  function surfacesOf(part: PartOfContent): Promise<OfPart<S>> {
    let made = kept.get(part.name)
    if (!made) {
      made = servicesOfPart(part).then(({ services, release }) => ({
        surfaces: surfacesOver(services),
        release,
      }))
      kept.set(part.name, made)
      made.catch(() => kept.delete(part.name))
    }
    return made
  }

  /** Undefined at once for callers from memory who may read everything. */
  function partFor(request: Request): Promise<PartOfContent | undefined> | undefined {
    const caller = callerInMemory(authentication, request)
    if (caller === null) return undefined
    const known = caller && authentication.access.partCached(caller)
    if (known) return known.name === '' ? undefined : Promise.resolve(known)
    // Whatever fails here fails for the surface too, which says so.
    return partOf(authentication, request).catch(() => undefined)
  }

  const answering = (name: keyof S, surface: Fetcher): Fetcher => ({
    fetch(request, info) {
      const asked = partFor(request)
      if (!asked) return surface.fetch(request, info)
      return asked.then(async part => {
        const its = part && (await surfacesOf(part)).surfaces[name]
        return (its ?? surface).fetch(request, info)
      })
    },
  })
  const named = Object.entries(own).map(([name, surface]) => [name, surface && answering(name, surface)])
  return Object.fromEntries(named) as S
}
