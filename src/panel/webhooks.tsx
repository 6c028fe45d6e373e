import { webhookResource } from '../resources/webhooks.js'
import type { PanelContext } from './context.js'
import { Deliveries, deliveryPage } from './deliveries.js'
import { Act } from './parts.js'
import { resourcePages } from './resource.js'
import { Secret, webhookActions } from './webhook-actions.js'

/** Webhooks and their deliveries. */
export function webhookPages(context: PanelContext) {
  const set = resourcePages(context, {
    ...webhookResource(context),
    path: '/webhooks',
    actions: (view, { webhook_id }) =>
      view.can('webhook:update') && (
        <>
          <Act view={view} action={`/webhooks/${webhook_id}/rotate`} kind="wide">
            {view.t('New secret')}
          </Act>
          <Act view={view} action={`/webhooks/${webhook_id}/test`}>
            {view.t('Test')}
          </Act>
        </>
      ),
    before: (view, { webhook_id }) => Deliveries({ view, context, id: webhook_id }),
    made: (view, webhook) => <Secret view={view} webhook={webhook} />,
  })
  webhookActions(set, context)
  deliveryPage(set, context)
  return set
}
