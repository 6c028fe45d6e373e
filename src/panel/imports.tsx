import { notFound } from '../errors.js'
import type { Ctx } from '../middleware/context.js'
import { type ImportSystem, importSystems } from '../services/import/systems.js'
import type { PlainText } from '../texts/text.js'
import type { PanelContext } from './context.js'
import { refuseForeignForm, tokenMember } from './form-token.js'
import { ImportState, importPath, onePages, systemName } from './import-page.js'
import { TitledPage } from './layout.js'
import { List, sliceOf } from './list.js'
import { formText, type Pages, pages } from './pages.js'
import { Form, Moment, Note, Submit } from './parts.js'
import { panelActor, type View } from './view.js'

/** The files that hold an export. */
const exportTexts: Readonly<Record<ImportSystem, PlainText>> = {
  wordpress: 'The .xml file from Tools > Export in WordPress, or several such files in a .tar.gz archive.',
  contentful:
    'The .json file from the command contentful space export, or a .tar.gz archive with it and its assets.',
  sanity: 'The .tar.gz archive from the command sanity dataset export, or its data.ndjson.',
  strapi: 'The .tar.gz archive from the command strapi export --no-encrypt.',
  csv: 'A .csv or .tsv file in UTF-8 with the field names in its first line, or a .zip archive of several such files.',
  ghost: 'The .json file from Settings > Import/Export in Ghost, or an archive with it and content/images.',
  markdown: 'A .zip or .tar.gz archive of the folder with the Markdown files and their images.',
}

/** Imports from other systems: choose, look at what will come, start, follow, read the report. */
export function importPages(context: PanelContext) {
  const set = pages(context, 'import')
  listPage(set, context)
  choosePages(set, context)
  onePages(set, context)
  return set
}

function listPage({ get }: Pages, { services: { importJobs } }: PanelContext): void {
  get('/import', 'import:read', async (view, c) => (
    <TitledPage
      view={view}
      title={view.t('Imports')}
      crumbs={view.can('config:read') ? [{ word: view.t('Settings'), path: '/settings' }] : []}
    >
      <p class="lead">{view.t('Import content from another system. Existing content is not changed.')}</p>
      {view.can('import:create') && (
        <nav class="actions" aria-label={view.t('Import from')}>
          {importSystems.map(system => (
            <a class="button" href={`${view.base}/import/from/${system}`}>
              {view.t('Import from {system}', { system: systemName(system) })}
            </a>
          ))}
        </nav>
      )}
      <List
        view={view}
        caption={view.t('Imports, oldest first')}
        slice={await sliceOf(c, importJobs, {}, ({ import_id }) => import_id)}
        path="/import"
        pathOf={importPath}
        empty={view.t('No imports yet.')}
        columns={[
          { label: 'From', of: ({ system }) => systemName(system) },
          { label: 'Export', of: ({ source }) => <span class="breaks">{source}</span> },
          { label: 'State', of: row => <ImportState view={view} row={row} /> },
          { label: 'Started', of: ({ started_at }) => <Moment view={view} at={started_at} /> },
        ]}
      />
    </TitledPage>
  ))
}

function systemIn(c: Ctx): ImportSystem {
  const system = importSystems.find(one => one === c.req.param('system'))
  if (!system) throw notFound()
  return system
}

/** The ids of the choices differ by form, their names do not. */
const Choices = ({ view, form }: { view: View; form: string }) => (
  <>
    <p>
      <input type="checkbox" id={`public-${form}`} name="public" value="true" />{' '}
      <label for={`public-${form}`}>
        {view.t('Let everybody read published content without an API key')}
      </label>
    </p>
    <p>
      <input type="checkbox" id={`without-files-${form}`} name="without_files" value="true" />{' '}
      <label for={`without-files-${form}`}>{view.t('Import without files')}</label>
    </p>
  </>
)

const Upload = ({ view, system }: { view: View; system: ImportSystem }) => (
  <section aria-labelledby="upload">
    <h2 id="upload">{view.t('Upload a file')}</h2>
    <p class="quiet">{view.t(exportTexts[system])}</p>
    <form
      method="post"
      encType="multipart/form-data"
      action={`${view.base}/import/upload/${system}?${tokenMember}=${view.token}`}
    >
      <input type="hidden" name="preview" value="true" />
      <p>
        <label for="file">{view.t('The export')}</label> <input type="file" id="file" name="file" required />
      </p>
      <Choices view={view} form="file" />
      <Submit kind="next">{view.t('Read the export')}</Submit>
    </form>
  </section>
)

const FromAddress = ({ view, system }: { view: View; system: ImportSystem }) => (
  <section aria-labelledby="from-address">
    <h2 id="from-address">{view.t('Or enter its address')}</h2>
    <Form view={view} action={`/import/address/${system}`}>
      <p>
        <label for="url">{view.t('Address')}</label> <input type="url" id="url" name="url" required />
      </p>
      <Choices view={view} form="address" />
      <Submit>{view.t('Read the export')}</Submit>
    </Form>
  </section>
)

function choosePages({ get, act, receive }: Pages, context: PanelContext): void {
  const { importJobs } = context.services
  get('/import/from/:system', 'import:create', async (view, c) => {
    const system = systemIn(c)
    const isBusy = (await importJobs.count({ status: 'running' })) > 0
    return (
      <TitledPage
        view={view}
        title={view.t('Import from {system}', { system: systemName(system) })}
        crumbs={[{ word: view.t('Imports'), path: '/import' }]}
      >
        <p class="lead">
          {view.t(
            'The service first reads the export and shows what it will import. It stores nothing until you start the import.',
          )}
        </p>
        {isBusy && (
          <Note view={view} kind="bad">
            <p>{view.t('Another import is running. Start this one when it has ended.')}</p>
          </Note>
        )}
        <Upload view={view} system={system} />
        <FromAddress view={view} system={system} />
      </TitledPage>
    )
  })
  // The token is in the address: the body is a file (D-644).
  receive('/import/upload/:system', 'import:create', 'Upload an export', async c => {
    refuseForeignForm(c, c.req.query(tokenMember), context)
    const row = await importJobs.upload(panelActor(c), systemIn(c), c.req.raw)
    return c.redirect(`${context.base}${importPath(row)}`, 303)
  })
  act('/import/address/:system', 'import:create', async (c, _view, sent) => {
    const chosen = (name: string) => formText(sent, name) === 'true'
    const choices = { public: chosen('public'), without_files: chosen('without_files'), preview: true }
    const given = { url: formText(sent, 'url'), ...choices }
    return importPath(await importJobs.fetch(panelActor(c), systemIn(c), given))
  })
}
