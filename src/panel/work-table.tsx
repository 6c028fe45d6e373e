import type { Child } from 'hono/jsx'
import { stateWord } from '../resources/trees.js'
import type { RootRow } from '../resources/views/pages.js'
import type { WorkListAsked } from '../resources/views/work-list.js'
import type { MediaRecord } from '../services/media/record.js'
import type { PlainText } from '../texts/text.js'
import { Form, Moment, State } from './parts.js'
import { tileOf } from './pictures.js'
import type { View } from './view.js'

export const contentPath = '/content'
export const entryPath = (id: string): string => `/content/entry/${id}`

export function queryOf({ q, kind, state, author, by, descending, page }: WorkListAsked): URLSearchParams {
  const isStandard = by === 'changed' && descending
  return new URLSearchParams({
    ...(q === '' ? {} : { q }),
    ...(kind && { datatype_id: kind }),
    ...(state && { status: state }),
    ...(author && { author }),
    ...(isStandard ? {} : { sort: `${descending ? '-' : ''}${by}` }),
    ...(page > 1 ? { page: String(page) } : {}),
  })
}

/** Returns the address of the list with changes, under `/admin`. */
export function addressOf(asked: WorkListAsked, change: Partial<WorkListAsked> = {}): string {
  const query = queryOf({ ...asked, ...change }).toString()
  return query === '' ? contentPath : `${contentPath}?${query}`
}

interface WorkRow extends RootRow {
  readonly type: string
  readonly author: string
  readonly picture: MediaRecord | undefined
  /** Whether the limits of the user's role leave all of the tree. */
  readonly isShared: boolean
}

interface TableProps {
  view: View
  asked: WorkListAsked
  rows: readonly WorkRow[]
}

function SortHead({
  view,
  asked,
  by,
  children,
}: Omit<TableProps, 'rows'> & { by: WorkListAsked['by']; children?: Child }) {
  const isChosen = asked.by === by
  // Titles start with A, changes with the newest.
  const descending = isChosen ? !asked.descending : by === 'changed'
  const sorted = asked.descending ? 'descending' : 'ascending'
  return (
    <th scope="col" class={`by-${by}`} aria-sort={isChosen ? sorted : undefined}>
      <a href={`${view.base}${addressOf(asked, { by, descending, page: 1 })}`}>
        {children}
        {isChosen && <span aria-hidden="true">{asked.descending ? ' ↓' : ' ↑'}</span>}
      </a>
    </th>
  )
}

interface RowProps {
  view: View
  row: WorkRow
  hasPictures: boolean
  hasBoxes: boolean
}

const WorkTableRow = ({ view, row, hasPictures, hasBoxes }: RowProps) => {
  const { root, route, title, type, author, state, changed, picture } = row
  const id = root.content_data_id
  return (
    <tr>
      {hasBoxes && (
        <td class="pick">
          {actionsOn(row, view).length > 0 && (
            <input
              type="checkbox"
              id={`pick-${id}`}
              name="ids"
              value={id}
              aria-label={view.t('Select {title}', { title })}
            />
          )}
        </td>
      )}
      {hasPictures && (
        <td class="row-picture">{picture && <img src={tileOf(picture)} alt="" loading="lazy" />}</td>
      )}
      <th scope="row">
        <a href={`${view.base}${entryPath(id)}`}>{title}</a>
      </th>
      <td class="kind">{type}</td>
      <td class="address" title={route?.slug}>
        {route ? <code>{route.slug}</code> : <span class="quiet">{view.t('Shared content')}</span>}
      </td>
      <td class="is">
        <State kind={state.kind}>
          {state.kind === 'changed' ? view.t('Unpublished changes') : stateWord(state, view)}
        </State>
      </td>
      <td class="meta-cell author">{author}</td>
      <td class="meta-cell changed">
        <Moment view={view} at={changed} />
      </td>
    </tr>
  )
}

const columns = [
  ['title', 'Title'],
  ['datatype', 'Datatype'],
  ['address', 'Address'],
  ['state', 'State'],
  ['author', 'Author'],
  ['changed', 'Changed'],
] as const

type Action = 'publish' | 'unpublish' | 'schedule' | 'duplicate' | 'move' | 'delete'

/** Returns the actions that the rights and the limits of the user's role leave on one tree. */
function actionsOn({ root, route, isShared }: WorkRow, { can }: View): Action[] {
  if (!isShared) return []
  const isPage = root.route_id !== null
  return [
    ...(can('content:publish') ? (['publish', 'unpublish', 'schedule'] as const) : []),
    ...(can('content:create') && (!isPage || can('routes:create')) ? (['duplicate'] as const) : []),
    ...(can('routes:update') && isPage && route?.slug !== '/' ? (['move'] as const) : []),
    ...(can('content:delete') ? (['delete'] as const) : []),
  ]
}

/** Trees as rows, with boxes for actions on several where the user has any. */
export const WorkTable = ({ view, asked, rows }: TableProps) => {
  const offered = rows.map(row => actionsOn(row, view))
  const hasBoxes = offered.some(actions => actions.length > 0)
  const hasPictures = rows.some(({ picture }) => picture !== undefined)
  return (
    <Form view={view} action="/content-work" class="work-list">
      <input type="hidden" name="back" value={addressOf(asked).slice(contentPath.length)} />
      <div class="table-frame">
        <table>
          <caption class="hidden-text">{view.t('Pages and shared content')}</caption>
          <thead>
            <tr>
              {hasBoxes && (
                <th scope="col" class="pick">
                  <span class="hidden-text">{view.t('Selected')}</span>
                  <span data-pick-all={offered.filter(actions => actions.length > 0).length} />
                </th>
              )}
              {hasPictures && (
                <th scope="col" class="row-picture">
                  <span class="hidden-text">{view.t('Image')}</span>
                </th>
              )}
              {columns.map(([by, word]) => (
                <SortHead view={view} asked={asked} by={by}>
                  {view.t(word)}
                </SortHead>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(row => (
              <WorkTableRow view={view} row={row} hasPictures={hasPictures} hasBoxes={hasBoxes} />
            ))}
          </tbody>
        </table>
      </div>
      {hasBoxes && <Bar view={view} actions={new Set(offered.flat())} />}
    </Form>
  )
}

const buttons = [
  ['publish', 'Publish'],
  ['unpublish', 'Unpublish'],
  ['schedule', 'Schedule…'],
  ['duplicate', 'Duplicate'],
  ['move', 'Move…'],
  ['delete', 'Delete…'],
] as const satisfies readonly (readonly [Action, PlainText])[]

const Bar = ({ view, actions }: { view: View; actions: ReadonlySet<Action> }) => (
  <div class="work-bar">
    <b data-picked="">{view.t('With the selected entries:')}</b>
    {buttons
      .filter(([what]) => actions.has(what))
      .map(([what, word]) => (
        <button type="submit" name="what" value={what} class={what === 'delete' ? 'button bad' : 'button'}>
          {view.t(word)}
        </button>
      ))}
  </div>
)
