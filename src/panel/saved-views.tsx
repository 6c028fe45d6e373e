import { type Ctx, idParam } from '../middleware/context.js'
import {
  type SavedView,
  SavedViewCreate,
  SavedViewUpdate,
  type ViewedList,
} from '../services/accounts/saved-views.js'
import { type PanelContext, panelPath } from './context.js'
import { Fields } from './controls.js'
import { TitledPage } from './layout.js'
import { type Draft, formText, pages } from './pages.js'
import { Act, Form, Submit } from './parts.js'
import { panelActor, type View } from './view.js'

/** The marks of an action that an address may have; a view leaves them out. */
const marks = ['saved', 'done', 'deleted', 'page', 'after', 'before']

/** The query of a list as it is compared and saved: without empty members and the place in the list, in one order. */
export function viewQuery(given: URLSearchParams | Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(given)
  for (const [name, value] of [...query]) if (value === '' || marks.includes(name)) query.delete(name)
  query.sort()
  return query.toString()
}

const addressOf = ({ list, query }: Pick<SavedView, 'list' | 'query'>): string =>
  `${panelPath}${list}${query && `?${query}`}`

interface Props {
  view: View
  c: Ctx
  context: PanelContext
  path: '/content' | '/media' | '/audit'
  /** As `viewQuery` returns it. */
  query: string
}

/** The saved views of a list, and a form to save the filters that are chosen. */
export async function SavedViews({ view, c, context, path, query }: Props) {
  const list = `${view.base.slice(panelPath.length)}${path}` as ViewedList
  const views = await context.services.savedViews.own(panelActor(c), list)
  const current = views.find(one => viewQuery(new URLSearchParams(one.query)) === query)
  if (views.length === 0 && query === '') return null
  return (
    <nav class="views" aria-label={view.t('Saved views')}>
      {views.length > 0 && (
        <ViewLink view={view} to={{ list, query: '' }} isCurrent={query === ''}>
          {view.t('All')}
        </ViewLink>
      )}
      {views.map(one => (
        <ViewLink view={view} to={one} isCurrent={one === current}>
          {one.label}
        </ViewLink>
      ))}
      {current && <Edit view={view} saved={current} />}
      {!current && query !== '' && (
        <details>
          <summary>{view.t('Save view')}</summary>
          <Name view={view} action="/views" list={list} query={query} />
        </details>
      )}
    </nav>
  )
}

interface LinkProps {
  view: View
  to: Pick<SavedView, 'list' | 'query'>
  isCurrent: boolean
  children?: unknown
}

const ViewLink = ({ to, isCurrent, children }: LinkProps) => (
  <a class="view" href={addressOf(to)} aria-current={isCurrent ? 'page' : undefined}>
    {children}
  </a>
)

const Edit = ({ view, saved: { id, label } }: { view: View; saved: SavedView }) => (
  <details>
    <summary>{view.t('Change view')}</summary>
    <Name view={view} action={`/views/${id}`} label={label} />
    <Act view={outside(view)} action={`/views/${id}/delete`} kind="bad">
      {view.t('Delete view')}
    </Act>
  </details>
)

/** Views belong to the account, so that they have one address for both spaces. */
const outside = (view: View): View => ({ ...view, base: panelPath })

interface NameProps {
  view: View
  action: string
  label?: string
  list?: string
  query?: string
  draft?: Draft
}

const Name = ({ view, action, label = '', list, query, draft }: NameProps) => (
  <Form view={outside(view)} action={action}>
    {list !== undefined && <input type="hidden" name="list" value={list} />}
    {query !== undefined && <input type="hidden" name="query" value={query} />}
    <Fields
      view={view}
      fields={[{ name: 'label', label: view.t('Name of the view'), required: true }]}
      record={{ label }}
      draft={draft}
    />
    <Submit>{action === '/views' ? view.t('Save view') : view.t('Rename')}</Submit>
  </Form>
)

/** Saves, renames and deletes views. They work without scripts. */
export function savedViewPages(context: PanelContext) {
  const set = pages(context, 'saved views')
  const { savedViews } = context.services
  const names = ['label']
  const again = (view: View, draft: Draft, action: string) => {
    const hidden =
      action === '/views'
        ? { list: formText(draft.texts, 'list'), query: formText(draft.texts, 'query') }
        : {}
    return (
      <TitledPage view={view} title={view.t('Save view')} column>
        <Name view={view} action={action} draft={draft} {...hidden} />
      </TitledPage>
    )
  }
  set.submit('/views', 'signed-in', SavedViewCreate, c => ({
    names,
    save: async ({ body }) => c.redirect(addressOf(await savedViews.create(panelActor(c), body)), 303),
    redraw: (view, draft) => again(view, draft, '/views'),
  }))
  set.submit('/views/:view_id', 'signed-in', SavedViewUpdate, c => ({
    names,
    save: async ({ body }) =>
      c.redirect(addressOf(await savedViews.rename(panelActor(c), idParam(c, 'view_id'), body)), 303),
    redraw: (view, draft) => again(view, draft, `/views/${idParam(c, 'view_id')}`),
  }))
  set.act('/views/:view_id/delete', 'signed-in', async c => {
    const { list } = await savedViews.remove(panelActor(c), idParam(c, 'view_id'))
    return c.redirect(addressOf({ list, query: '' }), 303)
  })
  return set
}
