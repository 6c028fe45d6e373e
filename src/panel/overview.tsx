import type { Services } from '../services/index.js'
import { namesOf } from './audit.js'
import { type PanelContext, panelPath } from './context.js'
import { Page } from './layout.js'
import { pages } from './pages.js'
import { Empty, Moment, State } from './parts.js'
import { type Subject, subjectsOf } from './subjects.js'
import type { View } from './view.js'

/** How many webhooks are asked for failed deliveries, of how many events changes are shown, and how many of those. */
const maxWebhooks = 20
const maxEvents = 40
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

const verbs: Readonly<Record<string, string>> = { INSERT: 'created', UPDATE: 'changed', DELETE: 'deleted' }
const published = 'published'

type Event = Awaited<ReturnType<Services['audit']['get']>>

interface Change {
  readonly subject: Subject
  readonly verb: string
  readonly who: string
  readonly at: string
  readonly event: string
}

/** A version is kept at each publish, and by hand or before a restore too. */
const isPublish = ({ table_name, operation, new_values }: Event) =>
  table_name === 'content_versions' &&
  operation === 'INSERT' &&
  ['publish', 'schedule'].includes(Object(new_values).trigger)
const verbOf = (event: Event) => (isPublish(event) ? published : (verbs[event.operation] ?? event.operation))

/** The newest changes, of which those of one record by one person are one, as long as nothing else came between. */
async function recentChanges(services: Services): Promise<Change[]> {
  const events = []
  // Who signs in or out has changed nothing.
  for await (const batch of services.audit.list({}, maxEvents))
    events.push(...batch.filter(({ table_name }) => table_name !== 'sessions'))
  const names = await namesOf(events, services)
  const subjects = await subjectsOf(events, services)
  const changes: Change[] = []
  for (const [i, event] of events.entries()) {
    const subject = subjects[i] ?? { words: '' }
    const who = event.user_id === null ? 'the service' : (names.get(event.user_id) ?? event.user_id)
    const verb = verbOf(event)
    const last = changes.at(-1)
    const isSame =
      last?.who === who && last.subject.words === subject.words && last.subject.path === subject.path
    // The oldest of them says what was done, for what is made is filled at once; a publish is what counts most.
    if (last && isSame)
      changes[changes.length - 1] = { ...last, verb: last.verb === published ? published : verb }
    else changes.push({ subject, verb, who, at: event.occurred_at, event: event.audit_event_id })
  }
  return changes.slice(0, maxChanges)
}

async function Recent({ view, services }: { view: View; services: Services }) {
  const changes = await recentChanges(services)
  return (
    <section aria-labelledby="recent">
      <h2 id="recent">Recent changes</h2>
      {changes.length === 0 ? (
        <Empty>Nothing has been changed yet.</Empty>
      ) : (
        <ul class="rows">
          {changes.map(({ subject, verb, who, at, event }) => (
            <li>
              <a href={`${panelPath}${subject.path ?? `/audit/${event}`}`}>{subject.words}</a>
              <span class="quiet">
                {verb} by {who}, <Moment view={view} at={at} />
              </span>
            </li>
          ))}
        </ul>
      )}
      <p class="actions after">
        <a href={`${panelPath}/audit`}>All changes</a>
      </p>
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
