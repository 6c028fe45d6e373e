import { idParam } from '../middleware/context.js'
import { all } from '../resources/entries.js'
import { sizeWords } from '../resources/media.js'
import type { StateKind } from '../resources/resource.js'
import { type PanelContext, panelPath } from './context.js'
import { TitledPage } from './layout.js'
import { Table } from './list.js'
import { pages, saved } from './pages.js'
import { Act, Empty, Moment, Note, State } from './parts.js'
import { panelActor } from './view.js'

/** More backups than are ever kept. */
const maxBackups = 10_000
const shownBackups = 100

const states: Readonly<Record<string, readonly [StateKind, string]>> = {
  running: ['due', 'Being made'],
  completed: ['live', 'Complete'],
  failed: ['bad', 'Failed'],
}

/** Attributes that load the page again while a backup is being made. */
const again = (nonce: string) => ({
  'hx-get': `${panelPath}/backups`,
  'hx-trigger': 'every 2s',
  'hx-target': '#app',
  'hx-select': '#app',
  'hx-swap': 'outerMorph',
  'hx-nonce': nonce,
})

/** Backups of the whole site. */
export function backupPages(context: PanelContext) {
  const { access, backups, backupDownloads } = context.services
  const set = pages(context, 'backups')
  set.get('/backups', 'deploy:read', async (view, c) => {
    const mayTakeAway = await access.isAdministrator(panelActor(c))
    const found = (await all(backups.list({}, { limit: maxBackups }))).reverse().slice(0, shownBackups)
    const isRunning = found.some(({ status }) => status === 'running')
    const { backup_option, backup_schedule, backup_retention } = context.config()
    return (
      <TitledPage
        view={view}
        title="Backups"
        actions={
          view.can('deploy:create') &&
          !isRunning && (
            <Act view={view} action="/backups" kind="next">
              Back up now
            </Act>
          )
        }
      >
        <p class="lead">
          A backup is one archive with all rows and media files, in{' '}
          {backup_option === 's3' ? 'a bucket' : 'a folder on the server'}.{' '}
          {backup_schedule
            ? `The service makes one every ${backup_schedule}`
            : 'None is made automatically: set backup_schedule'}
          . The newest {backup_retention} are kept.
        </p>
        {isRunning && (
          <div {...again(view.nonce)}>
            <Note view={view}>
              <p role="status">A backup is being made.</p>
            </Note>
          </div>
        )}
        {found.length === 0 ? (
          <Empty>No backups yet.</Empty>
        ) : (
          <Table
            view={view}
            caption="Backups, newest first"
            records={found}
            columns={[
              { label: 'Begun', of: ({ started_at }) => <Moment view={view} at={started_at} /> },
              {
                label: 'State',
                of: ({ status, error_message }) => {
                  const [kind, word] = states[status] ?? ['off', status]
                  return (
                    <>
                      <State kind={kind}>{word}</State>
                      {error_message && <p class="quiet">{error_message}</p>}
                    </>
                  )
                },
              },
              {
                label: 'Size',
                of: ({ size_bytes }) => (size_bytes === null ? '–' : sizeWords(Number(size_bytes))),
              },
              { label: 'Rows', of: ({ record_count }) => record_count ?? '–', wide: true },
              {
                label: 'Archive',
                of: ({ backup_id, status, storage }) =>
                  status === 'completed' && storage !== 'file' && mayTakeAway ? (
                    <a href={`${view.base}/backups/${backup_id}/archive`}>Download</a>
                  ) : (
                    '–'
                  ),
              },
              { label: 'Where', of: ({ location }) => <code class="breaks">{location}</code>, wide: true },
            ]}
          />
        )}
        <section aria-labelledby="restore">
          <h2 id="restore">To restore one</h2>
          <ol class="steps">
            <li>Stop the service, and name an empty database in its configuration.</li>
            <li>
              On the server:{' '}
              <code>
                slugline backup restore {found.find(one => one.status === 'completed')?.location ?? '<file>'}
              </code>
              . The archive is checked to its last bit before anything is written.
            </li>
            <li>Start the service. Everybody signs in again.</li>
          </ol>
          <p class="quiet">A restore replaces every account, so that it is done on the server alone.</p>
        </section>
      </TitledPage>
    )
  })
  set.get('/backups/:backup_id/archive', 'deploy:read', async (_view, c) => {
    const found = await backupDownloads.download(panelActor(c), idParam(c, 'backup_id'))
    c.header('Cache-Control', 'no-store')
    if ('address' in found) return c.redirect(found.address, 303)
    return c.body(found.bytes, 200, {
      'Content-Type': 'application/gzip',
      'Content-Length': String(found.size),
      'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(found.name)}`,
    })
  })
  set.act('/backups', 'deploy:create', async c => {
    await backups.begin(panelActor(c))
    return saved('/backups')
  })
  return set
}
