import { invalid } from '../errors.js'
import { isUlid } from '../ids.js'
import { limits } from '../limits.js'
import { type Ctx, idParam } from '../middleware/context.js'
import { onEach } from '../resources/several.js'
import { type TrashRow, trashIsEmpty, trashRows } from '../resources/views/trash.js'
import type { MayChangeTrashed } from '../services/content/trash.js'
import type { PanelContext } from './context.js'
import { Page, TitledPage } from './layout.js'
import { type Column, List } from './list.js'
import { pages, saved } from './pages.js'
import { Act, DeleteQuestion, Moment } from './parts.js'
import { panelActor, type View } from './view.js'

const trashPath = '/trash'
const pageSize = 100

const columns: readonly Column<TrashRow>[] = [
  {
    label: 'Title',
    of: ({ title, address, entries }, view) => (
      <>
        {title}{' '}
        <span class="quiet">
          {[address, entries > 1 ? view.t('{n} entries', { n: entries }) : ''].filter(Boolean).join(' · ')}
        </span>
      </>
    ),
  },
  {
    label: 'Datatype',
    of: ({ kind }, view) => kind || <span class="quiet">{view.t('deleted')}</span>,
    wide: true,
  },
  { label: 'Deleted by', of: ({ by }) => by, wide: true },
  { label: 'Deleted', of: ({ at }, view) => <Moment view={view} at={at} /> },
  { label: 'Kept until', of: ({ until }, view) => <Moment view={view} at={until} />, wide: true },
]

const actions = (may: MayChangeTrashed): Column<TrashRow> => ({
  label: 'Actions',
  of: ({ id, title }, view) => (
    <div class="actions">
      {may.restore(id) && (
        <Act
          view={view}
          action={`${trashPath}/restore?ids=${id}`}
          label={view.t('Restore {title}', { title })}
        >
          {view.t('Restore')}
        </Act>
      )}
      {may.remove(id) && (
        <a
          class="button bare"
          href={`${view.base}${trashPath}/${id}/delete`}
          aria-label={view.t('Delete permanently: {title}', { title })}
        >
          {view.t('Delete permanently')}
        </a>
      )}
    </div>
  ),
})

/** Returns the columns of the list, with the actions that the user has on a row of it. */
async function columnsFor(view: View, c: Ctx, rows: readonly TrashRow[], { services }: PanelContext) {
  if (!view.can('content:delete')) return columns
  const may = await services.space.trash.mayChange(
    panelActor(c),
    rows.map(({ trashed }) => trashed),
  )
  const hasActions = rows.some(({ id }) => may.restore(id) || may.remove(id))
  return hasActions ? [...columns, actions(may)] : columns
}

/** Deleted content: restored with its ids, values, versions and address, or deleted for good. */
export function trashPages(context: PanelContext) {
  const set = pages(context, 'trash')
  const { trash } = context.services.space
  set.get(trashPath, 'content:update', async (view, c) => {
    const after = c.req.query('after')
    const records = await trashRows(context, { limit: pageSize + 1, ...(after ? { after } : {}) }, view)
    const total = await trash.count({})
    const shown = records.slice(0, pageSize)
    const next = records.length > pageSize ? shown.at(-1)?.id : undefined
    return (
      <TitledPage view={view} title={view.t('Trash')}>
        <p class="lead">
          {view.t('Deleted content. Restoring brings back its values, versions and address.')}
        </p>
        <List
          view={view}
          caption={view.t('Deleted content, newest first')}
          columns={await columnsFor(view, c, shown, context)}
          slice={{ records: shown, next, total }}
          path={trashPath}
          empty={<p>{view.t(trashIsEmpty)}</p>}
        />
      </TitledPage>
    )
  })
  set.act(`${trashPath}/restore`, 'content:delete', async c => restore(c, context))
  set.get(`${trashPath}/:trash_id/delete`, 'content:delete', async (view, c) => question(view, c, context))
  set.act(`${trashPath}/:trash_id/delete`, 'content:delete', async c => {
    await trash.remove(panelActor(c), idParam(c, 'trash_id'))
    return saved(trashPath)
  })
  return set
}

async function question(view: View, c: Ctx, { services: { space } }: PanelContext) {
  const { trash_id, title } = await space.trash.get(idParam(c, 'trash_id'))
  const path = `${trashPath}/${trash_id}`
  return (
    <Page
      view={view}
      title={view.t('Delete permanently')}
      crumbs={[{ word: view.t('Trash'), path: trashPath }]}
      column
    >
      <DeleteQuestion isPage view={view} path={path} back={trashPath} name={title} />
    </Page>
  )
}

/** Restores what the address names. @returns the page of it, or the list of several */
async function restore(c: Ctx, { services: { space } }: PanelContext): Promise<string> {
  const ids = c.req.query('ids')?.split('.') ?? []
  if (ids.length === 0 || ids.length > limits.content.selectedRecords || !ids.every(isUlid))
    throw invalid('ids', `must be 1 to ${limits.content.selectedRecords} ids of the trash`)
  let entry = ''
  // The last one may have been under the first.
  const refused = await onEach(ids, async id => {
    entry = (await space.trash.restore(panelActor(c), id)).content_data_id
  })
  const [first] = refused.values()
  if (first) throw first
  return saved(ids.length === 1 ? `/content/entry/${entry}` : '/content')
}
