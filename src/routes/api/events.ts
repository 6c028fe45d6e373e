import { z } from 'zod'
import { signedIn } from '../../actor.js'
import { actorOf, type Ctx } from '../../middleware/context.js'
import type { ChangesSince } from '../../services/delivery/changes/streams.js'
import type { ApiContext } from '../context.js'
import { endpoints } from '../endpoints.js'

const after = z.object({
  last_event_id: z
    .string()
    .max(32)
    .optional()
    .meta({ description: 'Only changes after this event. The header `Last-Event-ID` takes precedence.' }),
})
const ofLink = z.object({
  ...after.shape,
  token: z.string().max(500).meta({ description: 'The token of the preview link.' }),
})
const Changes = z
  .object({
    last_event_id: z.string().meta({ description: 'The `last_event_id` of the next request.' }),
    reset: z
      .boolean()
      .meta({ description: 'Missed changes are no longer available: read everything again.' }),
    changes: z.array(
      z.object({
        id: z.string(),
        at: z.iso.datetime(),
        all: z.boolean().meta({ description: 'Any page may have changed, as after a change of the model.' }),
        pages: z.array(
          z.object({
            content_data_id: z.string().meta({ description: 'The root entry.' }),
            slug: z.string().nullable(),
          }),
        ),
      }),
    ),
  })
  .meta({ id: 'ContentChanges' })

const stream = 'text/event-stream'
const described = (of: string) => ({
  summary: `List the changes of ${of}`,
  description: `Returns the changes since an event as JSON, or with \`Accept: ${stream}\` a stream of server-sent events.`,
  fails: [429] as const,
  answers: { shape: Changes },
})

async function answer(
  c: Ctx,
  given: string | undefined,
  open: (after: string | undefined) => Promise<ReadableStream<Uint8Array>>,
  since: (after: string | undefined) => Promise<ChangesSince>,
): Promise<Response> {
  const after = c.req.header('last-event-id') ?? given
  c.header('Vary', 'Accept')
  if (!c.req.header('accept')?.includes(stream)) return c.json(await since(after))
  c.header('Content-Type', stream)
  c.header('Cache-Control', 'no-store')
  // Proxies that gather answers would keep it.
  c.header('X-Accel-Buffering', 'no')
  return c.req.method === 'HEAD' ? c.body(null) : c.body(await open(after))
}

/** A stream of what changes in the content. */
export function eventRoutes({ services: { changeStreams }, authentication }: ApiContext) {
  const api = endpoints('events', authentication)
  api.get(
    '/events',
    'content:read',
    { name: 'listChanges', ...described('the content'), query: after },
    async (c, { query }) => {
      const caller = signedIn(actorOf(c))
      return answer(
        c,
        query.last_event_id,
        id => changeStreams.open(caller, id),
        id => changeStreams.since(caller, id),
      )
    },
  )
  api.get(
    '/preview/events',
    'public',
    {
      name: 'listPreviewChanges',
      ...described('the page of a preview link'),
      fails: [404, 410, 429],
      query: ofLink,
    },
    async (c, { query: { token, last_event_id } }) =>
      answer(
        c,
        last_event_id,
        id => changeStreams.openPreview(token, id),
        id => changeStreams.sincePreview(token, id),
      ),
  )
  return api
}
