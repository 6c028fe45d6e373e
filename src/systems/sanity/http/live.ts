import { HttpError } from '../../../errors.js'
import { requireAccess } from '../../../middleware/authenticate.js'
import type { Ctx } from '../../../middleware/context.js'
import type { ApiContext } from '../../../routes/context.js'
import { syncTag } from '../find/query.js'

const names: Readonly<Record<string, string>> = { ready: 'welcome', reset: 'restart', change: 'message' }
const encoder = new TextEncoder()

const eventOf = (name: string, data: object, more: string): string =>
  `${more}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`

function inWordsOfSanity(): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder()
  return new TransformStream({
    transform(piece, controller) {
      const [, id, given = ''] = /^id: (\d+)\nevent: ([a-z]+)\n/.exec(decoder.decode(piece)) ?? []
      const name = Object.hasOwn(names, given) ? names[given] : undefined
      if (name === undefined) return controller.enqueue(piece)
      const data = name === 'message' ? { tags: [syncTag] } : {}
      controller.enqueue(encoder.encode(eventOf(name, data, `id: ${id}`)))
    },
  })
}

/** Clients that get `goaway` poll from time to time, and try to connect again in a minute. */
const goAway = eventOf('goaway', { reason: 'there are too many listeners' }, 'retry: 60000')

/**
 * `data/live/events`: sends an event when content changes. Callers with a key that may change content also get events
 * about drafts.
 */
export function liveEvents({ services: { changeStreams }, authentication }: ApiContext) {
  const open = async (c: Ctx) => {
    // The client sends the key by an EventSource of its own in browsers, which names the last event in the address.
    const after = c.req.header('last-event-id') ?? c.req.query('lastEventId')
    if (c.req.query('includeDrafts') !== 'true') return changeStreams.openPublic(after)
    return changeStreams.open(await requireAccess(c, 'content:read', authentication), after)
  }
  return async (c: Ctx): Promise<Response> => {
    c.header('Content-Type', 'text/event-stream')
    c.header('Cache-Control', 'no-store')
    c.header('X-Accel-Buffering', 'no')
    c.header('Access-Control-Allow-Origin', '*')
    if (c.req.method === 'HEAD') return c.body(null)
    try {
      return c.body((await open(c)).pipeThrough(inWordsOfSanity()))
    } catch (error) {
      if (error instanceof HttpError && (error.status === 429 || error.status === 503)) return c.body(goAway)
      throw error
    }
  }
}
