import type { Child } from 'hono/jsx'
import type { Ctx } from '../middleware/context.js'
import { type Entry, type Kind, type Model, modelOf } from '../resources/entries.js'
import type { Choice } from '../resources/form-field.js'
import { kindsOfTrees, kindsWithoutPage, treesWithoutPage } from '../resources/kinds.js'
import { pageRows, type RootRow, type TreeRow, treeRows } from '../resources/views/pages.js'
import type { PanelContext } from './context.js'
import { Chooser, known } from './filters.js'
import { TitledPage } from './layout.js'
import { type Column, List, sliceOf } from './list.js'
import type { Pages } from './pages.js'
import { Act, Moment, State, Submit } from './parts.js'
import type { View } from './view.js'

const at = '/content'
export const entryPath = (id: string): string => `/content/entry/${id}`

interface Props {
  readonly view: View
  readonly context: PanelContext
  readonly model: Model
}

/** What the list is narrowed to. */
interface Chosen {
  readonly kind: Kind | undefined
  readonly state: StateChoice | undefined
}

/** As the address has them. The first two are the status of entries, whether or not something waits or is planned. */
const stateChoices = ['draft', 'published', 'scheduled', 'changed'] as const
type StateChoice = (typeof stateChoices)[number]
const states: readonly Choice[] = [
  { value: 'draft', word: 'Draft' },
  { value: 'published', word: 'Published' },
  { value: 'scheduled', word: 'Scheduled' },
  { value: 'changed', word: 'Unpublished changes' },
]
/** Of more the first ones are listed: the next in time, or those that wait longest. */
const maxOfState = 500

const choicesOf = (kinds: readonly Kind[]): Choice[] =>
  kinds.map(({ datatype_id, label }) => ({ value: datatype_id, word: label }))

function chosenIn(c: Ctx, model: Model): Chosen {
  const kind = model.datatypes.get(known(choicesOf(kindsOfTrees(model)), c.req.query('datatype_id')) ?? '')
  return { kind, state: known(states, c.req.query('status')) as Chosen['state'] }
}

const addressOfList = ({ kind, state }: Chosen): string =>
  `${at}?${new URLSearchParams({ ...(kind && { datatype_id: kind.datatype_id }), ...(state && { status: state }) })}`

/** Where the trees of a kind are listed, under `/admin`. */
export const addressOfKind = ({ datatype_id }: Pick<Kind, 'datatype_id'>): string =>
  `${at}?datatype_id=${datatype_id}`

/** The list of pages, and of the trees of one kind or in one state. */
export function contentList({ get }: Pages, context: PanelContext): void {
  get(at, 'content:update', async (view, c) => {
    const model = await modelOf(context)
    const props = { view, context, model }
    const chosen = chosenIn(c, model)
    const isNarrowed = chosen.kind !== undefined || chosen.state !== undefined
    return (
      <TitledPage view={view} title="Content" actions={await actionsOf(props, chosen)}>
        <Filters view={view} kinds={kindsOfTrees(model)} chosen={chosen} />
        {isNarrowed ? await entriesOf(c, props, chosen) : await routesOf(c, props)}
        {!isNarrowed && (await Globals(props))}
      </TitledPage>
    )
  })
}

function actionsOf({ view }: Props, { kind }: Chosen): Child {
  if (kind?.type === '_global') return view.can('content:create') && <NewGlobal view={view} kind={kind} />
  return (
    view.can('routes:create') &&
    view.can('content:create') && (
      <a class="button next" href={`${view.base}/content/new`}>
        New page
      </a>
    )
  )
}

const NewGlobal = ({ view, kind: { datatype_id, label } }: { view: View; kind: Kind }) => (
  <Act view={view} action="/content-global" values={{ datatype_id }}>
    New {label}
  </Act>
)

const Filters = ({ view, kinds, chosen }: { view: View; kinds: readonly Kind[]; chosen: Chosen }) => (
  <form class="filters" method="get" action={`${view.base}${at}`}>
    <Chooser
      label="Kind"
      name="datatype_id"
      none="All pages"
      choices={choicesOf(kinds)}
      chosen={chosen.kind?.datatype_id}
    />
    <Chooser label="State" name="status" none="Any" choices={states} chosen={chosen.state} />
    <Submit>Filter</Submit>
  </form>
)

const StateOf = ({ state: { kind, word } }: TreeRow) => <State kind={kind}>{word}</State>

/** The state of a tree, and when it was changed. */
const lastColumns = (view: View): Column<TreeRow>[] => [
  { label: 'State', of: row => <StateOf {...row} /> },
  { label: 'Changed', of: ({ changed }) => <Moment view={view} at={changed} />, wide: true },
]

/** Which trees are in a state. */
async function inState(
  state: StateChoice | undefined,
  { services: { space } }: PanelContext,
): Promise<{ status?: Entry['status']; content_data_id?: string[] }> {
  switch (state) {
    case 'scheduled':
      return {
        content_data_id: (await space.publishing.planned(maxOfState)).map(one => one.content_data_id),
      }
    case 'changed':
      return { content_data_id: (await space.changes.waiting(maxOfState)).map(({ root_id }) => root_id) }
    default:
      return state ? { status: state } : {}
  }
}

/** Addresses with what is on them, in the order in which they were made. */
async function routesOf(c: Ctx, { view, context }: Props) {
  const slice = await sliceOf(c, context.services.space.routes, {}, ({ route_id }) => route_id)
  return (
    <List
      view={view}
      caption="Pages"
      slice={{ ...slice, records: await pageRows(slice.records, context) }}
      path={at}
      pathOf={({ root, route }) => (root ? entryPath(root.content_data_id) : `/content/${route?.route_id}`)}
      columns={[
        { label: 'Page', of: ({ title }) => title },
        { label: 'Slug', of: ({ route }) => <code>{route?.slug}</code> },
        ...lastColumns(view),
      ]}
      empty={<p>There is no page yet.</p>}
    />
  )
}

/** The trees that were chosen, on pages or not, newest first. */
async function entriesOf(c: Ctx, { view, context, model }: Props, chosen: Chosen) {
  const { kind, state } = chosen
  const ofKind = kind && { datatype_id: kind.datatype_id }
  const where = { parent_id: null, ...ofKind, ...(await inState(state, context)) }
  const { content } = context.services.space
  const slice = await sliceOf(c, content, where, root => root.content_data_id, true)
  const kindColumn: Column<TreeRow> = {
    label: 'Kind',
    of: ({ root }) => model.datatypes.get(root?.datatype_id ?? '')?.label,
    wide: true,
  }
  const slugColumn: Column<TreeRow> = { label: 'Slug', of: ({ route }) => route && <code>{route.slug}</code> }
  return (
    <List<RootRow>
      view={view}
      caption="Entries, newest first"
      slice={{ ...slice, records: await treeRows(slice.records, model, context) }}
      path={addressOfList(chosen)}
      pathOf={({ root }) => entryPath(root.content_data_id)}
      columns={[
        { label: kind?.label ?? 'Entry', of: ({ title }) => title },
        ...(kind ? [] : [kindColumn]),
        ...(kind?.type === '_global' ? [] : [slugColumn]),
        ...lastColumns(view),
      ]}
      empty={<p>There is none.</p>}
    />
  )
}

/** Trees that are on no page, such as menus: each of them, or how many there are of a kind. */
async function Globals(props: Props) {
  const { view, context, model } = props
  const kinds = kindsWithoutPage(model)
  if (kinds.length === 0) return null
  const { few, many } = await treesWithoutPage(model, context)
  const rows = await treeRows(few, model, context)
  return (
    <section aria-labelledby="global">
      <h2 id="global">Without a page</h2>
      <ul class="rows">
        {many.map(({ kind, total }) => (
          <li>
            <a href={`${view.base}${addressOfKind(kind)}`}>{kind.label}</a>
            <span class="quiet">{total} entries</span>
          </li>
        ))}
        {rows.map(row => (
          <li>
            <a href={`${view.base}${entryPath(row.root.content_data_id)}`}>{row.title}</a>
            <StateOf {...row} />
          </li>
        ))}
      </ul>
      {view.can('content:create') && (
        <div class="actions">
          {kinds.map(kind => (
            <NewGlobal view={view} kind={kind} />
          ))}
        </div>
      )}
    </section>
  )
}
