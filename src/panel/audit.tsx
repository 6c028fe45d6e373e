import { type Ctx, idParam } from '../middleware/context.js'
import { all } from '../resources/entries.js'
import type { Choice } from '../resources/form-field.js'
import {
  type ChangeRow,
  changeRows,
  noValues,
  type ToldChange,
  toldChange,
} from '../resources/views/audit.js'
import { authorsOf } from '../resources/views/audit-subjects.js'
import { wordingOf } from '../texts/wording.js'
import { type Chosen, chosenIn, filterChoices } from './audit-filter.js'
import { type PanelContext, panelPath } from './context.js'
import { Chooser, FilterForm } from './filters.js'
import { Page, TitledPage } from './layout.js'
import { Table } from './list.js'
import { pages } from './pages.js'
import { Empty, Moment } from './parts.js'
import { SavedViews, viewQuery } from './saved-views.js'
import { addressOf, SubjectLink } from './subjects.js'
import { TextDifference, withPieces } from './text-difference.js'
import { panelActor, type View } from './view.js'
import { shownZone } from './zoned-times.js'

const pageSize = 100
/** How many people the filter offers; people who are not listed can be found by a change that names them. */
const maxPeople = 200

/** The audit log: what was changed, by whom and when. */
export function auditPages(context: PanelContext) {
  const set = pages(context, 'audit log')
  const { audit } = context.services
  set.get('/audit', 'audit:read', async (view, c) => {
    const chosen = chosenIn(c, view.now)
    const events = await all(audit.list(chosen.filter, pageSize, chosen.tables))
    const rows = await changeRows(events, context.services, view)
    return (
      <Page view={view} title={view.t('Audit log')}>
        <div class="head">
          <h1>{view.t('Audit log')}</h1>
        </div>
        {await SavedViews({ view, c, context, path: '/audit', query: viewQuery(c.req.query()) })}
        <Filters chosen={chosen} view={view} people={await peopleOf(view, chosen, context)} />
        {events.length === 0 ? (
          <Empty>{view.t('No results.')}</Empty>
        ) : (
          <div class="audit-log">
            <Changes view={view} rows={rows} />
          </div>
        )}
        {events.length === pageSize && (
          <p class="pager">
            <a href={`${panelPath}/audit?${olderThan(c, events.at(-1)?.audit_event_id ?? '')}`}>
              {view.t('Older')}
            </a>
          </p>
        )}
      </Page>
    )
  })
  set.get('/audit/:audit_event_id', 'audit:read', async (view, c) => {
    const event = await audit.get(idParam(c, 'audit_event_id'))
    const { can, now } = view
    const viewer = { ...wordingOf(view), actor: panelActor(c), can, now, zone: shownZone(view) }
    return eventPage(view, await toldChange(event, viewer, context.services))
  })
  return set
}

const olderThan = (c: Ctx, id: string) => {
  const query = new URLSearchParams(c.req.query())
  query.set('before', id)
  return query
}

/** The people in the filter, by name, with the chosen one. */
async function peopleOf(
  view: View,
  { filter: { user_id } }: Chosen,
  { services }: PanelContext,
): Promise<Choice[]> {
  const found = await all(services.users.list({}, { limit: maxPeople }))
  const people = found.map(user => ({ value: user.user_id, word: user.name || user.username }))
  people.sort((a, b) => a.word.localeCompare(b.word))
  if (user_id === undefined || people.some(({ value }) => value === user_id)) return people
  return [...people, { value: user_id, word: (await authorsOf([{ user_id }], services, view))({ user_id }) }]
}

interface FiltersProps {
  view: View
  chosen: Chosen
  people: readonly Choice[]
}

const Filters = ({ view, chosen, people }: FiltersProps) => {
  const { operations, kinds, spans } = filterChoices(view)
  const { filter, of, when } = chosen
  const set = [filter.user_id, filter.operation, filter.record_id, of, when].filter(Boolean).length
  return (
    <FilterForm view={view} path="/audit" set={set}>
      <Chooser
        label={view.t('Who')}
        name="user_id"
        none={view.t('Everybody')}
        choices={people}
        chosen={chosen.filter.user_id}
      />
      <Chooser
        label={view.t('Action')}
        name="operation"
        none={view.t('Anything')}
        choices={operations}
        chosen={chosen.filter.operation}
      />
      <Chooser
        label={view.t('Record type')}
        name="of"
        none={view.t('Everything')}
        choices={kinds}
        chosen={chosen.of}
      />
      <Chooser
        label={view.t('When')}
        name="when"
        none={view.t('Any time')}
        choices={spans}
        chosen={chosen.when}
      />
      {chosen.filter.record_id !== undefined && (
        <label class="check">
          <input type="checkbox" name="record_id" value={chosen.filter.record_id} checked />
          <span>{view.t('Only one record')}</span>
        </label>
      )}
    </FilterForm>
  )
}

const Changes = ({ view, rows }: { view: View; rows: readonly ChangeRow[] }) => (
  <Table
    view={view}
    caption={view.t('Changes, newest first')}
    records={rows}
    pathOf={({ event }) => `/audit/${event.audit_event_id}`}
    columns={[
      {
        label: 'What',
        of: ({ done, subject }) => (
          <>
            {done}
            <span class="hidden-text"> {subject.words}</span>
          </>
        ),
      },
      {
        label: 'Record',
        of: ({ subject }) => (
          <>
            <SubjectLink view={view} subject={subject} />
            {subject.part && <div class="hint">{subject.part}</div>}
          </>
        ),
      },
      { label: 'Who', of: ({ who }) => who },
      { label: 'How', of: ({ how }) => how, wide: true },
      { label: 'When', of: ({ event }) => <Moment view={view} at={event.occurred_at} /> },
    ]}
  />
)

async function eventPage(view: View, told: ToldChange) {
  const { event, subject, title, who, how, stored, facts } = told
  const values = await withPieces(told.values)
  const address = addressOf(view, subject.at)
  const others = `${panelPath}/audit?${new URLSearchParams({ record_id: event.record_id })}`
  return (
    <TitledPage
      view={view}
      title={title}
      crumbs={[{ word: view.t('Audit log'), path: '/audit' }]}
      column
      actions={
        address !== undefined && (
          <a class="button next" href={address}>
            {view.t('Open {kind}', {
              kind: subject.at?.resource === 'entry' ? view.t('entry') : subject.kind,
            })}
          </a>
        )
      }
    >
      <p class="meta">
        <span>{who}</span>
        <Moment view={view} at={event.occurred_at} />
        <span>{how}</span>
      </p>
      <section aria-labelledby="values">
        <h2 id="values">{view.t('What changed')}</h2>
        {values.length === 0 && <p class="quiet">{view.t(noValues)}</p>}
        <dl class="differences">
          {values.map(({ label, ...difference }) => (
            <div>
              <dt>{label}</dt>
              <dd>
                <TextDifference view={view} of={difference} />
              </dd>
            </div>
          ))}
        </dl>
        <details>
          <summary>{view.t('Stored data')}</summary>
          <h3>{view.t('Before')}</h3>
          <pre class="code" tabindex={0}>
            {stored.before}
          </pre>
          <h3>{view.t('After')}</h3>
          <pre class="code" tabindex={0}>
            {stored.after}
          </pre>
        </details>
      </section>
      <section aria-labelledby="about">
        <h2 id="about">{view.t('About')}</h2>
        <dl class="facts">
          {facts.map(([name, text]) => (
            <>
              <dt>{view.t(name)}</dt>
              <dd class="mono">{name === 'Record' ? <a href={others}>{text}</a> : text || '–'}</dd>
            </>
          ))}
        </dl>
      </section>
    </TitledPage>
  )
}
