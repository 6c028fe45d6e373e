import type { Child } from 'hono/jsx'
import { stateWord } from '../resources/trees.js'
import type { RootRow } from '../resources/views/pages.js'
import type { WorkListAsked } from '../resources/views/work-list.js'
import { Form, Moment, State } from './parts.js'
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
    <th scope="col" aria-sort={isChosen ? sorted : undefined}>
      <a href={`${view.base}${addressOf(asked, { by, descending, page: 1 })}`}>
        {children}
        {isChosen && <span aria-hidden="true">{asked.descending ? ' ↓' : ' ↑'}</span>}
      </a>
    </th>
  )
}

const Row = ({ view, row }: { view: View; row: WorkRow }) => {
  const { root, route, title, type, author, state, changed } = row
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

/** Trees as rows with boxes, for actions on several. */
export const WorkTable = ({ view, asked, rows }: TableProps) => {
  const mayAct = view.can('content:publish') || view.can('content:delete')
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
              <SortHead view={view} asked={asked} by="title">
                {view.t('Title')}
              </SortHead>
              <th scope="col">{view.t('Datatype')}</th>
              <th scope="col">{view.t('Address')}</th>
              <th scope="col">{view.t('State')}</th>
              <th scope="col">{view.t('Author')}</th>
              <SortHead view={view} asked={asked} by="changed">
                {view.t('Changed')}
              </SortHead>
            </tr>
          </thead>
          <tbody>
            {rows.map(row => (
              <Row view={view} row={row} />
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
