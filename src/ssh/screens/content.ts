import type { z } from 'zod'
import { all, isTitle, type Kind, modelOf, startsOf } from '../../resources/entries.js'
import type { Texts } from '../../resources/form-field.js'
import { kindsWithoutPage, treesWithoutPage } from '../../resources/kinds.js'
import { askedPage, newPageFields, withFreeSlug } from '../../resources/new-page.js'
import { stateWord } from '../../resources/trees.js'
import { authorsOf } from '../../resources/views/audit-subjects.js'
import { pageRows, type TreeRow, treeRows } from '../../resources/views/pages.js'
import { workListPage } from '../../resources/views/work-list.js'
import { parsed } from '../../routes/form-values.js'
import { ContentCreate } from '../../services/content/content-input.js'
import { PageCreate } from '../../services/content/routes.js'
import type { treeOrders } from '../../services/content/work-list.js'
import { english } from '../../texts/language.js'
import { t } from '../../texts/terminal.js'
import { placeAddress } from '../addresses.js'
import { formView } from '../screen/form.js'
import { listView } from '../screen/list.js'
import type { Cell, Column, Copied, ListKey, Order } from '../screen/list-spec.js'
import { pickView } from '../screen/over.js'
import { plain } from '../screen/style.js'
import type { AnyView, Shell } from '../screen/view.js'
import type { Session } from '../session.js'
import { treesKeys } from './content-keys.js'
import { pageReader } from './reader.js'
import { treeScreen } from './tree.js'
import { stateCell, timeWord } from './words.js'

/** A page of the site, a tree without a page, or a datatype of such trees. */
interface Place extends TreeRow {
  readonly many?: { readonly kind: Kind; readonly total: number }
  /** Its datatype and its author, where the list is in an order of the service. */
  readonly type?: string
  readonly author?: string
}

const reads = 'content:update'
const maxFound = 100

async function withoutPage(session: Session): Promise<Place[]> {
  const model = await modelOf(session)
  const { few, many } = await treesWithoutPage(model, session)
  const kinds = many.map(
    (one): Place => ({
      many: one,
      root: undefined,
      route: undefined,
      title: one.kind.label,
      state: { kind: 'off' },
      changed: one.kind.date_modified,
    }),
  )
  return [...kinds, ...(await treeRows(few, model, session))]
}

const copied = (place: Place): Copied => ({
  id: place.root?.content_data_id ?? placeKey(place),
  address: place.route?.slug,
})

/** The slug of a page, which is a hyperlink to it, or how many entries there are. */
function slugCell({ many, route, root }: Place, session: Session): string | Cell {
  if (many) return t('({n} entries)', { n: many.total })
  if (!route) return ''
  return { text: route.slug, style: plain, isPath: true, link: placeAddress(session, route.slug, root) }
}

const placeKey = ({ many, route, root }: Place): string =>
  many?.kind.datatype_id ?? route?.route_id ?? root?.content_data_id ?? ''

const lastColumns = (session: Session): Column<Place>[] => [
  { label: t('Datatype'), of: ({ type = '' }) => type, by: 'datatype', isOnlyOrdered: true },
  {
    label: t('State'),
    of: ({ state, many }) => stateCell(state.kind, many ? '' : stateWord(state, english)),
    by: 'state',
  },
  { label: t('Author'), of: ({ author = '' }) => author, by: 'author', isOnlyOrdered: true },
  { label: t('Changed'), of: ({ changed }) => timeWord(changed, session), by: 'changed', wide: true },
]

type By = (typeof treeOrders)[number]

/** The orders by the columns of a list; changes begin with the newest. */
const ordersBy = (...columns: readonly By[]): Order[] =>
  columns.map(by => ({ by, descending: by === 'changed' }))

/** The most trees that are read at once. */
const mostRead = 200

/** Returns trees in an order of the service, those with words or all of them. */
async function orderedPlaces(
  session: Session,
  { by, descending }: Order,
  { limit, offset, kind, q = '' }: { limit: number; offset: number; kind?: string; q?: string },
): Promise<{ records: Place[]; total: number }> {
  const model = await modelOf(session)
  const nothing = { kind, state: undefined, author: undefined, page: 1 }
  const asked = { ...nothing, q: q.trim().slice(0, 200), by: by as By, descending }
  const records: Place[] = []
  let total = 0
  for (let read = 0; read < limit; read += mostRead) {
    const slice = { limit: Math.min(mostRead, limit - read), offset: offset + read }
    const found = await workListPage(asked, model, session, slice)
    total = found.total
    records.push(...(await treeRows(found.roots, model, session)))
    if (offset + read + slice.limit >= total) break
  }
  const authors = records.map(({ root }) => ({ user_id: root?.author_id ?? null }))
  const nameOf = await authorsOf(authors, session.services)
  return {
    total,
    records: records.map(place => ({
      ...place,
      type: model.datatypes.get(place.root?.datatype_id ?? '')?.label ?? '',
      author: nameOf({ user_id: place.root?.author_id ?? null }),
    })),
  }
}

async function foundInOrder(session: Session, q: string, order: Order, kind?: string) {
  const which = { limit: maxFound, offset: 0, q, ...(kind === undefined ? {} : { kind }) }
  const { records, total } = await orderedPlaces(session, order, which)
  return { records, isMore: total > records.length }
}

function kindScreen(session: Session, { datatype_id, label }: Kind): AnyView {
  const { content } = session.services.space
  const where = { datatype_id, parent_id: null }
  return listView<Place>({
    title: label,
    access: reads,
    orders: ordersBy('title', 'state', 'author', 'changed'),
    async load({ limit, after, offset, order }) {
      if (order) return orderedPlaces(session, order, { limit, offset, kind: datatype_id })
      const roots = await all(content.list(where, { limit, after, newestFirst: true }))
      const records = await treeRows(roots, await modelOf(session), session)
      return { records, total: await content.count(where) }
    },
    async find(text, order) {
      if (order) return foundInOrder(session, text, order, datatype_id)
      const model = await modelOf(session)
      const titles = (model.fieldsOf.get(datatype_id) ?? []).filter(isTitle).slice(0, 1)
      const fields = titles.map(({ field_id }) => field_id)
      const ids = await session.services.space.matchingEntries(text, fields, maxFound + 1)
      const found = { ...where, content_data_id: ids.slice(0, maxFound) }
      const roots = ids.length === 0 ? [] : await all(content.list(found, {}))
      return { records: await treeRows(roots, model, session), isMore: ids.length > maxFound }
    },
    keyOf: placeKey,
    mayTick: ({ root }) => root !== undefined,
    empty: t('No entries.'),
    copied,
    columns: [{ label, of: ({ title }) => title, by: 'title' }, ...lastColumns(session)],
    ...pageReader<Place>(session),
    keys: [
      {
        key: 'Enter',
        does: t('open'),
        run: (shell, { root, title }) => root && shell.open(treeScreen(session, root.content_data_id, title)),
      },
      ...treesKeys(session, placeKey),
    ],
  })
}

/** Opens the tree of a page. */
export function routeView<S>(
  session: Session,
  shell: Shell<S>,
  { route_id, title }: { route_id: string; title: string },
): void {
  shell.work(reads, async () => shell.open(await pageView(session, { route_id, title })))
}

/** Returns the tree of a page; for a page without an entry the question for the datatype to start with. */
export async function pageView(
  session: Session,
  { route_id, title }: { route_id: string; title: string },
): Promise<AnyView> {
  const [root] = await all(session.services.space.content.list({ route_id }, { limit: 1 }))
  return root
    ? treeScreen(session, root.content_data_id, title)
    : startView(session, t('Datatype of “{title}”', { title }), { route_id })
}

async function startView(session: Session, title: string, place: { route_id?: string }): Promise<AnyView> {
  const model = await modelOf(session)
  const kinds = kindsWithoutPage(model)
  const choices =
    place.route_id === undefined
      ? kinds.map(({ datatype_id, label }) => ({ value: datatype_id, word: label }))
      : startsOf(model, undefined)
  return pickView({
    title,
    choices,
    picked: ([datatype_id], _choices, shell) =>
      shell.work('content:create', async () => {
        const given = ContentCreate.parse({ datatype_id, ...place })
        const { content_data_id } = await session.services.space.content.create(session.actor, given)
        shell.open(treeScreen(session, content_data_id, title))
      }),
  })
}

/** Returns the address that the service would give a page with this title; empty without one. */
export async function madeSlug(session: Session, { title, datatype_id = '' }: Texts): Promise<string> {
  const named = PageCreate.shape.title.safeParse(title)
  if (!named.success) return ''
  return session.services.space.slugs.made({ title: named.data, datatype_id: String(datatype_id) })
}

/** The form of a new page. */
export function newPage(session: Session): AnyView {
  return formView(
    {
      readAccess: 'content:create',
      saveAccess: 'content:create',
      load: async () => ({
        record: undefined,
        title: t('New page'),
        fields: await newPageFields(await modelOf(session), session, session),
      }),
      async save(texts) {
        await session.need('routes:create')
        const given: z.output<typeof PageCreate> = parsed(PageCreate, askedPage(texts))
        const { entry, route } = await withFreeSlug(given.slug, session, session, () =>
          session.services.space.content.createPage(session.actor, given),
        )
        return shell => shell.replace(treeScreen(session, entry.content_data_id, route.title))
      },
      keys: [],
      derived: {
        field: 'slug',
        of: ['title', 'datatype_id'],
        make: texts => madeSlug(session, texts),
      },
    },
    t('New page'),
  )
}

/** Pages, and trees without a page. */
export function contentScreen(session: Session): AnyView {
  const keys: ListKey<Place>[] = [
    {
      key: 'Enter',
      does: t('open'),
      run(shell, { root, route, many, title }) {
        if (many) shell.open(kindScreen(session, many.kind))
        else if (root) shell.open(treeScreen(session, root.content_data_id, title))
        else if (route) routeView(session, shell, route)
      },
    },
  ]
  if (session.can('content:create') && session.can('routes:create'))
    keys.push({ key: 'n', does: t('new page'), ofList: true, run: shell => shell.open(newPage(session)) })
  if (session.can('content:create'))
    keys.push({
      key: 'N',
      does: t('new shared content'),
      ofList: true,
      run: shell =>
        shell.work('content:create', async () => {
          shell.open(await startView(session, t('Datatype of the new content'), {}))
        }),
    })
  keys.push(...treesKeys(session, placeKey))
  return listView<Place>({
    title: t('Content'),
    access: reads,
    orders: ordersBy('title', 'address', 'datatype', 'state', 'author', 'changed'),
    async load({ limit, after, offset, order }) {
      if (order) return orderedPlaces(session, order, { limit, offset })
      const listed = session.services.space.routes.list({}, { limit, after })
      const found = await pageRows(await all(listed), session)
      const first = after === undefined ? await withoutPage(session) : []
      return {
        records: [...first, ...found],
        total: first.length + (await session.services.space.routes.count({})),
      }
    },
    async find(text, order) {
      if (order) return foundInOrder(session, text, order)
      const { space } = session.services
      const { keys: route_id, isMore } = await space.matchingRoutes(text)
      const found = route_id.length === 0 ? [] : await all(space.routes.list({ route_id }, {}))
      return { records: await pageRows(found, session), isMore }
    },
    keyOf: placeKey,
    mayTick: ({ root }) => root !== undefined,
    copied,
    empty: t('No pages yet.'),
    columns: [
      { label: t('Page'), of: ({ title }) => title, by: 'title' },
      { label: t('Slug'), of: place => slugCell(place, session), by: 'address' },
      ...lastColumns(session),
    ],
    keys,
    ...pageReader<Place>(session),
  })
}
