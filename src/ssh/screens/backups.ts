import { sizeWords } from '../../resources/media.js'
import type { StateKind } from '../../resources/resource.js'
import { t } from '../../texts/terminal.js'
import { resourceView } from '../resource.js'
import type { Session } from '../session.js'
import { timeWord } from './words.js'

const kinds: Readonly<Record<string, StateKind>> = { completed: 'live', failed: 'bad' }

/** Backups: copies of all rows and media, each in one file. */
export function backupsScreen(session: Session) {
  const { backups } = session.services
  return resourceView(session, {
    title: t('Backups'),
    one: t('backup'),
    access: { read: 'deploy:read' },
    service: backups,
    key: 'backup_id',
    nameOf: ({ started_at }) => timeWord(started_at, session),
    empty: t('No backups yet.'),
    everyMs: 2000,
    columns: [
      { label: t('Started'), of: ({ started_at }) => ({ at: started_at }) },
      { label: t('State'), of: ({ status }) => ({ state: kinds[status] ?? 'due', word: status }) },
      { label: t('Size'), of: ({ size_bytes }) => (size_bytes === null ? '–' : sizeWords(size_bytes)) },
      { label: t('Where'), of: ({ location }) => ({ code: location ?? '–' }) },
    ],
    listKeys: [
      {
        key: 'n',
        does: t('back up now'),
        access: 'deploy:create',
        ofList: true,
        run: shell =>
          shell.work('deploy:create', async () => {
            const made = await backups.begin(session.actor)
            shell.say(t('A backup is running.'))
            return state => ({ ...state, records: [...state.records, made], total: state.total + 1 })
          }),
      },
    ],
    fields: record =>
      Object.keys(record ?? {}).map(name => ({ name, label: name.replaceAll('_', ' '), kind: 'fixed' })),
  })
}
