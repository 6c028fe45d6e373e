import type { z } from 'zod'
import { all, type Entry, type Kind, modelOf, startsOf, titlesOf } from '../../resources/entries.js'
import { kindsWithoutPage, treesWithoutPage } from '../../resources/kinds.js'
import { newPageFields } from '../../resources/new-page.js'
import { parsed } from '../../routes/form-values.js'
import { ContentCreate } from '../../services/content/content-input.js'
import { PageCreate } from '../../services/content/routes.js'
import { formView } from '../screen/form.js'
import { type ListKey, listView } from '../screen/list.js'
import { pickView } from '../screen/over.js'
import type { AnyView, Shell } from '../screen/view.js'
import type { Session } from '../session.js'
import { treeScreen } from './tree.js'
import { stateCell, timeWord } from './words.js'

/** A page of the site, a tree that is on none, or a kind of such trees. */
interface Place {
  readonly id: string
  readonly title: string
  readonly slug: string
  readonly changed: string
  readonly routeId?: string
  readonly root: { content_data_id: string; status: string } | undefined
  /** What has many trees without a page, which are a list of their own. */
  readonly kind?: Kind
}

const reads = 'content:update'

async function pages(
  { services: { space } }: Session,
  slice: { limit: number; after?: string },
): Promise<Place[]> {
  const routes = await all(space.routes.list({}, slice))
  const route_id = routes.map(route => route.route_id)
  const roots = route_id.length === 0 ? [] : await all(space.content.list({ route_id }, { limit: 5000 }))
  const rootOf = new Map(roots.map(root => [root.route_id, root]))
  return routes.map(route => ({
    id: route.route_id,
    title: route.title,
    slug: route.slug,
    changed: route.date_modified,
    routeId: route.route_id,
    root: rootOf.get(route.route_id),
  }))
}

/** A tree that is on no page, such as a menu. */
const placeOf = (root: Entry, titles: ReadonlyMap<string, string>): Place => ({
  id: root.content_data_id,
  title: titles.get(root.content_data_id) ?? '',
  slug: '',
  changed: root.date_modified,
  root,
})

/** Trees that are on no page, and the kinds that have many of them. */
async function withoutPage(session: Session): Promise<Place[]> {
  const model = await modelOf(session)
  const { few, many } = await treesWithoutPage(model, session)
  const titles = await titlesOf(few, model, session)
  const kinds = many.map(({ kind, total }) => ({
    id: kind.datatype_id,
    title: kind.label,
    slug: `(${total} entries)`,
    changed: kind.date_modified,
    root: undefined,
    kind,
  }))
  return [...kinds, ...few.map(root => placeOf(root, titles))]
}

/** All trees of a kind, on pages or not, newest first. */
function kindScreen(session: Session, { datatype_id, label }: Kind): AnyView {
  const { content } = session.services.space
  const where = { datatype_id, parent_id: null }
  return listView<Place>({
    title: label,
    access: reads,
    async load(slice) {
      const roots = await all(content.list(where, { ...slice, newestFirst: true }))
      const titles = await titlesOf(roots, await modelOf(session), session)
      return { records: roots.map(root => placeOf(root, titles)), total: await content.count(where) }
    },
    keyOf: ({ id }) => id,
    empty: 'There is none.',
    columns: [
      { label, of: ({ title }) => title },
      { label: 'State', of: stateOf },
      { label: 'Changed', of: ({ changed }) => timeWord(changed), wide: true },
    ],
    keys: [
      {
        key: 'Enter',
        does: 'open',
        run: (shell, { id, title }) => shell.open(treeScreen(session, id, title)),
      },
    ],
  })
}

const stateOf = ({ root, kind }: Place) =>
  root === undefined
    ? stateCell('off', kind ? '' : 'Empty')
    : root.status === 'published'
      ? stateCell('live', 'Published')
      : stateCell('draft', 'Draft')

/** Opens the tree of a page; where there is none yet, asks what to start from. */
export function routeView<S>(
  session: Session,
  shell: Shell<S>,
  { route_id, title }: { route_id: string; title: string },
): void {
  const { content } = session.services.space
  shell.work(reads, async () => {
    const [root] = await all(content.list({ route_id }, { limit: 1 }))
    if (root) shell.open(treeScreen(session, root.content_data_id, title))
    else shell.open(await startView(session, `What is ${title}?`, { route_id }))
    return state => state
  })
}

/** Asks for the kind of a new entry that is under none, and opens its tree. */
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
        return state => state
      }),
  })
}

/** A page with its address and what it starts from. */
function newPage(session: Session): AnyView {
  return formView(
    {
      readAccess: 'content:create',
      saveAccess: 'content:create',
      load: async () => ({
        record: undefined,
        title: 'New page',
        fields: newPageFields(await modelOf(session)),
      }),
      async save(texts) {
        await session.need('routes:create')
        const given: z.output<typeof PageCreate> = parsed(PageCreate, texts)
        const { entry, route } = await session.services.space.content.createPage(session.actor, given)
        return shell => shell.replace(treeScreen(session, entry.content_data_id, route.title))
      },
      keys: [],
    },
    'New page',
  )
}

/** Pages, and trees that are on none. */
export function contentScreen(session: Session): AnyView {
  const keys: ListKey<Place>[] = [
    {
      key: 'Enter',
      does: 'open',
      run(shell, { root, routeId, kind, title }) {
        if (kind) shell.open(kindScreen(session, kind))
        else if (root) shell.open(treeScreen(session, root.content_data_id, title))
        else if (routeId) routeView(session, shell, { route_id: routeId, title })
      },
    },
  ]
  if (session.can('content:create') && session.can('routes:create'))
    keys.push({ key: 'n', does: 'new page', ofList: true, run: shell => shell.open(newPage(session)) })
  if (session.can('content:create'))
    keys.push({
      key: 'N',
      does: 'new without a page',
      ofList: true,
      run: shell =>
        shell.work('content:create', async () => {
          shell.open(await startView(session, 'What is it?', {}))
          return state => state
        }),
    })
  return listView<Place>({
    title: 'Content',
    access: reads,
    async load(slice) {
      const found = await pages(session, slice)
      const first = slice.after === undefined ? await withoutPage(session) : []
      return {
        records: [...first, ...found],
        total: first.length + (await session.services.space.routes.count({})),
      }
    },
    keyOf: ({ id }) => id,
    empty: 'There is no page yet.',
    columns: [
      { label: 'Page', of: ({ title }) => title },
      { label: 'Slug', of: ({ slug }) => slug },
      { label: 'State', of: stateOf },
      { label: 'Changed', of: ({ changed }) => timeWord(changed), wide: true },
    ],
    keys,
  })
}
