import { idParam } from '../middleware/context.js'
import { attachment } from '../object-headers.js'
import { all } from '../resources/entries.js'
import { sizeWords } from '../resources/media.js'
import type { StateKind } from '../resources/resource.js'
import type { PlainText } from '../texts/text.js'
import { type PanelContext, panelPath } from './context.js'
import { TitledPage } from './layout.js'
import { Table } from './list.js'
import { pages, saved } from './pages.js'
import { Act, Empty, Moment, Note, State } from './parts.js'
import { panelActor, type View } from './view.js'

const maxBackups = 10_000
const shownBackups = 100

const states: Readonly<Record<string, readonly [StateKind, PlainText]>> = {
  running: ['due', 'Running'],
  completed: ['live', 'Complete'],
  failed: ['bad', 'Failed'],
}

const again = (nonce: string) => ({
  'hx-get': `${panelPath}/backups`,
  'hx-trigger': 'every 2s',
  'hx-target': '#app',
  'hx-select': '#app',
  'hx-swap': 'outerMorph',
  'hx-nonce': nonce,
})

type Config = ReturnType<PanelContext['config']>

/** Where backups are, and when they are made. */
const Lead = ({ view, config }: { view: View; config: Config }) => {
  const { backup_option, backup_schedule, backup_retention } = config
  return (
    <p class="lead">
      {backup_option === 's3'
        ? view.t('A backup is one archive with all rows and media files, in a bucket.')
        : view.t('A backup is one archive with all rows and media files, in a folder on the server.')}{' '}
      {backup_schedule
        ? view.t('The service makes a backup every {time}.', { time: backup_schedule })
        : view.t('Automatic backups are off: set backup_schedule to turn them on.')}{' '}
      {view.t('The service keeps the newest {n}.', { n: backup_retention })}
    </p>
  )
}

/** How to restore a backup, on the server. */
const Restore = ({ view, location }: { view: View; location: string | null | undefined }) => (
  <section aria-labelledby="restore">
    <h2 id="restore">{view.t('Restore a backup')}</h2>
    <ol class="steps">
      <li>{view.t('Stop the service, and enter an empty database in its configuration.')}</li>
      <li>
        {view.parts('On the server: {command}. The whole archive is checked before anything is written.', {
          command: <code>slugline backup restore {location ?? '<file>'}</code>,
        })}
      </li>
      <li>{view.t('Start the service. Everybody must sign in again.')}</li>
    </ol>
    <p class="quiet">{view.t('A restore replaces every account, so it is possible only on the server.')}</p>
  </section>
)

/** Backups of the whole site. */
export function backupPages(context: PanelContext) {
  const { access, backups, backupDownloads } = context.services
  const set = pages(context, 'backups')
  set.get('/backups', 'deploy:read', async (view, c) => {
    const mayTakeAway = await access.isAdministrator(panelActor(c))
    const found = (await all(backups.list({}, { limit: maxBackups }))).reverse().slice(0, shownBackups)
    const isRunning = found.some(({ status }) => status === 'running')
    return (
      <TitledPage
        view={view}
        title={view.t('Backups')}
        actions={
          view.can('deploy:create') &&
          !isRunning && (
            <Act view={view} action="/backups" kind="next">
              {view.t('Back up now')}
            </Act>
          )
        }
      >
        <Lead view={view} config={context.config()} />
        {isRunning && (
          <div {...again(view.nonce)}>
            <Note view={view}>
              <p role="status">{view.t('A backup is running.')}</p>
            </Note>
          </div>
        )}
        {found.length === 0 ? (
          <Empty>{view.t('No backups yet.')}</Empty>
        ) : (
          <Table
            view={view}
            caption={view.t('Backups, newest first')}
            records={found}
            columns={[
              { label: 'Started', of: ({ started_at }) => <Moment view={view} at={started_at} /> },
              {
                label: 'State',
                of: ({ status, error_message }) => {
                  const [kind, word] = states[status] ?? ['off', undefined]
                  return (
                    <>
                      <State kind={kind}>{word ? view.t(word) : status}</State>
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
                    <a href={`${view.base}/backups/${backup_id}/archive`}>{view.t('Download')}</a>
                  ) : (
                    '–'
                  ),
              },
              { label: 'Where', of: ({ location }) => <code class="breaks">{location}</code>, wide: true },
            ]}
          />
        )}
        <Restore view={view} location={found.find(one => one.status === 'completed')?.location} />
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
      'Content-Disposition': attachment(found.name),
    })
  })
  set.act('/backups', 'deploy:create', async c => {
    await backups.begin(panelActor(c))
    return saved('/backups')
  })
  return set
}
