import { counted } from '../../resources/removal.js'
import type { ChangedText } from '../../resources/views/changed-texts.js'
import { changedEntries, changesTitle, noChanges } from '../../resources/views/changes.js'
import {
  comparisonOf,
  keepVersion,
  noVersions,
  onlyPlaces,
  type VersionRow,
  versionRows,
} from '../../resources/views/versions.js'
import { t } from '../../texts/terminal.js'
import { differenceRows } from '../screen/difference.js'
import { listView } from '../screen/list.js'
import type { ListKey } from '../screen/list-spec.js'
import { confirmView } from '../screen/over.js'
import { pageView, type TextRow } from '../screen/page.js'
import { bold, dim, green, red } from '../screen/style.js'
import type { AnyView, Shell } from '../screen/view.js'
import type { Session } from '../session.js'
import { timeWord } from './words.js'

const reads = 'content:update'

/** The versions of an entry, the newest first. */
export function versionsScreen(session: Session, id: string, title: string): AnyView {
  const { versions } = session.services.space
  let rows: readonly VersionRow[] = []
  const load = async () => {
    rows = await versionRows(id, session, session)
    return { records: rows, total: rows.length }
  }
  const keys: ListKey<VersionRow>[] = [
    {
      key: 'Enter',
      does: t('compare with the previous'),
      run(shell, row) {
        const before = rows[rows.indexOf(row) + 1]
        if (before) compare(session, shell, before, row)
        else shell.say(t('This is the first version.'))
      },
    },
    {
      key: 'c',
      does: t('compare with the newest'),
      run: (shell, row) => compare(session, shell, row, rows[0] ?? row),
    },
    {
      key: 'r',
      does: t('restore'),
      run: (shell, row) =>
        shell.open(
          confirmView(
            t('Restore'),
            [
              t('Restore version {number} of “{title}”?', { number: row.number, title }),
              t('The current state is saved as a version first.'),
            ].join('\n'),
            {
              word: t('restore it'),
              act: () =>
                shell.work(reads, async () => {
                  const { restored, recreated } = await versions.restore(session.actor, row.id)
                  shell.back()
                  shell.say(
                    t('Restored {values} and {entries}.', {
                      values: counted(restored, 'values'),
                      entries: counted(recreated.length, 'entries'),
                    }),
                  )
                }),
            },
          ),
        ),
    },
    {
      key: 'n',
      does: t('save a version'),
      ofList: true,
      run: shell =>
        shell.work(reads, async () => {
          const kept = await keepVersion(session.actor, id, session)
          const loaded = await load()
          shell.say(t('Saved as version {number}.', { number: kept.version_number }))
          return state => ({ ...state, ...loaded })
        }),
    },
  ]
  return listView<VersionRow>({
    title: t('Versions of {title}', { title }),
    access: reads,
    load,
    keyOf: row => row.id,
    empty: noVersions,
    columns: [
      { label: t('Version'), of: ({ name, why }) => `${name} ${why}` },
      { label: t('When'), of: ({ at }) => timeWord(at, session) },
    ],
    keys,
  })
}

const rowsOf = (values: readonly ChangedText[]): Promise<TextRow[]> =>
  differenceRows(
    values.map(({ title, field, locale, before, after, isRich }) => ({
      label: [title, field, locale].filter(Boolean).join(' · '),
      before,
      after,
      isRich,
    })),
  )

function compare<S>(session: Session, shell: Shell<S>, from: VersionRow, to: VersionRow): void {
  shell.work(reads, async () => {
    const { added, removed, values } = await comparisonOf(from.id, to.id, session)
    const rows: TextRow[] = [
      ...added.map(title => ({ text: `+ ${title}`, style: green })),
      ...removed.map(title => ({ text: `- ${title}`, style: red })),
      ...(await rowsOf(values)),
    ]
    const nothing = [{ text: onlyPlaces, style: dim }]
    shell.open(
      pageView(t('From {from} to {to}', { from: from.name, to: to.name }), rows.length > 0 ? rows : nothing),
    )
  })
}

/** Shows the unpublished changes, with a key that discards them. */
export function changesScreen<S>(session: Session, shell: Shell<S>, id: string): void {
  const { changes } = session.services.space
  shell.work(reads, async () => {
    const entries = await changedEntries(id, session, session)
    const rows: TextRow[] = []
    for (const { title, word, values } of entries)
      rows.push({ text: `${title}: ${word}`, style: bold }, ...(await rowsOf(values)))
    const drop = {
      key: 'X',
      does: t('discard all'),
      run: (inner: Shell<never>) =>
        inner.open(
          confirmView(
            t('Discard changes'),
            t('Discard all unpublished changes in this tree? The current state is saved as a version first.'),
            {
              word: t('discard all'),
              act: () =>
                inner.work(reads, async () => {
                  const { dropped } = await changes.drop(session.actor, id)
                  inner.back()
                  inner.say(
                    t('Discarded the changes of {entries}.', { entries: counted(dropped, 'entries') }),
                  )
                }),
            },
          ),
        ),
    }
    const nothing = [{ text: noChanges, style: dim }]
    shell.open(
      pageView(changesTitle, rows.length > 0 ? rows : nothing, rows.length > 0 ? [drop as never] : []),
    )
  })
}
