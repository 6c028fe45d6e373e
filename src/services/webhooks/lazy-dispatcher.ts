import type { WebhookDelivery } from './dispatcher.js'

/** Loads the dispatcher when webhooks are enabled for the first time. */
export function lazyDispatcher(
  enabled: () => boolean,
  load: () => Promise<WebhookDelivery>,
): WebhookDelivery {
  let loaded: Promise<WebhookDelivery> | undefined
  const use = async (work: (delivery: WebhookDelivery) => void | Promise<void>) => {
    if (enabled() && loaded === undefined) loaded = load()
    if (loaded !== undefined) await work(await loaded)
  }
  return {
    schedule: () => void use(delivery => delivery.schedule()),
    drain: () => use(delivery => delivery.drain()),
    stop: async timeoutMs => (await loaded)?.stop(timeoutMs),
  }
}
