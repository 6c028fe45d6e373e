import type { Child } from 'hono/jsx'
import { type Node, stateWord, type Tree } from '../resources/trees.js'
import { Icon, StateMark } from './parts.js'
import { type Rest, restsOf, shownOf } from './tree-parts.js'
import type { View } from './view.js'

/** Deeper levels are drawn with the indent of this one. */
const maxIndent = 12
/** Browsers nest at most 512 elements; rows of deeper levels are siblings, and cannot be closed. */
const maxGroups = 100

interface Drawn {
  readonly view: View
  readonly tree: Tree
  readonly open: string | undefined
  readonly locale: string
  readonly isFixed: (id: string) => boolean
}

const NodeRow = ({ drawn: { view, open, isFixed }, node }: { drawn: Drawn; node: Node }) => {
  const { entry, title, type, level, state, at, of, children } = node
  const id = entry.content_data_id
  const isOpen = id === open
  const hasGroup = children > 0 && level < maxGroups
  return (
    <a
      class={`node d${Math.min(level, maxIndent)}`}
      role="treeitem"
      id={`n-${id}`}
      href={`${view.base}/content/entry/${id}`}
      aria-level={level}
      aria-setsize={of}
      aria-posinset={at + 1}
      aria-current={isOpen ? 'page' : undefined}
      aria-selected="false"
      aria-expanded={hasGroup ? 'true' : undefined}
      data-fixed={isFixed(id) ? '' : undefined}
    >
      {hasGroup && (
        <span class="twist">
          <Icon view={view} name="open" />
        </span>
      )}
      <StateMark kind={state.kind} word={stateWord(state, view)} />
      <span class="label">{title}</span>
      <span class="type" title={type}>
        {type}
      </span>
      <span class="hands" aria-hidden="true">
        <i data-hand="add" />
        <i data-hand="more" />
      </span>
    </a>
  )
}

const restTexts = {
  before: { all: '{n} more before', some: '{n} more of {total} before' },
  after: { all: '{n} more after', some: '{n} more of {total} after' },
} as const

const More = ({ drawn, parent, rest }: { drawn: Drawn; parent: Node; rest: Rest }) => {
  const { view, open, locale } = drawn
  const { end, next, left, shown } = rest
  const query = new URLSearchParams({ ...(locale ? { locale } : {}), shown })
  return (
    <a
      class={`node more d${Math.min(parent.level + 1, maxIndent)}`}
      role="treeitem"
      id={`${end}-${parent.entry.content_data_id}`}
      href={`${view.base}/content/entry/${open ?? parent.entry.content_data_id}?${query}`}
      aria-level={parent.level + 1}
      aria-selected="false"
      data-more={end}
    >
      <span class="label">
        {next === left
          ? view.t(restTexts[end].all, { n: left })
          : view.t(restTexts[end].some, { n: next, total: left })}
      </span>
    </a>
  )
}

/** Rows; those under one are in a group behind it, so that a browser can hide them together. */
function rowsOf(drawn: Drawn, nodes: readonly Node[]): Child[] {
  const { tree } = drawn
  const rows: Child[] = []
  for (let at = 0; at < nodes.length; ) {
    const node = nodes[at] as Node
    rows.push(<NodeRow drawn={drawn} node={node} />)
    const from = ++at
    while (node.level < maxGroups && (nodes[at]?.level ?? 0) > node.level) at++
    if (at === from) continue
    const { before, after } = restsOf(tree, node.entry.content_data_id)
    rows.push(
      // biome-ignore lint/a11y/useSemanticElements: a group of a tree holds no fields
      <div role="group">
        {before && <More drawn={drawn} parent={node} rest={before} />}
        {rowsOf(drawn, nodes.slice(from, at))}
        {after && <More drawn={drawn} parent={node} rest={after} />}
      </div>,
    )
  }
  return rows
}

const selectable = (view: View): string =>
  [
    view.can('content:publish') && 'publish unpublish',
    view.can('content:update') && 'move',
    view.can('content:delete') && 'delete',
    view.can('content:create') && 'create',
  ]
    .filter(Boolean)
    .join(' ')

/** A tree with the address of its root, as rows of links: without the script it is a list to read. */
export const TreePane = ({
  view,
  tree,
  title,
  slug,
  open,
  locale = '',
  isFixed = () => false,
  children,
}: {
  view: View
  tree: Tree
  title: string
  slug: string | undefined
  open?: string
  locale?: string
  /** Whether the limits of the user's role keep an entry in its place and state. */
  isFixed?: (id: string) => boolean
  children?: Child
}) => (
  <>
    <div class="pane-head">
      <h2>{title}</h2>
      {slug !== undefined && <code>{slug}</code>}
      <span class="spacer" />
      {children}
    </div>
    <div
      class="nodes"
      role="tree"
      aria-label={title}
      aria-multiselectable="true"
      data-tree=""
      data-shown={shownOf(tree) || undefined}
      data-may={selectable(view)}
    >
      {rowsOf({ view, tree, open, locale, isFixed }, tree.nodes)}
    </div>
    <div data-keep="" id="selection" />
    {!tree.isWhole && (
      <p class="box quiet">
        {view.t(
          'This page has {n} entries. The tree shows only the entries around this one. Open an entry to see the entries under it.',
          { n: tree.total },
        )}
      </p>
    )}
  </>
)
