import { idParam } from '../middleware/context.js'
import { all } from '../resources/entries.js'
import { eventWords } from '../resources/event-words.js'
import { attemptWords, deliveryStates, deliveryWords } from '../resources/webhooks.js'
import type { PanelContext } from './context.js'
import { TitledPage } from './layout.js'
import { Table } from './list.js'
import type { Pages } from './pages.js'
import { Act, Empty, Moment, State } from './parts.js'
import type { View } from './view.js'

const maxDeliveries = 50

type Delivery = Awaited<ReturnType<PanelContext['services']['webhooks']['delivery']>>

const addressOf = ({ webhook_id, delivery_id }: Delivery): string =>
  `/webhooks/${webhook_id}/deliveries/${delivery_id}`

const StateOf = ({ view, delivery }: { view: View; delivery: Delivery }) => {
  const { status, next_retry_at } = delivery
  return (
    <>
      <State kind={deliveryStates[status] ?? 'off'}>{deliveryWords(status, view)}</State>
      <div class="quiet">
        {attemptWords(delivery, view)}
        {next_retry_at !== null && (
          <>
            {' · '}
            {view.parts('next attempt {time}', { time: <Moment view={view} at={next_retry_at} /> })}
          </>
        )}
      </div>
    </>
  )
}

const SendAgain = ({ view, delivery }: { view: View; delivery: Delivery }) =>
  delivery.status === 'failed' && view.can('webhook:update') ? (
    <Act view={view} action={`${addressOf(delivery)}/retry`}>
      {view.t('Send again')}
    </Act>
  ) : null

/** The address of the page that an event is about; undefined for events of something else. */
const slugIn = ({ payload }: Delivery): string | undefined => {
  const { data } = Object(payload) as { data?: { slug?: unknown } }
  return typeof data?.slug === 'string' ? data.slug : undefined
}

const EventOf = ({ view, delivery }: { view: View; delivery: Delivery }) => (
  <>
    {eventWords(delivery.event, view)}
    <div class="quiet">
      <code>{slugIn(delivery) ?? delivery.event}</code>
    </div>
  </>
)

const tickStep = 6
/** The outcome of each delivery as a tick, the newest at the right: tall is delivered, low is failed or not yet. */
function Ticks({ view, records }: { view: View; records: readonly Delivery[] }) {
  const n = records.length
  const delivered = records.filter(({ status }) => status === 'success').length
  const failed = records.filter(({ status }) => status === 'failed').length
  const times = records.flatMap(({ last_duration_ms }) => last_duration_ms ?? []).toSorted((a, b) => a - b)
  const at = (part: number) => times[Math.floor(part * (times.length - 1))] ?? 0
  return (
    <p class="ticks quiet">
      <svg aria-hidden="true" viewBox={`0 0 ${n * tickStep} 24`} width={n * tickStep} height={24}>
        {records.map(({ status }, i) => {
          const isDelivered = status === 'success'
          return (
            <rect
              class={deliveryStates[status] ?? 'off'}
              x={(n - 1 - i) * tickStep}
              y={isDelivered ? 0 : 12}
              width={4}
              height={isDelivered ? 24 : 12}
              rx={1}
            />
          )
        })}
      </svg>
      {view.t('Last {n} deliveries: {delivered} delivered, {failed} failed', { n, delivered, failed })}
      {times.length > 0 && (
        <span>
          {view.t('Response time: median {median} ms, 95 % within {most} ms', {
            median: at(0.5),
            most: at(0.95),
          })}
        </span>
      )}
    </p>
  )
}

/** The deliveries of a webhook, the newest first. */
export async function Deliveries({ view, context, id }: { view: View; context: PanelContext; id: string }) {
  const { batches, total } = await context.services.webhooks.deliveries(id, {}, { limit: maxDeliveries })
  const records = await all(batches)
  return (
    <section aria-labelledby="deliveries">
      <h2 id="deliveries">{view.t('Deliveries')}</h2>
      {records.length === 0 ? (
        <Empty>{view.t('No deliveries yet.')}</Empty>
      ) : (
        <>
          <Ticks view={view} records={records} />
          <Table
            view={view}
            caption={view.t('Deliveries, newest first')}
            records={records}
            pathOf={addressOf}
            columns={[
              { label: 'Event', of: delivery => <EventOf view={view} delivery={delivery} /> },
              { label: 'State', of: delivery => <StateOf view={view} delivery={delivery} /> },
              { label: 'Sent', of: ({ created_at }) => <Moment view={view} at={created_at} />, wide: true },
              { label: 'Action', of: delivery => <SendAgain view={view} delivery={delivery} /> },
            ]}
          />
          {records.some(({ status }) => status === 'failed') && view.can('webhook:update') && (
            <div class="actions after">
              <Act view={view} action={`/webhooks/${id}/replay`}>
                {view.t('Send all failed again')}
              </Act>
            </div>
          )}
          <p class="pager">
            {records.length === total
              ? view.t('{n} in all', { n: total })
              : view.t('{n} of {total}', { n: records.length, total })}
          </p>
        </>
      )}
      <h2>{view.t('Settings')}</h2>
    </section>
  )
}

/** The page of one delivery, with its payload. */
export function deliveryPage({ get }: Pages, context: PanelContext): void {
  const { webhooks } = context.services
  get('/webhooks/:webhook_id/deliveries/:delivery_id', 'webhook:read', async (view, c) => {
    const webhook = await webhooks.get(idParam(c, 'webhook_id'))
    const delivery = await webhooks.delivery(webhook.webhook_id, idParam(c, 'delivery_id'))
    const { event, payload, created_at, completed_at, last_error, last_duration_ms, last_response } = delivery
    return (
      <TitledPage
        view={view}
        title={eventWords(event, view)}
        crumbs={[
          { word: view.t('Webhooks'), path: '/webhooks' },
          { word: webhook.name, path: `/webhooks/${webhook.webhook_id}` },
        ]}
        column
        actions={<SendAgain view={view} delivery={delivery} />}
      >
        <div class="lead">
          <StateOf view={view} delivery={delivery} />
        </div>
        <dl class="facts">
          <dt>{view.t('Event')}</dt>
          <dd>
            <code>{event}</code>
          </dd>
          <dt>{view.t('Created')}</dt>
          <dd>
            <Moment view={view} at={created_at} />
          </dd>
          {completed_at !== null && (
            <>
              <dt>{view.t('Finished')}</dt>
              <dd>
                <Moment view={view} at={completed_at} />
              </dd>
            </>
          )}
          {last_error !== null && (
            <>
              <dt>{view.t('Last error')}</dt>
              <dd>{last_error}</dd>
            </>
          )}
          {last_duration_ms !== null && (
            <>
              <dt>{view.t('Response time')}</dt>
              <dd>{view.t('{n} ms', { n: last_duration_ms })}</dd>
            </>
          )}
          <dt>{view.t('URL')}</dt>
          <dd>
            <code>{webhook.url}</code>
          </dd>
        </dl>
        {last_response !== null && last_response !== '' && (
          <>
            <h2>{view.t('Response body')}</h2>
            <pre class="code" tabindex={0}>
              {last_response}
            </pre>
          </>
        )}
        <h2>{webhook.body_template === null ? view.t('Request body') : view.t('Event')}</h2>
        <pre class="code" tabindex={0}>
          {JSON.stringify(payload, null, 2)}
        </pre>
      </TitledPage>
    )
  })
}
