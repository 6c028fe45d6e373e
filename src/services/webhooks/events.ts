import { z } from 'zod'
import { type EventName, isEvent, webhookEvents } from '../../events.js'
import { meantHint } from '../../nearest-name.js'

const known = Object.keys(webhookEvents)
export const eventName = z.string().meta({ enum: known })
export const subscribed = z.array(z.string().meta({ enum: ['*', ...known] }))

/** Names of events, or `*` alone for all, those of later versions too. A name given twice counts once. */
export const subscription = subscribed
  .min(1)
  .max(256)
  .transform(names => [...new Set(names)])
  .superRefine((names, context) => {
    const refuse = (message: string) => context.addIssue({ code: 'custom', message })
    const unknown = names.find(name => name !== '*' && !isEvent(name))
    if (unknown !== undefined)
      refuse(`there is no event ${JSON.stringify(unknown.slice(0, 64))}${meantHint(unknown, known)}`)
    else if (names.length > 1 && names.includes('*')) refuse('"*" means all events: leave out the others')
  })

/** The body of every delivery. */
export const eventBody = (name: EventName) =>
  z.object({
    id: z.string().meta({ description: 'A ULID: the event.' }),
    event: z.literal(name),
    occurred_at: z.iso.datetime(),
    data: webhookEvents[name].data,
  })
