import { all } from '../resources/entries.js'
import { deliveryStates } from '../resources/webhooks.js'
import type { PanelContext } from './context.js'
import { Table } from './list.js'
import { Act, Empty, Moment, State } from './parts.js'
import type { View } from './view.js'

const maxDeliveries = 50

/** What was sent to a webhook, the newest first. */
export async function Deliveries({ view, context, id }: { view: View; context: PanelContext; id: string }) {
  const { batches, total } = await context.services.webhooks.deliveries(id, {}, { limit: maxDeliveries })
  const records = await all(batches)
  return (
    <section aria-labelledby="deliveries">
      <h2 id="deliveries">Deliveries</h2>
      {records.length === 0 ? (
        <Empty>Nothing was sent yet.</Empty>
      ) : (
        <>
          <Table
            view={view}
            caption="Deliveries"
            records={records}
            columns={[
              { label: 'Event', of: ({ event }) => <code>{event}</code> },
              {
                label: 'State',
                of: ({ status, attempts, last_status_code, last_error }) => (
                  <>
                    <State kind={deliveryStates[status] ?? 'off'}>{status}</State>
                    <div class="quiet">
                      {attempts} tries{last_status_code !== null && `, answer ${last_status_code}`}
                      {last_error !== null && `: ${last_error}`}
                    </div>
                  </>
                ),
              },
              { label: 'When', of: ({ created_at }) => <Moment view={view} at={created_at} />, wide: true },
              {
                label: 'Again',
                of: ({ delivery_id, status }) =>
                  status === 'failed' && view.can('webhook:update') ? (
                    <Act view={view} action={`/webhooks/${id}/deliveries/${delivery_id}/retry`}>
                      Send again
                    </Act>
                  ) : (
                    '–'
                  ),
              },
            ]}
          />
          <p class="pager">
            {records.length === total ? `${total} in all` : `${records.length} of ${total}`}
          </p>
        </>
      )}
    </section>
  )
}
