import type { Config } from '../../config.js'
import { duration } from '../../durations.js'
import { limits } from '../../limits.js'
import type { Ports, Posted } from '../../ports.js'
import { mask } from '../secrets.js'
import type { Claimed, DeliveryPatch } from './claims.js'
import { askedWait, problemOf, send } from './request.js'
import { abandon, columnsOf, fail, isOpen, stateOf, succeed } from './states.js'

export interface AttemptParts extends Pick<Ports, 'outgoing' | 'clock' | 'log'> {
  config: () => Config
  /** From 0 to 1, by chance. */
  chance: () => number
}

/** The length of the shortest header value that is masked. Shorter ones appear in many texts by chance. */
const minSecret = 4

/** How a response begins. A receiver may repeat what it was sent, such as the key in a header. */
function beginningOf(body: Uint8Array, { headers }: Claimed['webhook']): string {
  const most = limits.webhooks.keptAnswerCharacters
  let text = new TextDecoder().decode(body).replaceAll('\0', '')
  for (const value of Object.values(headers))
    if (value.length >= minSecret) text = text.replaceAll(value, mask)
  return text.slice(0, most).toWellFormed()
}

/** Sends a delivery once. @returns the new columns of its row, for any outcome */
export async function attempt(
  { delivery, webhook }: Claimed,
  { outgoing, clock, log, config, chance }: AttemptParts,
): Promise<DeliveryPatch> {
  const state = stateOf(delivery)
  if (!isOpen(state)) throw new Error('a finished delivery was claimed')
  if (!webhook.is_active)
    return {
      ...columnsOf(abandon(state, clock.now()), clock.now()),
      last_error: 'the webhook is not active; nothing was sent',
    }
  const { delivery_id: id, event, payload } = delivery
  const from = clock.now()
  const posted = await send(webhook, { id, event, payload }, { outgoing, clock, config: config() }).catch(
    (error): Posted => {
      // Counted like any other failure, or it would come back for ever.
      log.error({ err: error, delivery_id: id }, 'a delivery could not be attempted')
      return { kind: 'broken', status: null, reason: 'the request could not be made' }
    },
  )
  const problem = problemOf(posted)
  const now = clock.now()
  const { webhook_max_retries, webhook_retry_delays } = config()
  const backoff = {
    maxAttempts: webhook_max_retries,
    delays: webhook_retry_delays.map(duration),
    asked: askedWait(posted, now),
    chance: chance(),
  }
  return {
    ...columnsOf(problem === undefined ? succeed(state, now) : fail(state, now, backoff), now),
    last_status_code: 'status' in posted ? posted.status : null,
    last_duration_ms: posted.kind === 'refused' ? null : Math.max(0, now - from),
    last_response: posted.kind === 'answered' ? beginningOf(posted.body, webhook) : null,
    ...(problem === undefined ? {} : { last_error: problem }),
  }
}
