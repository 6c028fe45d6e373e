import type { Child } from 'hono/jsx'
import { type Ctx, idParam } from '../middleware/context.js'
import { all } from '../resources/entries.js'
import type { Choice } from '../resources/form-field.js'
import { authorsOf, doneWords, type Subject, subjectsOf } from '../resources/views/audit-subjects.js'
import { type ChangedValue, valuesOfChange } from '../resources/views/audit-values.js'
import { type Chosen, changeKinds, chosenIn, operations, spans } from './audit-filter.js'
import { type PanelContext, panelPath } from './context.js'
import { Chooser } from './filters.js'
import { Page } from './layout.js'
import { Table } from './list.js'
import { pages } from './pages.js'
import { Empty, Moment } from './parts.js'
import { addressOf, SubjectLink } from './subjects.js'
import { TextDifference, type WithPieces, withPieces } from './text-difference.js'
import { panelActor, type View } from './view.js'

const pageSize = 100
/** People to choose from; others are found by who is named in a change. */
const maxPeople = 200

type Event = Awaited<ReturnType<PanelContext['services']['audit']['get']>>
type NameOf = Awaited<ReturnType<typeof authorsOf>>

/** By what a change was made. */
const surfaces: Readonly<Record<Event['surface'], string>> = {
  panel: 'in the panel',
  api: 'by the API',
  ssh: 'in the terminal',
  cli: 'by a command',
  system: 'by itself',
}
const surfaceOf = ({ surface }: Event): string => surfaces[surface] ?? surface

/** What was changed, by whom and when. */
export function auditPages(context: PanelContext) {
  const set = pages(context, 'audit log')
  const { audit } = context.services
  set.get('/audit', 'audit:read', async (view, c) => {
    const chosen = chosenIn(c, view.now)
    const events: Event[] = []
    for await (const batch of audit.list(chosen.filter, pageSize, chosen.tables)) events.push(...batch)
    const nameOf = await authorsOf(events, context.services)
    const subjects = await subjectsOf(events, context.services)
    return (
      <Page view={view} title="Audit log">
        <div class="head">
          <h1>Audit log</h1>
        </div>
        <Filters chosen={chosen} people={await peopleOf(chosen, context)} />
        {events.length === 0 ? (
          <Empty>Nothing was found.</Empty>
        ) : (
          <div class="audit-log">
            <Events view={view} events={events} subjects={subjects} nameOf={nameOf} />
          </div>
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
    const event = await audit.get(idParam(c, 'audit_event_id'))
    const viewer = { actor: panelActor(c), can: view.can, now: view.now }
    const [subject] = await subjectsOf([event], context.services)
    return eventPage(view, {
      event,
      subject: subject as Subject,
      values: await withPieces(await valuesOfChange(event, viewer, context.services)),
      who: (await authorsOf([event], context.services))(event),
    })
  })
  return set
}

const olderThan = (c: Ctx, id: string) => {
  const query = new URLSearchParams(c.req.query())
  query.set('before', id)
  return query
}

/** Who may have made changes, by name, and whoever is chosen. */
async function peopleOf({ filter: { user_id } }: Chosen, { services }: PanelContext): Promise<Choice[]> {
  const found = await all(services.users.list({}, { limit: maxPeople }))
  const people = found.map(user => ({ value: user.user_id, word: user.name || user.username }))
  people.sort((a, b) => a.word.localeCompare(b.word))
  if (user_id === undefined || people.some(({ value }) => value === user_id)) return people
  return [...people, { value: user_id, word: (await authorsOf([{ user_id }], services))({ user_id }) }]
}

const Filters = ({ chosen, people }: { chosen: Chosen; people: readonly Choice[] }) => (
  <form class="filters" method="get" action={`${panelPath}/audit`}>
    <Chooser label="Who" name="user_id" none="Everybody" choices={people} chosen={chosen.filter.user_id} />
    <Chooser
      label="What was done"
      name="operation"
      none="Anything"
      choices={operations}
      chosen={chosen.filter.operation}
    />
    <Chooser label="To what" name="of" none="Everything" choices={changeKinds} chosen={chosen.of} />
    <Chooser label="When" name="when" none="At any time" choices={spans} chosen={chosen.when} />
    {chosen.filter.record_id !== undefined && (
      <label class="check">
        <input type="checkbox" name="record_id" value={chosen.filter.record_id} checked />
        <span>Only one record</span>
      </label>
    )}
    <button type="submit" class="button">
      Filter
    </button>
  </form>
)

const Events = ({
  view,
  events,
  subjects,
  nameOf,
}: {
  view: View
  events: readonly Event[]
  subjects: readonly Subject[]
  nameOf: NameOf
}) => {
  const subjectOf = (event: Event) => subjects[events.indexOf(event)] as Subject
  return (
    <Table
      view={view}
      caption="Changes, newest first"
      records={events}
      pathOf={({ audit_event_id }) => `/audit/${audit_event_id}`}
      columns={[
        {
          label: 'What',
          of: event => (
            <>
              {doneWords(event, subjectOf(event))}
              <span class="hidden-text"> {subjectOf(event).words}</span>
            </>
          ),
        },
        {
          label: 'Which',
          of: event => (
            <>
              <SubjectLink view={view} subject={subjectOf(event)} />
              {subjectOf(event).part && <div class="hint">{subjectOf(event).part}</div>}
            </>
          ),
        },
        { label: 'Who', of: event => nameOf(event) },
        { label: 'How', of: surfaceOf, wide: true },
        { label: 'When', of: ({ occurred_at }) => <Moment view={view} at={occurred_at} /> },
      ]}
    />
  )
}

interface Told {
  readonly event: Event
  readonly subject: Subject
  readonly values: readonly WithPieces<ChangedValue>[]
  readonly who: string
}

/** Characters of stored values that are drawn. */
const maxStored = 200_000

function stored(values: unknown): string {
  if (values === null) return '–'
  const text = JSON.stringify(values, null, 2)
  if (text.length <= maxStored) return text
  return `${text.slice(0, maxStored)}\n… ${text.length.toLocaleString('en')} characters in all`
}

const Fact = ({ name, children }: { name: string; children?: Child }) => (
  <>
    <dt>{name}</dt>
    <dd class="mono">{children || '–'}</dd>
  </>
)

function eventPage(view: View, { event, subject, values, who }: Told) {
  const done = doneWords(event, subject)
  const hasName = subject.words.toLowerCase() !== subject.kind.toLowerCase()
  const title = hasName ? `${done}: ${subject.words}` : done
  const address = addressOf(view, subject.at)
  const others = `${panelPath}/audit?${new URLSearchParams({ record_id: event.record_id })}`
  return (
    <Page
      view={view}
      title={title}
      crumbs={[{ word: 'Audit log', path: '/audit' }]}
      column
      actions={
        address !== undefined && (
          <a class="button next" href={address}>
            Open {subject.at?.resource === 'entry' ? 'entry' : subject.kind}
          </a>
        )
      }
    >
      <div class="head">
        <h1>{title}</h1>
      </div>
      <p class="meta">
        <span>{who}</span>
        <Moment view={view} at={event.occurred_at} />
        <span>{surfaceOf(event)}</span>
      </p>
      <section aria-labelledby="values">
        <h2 id="values">What changed</h2>
        {values.length === 0 && <p class="quiet">Nothing that people read.</p>}
        <dl class="differences">
          {values.map(({ label, ...difference }) => (
            <div>
              <dt>{label}</dt>
              <dd>
                <TextDifference of={difference} />
              </dd>
            </div>
          ))}
        </dl>
        <details>
          <summary>As it is stored</summary>
          <h3>Before</h3>
          <pre class="code" tabindex={0}>
            {stored(event.old_values)}
          </pre>
          <h3>After</h3>
          <pre class="code" tabindex={0}>
            {stored(event.new_values)}
          </pre>
        </details>
      </section>
      <section aria-labelledby="about">
        <h2 id="about">About</h2>
        <dl class="facts">
          <Fact name="Table">{event.table_name}</Fact>
          <Fact name="Record">
            <a href={others}>{event.record_id}</a>
          </Fact>
          <Fact name="Request">{event.request_id}</Fact>
          <Fact name="Address">{event.ip_address}</Fact>
          <Fact name="Browser">{event.user_agent}</Fact>
        </dl>
      </section>
    </Page>
  )
}
