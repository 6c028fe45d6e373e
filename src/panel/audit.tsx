import type { Ctx } from '../middleware/context.js'
import { AuditQuery } from '../services/operation/audit.js'
import { type PanelContext, panelPath } from './context.js'
import { Page } from './layout.js'
import { Table } from './list.js'
import { pages } from './pages.js'
import { Empty, Moment } from './parts.js'
import type { View } from './view.js'

const pageSize = 100
const words: Readonly<Record<string, string>> = { INSERT: 'Created', UPDATE: 'Changed', DELETE: 'Deleted' }

type Event = Awaited<ReturnType<PanelContext['services']['audit']['get']>>

/** The filters of the address; what is empty or means nothing is left out. */
function filterIn(c: Ctx) {
  const given = Object.entries(c.req.query()).filter(([, text]) => text !== '')
  const known = given.filter(([name, text]) => {
    const schema = AuditQuery.shape[name as keyof typeof AuditQuery.shape]
    return schema?.safeParse(text).success
  })
  return AuditQuery.parse(Object.fromEntries(known))
}

/** Who did it, by name where they are still there. */
export async function namesOf(events: readonly Event[], { users }: Pick<PanelContext['services'], 'users'>) {
  const ids = [...new Set(events.flatMap(({ user_id }) => user_id ?? []))]
  const names = await Promise.all(
    ids.map(
      async id =>
        [
          id,
          await users.get(id).then(
            ({ name, username }) => name || username,
            () => id,
          ),
        ] as const,
    ),
  )
  return new Map(names)
}

/** What was changed, by whom and when. */
export function auditPages(context: PanelContext) {
  const set = pages(context, 'audit log')
  const { audit } = context.services
  set.get('/audit', 'audit:read', async (view, c) => {
    const filter = filterIn(c)
    const events: Event[] = []
    for await (const batch of audit.list(filter, pageSize)) events.push(...batch)
    const names = await namesOf(events, context.services)
    return (
      <Page view={view} title="Audit log">
        <div class="head">
          <h1>Audit log</h1>
        </div>
        <Filters filter={filter} />
        {events.length === 0 ? (
          <Empty>Nothing was found.</Empty>
        ) : (
          <Events view={view} events={events} names={names} />
        )}
        {events.length === pageSize && (
          <p class="pager">
            <a href={`${panelPath}/audit?${olderThan(c, events.at(-1)?.audit_event_id ?? '')}`}>Older</a>
          </p>
        )}
      </Page>
    )
  })
  set.get('/audit/:audit_event_id', 'audit:read', async (view, c) => {
    const event = await audit.get(c.req.param('audit_event_id') ?? '')
    return eventPage(view, event, await namesOf([event], context.services))
  })
  return set
}

const olderThan = (c: Ctx, id: string) => {
  const query = new URLSearchParams(c.req.query())
  query.set('before', id)
  return query
}

const Filters = ({ filter }: { filter: ReturnType<typeof filterIn> }) => (
  <form class="filters" method="get" action={`${panelPath}/audit`}>
    <label>
      What
      <select class="input" name="operation">
        <option value="">Everything</option>
        {Object.entries(words).map(([value, word]) => (
          <option value={value} selected={filter.operation === value}>
            {word}
          </option>
        ))}
      </select>
    </label>
    <label>
      Table
      <input class="input mono" name="table_name" value={filter.table_name} />
    </label>
    <label>
      Id of the record
      <input class="input mono" name="record_id" value={filter.record_id} />
    </label>
    <button type="submit" class="button">
      Filter
    </button>
  </form>
)

const Events = ({
  view,
  events,
  names,
}: {
  view: View
  events: readonly Event[]
  names: ReadonlyMap<string, string>
}) => (
  <Table
    view={view}
    caption="Changes, newest first"
    records={events}
    pathOf={({ audit_event_id }) => `/audit/${audit_event_id}`}
    columns={[
      {
        label: 'What',
        of: ({ operation, table_name }) =>
          `${words[operation] ?? operation}: ${table_name.replaceAll('_', ' ')}`,
      },
      {
        label: 'Who',
        of: ({ user_id }) => (user_id === null ? 'the service' : (names.get(user_id) ?? user_id)),
      },
      { label: 'By', of: ({ surface }) => surface, wide: true },
      { label: 'When', of: ({ occurred_at }) => <Moment view={view} at={occurred_at} /> },
    ]}
  />
)

const valuesOf = (values: unknown): Readonly<Record<string, unknown>> =>
  typeof values === 'object' && values !== null ? (values as Record<string, unknown>) : {}
/** Neither what there was not nor null: both are nothing. */
const isShown = (value: unknown) => value !== undefined && value !== null && value !== ''
const shown = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

function eventPage(view: View, event: Event, names: ReadonlyMap<string, string>) {
  const [before, after] = [valuesOf(event.old_values), valuesOf(event.new_values)]
  const members = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const who = event.user_id === null ? 'the service' : (names.get(event.user_id) ?? event.user_id)
  const title = `${words[event.operation] ?? event.operation}: ${event.table_name.replaceAll('_', ' ')}`
  return (
    <Page view={view} title={title} crumbs={[{ word: 'Audit log', path: '/audit' }]} column>
      <div class="head">
        <h1>{title}</h1>
      </div>
      <p class="meta">
        <span>by {who}</span>
        <Moment view={view} at={event.occurred_at} />
        <span>{event.surface}</span>
        <span class="mono">{event.ip_address}</span>
      </p>
      <section aria-labelledby="values">
        <h2 id="values">Values</h2>
        <dl class="facts">
          {members.map(name => (
            <>
              <dt>{name}</dt>
              <dd>
                {isShown(before[name]) && <del>{shown(before[name])}</del>}{' '}
                {isShown(after[name]) && <ins>{shown(after[name])}</ins>}
              </dd>
            </>
          ))}
        </dl>
      </section>
      <section aria-labelledby="about">
        <h2 id="about">About</h2>
        <dl class="facts">
          <dt>Record</dt>
          <dd class="mono">
            <a href={`${panelPath}/audit?record_id=${encodeURIComponent(event.record_id)}`}>
              {event.record_id}
            </a>
          </dd>
          <dt>Request</dt>
          <dd class="mono">{event.request_id || '–'}</dd>
          <dt>Browser</dt>
          <dd>{event.user_agent || '–'}</dd>
        </dl>
      </section>
    </Page>
  )
}
