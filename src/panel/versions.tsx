import { notFound } from '../errors.js'
import { type Ctx, idParam } from '../middleware/context.js'
import type { ChangedText } from '../resources/views/changed-texts.js'
import { changedEntries, changesTitle, noChanges } from '../resources/views/changes.js'
import {
  comparisonOf,
  keepVersion,
  noVersions,
  onlyPlaces,
  present,
  type VersionRow,
  versionRows,
} from '../resources/views/versions.js'
import type { PanelContext } from './context.js'
import { crumbsOf } from './entry-crumbs.js'
import { TitledPage } from './layout.js'
import { isOutside } from './limited.js'
import { Table } from './list.js'
import { type Pages, saved } from './pages.js'
import { Act, Empty, Moment, Submit } from './parts.js'
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
    const isFixed = isOutside(await view.mayChange(idIn(c)))
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
          <>
            <form method="get" action={`${view.base}${own}/compare`} id="compare" class="actions">
              <Submit>{view.t('Compare selected')}</Submit>
            </form>
            <VersionTable view={view} rows={rows} own={own} isFixed={isFixed} />
          </>
        )}
      </TitledPage>
    )
  })
}

interface ChosenProps {
  view: View
  name: 'from' | 'to'
  value: string
  of: string
  checked: boolean
}

/** One of the two states to compare. */
const Chosen = ({ view, name, value, of, checked }: ChosenProps) => (
  <input
    type="radio"
    form="compare"
    name={name}
    value={value}
    checked={checked}
    aria-label={name === 'from' ? view.t('From {name}', { name: of }) : view.t('To {name}', { name: of })}
  />
)

interface VersionTableProps {
  view: View
  rows: readonly VersionRow[]
  own: string
  /** Whether the limits of the user's role leave out the entry. */
  isFixed: boolean
}

/** The versions under the present state, of which two can be chosen: at first the newest and the present state. */
function VersionTable({ view, rows, own, isFixed }: VersionTableProps) {
  const now = { id: present, name: view.t('Current state'), version: undefined }
  const states = [now, ...rows.map(version => ({ id: version.id, name: version.name, version }))]
  return (
    <Table
      view={view}
      caption={view.t('Versions, newest first')}
      records={states}
      columns={[
        {
          label: 'Version',
          of: ({ name, version }) => (
            <>
              {name}
              {version && <span class="on-phone quiet">{version.who}</span>}
            </>
          ),
        },
        { label: 'Why', of: ({ version }) => version?.why, wide: true },
        { label: 'Who', of: ({ version }) => version && (version.who || '–'), wide: true },
        { label: 'When', of: ({ version }) => version && <Moment view={view} at={version.at} /> },
        {
          label: 'From',
          of: ({ id, name, version }) =>
            version && (
              <Chosen view={view} name="from" value={id} of={name} checked={version.id === rows[0]?.id} />
            ),
        },
        {
          label: 'To',
          of: ({ id, name }) => (
            <Chosen view={view} name="to" value={id} of={name} checked={id === present} />
          ),
        },
        {
          label: 'Previous version',
          of: ({ version }) =>
            version?.before ? (
              <a href={`${view.base}${own}/compare?from=${version.before}&to=${version.id}`}>
                {view.t('Compare')}
              </a>
            ) : null,
          wide: true,
        },
        {
          label: 'Restore',
          of: ({ version }) =>
            version &&
            !isFixed && (
              <Act view={view} action={`${own}/versions/${version.id}/restore`}>
                {view.t('Restore')}
              </Act>
            ),
        },
      ]}
    />
  )
}

/** A state that is compared: a version with its author and time, or the present one. */
function StateName({ view, id, rows }: { view: View; id: string; rows: readonly VersionRow[] }) {
  const version = rows.find(row => row.id === id)
  if (!version) return <b>{view.t('Current state')}</b>
  const { name, why, who, at } = version
  return (
    <>
      <b>{name}</b> {why}
      {who && ` · ${who}`} · <Moment view={view} at={at} />
    </>
  )
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
    const rows = await versionRows(idIn(c), context, view)
    const isOwn = (state: string) => rows.some(({ id }) => id === state)
    if (!isOwn(from) || !(to === present || isOwn(to))) throw notFound()
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
        <p class="lead">
          <StateName view={view} id={from} rows={rows} /> <span aria-hidden="true">→</span>{' '}
          <StateName view={view} id={to} rows={rows} />
        </p>
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
    const isFixed = isOutside(await view.mayChange(idIn(c)))
    const sections = entries.map(entry => ({ ...entry, values: values.splice(0, entry.values.length) }))
    return (
      <TitledPage
        view={view}
        title={view.t(changesTitle)}
        crumbs={await crumbsOf(idIn(c), context, view)}
        column
        actions={
          entries.length > 0 &&
          !isFixed && (
            <Act view={view} action={`${own}/changes/drop`} kind="bad">
              {view.t('Discard all')}
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
