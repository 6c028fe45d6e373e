import type { Actor } from '../actor.js'
import type { Database } from '../db/database.js'
import { internalTables } from '../db/tables.js'
import { timestamp } from '../ids.js'
import type { Services } from '../services/index.js'
import { WebhookCreate } from '../services/webhooks/schemas.js'

/**
 * The webhooks of the sample site, with deliveries of the last days, so that their pages show what they are for. Nothing
 * was sent: the receivers are names that nobody can have (RFC 2606), and webhooks are off at first.
 */

const hourMs = 3_600_000
const receivers = [
  {
    name: 'Rebuild the site',
    url: 'https://build.freilauf.example/hook',
    events: ['content.published', 'content.unpublished'],
    /** The responses in order, the last one the newest; 0 without a response. */
    responses: [200, 200, 200, 500, 200, 200, 200, 200, 200, 200, 200, 200],
  },
  {
    name: 'Search index',
    url: 'https://search.freilauf.example/hook',
    events: ['content.published', 'media.created'],
    responses: [202, 202, 202, 202, 202, 0, 0, 202, 202, 202],
  },
]
const attemptsOfFailed = 3
const betweenMs = 7 * hourMs
/** Pages of the sample site; the last one is a draft, so it was unpublished. */
const slugs = ['/blog/winter-chain', '/about', '/blog/silent-brakes', '/blog/spring-check']

export async function makeSampleWebhooks(
  { webhooks }: Pick<Services, 'webhooks'>,
  db: Database,
  actor: Actor,
  now: number,
): Promise<void> {
  for (const { name, url, events, responses } of receivers) {
    const { webhook_id } = await webhooks.create(
      actor,
      WebhookCreate.parse({ name, url, events, is_active: true }),
    )
    const outcomes = responses.map((status, i) => {
      const event = events[i % 4 === 3 ? 1 : 0] ?? ''
      const slug = event.startsWith('content.') ? { slug: slugs[i % slugs.length] } : {}
      const outcome = outcomeOf(status, now - (responses.length - i) * betweenMs, answerMs(i))
      return { ...outcome, event, data: { sample: true, ...slug } }
    })
    await db.write(actor, async tx => {
      for (const { event, data, ...outcome } of outcomes) {
        const content = { id: tx.newId(), event, occurred_at: outcome.created_at, data }
        const payload = JSON.stringify(content)
        await tx.insertInternal(internalTables.webhookDeliveries, { ...outcome, webhook_id, event, payload })
      }
    })
  }
}

/** Response times as a receiver has them. */
const answerMs = (i: number): number => 90 + ((i * 137) % 410)

/** A finished delivery with this response; 0 stands for a missing one. @param at in milliseconds */
function outcomeOf(status: number, at: number, tookMs: number) {
  const failed = status === 0 || status >= 400
  return {
    status: failed ? 'failed' : 'success',
    attempts: failed ? attemptsOfFailed : 1,
    last_status_code: status || null,
    last_error: status === 0 ? 'the receiver did not answer within 10s' : null,
    last_duration_ms: status === 0 ? 10_000 : tookMs,
    last_response: status === 0 ? null : failed ? 'The index is being built.' : 'OK',
    created_at: timestamp(at),
    completed_at: timestamp(at + (failed ? hourMs : tookMs)),
  }
}
