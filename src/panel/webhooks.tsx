import { deliveryCell, webhookResource } from '../resources/webhooks.js'
import type { PanelContext } from './context.js'
import { Deliveries, deliveryPage } from './deliveries.js'
import { Act } from './parts.js'
import { resourcePages } from './resource.js'
import { Secret, webhookActions } from './webhook-actions.js'

type Webhooks = PanelContext['services']['webhooks']
type Webhook = Awaited<ReturnType<Webhooks['get']>>
type Listed = Webhook & { last?: Awaited<ReturnType<Webhooks['lastDelivery']>> }

/** Webhooks and their deliveries. */
export function webhookPages(context: PanelContext) {
  const { webhooks } = context.services
  const described = webhookResource(context)
  const set = resourcePages<Listed>(context, {
    ...described,
    path: '/webhooks',
    reads: async () => ({
      async *list(where: never, slice) {
        for await (const some of webhooks.list(where, slice))
          yield Promise.all(
            some.map(async one => ({ ...one, last: await webhooks.lastDelivery(one.webhook_id) })),
          )
      },
      count: where => webhooks.count(where),
      get: id => webhooks.get(id),
    }),
    columns: [
      ...described.columns,
      {
        label: 'Last delivery',
        of: ({ last }) => (last ? deliveryCell(last.status) : ''),
      },
      {
        label: 'When',
        of: ({ last }) => ({ at: last?.completed_at ?? last?.created_at ?? null }),
        room: 'some',
      },
    ],
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
