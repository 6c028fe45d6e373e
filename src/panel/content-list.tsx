import type { Ctx } from '../middleware/context.js'
import { all, type Kind, type Model, modelOf } from '../resources/entries.js'
import type { Choice } from '../resources/form-field.js'
import { kindsWithoutPage } from '../resources/kinds.js'
import { authorsOf } from '../resources/views/audit-subjects.js'
import { treeRows } from '../resources/views/pages.js'
import { picturesOf } from '../resources/views/pictures.js'
import {
  kindChoices,
  maxFoundTrees,
  stateChoices,
  treesOnPage,
  type WorkListAsked,
  workListPage,
} from '../resources/views/work-list.js'
import { treeOrders } from '../services/content/work-list.js'
import type { PanelContext } from './context.js'
import { isShared } from './entry-shown.js'
import { Chooser, FilterForm, known } from './filters.js'
import { TitledPage } from './layout.js'
import type { Pages } from './pages.js'
import { Act, Empty, Note } from './parts.js'
import { SavedViews, viewQuery } from './saved-views.js'
import type { View } from './view.js'
import { doneIn } from './work-actions.js'
import { addressOf, contentPath, queryOf, WorkTable } from './work-table.js'

const [maxPeople, maxEmpty] = [200, 5]
const maxPage = 10_000
const noPictures: Awaited<ReturnType<typeof picturesOf>> = new Map()

interface Props {
  readonly view: View
  readonly context: PanelContext
  readonly model: Model
  readonly asked: WorkListAsked
}

/** Returns the list of the trees of a datatype, under `/admin`. */
export const addressOfKind = ({ datatype_id }: Pick<Kind, 'datatype_id'>): string =>
  `${contentPath}?datatype_id=${datatype_id}`

/** Reads the filters and the order from the address; invalid ones are left out. */
function askedIn(view: View, c: Ctx, model: Model, people: readonly Choice[]): WorkListAsked {
  const sort = c.req.query('sort') ?? ''
  const by = treeOrders.find(order => order === sort.replace(/^-/, ''))
  const page = Number(c.req.query('page') ?? 1)
  return {
    q: (c.req.query('q') ?? '').trim().slice(0, 200),
    kind: known(kindChoices(model, view), c.req.query('datatype_id')),
    state: known(stateChoices(view), c.req.query('status')) as WorkListAsked['state'],
    author: known(people, c.req.query('author')),
    by: by ?? 'changed',
    descending: by === undefined || sort.startsWith('-'),
    page: Number.isInteger(page) && page >= 1 && page <= maxPage ? page : 1,
  }
}

/** The authors to filter by: everybody if the user may see people, else only the user. */
async function peopleFor({ user, can, t }: View, { services }: PanelContext): Promise<Choice[]> {
  const me = user ? [{ value: user.user_id, word: t('Me') }] : []
  if (!can('users:read')) return me
  const found = await all(services.users.list({}, { limit: maxPeople }))
  const others = found
    .filter(({ user_id }) => user_id !== user?.user_id)
    .map(({ user_id, name, username }) => ({ value: user_id, word: name || username }))
  return [...me, ...others.toSorted((a, b) => a.word.localeCompare(b.word))]
}

/** The list of the site's trees, on pages or not, with search and filters. */
export function contentList({ get }: Pages, context: PanelContext): void {
  get(contentPath, 'content:update', async (view, c) => {
    const model = await modelOf(context)
    const people = await peopleFor(view, context)
    const asked = askedIn(view, c, model, people)
    const props = { view, context, model, asked }
    const isAll = !(asked.q || asked.kind || asked.state || asked.author)
    const done = doneIn(c.req.query('done'), view)
    return (
      <TitledPage view={view} title={view.t('Content')} actions={await NewOnes(props)}>
        {done !== undefined && (
          <div role="status">
            <Note view={view}>{done}</Note>
          </div>
        )}
        {await SavedViews({ view, c, context, path: contentPath, query: viewQuery(queryOf(asked)) })}
        <Filters view={view} asked={asked} kinds={kindChoices(model, view)} people={people} />
        {await Trees({ ...props, isAll })}
        {isAll && asked.page === 1 && (await EmptyAddresses(props))}
      </TitledPage>
    )
  })
}

interface FiltersProps {
  view: View
  asked: WorkListAsked
  kinds: readonly Choice[]
  people: readonly Choice[]
}

const Filters = ({ view, asked, kinds, people }: FiltersProps) => (
  <FilterForm
    view={view}
    path={contentPath}
    set={[asked.kind, asked.state, asked.author].filter(Boolean).length}
    seek={
      <label class="seek">
        {view.t('Search')}
        <input
          class="input"
          type="search"
          id="content-q"
          name="q"
          value={asked.q}
          maxlength={200}
          placeholder={view.t('Title, address or text')}
        />
      </label>
    }
  >
    <Chooser
      label={view.t('Datatype')}
      name="datatype_id"
      none={view.t('Any')}
      choices={kinds}
      chosen={asked.kind}
    />
    <Chooser
      label={view.t('State')}
      name="status"
      none={view.t('Any')}
      choices={stateChoices(view)}
      chosen={asked.state}
    />
    <Chooser
      label={view.t('Author')}
      name="author"
      none={view.t('Anyone')}
      choices={people}
      chosen={asked.author}
    />
    <input type="hidden" name="sort" value={`${asked.descending ? '-' : ''}${asked.by}`} />
  </FilterForm>
)

async function NewOnes({ view, model, asked }: Props) {
  if (!view.can('content:create')) return null
  const { create } = await view.mayChange(null)
  const chosen = model.datatypes.get(asked.kind ?? '')
  const shared = kindsWithoutPage(model).filter(kind => create(kind.datatype_id))
  if (chosen?.type === '_global') return create(chosen.datatype_id) && <NewShared view={view} kind={chosen} />
  return (
    <>
      {shared.length > 0 && (
        <details class="menu wide">
          <summary class="button">{view.t('New shared content')}</summary>
          <div class="menu-items">
            {shared.map(kind => (
              <NewShared view={view} kind={kind} />
            ))}
          </div>
        </details>
      )}
      {view.can('routes:create') && (
        <a class="button next" href={`${view.base}/content/new`}>
          {view.t('New page')}
        </a>
      )}
    </>
  )
}

const NewShared = ({ view, kind: { datatype_id, label } }: { view: View; kind: Kind }) => (
  <Act view={view} action="/content-global" values={{ datatype_id }}>
    {view.t('New {datatype}', { datatype: label })}
  </Act>
)

async function Trees({ view, context, model, asked, isAll }: Props & { isAll: boolean }) {
  const { roots, total, isCut } = await workListPage(asked, model, context)
  if (roots.length === 0 && asked.page === 1) return <None view={view} asked={asked} isAll={isAll} />
  const rows = await treeRows(roots, model, context)
  const pictures = view.can('media:read') ? await picturesOf(roots, model, context) : noPictures
  const nameOf = await authorsOf(
    rows.map(({ root }) => ({ user_id: root.author_id })),
    context.services,
    view,
  )
  const mayChange = await view.mayChangeEach(rows.map(({ root }) => root.content_data_id))
  const first = (asked.page - 1) * treesOnPage
  return (
    <>
      {isCut && (
        <p class="quiet">
          {view.t('The first {n} results for “{words}”. Add words to narrow the search.', {
            words: asked.q,
            n: maxFoundTrees,
          })}
        </p>
      )}
      <WorkTable
        view={view}
        asked={asked}
        rows={rows.map(row => ({
          ...row,
          type: model.datatypes.get(row.root.datatype_id)?.label ?? '',
          author: nameOf({ user_id: row.root.author_id }),
          picture: pictures.get(row.root.content_data_id),
          isShared: isShared({ mayChange: mayChange(row.root.content_data_id) }),
        }))}
      />
      <p class="pager">
        <span>
          {rows.length === total
            ? view.t('{n} in all', { n: total })
            : view.t('{first}–{last} of {n}', { first: first + 1, last: first + rows.length, n: total })}
        </span>
        {asked.page > 1 && (
          <a href={`${view.base}${addressOf(asked, { page: asked.page - 1 })}`}>
            {view.t('Previous {n}', { n: treesOnPage })}
          </a>
        )}
        {first + rows.length < total && (
          <a href={`${view.base}${addressOf(asked, { page: asked.page + 1 })}`}>
            {view.t('Next {n}', { n: treesOnPage })}
          </a>
        )}
      </p>
    </>
  )
}

function None({ view, asked, isAll }: { view: View; asked: WorkListAsked; isAll: boolean }) {
  const mayMake = view.can('routes:create') && view.can('content:create')
  if (isAll)
    return (
      <Empty>
        <p>{view.t('No pages yet.')}</p>
        {mayMake && (
          <a class="button" href={`${view.base}/content/new`}>
            {view.t('New page')}
          </a>
        )}
      </Empty>
    )
  return (
    <Empty>
      <p>
        {asked.q === ''
          ? view.t('No entry matches these filters.')
          : view.t('No results for “{words}”.', { words: asked.q })}
      </p>
      <a class="button" href={`${view.base}${contentPath}`}>
        {view.t('Show all content')}
      </a>
    </Empty>
  )
}

async function EmptyAddresses({ view, context }: Props) {
  const { workList, routes } = context.services.space
  const route_id = await workList.emptyRoutes(maxEmpty + 1)
  if (route_id.length === 0) return null
  const found = await all(routes.list({ route_id: route_id.slice(0, maxEmpty) }, {}))
  return (
    <section aria-labelledby="no-page">
      <h2 id="no-page">{view.t('Addresses without a page')}</h2>
      <ul class="rows">
        {found.map(({ route_id: id, title, slug }) => (
          <li>
            <a href={`${view.base}/content/${id}`}>{title}</a>
            <code>{slug}</code>
          </li>
        ))}
      </ul>
      {route_id.length > maxEmpty && (
        <p class="quiet">{view.t('Only the first {n} are shown.', { n: maxEmpty })}</p>
      )}
    </section>
  )
}
