import { type Ctx, idParam } from '../middleware/context.js'
import type { StateKind } from '../resources/resource.js'
import type { ShownImport } from '../services/import/jobs.js'
import type { ImportPreview } from '../services/import/preview.js'
import type { ReportRow } from '../services/import/report.js'
import type { Imported } from '../services/import/settings.js'
import type { PlainText, Text } from '../texts/text.js'
import { type PanelContext, panelPath } from './context.js'
import { TitledPage } from './layout.js'
import { Table } from './list.js'
import { formText, type Pages, saved } from './pages.js'
import { Act, Empty, Note, State } from './parts.js'
import { panelActor, type View } from './view.js'

const systemNames: Readonly<Record<string, string>> = {
  wordpress: 'WordPress',
  contentful: 'Contentful',
  sanity: 'Sanity',
  strapi: 'Strapi',
  markdown: 'Markdown',
  ghost: 'Ghost',
  csv: 'CSV',
}

export const systemName = (system: string): string => systemNames[system] ?? system

const states: Readonly<Record<string, readonly [StateKind, PlainText]>> = {
  running: ['due', 'Running'],
  ready: ['due', 'Ready to start'],
  completed: ['live', 'Complete'],
  failed: ['bad', 'Failed'],
  cancelled: ['off', 'Cancelled'],
}

const rowStates = {
  published: 'Published',
  draft: 'Draft',
  scheduled: 'Scheduled',
  stored: 'Stored',
  left_out: 'Left out',
} as const satisfies Readonly<Record<ReportRow['state'], PlainText>>

const aspects: Readonly<Record<string, PlainText>> = {
  records: 'Records',
  ids: 'Ids',
  states: 'States',
  addresses: 'Addresses',
  times: 'Times',
  title: 'Title',
  slug: 'Slug',
  words: 'Words',
  pictures: 'Images',
  links: 'Links',
}

/** The current step of the import. */
const steps: Readonly<Record<string, Extract<Text, `${string}{done}${string}{total}${string}`>>> = {
  files: 'Files: {done} of {total}',
  entries: 'Entries: {done} of {total}',
  checked: 'Compared with the export: {done} of {total}',
}

const mostRows = 100

export const importPath = ({ import_id }: Pick<ShownImport, 'import_id'>) => `/import/${import_id}`

/** Attributes that load the page again while the import runs. */
const again = (view: View, row: ShownImport) => ({
  'hx-get': `${panelPath}${importPath(row)}`,
  'hx-trigger': 'every 2s',
  'hx-target': '#app',
  'hx-select': '#app',
  'hx-swap': 'outerMorph',
  'hx-nonce': view.nonce,
})

export function ImportState({ view, row }: { view: View; row: ShownImport }) {
  const [kind, word] = states[row.status] ?? ['off', 'unknown']
  return (
    <>
      <State kind={kind}>{view.t(word)}</State>
      {row.error_message && <p class="quiet">{view.refusal(row.error_message)}</p>}
    </>
  )
}

const idIn = (c: Ctx) => idParam(c, 'import_id')

/** The page of one import, and what can be done with it. */
export function onePages({ get, act }: Pages, context: PanelContext): void {
  const { importJobs } = context.services
  get('/import/:import_id', 'import:read', async (view, c) => {
    const row = await importJobs.get(idIn(c))
    return (
      <TitledPage
        view={view}
        title={`${systemName(row.system)}: ${row.source}`}
        crumbs={[{ word: view.t('Imports'), path: '/import' }]}
        actions={<Actions view={view} row={row} />}
      >
        <p>
          <ImportState view={view} row={row} />
        </p>
        {row.status === 'running' && <Progress view={view} row={row} />}
        {row.preview && row.status !== 'completed' && (
          <>
            <Preview view={view} preview={row.preview} />
            <Sentences view={view} notes={row.preview.notes} />
          </>
        )}
        {row.result && (
          <>
            <Result view={view} made={row.result} />
            <Sentences view={view} notes={row.result.notes} />
          </>
        )}
        {row.status !== 'running' && (await records(view, c, row, context))}
      </TitledPage>
    )
  })
  act('/import/:import_id/start', 'import:update', async (c, _view, sent) =>
    importPath(await importJobs.resume(panelActor(c), idIn(c), formText(sent, 'without_files') === 'true')),
  )
  act('/import/:import_id/cancel', 'import:update', async c =>
    importPath(await importJobs.cancel(panelActor(c), idIn(c))),
  )
  act('/import/:import_id/delete', 'import:delete', async c => {
    await importJobs.remove(panelActor(c), idIn(c))
    return saved('/import')
  })
}

function Actions({ view, row }: { view: View; row: ShownImport }) {
  const isOpen = row.status === 'running' || row.status === 'ready'
  const canStart = row.status !== 'running' && row.status !== 'completed'
  return (
    <>
      {canStart && view.can('import:update') && (
        <Act view={view} action={`${importPath(row)}/start`} kind="next">
          {row.status === 'ready' ? view.t('Start the import') : view.t('Start again')}
        </Act>
      )}
      {canStart && row.with_files && row.preview?.files !== 0 && view.can('import:update') && (
        <Act view={view} action={`${importPath(row)}/start`} values={{ without_files: 'true' }}>
          {view.t('Start without files')}
        </Act>
      )}
      {isOpen && view.can('import:update') && (
        <Act view={view} action={`${importPath(row)}/cancel`}>
          {view.t('Cancel')}
        </Act>
      )}
      {row.status !== 'running' && view.can('import:delete') && (
        <Act view={view} action={`${importPath(row)}/delete`}>
          {view.t('Delete from the list')}
        </Act>
      )}
    </>
  )
}

function Progress({ view, row }: { view: View; row: ShownImport }) {
  const step = steps[row.doing]
  return (
    <div {...again(view, row)}>
      <Note view={view}>
        <p role="status">
          {step
            ? view.t(step, { done: Number(row.done), total: Number(row.total) })
            : view.t('The import is starting.')}
        </p>
      </Note>
    </div>
  )
}

const Sentences = ({ view, notes }: { view: View; notes: unknown }) =>
  Array.isArray(notes) &&
  notes.length > 0 && (
    <section aria-labelledby="notes">
      <h2 id="notes">{view.t('Notes')}</h2>
      <ul class="steps">
        {notes.map(String).map(note => (
          <li>{note}</li>
        ))}
      </ul>
    </section>
  )

function Preview({ view, preview }: { view: View; preview: Record<string, unknown> }) {
  const { datatypes, locales, files, left_out } = preview as unknown as ImportPreview & {
    left_out: number
  }
  return (
    <section aria-labelledby="preview">
      <h2 id="preview">{view.t('Preview of the import')}</h2>
      <Table
        view={view}
        caption={view.t('Preview of the import')}
        records={datatypes}
        columns={[
          { label: 'Datatype', of: ({ name }) => name },
          { label: 'Fields', of: ({ fields }) => fields },
          { label: 'Entries', of: ({ entries }) => entries },
          { label: 'Published', of: ({ published }) => published },
        ]}
      />
      <p>
        {locales.length > 0 && view.t('Languages: {codes}.', { codes: locales.join(', ') })}{' '}
        {view.t('Files: {n}.', { n: files })}{' '}
        {left_out > 0 && view.t('Unreadable records that will be left out: {n}.', { n: left_out })}
      </p>
    </section>
  )
}

/** The rows of the comparison: how many records are equal as a whole, and in each aspect. */
function comparedIn(verified: Imported['verified']): [string, { equal: number; of: number }][] {
  const { equal, different, missing, aspects: compared } = verified ?? {}
  if (!compared || equal === undefined) return []
  const records = { equal, of: equal + (different ?? 0) + (missing ?? 0) }
  return Object.entries({ records, ...compared }).filter(([, { of }]) => of > 0)
}

function Result({ view, made }: { view: View; made: Record<string, unknown> }) {
  const imported = made as unknown as Imported
  const { datatypes, fields, entries, files, known, redirects, verified } = imported
  const { compat, compat_stored } = imported
  const compared = comparedIn(verified)
  return (
    <section aria-labelledby="result">
      <h2 id="result">{view.t('Result')}</h2>
      <p>
        {view.t('Datatypes: {datatypes}, fields: {fields}, entries: {entries}, files: {files}.', {
          ...{ datatypes, fields, entries, files },
        })}{' '}
        {known > 0 && view.t('Existing entries, unchanged: {n}.', { n: known })}{' '}
        {redirects > 0 && view.t('Redirects from old addresses: {n}.', { n: redirects })}
      </p>
      {!compat_stored && Object.keys(compat).length > 0 && (
        <>
          <p>{view.t('Add this to cms.config.json for the front end:')}</p>
          <pre>{JSON.stringify({ compat }, null, 2)}</pre>
        </>
      )}
      <Table
        view={view}
        caption={view.t('Comparison with the export')}
        records={compared}
        columns={[
          {
            label: 'Compared',
            of([name]) {
              const word = aspects[name]
              return word ? view.t(word) : name
            },
          },
          { label: 'Same', of: ([, { equal }]) => equal },
          { label: 'Total', of: ([, { of }]) => of },
        ]}
      />
    </section>
  )
}

/** The report, or only its rows that somebody should look at. */
async function records(view: View, c: Ctx, row: ShownImport, { services: { importJobs } }: PanelContext) {
  const counts = await importJobs.reported(row.import_id)
  if (counts.all === 0) return null
  const problems = c.req.query('problems') !== undefined
  const after = c.req.query('after')?.slice(0, 64)
  const rows = await importJobs.report(row.import_id, { problems, after, limit: mostRows })
  const path = `${view.base}${importPath(row)}`
  const last = rows.length === mostRows ? rows.at(-1)?.key : undefined
  return (
    <section aria-labelledby="records">
      <h2 id="records">{view.t('Records')}</h2>
      <nav class="tabs" aria-label={view.t('Records')}>
        <a href={`${path}#records`} aria-current={problems ? undefined : 'page'}>
          {view.t('All ({n})', { n: counts.all })}
        </a>{' '}
        <a href={`${path}?problems#records`} aria-current={problems ? 'page' : undefined}>
          {view.t('Needs attention ({n})', { n: counts.problems })}
        </a>
      </nav>
      <Report view={view} rows={rows.map(one => one.row as unknown as ReportRow)} />
      {last !== undefined && (
        <a href={`${path}?${problems ? 'problems&' : ''}after=${encodeURIComponent(last)}#records`}>
          {view.t('Next {n}', { n: mostRows })}
        </a>
      )}
    </section>
  )
}

const Report = ({ view, rows }: { view: View; rows: readonly ReportRow[] }) =>
  rows.length === 0 ? (
    <Empty>{view.t('No records need attention.')}</Empty>
  ) : (
    <Table
      view={view}
      caption={view.t('Records of the import')}
      records={rows}
      columns={[
        {
          label: 'In the export',
          of: ({ source_id, old_address }) => <span class="breaks">{old_address ?? source_id}</span>,
        },
        { label: 'In this service', of: row => <Here view={view} row={row} /> },
        { label: 'State', of: ({ state }) => view.t(rowStates[state]) },
        { label: 'Words', of: ({ words }) => (words ? `${words.before} → ${words.after}` : '–'), wide: true },
        { label: 'Left out', of: ({ left_out }) => left_out.join(' ') || '–' },
      ]}
    />
  )

const Here = ({ view, row: { kind, id, address } }: { view: View; row: ReportRow }) =>
  id === null || kind === 'unread' ? (
    '–'
  ) : (
    <a href={`${view.base}/${kind === 'file' ? 'media' : 'content/entry'}/${id}`}>{address ?? id}</a>
  )
