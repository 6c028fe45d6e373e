import { notFound } from '../errors.js'
import { type Ctx, idParam } from '../middleware/context.js'
import type { StateKind } from '../resources/resource.js'
import type { ShownImport } from '../services/import/jobs.js'
import type { ImportPreview } from '../services/import/preview.js'
import type { ReportRow } from '../services/import/report.js'
import type { Imported } from '../services/import/settings.js'
import { type ImportSystem, importSystems } from '../services/import/systems.js'
import { type PanelContext, panelPath } from './context.js'
import { refuseForeignForm, tokenMember } from './form-token.js'
import { TitledPage } from './layout.js'
import { sliceOf, Table } from './list.js'
import { type Pages, pages, saved, textOf } from './pages.js'
import { Act, Empty, Form, Moment, Note, State, Submit } from './parts.js'
import { panelActor, type View } from './view.js'

/** Every sentence of these pages. */
const texts = {
  title: 'Imports',
  lead: 'Content of another system becomes content here. Nothing that is here already is changed.',
  from: 'Import from',
  none: 'No imports yet.',
  listCaption: 'Imports, the oldest first',
  columns: { system: 'From', source: 'Export', state: 'State', begun: 'Begun' },
  systems: { wordpress: 'WordPress', contentful: 'Contentful', sanity: 'Sanity', strapi: 'Strapi' },
  states: {
    running: 'Running',
    ready: 'Waits for you',
    completed: 'Complete',
    failed: 'Failed',
    cancelled: 'Cancelled',
  },
  chooseTitle: (system: string) => `Import from ${system}`,
  chooseLead: 'First the export is read, and you see what will come. Nothing is stored before you start it.',
  exports: {
    wordpress: 'The .xml file of Tools, Export, or several of them in a .tar.gz archive.',
    contentful: 'The .json file of contentful space export, or a .tar.gz archive with it and its assets.',
    sanity: 'The .tar.gz archive of sanity dataset export, or its data.ndjson.',
    strapi: 'The .tar.gz archive of strapi export --no-encrypt.',
  },
  upload: 'Upload a file',
  file: 'The export',
  orAddress: 'Or name its address',
  address: 'Address',
  publicly: 'Published content can be read by everybody, without a key',
  read: 'Read it',
  another: 'Another import runs. It has to end before the next one.',
  progress: (doing: string, done: number, total: number) => `${doing}: ${done} of ${total}`,
  begins: 'The import begins.',
  cancel: 'Cancel',
  start: 'Start the import',
  again: 'Start again',
  remove: 'Delete this record',
  previewTitle: 'What will come',
  preview: { name: 'Datatype', fields: 'Fields', entries: 'Entries', published: 'Published' },
  languages: (codes: string) => `Languages: ${codes}.`,
  files: (count: number) => `Files: ${count}.`,
  leftOut: (count: number) => `Records that cannot be read and will be left out: ${count}.`,
  problems: 'What to know',
  resultTitle: 'What was made',
  made: ({ datatypes, fields, entries, files }: Imported) =>
    `${datatypes} datatypes, ${fields} fields, ${entries} entries and ${files} files.`,
  known: (count: number) => `${count} entries were here before and are as they were.`,
  redirects: (count: number) => `${count} redirects lead from old addresses.`,
  compat: 'cms.config.json needs this for the front end:',
  asBefore: 'As before',
  verified: { aspect: 'Compared', equal: 'Equal', of: 'Of' },
  reportTitle: 'Each record',
  all: (count: number) => `All (${count})`,
  onlyProblems: (count: number) => `To look at (${count})`,
  further: 'Further',
  noRows: 'No record is to be looked at.',
  reportCaption: 'Records of the import',
  report: { source: 'There', here: 'Here', state: 'State', words: 'Words', left: 'Left out' },
  rowStates: {
    published: 'Published',
    draft: 'Draft',
    scheduled: 'Scheduled',
    stored: 'Stored',
    left_out: 'Left out',
  },
}

const stateKinds: Readonly<Record<string, StateKind>> = {
  running: 'due',
  ready: 'due',
  completed: 'live',
  failed: 'bad',
  cancelled: 'off',
}
const mostRows = 100

const wordOf = <K extends string>(words: Readonly<Record<K, string>>, key: string): string =>
  Object.hasOwn(words, key) ? words[key as K] : key

const pathOf = ({ import_id }: Pick<ShownImport, 'import_id'>) => `/import/${import_id}`

/** Attributes that load the page again while the import runs. */
const again = (view: View, row: ShownImport) => ({
  'hx-get': `${panelPath}${pathOf(row)}`,
  'hx-trigger': 'every 2s',
  'hx-target': '#app',
  'hx-select': '#app',
  'hx-swap': 'outerMorph',
  'hx-nonce': view.nonce,
})

/** Imports from other systems: choose, look at what will come, start, follow, read the report. */
export function importPages(context: PanelContext) {
  const set = pages(context, 'import')
  listPage(set, context)
  choosePages(set, context)
  onePages(set, context)
  return set
}

const ImportState = ({ row }: { row: ShownImport }) => (
  <>
    <State kind={stateKinds[row.status] ?? 'off'}>{wordOf(texts.states, row.status)}</State>
    {row.error_message && <p class="quiet">{row.error_message}</p>}
  </>
)

function listPage({ get }: Pages, { services: { importJobs } }: PanelContext): void {
  get('/import', 'import:read', async (view, c) => {
    const { records, next } = await sliceOf(c, importJobs, {}, ({ import_id }) => import_id)
    return (
      <TitledPage view={view} title={texts.title}>
        <p class="lead">{texts.lead}</p>
        {view.can('import:create') && (
          <nav aria-label={texts.from}>
            <ul>
              {importSystems.map(system => (
                <li>
                  <a href={`${view.base}/import/from/${system}`}>
                    {texts.chooseTitle(texts.systems[system])}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
        )}
        {records.length === 0 ? (
          <Empty>{texts.none}</Empty>
        ) : (
          <Table
            view={view}
            caption={texts.listCaption}
            records={records}
            pathOf={pathOf}
            columns={[
              { label: texts.columns.system, of: ({ system }) => wordOf(texts.systems, system) },
              { label: texts.columns.source, of: ({ source }) => <span class="breaks">{source}</span> },
              { label: texts.columns.state, of: row => <ImportState row={row} /> },
              { label: texts.columns.begun, of: ({ started_at }) => <Moment view={view} at={started_at} /> },
            ]}
          />
        )}
        {next && <a href={`${view.base}/import?after=${next}`}>{texts.further}</a>}
      </TitledPage>
    )
  })
}

function systemIn(c: Ctx): ImportSystem {
  const system = importSystems.find(one => one === c.req.param('system'))
  if (!system) throw notFound()
  return system
}

/** The id of the choice differs by form, its name does not. */
const Public = ({ id }: { id: string }) => (
  <p>
    <input type="checkbox" id={id} name="public" value="true" /> <label for={id}>{texts.publicly}</label>
  </p>
)

function choosePages({ get, act, receive }: Pages, context: PanelContext): void {
  const { importJobs } = context.services
  get('/import/from/:system', 'import:create', async (view, c) => {
    const system = systemIn(c)
    const isBusy = (await importJobs.count({ status: 'running' })) > 0
    return (
      <TitledPage
        view={view}
        title={texts.chooseTitle(texts.systems[system])}
        crumbs={[{ word: texts.title, path: '/import' }]}
      >
        <p class="lead">{texts.chooseLead}</p>
        {isBusy && (
          <Note view={view} kind="bad">
            <p>{texts.another}</p>
          </Note>
        )}
        <section aria-labelledby="upload">
          <h2 id="upload">{texts.upload}</h2>
          <p class="quiet">{texts.exports[system]}</p>
          <form
            method="post"
            encType="multipart/form-data"
            action={`${view.base}/import/upload/${system}?${tokenMember}=${view.token}`}
          >
            <input type="hidden" name="preview" value="true" />
            <p>
              <label for="file">{texts.file}</label> <input type="file" id="file" name="file" required />
            </p>
            <Public id="public-file" />
            <Submit kind="next">{texts.read}</Submit>
          </form>
        </section>
        <section aria-labelledby="from-address">
          <h2 id="from-address">{texts.orAddress}</h2>
          <Form view={view} action={`/import/address/${system}`}>
            <p>
              <label for="url">{texts.address}</label> <input type="url" id="url" name="url" required />
            </p>
            <Public id="public-address" />
            <Submit>{texts.read}</Submit>
          </Form>
        </section>
      </TitledPage>
    )
  })
  // The token is in the address: the body is a file (D-644).
  receive('/import/upload/:system', 'import:create', 'Upload an export', async c => {
    refuseForeignForm(c, c.req.query(tokenMember), context)
    const row = await importJobs.upload(panelActor(c), systemIn(c), c.req.raw)
    return c.redirect(`${context.base}${pathOf(row)}`, 303)
  })
  act('/import/address/:system', 'import:create', async (c, _view, sent) => {
    const given = { url: textOf(sent, 'url'), public: textOf(sent, 'public') === 'true', preview: true }
    return pathOf(await importJobs.fetch(panelActor(c), systemIn(c), given))
  })
}

const idIn = (c: Ctx) => idParam(c, 'import_id')

function onePages({ get, act }: Pages, context: PanelContext): void {
  const { importJobs } = context.services
  get('/import/:import_id', 'import:read', async (view, c) => {
    const row = await importJobs.get(idIn(c))
    const onlyProblems = c.req.query('problems') !== undefined
    const after = c.req.query('after')?.slice(0, 64)
    const counts = await importJobs.reported(row.import_id)
    const limit = mostRows
    const rows = await importJobs.report(row.import_id, { problems: onlyProblems, after, limit })
    return (
      <TitledPage
        view={view}
        title={`${wordOf(texts.systems, row.system)}: ${row.source}`}
        crumbs={[{ word: texts.title, path: '/import' }]}
        actions={<Actions view={view} row={row} />}
      >
        <p>
          <ImportState row={row} />
        </p>
        {row.status === 'running' && <Progress view={view} row={row} />}
        {row.preview && row.status !== 'completed' && <Preview view={view} preview={row.preview} />}
        {row.result && <Result view={view} made={row.result} />}
        {counts.all > 0 && row.status !== 'running' && (
          <section aria-labelledby="records">
            <h2 id="records">{texts.reportTitle}</h2>
            <nav class="tabs" aria-label={texts.reportTitle}>
              <a href={`${view.base}${pathOf(row)}#records`} aria-current={onlyProblems ? undefined : 'page'}>
                {texts.all(counts.all)}
              </a>{' '}
              <a
                href={`${view.base}${pathOf(row)}?problems#records`}
                aria-current={onlyProblems ? 'page' : undefined}
              >
                {texts.onlyProblems(counts.problems)}
              </a>
            </nav>
            <Report view={view} rows={rows.map(one => one.row as unknown as ReportRow)} />
            {rows.length === limit && (
              <a
                href={`${view.base}${pathOf(row)}?${onlyProblems ? 'problems&' : ''}after=${encodeURIComponent(rows.at(-1)?.key ?? '')}#records`}
              >
                {texts.further}
              </a>
            )}
          </section>
        )}
      </TitledPage>
    )
  })
  act('/import/:import_id/start', 'import:update', async c =>
    pathOf(await importJobs.resume(panelActor(c), idIn(c))),
  )
  act('/import/:import_id/cancel', 'import:update', async c =>
    pathOf(await importJobs.cancel(panelActor(c), idIn(c))),
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
        <Act view={view} action={`${pathOf(row)}/start`} kind="next">
          {row.status === 'ready' ? texts.start : texts.again}
        </Act>
      )}
      {isOpen && view.can('import:update') && (
        <Act view={view} action={`${pathOf(row)}/cancel`}>
          {texts.cancel}
        </Act>
      )}
      {row.status !== 'running' && view.can('import:delete') && (
        <Act view={view} action={`${pathOf(row)}/delete`}>
          {texts.remove}
        </Act>
      )}
    </>
  )
}

const Progress = ({ view, row }: { view: View; row: ShownImport }) => (
  <div {...again(view, row)}>
    <Note view={view}>
      <p role="status">
        {row.doing === '' ? texts.begins : texts.progress(row.doing, Number(row.done), Number(row.total))}
      </p>
    </Note>
  </div>
)

const Sentences = ({ notes }: { notes: readonly string[] }) =>
  notes.length > 0 && (
    <>
      <h3>{texts.problems}</h3>
      <ul>
        {notes.map(note => (
          <li>{note}</li>
        ))}
      </ul>
    </>
  )

function Preview({ view, preview }: { view: View; preview: Record<string, unknown> }) {
  const { datatypes, locales, files, notes, left_out } = preview as unknown as ImportPreview & {
    left_out: number
  }
  return (
    <section aria-labelledby="preview">
      <h2 id="preview">{texts.previewTitle}</h2>
      <Table
        view={view}
        caption={texts.previewTitle}
        records={datatypes}
        columns={[
          { label: texts.preview.name, of: ({ name }) => name },
          { label: texts.preview.fields, of: ({ fields }) => fields },
          { label: texts.preview.entries, of: ({ entries }) => entries },
          { label: texts.preview.published, of: ({ published }) => published },
        ]}
      />
      <p>
        {locales.length > 0 && texts.languages(locales.join(', '))} {texts.files(files)}{' '}
        {left_out > 0 && texts.leftOut(left_out)}
      </p>
      <Sentences notes={notes} />
    </section>
  )
}

function Result({ view, made }: { view: View; made: Record<string, unknown> }) {
  const imported = made as unknown as Imported
  const { known, redirects, compat, verified, notes } = imported
  const compared = Object.entries(verified ?? {}).filter(([, { of }]) => of > 0)
  return (
    <section aria-labelledby="result">
      <h2 id="result">{texts.resultTitle}</h2>
      <p>
        {texts.made(imported)} {known > 0 && texts.known(known)} {redirects > 0 && texts.redirects(redirects)}
      </p>
      {Object.keys(compat).length > 0 && (
        <>
          <p>{texts.compat}</p>
          <pre>{JSON.stringify({ compat }, null, 2)}</pre>
        </>
      )}
      <Table
        view={view}
        caption={texts.asBefore}
        records={compared}
        columns={[
          { label: texts.verified.aspect, of: ([name]) => name },
          { label: texts.verified.equal, of: ([, { equal }]) => equal },
          { label: texts.verified.of, of: ([, { of }]) => of },
        ]}
      />
      <Sentences notes={notes} />
    </section>
  )
}

const Report = ({ view, rows }: { view: View; rows: readonly ReportRow[] }) =>
  rows.length === 0 ? (
    <Empty>{texts.noRows}</Empty>
  ) : (
    <Table
      view={view}
      caption={texts.reportCaption}
      records={rows}
      columns={[
        {
          label: texts.report.source,
          of: ({ source_id, old_address }) => <span class="breaks">{old_address ?? source_id}</span>,
        },
        {
          label: texts.report.here,
          of: ({ kind, id, address }) =>
            id !== null && kind !== 'unread' ? (
              <a href={`${view.base}/${kind === 'file' ? 'media' : 'content/entry'}/${id}`}>
                {address ?? id}
              </a>
            ) : (
              '–'
            ),
        },
        { label: texts.report.state, of: ({ state }) => texts.rowStates[state] },
        {
          label: texts.report.words,
          of: ({ words }) => (words ? `${words.before} → ${words.after}` : '–'),
        },
        { label: texts.report.left, of: ({ left_out }) => left_out.join(' ') || '–' },
      ]}
    />
  )
