import type { Config } from '../../config.js'
import type { RowOf } from '../../db/columns.js'
import type { tables } from '../../db/tables.js'
import { timestamp } from '../../ids.js'
import { limits } from '../../limits.js'
import type { Clock, Outgoing, Posted } from '../../ports.js'
import { bodyOf } from './body-template.js'
import { signature, standardSignature } from './signature.js'
import { openedSecret } from './stored-secrets.js'
import { isTarget, permits } from './targets.js'

export type Webhook = RowOf<typeof tables.webhooks>

const maxAnswerBytes = limits.webhooks.answerBytes
const encoder = new TextEncoder()

/** The secrets that sign now, as they are stored: the webhook's own, and after a rotation the one before for a while. */
export function signingSecrets(
  { secret, previous_secret, previous_secret_until }: Webhook,
  now: number,
): string[] {
  const still = previous_secret !== null && (previous_secret_until ?? '') > timestamp(now)
  return still ? [secret, previous_secret] : [secret]
}

export interface Message {
  id: string
  event: string
  /** The event as JSON: exactly these characters are signed and sent, or those that the webhook's template makes of it. */
  payload: string
}

async function headersOf(
  webhook: Webhook,
  { id, event }: Message,
  body: Uint8Array<ArrayBuffer>,
  { now, secrets }: { now: number; secrets: readonly string[] },
): Promise<Record<string, string>> {
  const seconds = Math.floor(now / 1000)
  const [own, previous] = await Promise.all(secrets.map(secret => signature(secret, body)))
  const standard = await Promise.all(secrets.map(secret => standardSignature(secret, { id, seconds, body })))
  return {
    ...webhook.headers,
    'Content-Type': 'application/json',
    'User-Agent': 'CMS-Webhook/1.0',
    'X-CMS-Event': event,
    'X-CMS-Delivery': id,
    'X-CMS-Timestamp': String(seconds),
    'X-CMS-Signature': own ?? '',
    ...(previous === undefined ? {} : { 'X-CMS-Signature-Previous': previous }),
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': standard.join(' '),
  }
}

/** Sends a message once. Never throws. */
export async function send(
  webhook: Webhook,
  message: Message,
  { outgoing, clock, config }: { outgoing: Outgoing; clock: Clock; config: Config },
): Promise<Posted> {
  // The rules may be others than when the address was saved.
  if (!isTarget(webhook.url, config)) return { kind: 'refused' }
  const now = clock.now()
  const opened = await Promise.all(signingSecrets(webhook, now).map(secret => openedSecret(secret, config)))
  const secrets = opened.filter(secret => secret !== undefined)
  // Of two the older one may be lost: what the newer one signs is good.
  if (opened[0] === undefined)
    return {
      kind: 'broken',
      status: null,
      reason: 'the secret was encrypted under another app_secret: set it again',
    }
  let text = message.payload
  try {
    if (webhook.body_template !== null) text = bodyOf(webhook.body_template, text)
  } catch (error) {
    return { kind: 'broken', status: null, reason: `body_template: ${(error as Error).message}` }
  }
  const body = encoder.encode(text)
  return outgoing.post(
    webhook.url,
    { headers: await headersOf(webhook, message, body, { now, secrets }), body },
    { permits: permits(config), timeoutMs: config.webhook_timeout * 1000, maxBytes: maxAnswerBytes },
  )
}

/** Returns what went wrong, in words for the operator of the receiver; undefined for a 2xx. */
export function problemOf(posted: Posted): string | undefined {
  if (posted.kind === 'refused') return 'the url is an address that webhooks may not reach; nothing was sent'
  if (posted.kind === 'broken') return posted.reason
  const { status } = posted
  if (status >= 200 && status < 300) return undefined
  if (status >= 300 && status < 400)
    return `the receiver responded with ${status}: redirects are not followed`
  return `the receiver responded with ${status}`
}

/** Milliseconds that a receiver asks for, in seconds or as a date, when it is overloaded or away. */
export function askedWait(posted: Posted, now: number): number | undefined {
  if (posted.kind !== 'answered' || ![429, 503].includes(posted.status) || !posted.retryAfter)
    return undefined
  const text = posted.retryAfter.trim()
  const wait = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now
  return Number.isNaN(wait) ? undefined : Math.max(0, wait)
}
