import type { Config } from '../../config.js'
import type { Database } from '../../db/database.js'
import type { Ids } from '../../ids.js'
import type { Ports, RateLimiter } from '../../ports.js'
import { lazyDispatcher } from './lazy-dispatcher.js'
import { webhookRetention } from './retention.js'
import { sealSecrets } from './seal-secrets.js'
import { WebhookService } from './webhooks.js'

interface Needs extends Ports {
  db: Database
  config: () => Config
  ids: Ids
  rateLimiter: RateLimiter
  /** Attempts to deliver, by the state in which they left their delivery. */
  attempts: Map<string, number>
}

/** Who is told of events. */
export function webhookServices({
  db,
  config,
  clock,
  random,
  ids,
  log,
  outgoing,
  rateLimiter,
  attempts,
}: Needs) {
  const delivery = lazyDispatcher(
    () => config().webhook_enabled,
    async () => {
      const { webhookDelivery } = await import('./dispatcher.js')
      return webhookDelivery(db, { outgoing, clock, random, log, config, attempts })
    },
  )
  const parts = { outgoing, clock, random, ids, config, rateLimiter, queued: delivery.schedule }
  return {
    delivery,
    webhooks: new WebhookService(db, parts),
    /** Encrypts what was stored before there was an `app_secret`. Called at a start and now and then. */
    sealSecrets: sealSecrets(db, { clock, random, config, log }),
    removeExpired: webhookRetention(db, { clock, random, config }),
  }
}
