import type { Config } from '../../config.js'
import type { Database } from '../../db/database.js'
import type { Ids } from '../../ids.js'
import type { Ports, RateLimiter } from '../../ports.js'
import type { InstancesService } from '../operation/instances.js'
import { freeDeliveries } from './free-deliveries.js'
import { lazyDispatcher } from './lazy-dispatcher.js'
import { webhookRetention } from './retention.js'
import { sealSecrets } from './seal-secrets.js'
import { WebhookService } from './webhooks.js'

interface Needs extends Ports {
  db: Database
  config: () => Config
  ids: Ids
  rateLimiter: RateLimiter
  attempts: Map<string, number>
  instances: Pick<InstancesService, 'newHolder'>
}

/** Services for webhooks and their deliveries. */
export function webhookServices(needs: Needs) {
  const { db, config } = needs
  const delivery = lazyDispatcher(
    () => config().webhook_enabled,
    async () => {
      const { WebhookDispatcher } = await import('./dispatcher.js')
      return new WebhookDispatcher(db, needs)
    },
  )
  return {
    delivery,
    webhooks: new WebhookService(db, { ...needs, queued: delivery.schedule }),
    sealSecrets: sealSecrets(db, needs),
    removeExpired: webhookRetention(db, needs),
    freeDeliveries: freeDeliveries(db, needs.clock),
  }
}
