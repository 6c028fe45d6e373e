import { all } from '../../resources/entries.js'
import { type ChangeRow, changeRows, noValues, toldChange } from '../../resources/views/audit.js'
import { t } from '../../texts/terminal.js'
import { viewerOf } from '../resource.js'
import { differenceRows } from '../screen/difference.js'
import { listView } from '../screen/list.js'
import { pageView, type TextRow } from '../screen/page.js'
import { bold, dim } from '../screen/style.js'
import type { Shell } from '../screen/view.js'
import type { Session } from '../session.js'
import { secondWord } from './words.js'

const everyMs = 2000
const reads = 'audit:read'

/** The audit log: what was changed, by whom and when. It updates by itself. */
export function auditScreen(session: Session) {
  const { services } = session
  return listView<ChangeRow>({
    title: t('Audit log'),
    access: reads,
    everyMs,
    async load({ limit, after }) {
      const events = await all(services.audit.list(after ? { before: after } : {}, limit))
      const records = await changeRows(events, services)
      // The log is too long to count: a full page means that more follow.
      return { records, total: records.length < limit ? records.length : Number.POSITIVE_INFINITY }
    },
    keyOf: ({ event }) => event.audit_event_id,
    empty: t('No changes yet.'),
    columns: [
      { label: t('What'), of: ({ done }) => done },
      { label: t('Record'), of: ({ subject }) => [subject.words, subject.part].filter(Boolean).join(' · ') },
      { label: t('Who'), of: ({ who }) => who },
      { label: t('How'), of: ({ how }) => how, wide: true },
      { label: t('When'), of: ({ event }) => secondWord(event.occurred_at, session) },
    ],
    keys: [{ key: 'Enter', does: t('open'), run: (shell, row) => openChange(session, shell, row) }],
  })
}

function openChange<S>(session: Session, shell: Shell<S>, { event }: ChangeRow): void {
  shell.work(reads, async () => {
    const told = await toldChange(event, { ...viewerOf(session), zone: session.zone }, session.services)
    const { before, after } = told.stored
    const rows: TextRow[] = [
      { text: `${told.who}, ${told.how}, ${event.occurred_at}` },
      ...told.facts.map(([name, text]) => ({ text: `${name} ${text || '–'}`, style: dim })),
      { text: '' },
      ...(told.values.length === 0 ? [{ text: noValues }, { text: '' }] : []),
      ...(await differenceRows(told.values)),
      { text: t('Stored data'), style: bold },
      ...[before, after].flatMap(text => text.split('\n').map(line => ({ text: line, indent: 2 }))),
    ]
    shell.open(pageView(told.title, rows))
  })
}
