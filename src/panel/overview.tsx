import type { Services } from '../services/index.js'
import { type PanelContext, panelPath } from './context.js'
import { Page } from './layout.js'
import { pages } from './pages.js'
import { Empty, Moment, State } from './parts.js'
import type { View } from './view.js'

/** How many webhooks are asked for failed deliveries, and how many changes are shown. */
const maxWebhooks = 20
const maxChanges = 12

interface Need {
  readonly path: string
  readonly words: string
}

async function failedDeliveries({ webhooks }: Services): Promise<Need[]> {
  const needs: Need[] = []
  for await (const batch of webhooks.list({}, { limit: maxWebhooks }))
    for (const { webhook_id, name } of batch) {
      const { total } = await webhooks.deliveries(webhook_id, { status: 'failed' }, { limit: 0 })
      if (total > 0)
        needs.push({
          path: `/webhooks/${webhook_id}`,
          words: `${total} failed ${total === 1 ? 'delivery' : 'deliveries'} of ${name}`,
        })
    }
  return needs
}

const Needs = ({ needs }: { needs: readonly Need[] }) => (
  <section aria-labelledby="needs">
    <h2 id="needs">Needs you</h2>
    {needs.length === 0 ? (
      <p class="lead">Nothing waits.</p>
    ) : (
      <ul class="rows">
        {needs.map(({ path, words }) => (
          <li>
            <State kind="bad">
              <a href={`${panelPath}${path}`}>{words}</a>
            </State>
          </li>
        ))}
      </ul>
    )}
  </section>
)

const verbs: Readonly<Record<string, string>> = {
  INSERT: 'added to',
  UPDATE: 'changed in',
  DELETE: 'deleted from',
}

async function Recent({ view, services: { audit } }: { view: View; services: Services }) {
  const events = []
  for await (const batch of audit.list({}, maxChanges)) events.push(...batch)
  return (
    <section aria-labelledby="recent">
      <h2 id="recent">Recent changes</h2>
      {events.length === 0 ? (
        <Empty>Nothing has been changed yet.</Empty>
      ) : (
        <ul class="rows">
          {events.map(event => (
            <li>
              <a href={`${panelPath}/audit/${event.audit_event_id}`}>
                {verbs[event.operation] ?? event.operation} {event.table_name.replaceAll('_', ' ')}
              </a>
              <span class="quiet">
                <Moment view={view} at={event.occurred_at} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

/** What needs the one who looks, and what was done. */
export function overviewPages(context: PanelContext) {
  const set = pages(context, 'overview')
  set.get('/', 'signed-in', async view => {
    const needs = view.can('webhook:read') ? await failedDeliveries(context.services) : []
    return (
      <Page view={view} title="Overview" column>
        <div class="head">
          <h1>Hello, {view.user?.name}</h1>
        </div>
        <p class="lead">You are signed in as {view.user?.role}.</p>
        <Needs needs={needs} />
        {view.can('audit:read') && (await Recent({ view, services: context.services }))}
      </Page>
    )
  })
  return set
}
