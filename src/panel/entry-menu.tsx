import type { Child } from 'hono/jsx'
import { placeFor } from '../resources/trees.js'
import { originOf } from '../services/site-origin.js'
import { isShared, type Shown } from './entry-shown.js'
import { Act, DeleteLink, Icon } from './parts.js'
import type { View } from './view.js'

const Menu = ({ view, label, children }: { view: View; label: string; children?: Child }) => (
  <details class="menu" data-menu="">
    <summary class="button" aria-label={label} title={label}>
      <Icon view={view} name="more" />
    </summary>
    <div class="menu-items">{children}</div>
  </details>
)

const moves = [
  ['up', 'Move up'],
  ['down', 'Move down'],
  ['in', 'Move under the entry above'],
  ['out', 'Move out one level'],
] as const

function Duplicate(shown: Shown) {
  const { view, id, entry } = shown
  if (!isShared(shown)) return null
  const isPage = entry.route_id !== null
  if (!view.can('content:create') || (isPage && !view.can('routes:create'))) return null
  return (
    <Act view={view} action={`/content/entry/${id}/duplicate`}>
      {isPage ? view.t('Duplicate page') : view.t('Duplicate')}
    </Act>
  )
}

/** The public address of the page. */
function Address({ view, context, tree }: Shown) {
  const { route, root } = tree
  if (!route || !context.isVisited) return null
  const address = `${originOf(context.config())}${encodeURI(route.slug)}`
  return (
    <>
      <button type="button" class="button scripted" data-copy={address}>
        {view.t('Copy link')}
      </button>
      {root.status === 'published' && (
        <a class="button" href={address} target="_blank" rel="noreferrer">
          {view.t('View page')}
        </a>
      )}
    </>
  )
}

const mayAdd = ({ model, mayChange }: Shown): boolean => [...model.datatypes.keys()].some(mayChange.create)

/** The menu of further actions on an entry. */
export function EntryMenu(shown: Shown) {
  const { view, id, tree, title } = shown
  const path = `/content/entry/${id}`
  const isFree = isShared(shown)
  const possible = moves.filter(([how]) => isFree && placeFor(tree, id, how) !== undefined)
  return (
    <Menu view={view} label={view.t('More')}>
      {view.can('content:create') && mayAdd(shown) && (
        <button type="button" class="button scripted" data-add-under={id}>
          {view.t('Add entry below…')}
        </button>
      )}
      <Duplicate {...shown} />
      <Address {...shown} />
      {possible.map(([how, word]) => (
        <Act view={view} action={`${path}/move`} values={{ how }}>
          {view.t(word)}
        </Act>
      ))}
      {view.can('content:delete') && isFree && (
        <DeleteLink view={view} path={`${path}/delete`} name={title} />
      )}
    </Menu>
  )
}
