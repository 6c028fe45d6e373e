import type { Child } from 'hono/jsx'
import { stateWord } from '../resources/trees.js'
import type { RootRow } from '../resources/views/pages.js'
import type { WorkListAsked } from '../resources/views/work-list.js'
import type { MediaRecord } from '../services/media/record.js'
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

const WorkTableRow = ({ view, row, hasPictures }: { view: View; row: WorkRow; hasPictures: boolean }) => {
  const { root, route, title, type, author, state, changed, picture } = row
  const id = root.content_data_id
  return (
    <tr>
      <td class="pick">
        <input
          type="checkbox"
          id={`pick-${id}`}
          name="ids"
          value={id}
          aria-label={view.t('Select {title}', { title })}
        />
      </td>
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

/** Trees as rows with boxes, for actions on several. */
export const WorkTable = ({ view, asked, rows }: TableProps) => {
  const mayAct = (['content:publish', 'content:delete', 'content:create', 'routes:update'] as const).some(
    view.can,
  )
  const hasPictures = rows.some(({ picture }) => picture !== undefined)
  return (
    <Form view={view} action="/content-work" class="work-list">
      <input type="hidden" name="back" value={addressOf(asked).slice(contentPath.length)} />
      <div class="table-frame">
        <table>
          <caption class="hidden-text">{view.t('Pages and shared content')}</caption>
          <thead>
            <tr>
              <th scope="col" class="pick">
                <span class="hidden-text">{view.t('Selected')}</span>
                <span data-pick-all={rows.length} />
              </th>
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
              <WorkTableRow view={view} row={row} hasPictures={hasPictures} />
            ))}
          </tbody>
        </table>
      </div>
      {mayAct && <Bar view={view} />}
    </Form>
  )
}

const Bar = ({ view }: { view: View }) => (
  <div class="work-bar">
    <b data-picked="">{view.t('With the selected entries:')}</b>
    {view.can('content:publish') && (
      <>
        <What what="publish">{view.t('Publish')}</What>
        <What what="unpublish">{view.t('Unpublish')}</What>
        <What what="schedule">{view.t('Schedule…')}</What>
      </>
    )}
    {view.can('content:create') && <What what="duplicate">{view.t('Duplicate')}</What>}
    {view.can('routes:update') && <What what="move">{view.t('Move…')}</What>}
    {view.can('content:delete') && (
      <What what="delete" kind="bad">
        {view.t('Delete…')}
      </What>
    )}
  </div>
)

const What = ({ what, kind = '', children }: { what: string; kind?: string; children?: Child }) => (
  <button type="submit" name="what" value={what} class={`button ${kind}`.trim()}>
    {children}
  </button>
)
