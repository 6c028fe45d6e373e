import { type Ctx, idParam } from '../middleware/context.js'
import type { ChangedText } from '../resources/views/changed-texts.js'
import { changedEntries, changesTitle, noChanges } from '../resources/views/changes.js'
import {
  comparisonOf,
  keepVersion,
  noVersions,
  onlyPlaces,
  versionRows,
} from '../resources/views/versions.js'
import type { PanelContext } from './context.js'
import { crumbsOf } from './entry-crumbs.js'
import { TitledPage } from './layout.js'
import { Table } from './list.js'
import { type Pages, saved } from './pages.js'
import { Act, Empty, Moment } from './parts.js'
import { TextDifference, type WithPieces, withPieces } from './text-difference.js'
import { panelActor, type View } from './view.js'

const idIn = (c: Ctx) => idParam(c, 'entry_id')
const pathOf = (id: string) => `/content/entry/${id}`

/** The versions of an entry, and its unpublished changes. */
export function versionPages(set: Pages, context: PanelContext): void {
  listPage(set, context)
  comparePage(set, context)
  changesPage(set, context)
  const { versions, changes } = context.services.space
  const at = '/content/entry/:entry_id'
  set.act(`${at}/versions`, 'content:update', async c => {
    await keepVersion(panelActor(c), idIn(c), context)
    return saved(`${pathOf(idIn(c))}/versions`)
  })
  set.act(`${at}/versions/:version_id/restore`, 'content:update', async c => {
    await versions.restore(panelActor(c), idParam(c, 'version_id'))
    return saved(pathOf(idIn(c)))
  })
  set.act(`${at}/changes/drop`, 'content:update', async c => {
    await changes.drop(panelActor(c), idIn(c))
    return saved(pathOf(idIn(c)))
  })
}

function listPage({ get }: Pages, context: PanelContext): void {
  get('/content/entry/:entry_id/versions', 'content:update', async (view, c) => {
    const crumbs = await crumbsOf(idIn(c), context, view)
    const own = pathOf(idIn(c))
    const rows = await versionRows(idIn(c), context, view)
    return (
      <TitledPage
        view={view}
        title={view.t('Versions')}
        heading={view.t('Versions of {name}', { name: crumbs.at(-1)?.word ?? '' })}
        crumbs={crumbs}
        column
      >
        {rows.length === 0 ? (
          <Empty>{view.t(noVersions)}</Empty>
        ) : (
          <Table
            view={view}
            caption={view.t('Versions, newest first')}
            records={rows}
            columns={[
              { label: 'Version', of: ({ name }) => name },
              { label: 'Why', of: ({ why }) => why, wide: true },
              { label: 'When', of: ({ at }) => <Moment view={view} at={at} /> },
              {
                label: 'Before it',
                of: ({ id, before }) =>
                  before ? (
                    <a href={`${view.base}${own}/compare?from=${before}&to=${id}`}>{view.t('Compare')}</a>
                  ) : (
                    '–'
                  ),
              },
              {
                label: 'Restore',
                of: ({ id }) => (
                  <Act view={view} action={`${own}/versions/${id}/restore`}>
                    {view.t('Restore')}
                  </Act>
                ),
              },
            ]}
          />
        )}
      </TitledPage>
    )
  })
}

const Differences = ({ view, values }: { view: View; values: readonly WithPieces<ChangedText>[] }) => (
  <dl class="differences">
    {values.map(({ title, field, locale, ...difference }) => (
      <div>
        <dt>
          {title !== undefined && `${title} · `}
          {field} {locale && <code>{locale}</code>}
        </dt>
        <dd>
          <TextDifference view={view} of={difference} />
        </dd>
      </div>
    ))}
  </dl>
)

function comparePage({ get }: Pages, context: PanelContext): void {
  get('/content/entry/:entry_id/compare', 'content:update', async (view, c) => {
    const { from = '', to = '' } = c.req.query()
    const { added, removed, values } = await comparisonOf(from, to, context)
    const own = pathOf(idIn(c))
    return (
      <TitledPage
        view={view}
        title={view.t('Compare')}
        heading={view.t('What changed')}
        crumbs={[
          ...(await crumbsOf(idIn(c), context, view)),
          { word: view.t('Versions'), path: `${own}/versions` },
        ]}
        column
      >
        {values.length + added.length + removed.length === 0 && <Empty>{view.t(onlyPlaces)}</Empty>}
        {added.map(title => (
          <p>{view.parts('Added: {title}', { title: <ins>{title}</ins> })}</p>
        ))}
        {removed.map(title => (
          <p>{view.parts('Removed: {title}', { title: <del>{title}</del> })}</p>
        ))}
        <Differences view={view} values={await withPieces(values)} />
      </TitledPage>
    )
  })
}

function changesPage({ get }: Pages, context: PanelContext): void {
  get('/content/entry/:entry_id/changes', 'content:update', async (view, c) => {
    const entries = await changedEntries(idIn(c), context, view)
    const values = await withPieces(entries.flatMap(entry => entry.values))
    const own = pathOf(idIn(c))
    const sections = entries.map(entry => ({ ...entry, values: values.splice(0, entry.values.length) }))
    return (
      <TitledPage
        view={view}
        title={view.t(changesTitle)}
        crumbs={await crumbsOf(idIn(c), context, view)}
        column
        actions={
          entries.length > 0 && (
            <Act view={view} action={`${own}/changes/drop`} kind="bad">
              {view.t('Drop all')}
            </Act>
          )
        }
      >
        {entries.length === 0 && <Empty>{view.t(noChanges)}</Empty>}
        {sections.map(({ id, title, word, values }) => (
          <section>
            <h2>
              {id === undefined ? title : <a href={`${view.base}${pathOf(id)}`}>{title}</a>}{' '}
              <span class="hint">{word}</span>
            </h2>
            <Differences view={view} values={values} />
          </section>
        ))}
      </TitledPage>
    )
  })
}
