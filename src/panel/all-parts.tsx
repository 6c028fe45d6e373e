import { notFound } from '../errors.js'
import type { StateKind } from '../resources/resource.js'
import type { PanelContext } from './context.js'
import { type Field, Fields } from './controls.js'
import { TitledPage } from './layout.js'
import { List } from './list.js'
import { type Draft, pages } from './pages.js'
import { DeleteLink, Empty, Form, Icon, Moment, Note, State } from './parts.js'
import type { View } from './view.js'

const path = '/parts'

const states: readonly (readonly [StateKind, string])[] = [
  ['live', 'Published'],
  ['draft', 'Draft'],
  ['due', 'Scheduled'],
  ['changed', 'Unpublished changes'],
  ['bad', 'Failed'],
  ['off', 'Off'],
]

const choices = [
  { value: 'salt', word: 'Salt', hint: 'from the sea' },
  { value: 'pepper', word: 'Pepper' },
]

/** One field of each kind, and each look of a label. */
const fields: readonly Field[] = [
  { name: 'text', label: 'Text', hint: 'a hint', help: 'The help of its author.' },
  { name: 'required', label: 'Required', required: true, placeholder: 'a placeholder', code: 'required' },
  { name: 'half', label: 'Half', kind: 'email' },
  { name: 'other_half', label: 'Other half', kind: 'url', mono: true, beside: true },
  { name: 'number', label: 'Number', kind: 'number' },
  { name: 'date', label: 'Date', kind: 'date', beside: true },
  { name: 'time', label: 'Time', kind: 'datetime', beside: true },
  { name: 'secret', label: 'Secret', kind: 'password' },
  {
    name: 'lines',
    label: 'Lines',
    kind: 'lines',
    rows: 3,
    hint: 'a long hint, which stands below the label because it has no room beside it',
  },
  { name: 'json', label: 'JSON', kind: 'json', mono: true },
  { name: 'html', label: 'Rich text', kind: 'html' },
  { name: 'switch', label: 'Switch', kind: 'switch', words: ['Off', 'On'] },
  { name: 'choice', label: 'Choice', kind: 'choice', choices, none: 'none' },
  { name: 'choices', label: 'Choices', kind: 'choices', choices },
  { name: 'rows', label: 'Rows', kind: 'rows', columns: ['Value', 'Label'], add: 'Add a row' },
  { name: 'fixed', label: 'Fixed', kind: 'fixed' },
  { name: 'folded', label: 'Folded', folded: 'More', group: 'A group' },
]

const record = {
  text: 'Harbour',
  half: 'ada@example.com',
  other_half: 'https://example.com',
  number: 12,
  date: '2026-05-01',
  time: '2026-05-01T08:30',
  lines: 'one\ntwo',
  json: '{"a": 1}',
  html: '<p>A <strong>word</strong>.</p>',
  switch: true,
  choice: 'salt',
  choices: ['pepper'],
  rows: ['a', 'A'],
  fixed: 'cannot be changed',
}

const refused: Draft = {
  texts: { missing: '', wrong: 'twelve' },
  errors: new Map([
    ['missing', 'is required'],
    ['wrong', 'must be a number'],
  ]),
  problem: undefined,
  changed: false,
}

/** The names are others than above, since a page has each only once. */
const refusedFields: readonly Field[] = [
  { name: 'missing', label: 'Missing', required: true },
  { name: 'wrong', label: 'Wrong', kind: 'number' },
]

const hour = 3_600_000

/**
 * Every control, state and note on one page, for those who change the panel. Only in the environment `local`: it is
 * the same for everybody and shows no data.
 */
export function partPages(context: PanelContext) {
  const set = pages(context, 'parts')
  set.get(path, 'signed-in', view => {
    if (!context.config().environment.startsWith('local')) throw notFound()
    return (
      <TitledPage view={view} title="Parts" column>
        <Buttons view={view} />
        <States view={view} />
        <Notes view={view} />
        <Lists view={view} />
        <section aria-labelledby="controls">
          <h2 id="controls">Controls</h2>
          <Form view={view} action={path}>
            <Fields view={view} fields={fields} record={record} />
          </Form>
        </section>
        <section aria-labelledby="refused">
          <h2 id="refused">A refused form</h2>
          <Form view={view} action={path}>
            <Fields view={view} fields={refusedFields} draft={refused} />
          </Form>
        </section>
      </TitledPage>
    )
  })
  return set
}

const Buttons = ({ view }: { view: View }) => (
  <section aria-labelledby="buttons">
    <h2 id="buttons">Buttons</h2>
    <div class="actions">
      {['', 'next', 'bare', 'bad', 'chosen'].map(kind => (
        <button type="button" class={`button ${kind}`}>
          {kind || 'plain'}
        </button>
      ))}
      <button type="button" class="button" disabled>
        disabled
      </button>
      <button type="button" class="button">
        <Icon view={view} name="add" />
        with an icon
      </button>
    </div>
  </section>
)

const States = ({ view }: { view: View }) => (
  <section aria-labelledby="states">
    <h2 id="states">States and times</h2>
    <p>
      {states.map(([kind, word]) => (
        <>
          <State kind={kind}>{word}</State>{' '}
        </>
      ))}
    </p>
    <p>
      {[-1000, -5 * 60_000, -3 * hour, 2 * hour, -90 * 24 * hour].map(distance => (
        <>
          <Moment view={view} at={view.now + distance} />
          {' · '}
        </>
      ))}
      <Moment view={view} at={null} />
    </p>
  </section>
)

const Notes = ({ view }: { view: View }) => (
  <section aria-labelledby="notes">
    <h2 id="notes">Notes and questions</h2>
    <Note view={view}>A note.</Note>
    <Note view={view} kind="bad">
      A problem.
    </Note>
    <Empty>
      <p>Nothing is here yet.</p>
      <a class="button" href={`${view.base}${path}`}>
        The first action
      </a>
    </Empty>
    <DeleteLink view={view} path={path} name="Harbour" />
  </section>
)

const Lists = ({ view }: { view: View }) => (
  <section aria-labelledby="lists">
    <h2 id="lists">Lists</h2>
    <List
      view={view}
      caption="States"
      columns={[
        { label: 'Name', of: ([, word]) => word },
        { label: 'State', of: ([kind, word]) => <State kind={kind}>{word}</State> },
        { label: 'Address', of: ([kind]) => <code>{kind}</code>, wide: true },
      ]}
      slice={{ records: states, next: 'off', total: 12 }}
      path={path}
      empty=""
    />
  </section>
)
