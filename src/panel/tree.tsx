import type { Child } from 'hono/jsx'
import type { Node, Tree } from '../resources/entries.js'
import { Icon, State } from './parts.js'
import type { View } from './view.js'

/** Levels beyond are drawn like this one. */
const maxIndent = 12

const Row = ({ view, node, open }: { view: View; node: Node; open: string | undefined }) => {
  const { entry, title, type, level, state, siblings, children } = node
  const id = entry.content_data_id
  const isOpen = id === open
  return (
    <a
      class={`node d${Math.min(level, maxIndent)}`}
      role="treeitem"
      id={`n-${id}`}
      href={`${view.base}/content/entry/${id}`}
      aria-level={level}
      aria-setsize={siblings.length}
      aria-posinset={siblings.indexOf(id) + 1}
      aria-current={isOpen ? 'page' : undefined}
      aria-selected="false"
      aria-expanded={children > 0 ? 'true' : undefined}
    >
      <span class="twist">{children > 0 && <Icon view={view} name="open" />}</span>
      <State kind={state.kind}>
        <span title={state.word}>{state.word}</span>
      </State>
      <span class="label">{title}</span>
      <span class="type">{type}</span>
    </a>
  )
}

/** What one may do with several entries at once. */
const selectable = (view: View): string =>
  [
    view.can('content:publish') && 'publish unpublish',
    view.can('content:update') && 'move',
    view.can('content:delete') && 'delete',
  ]
    .filter(Boolean)
    .join(' ')

/** A tree with its root's address, as rows of links: a list to read for who has no script. */
export const TreePane = ({
  view,
  tree,
  title,
  slug,
  open,
  children,
}: {
  view: View
  tree: Tree
  title: string
  slug: string | undefined
  open?: string
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
      data-may={selectable(view)}
    >
      {tree.nodes.map(node => (
        <Row view={view} node={node} open={open} />
      ))}
    </div>
    <div data-keep="" id="selection" />
    {!tree.isWhole && (
      <p class="box quiet">
        Of {tree.total} entries those are shown that are beside the way to this one. Open an entry to see what
        is under it.
      </p>
    )}
  </>
)
