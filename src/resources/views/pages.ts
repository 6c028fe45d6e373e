import type { Services } from '../../services/index.js'
import { all, type Entry, type Model, namesOf, type SpaceParts } from '../entries.js'
import { type State, stateOf } from '../trees.js'

type Route = Awaited<ReturnType<Services['space']['routes']['get']>>

/** A tree as one row of a list: a page, or a tree without one. */
export interface TreeRow {
  /** Undefined for an address without a page. */
  readonly root: Entry | undefined
  readonly route: Route | undefined
  readonly title: string
  readonly state: State
  readonly changed: string
}

/** A row with a root. */
export type RootRow = TreeRow & { readonly root: Entry }

const empty: State = { kind: 'off' }

const latest = (one = '', other = ''): string => (one > other ? one : other)

async function withStates(
  rows: readonly Pick<TreeRow, 'root' | 'route' | 'title'>[],
  { services: { space } }: SpaceParts,
): Promise<TreeRow[]> {
  const ids = rows.flatMap(({ root }) => root?.content_data_id ?? [])
  const trees = await space.changes.ofTrees(ids)
  return rows.map(row => {
    const { root, route } = row
    const tree = trees.get(root?.content_data_id ?? '')
    return {
      ...row,
      state: root ? stateOf(root, tree?.isWaiting ?? false) : empty,
      changed: tree?.changed_at ?? latest(route?.date_modified, root?.date_modified),
    }
  })
}

/** Returns routes as rows, each with its root entry and its state. */
export async function pageRows(routes: readonly Route[], parts: SpaceParts): Promise<TreeRow[]> {
  const route_id = routes.map(route => route.route_id)
  const { content } = parts.services.space
  const roots = route_id.length === 0 ? [] : await all(content.list({ route_id }, {}))
  const rootOf = new Map(roots.map(root => [root.route_id, root]))
  return withStates(
    routes.map(route => ({ route, title: route.title, root: rootOf.get(route.route_id) })),
    parts,
  )
}

/** Returns trees by their roots, on pages or not. */
export async function treeRows(roots: readonly Entry[], model: Model, parts: SpaceParts): Promise<RootRow[]> {
  const names = await namesOf(roots, model, parts)
  const route_id = roots.flatMap(root => root.route_id ?? [])
  const { routes } = parts.services.space
  const found = route_id.length === 0 ? [] : await all(routes.list({ route_id }, {}))
  const routeOf = new Map(found.map(route => [route.route_id, route]))
  const rows = roots.map(root => ({
    root,
    route: routeOf.get(root.route_id ?? ''),
    title: names.get(root.content_data_id) ?? '',
  }))
  return (await withStates(rows, parts)) as RootRow[]
}
