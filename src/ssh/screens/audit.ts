import { all } from '../../resources/entries.js'
import { authorsOf, doneWords, type Subject, subjectsOf } from '../../resources/views/audit-subjects.js'
import { listView } from '../screen/list.js'
import { pageView, type Row } from '../screen/over.js'
import { bold, dim, green, red } from '../screen/style.js'
import type { Session } from '../session.js'

type Event = Awaited<ReturnType<Session['services']['audit']['get']>>
type Told = Event & { readonly subject: Subject; readonly who: string }

const everyMs = 2000
const nameOf = ({ subject: { words, part } }: Told) => [words, part].filter(Boolean).join(' · ')
const membersOf = (values: unknown) => (Object(values) as Record<string, unknown>) ?? {}
const shown = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

/** What was changed, by whom and when, as it happens. */
export function auditScreen({ services }: Session) {
  return listView<Told>({
    title: 'Audit log',
    access: 'audit:read',
    everyMs,
    async load({ limit, after }) {
      const events = await all(services.audit.list(after ? { before: after } : {}, limit))
      const subjects = await subjectsOf(events, services)
      const whoOf = await authorsOf(events, services)
      const records = events.map((event, i) => ({
        ...event,
        subject: subjects[i] as Subject,
        who: whoOf(event),
      }))
      // Nobody counts the whole log: there is more while a page is full.
      return { records, total: records.length < limit ? records.length : Number.POSITIVE_INFINITY }
    },
    keyOf: ({ audit_event_id }) => audit_event_id,
    empty: 'Nothing was changed yet.',
    columns: [
      { label: 'What', of: event => doneWords(event, event.subject) },
      { label: 'Which', of: nameOf },
      { label: 'Who', of: ({ who }) => who },
      { label: 'By', of: ({ surface }) => surface, wide: true },
      { label: 'When', of: ({ occurred_at }) => occurred_at.slice(0, 16).replace('T', ' ') },
    ],
    keys: [
      {
        key: 'Enter',
        does: 'look',
        run: (shell, event) =>
          shell.open(pageView(`${doneWords(event, event.subject)}: ${nameOf(event)}`, rowsOf(event))),
      },
    ],
  })
}

function rowsOf(event: Told): Row[] {
  const [before, after] = [membersOf(event.old_values), membersOf(event.new_values)]
  const members = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return [
    { text: `${event.who}, by ${event.surface} from ${event.ip_address || 'here'}, ${event.occurred_at}` },
    { text: `record ${event.record_id}, request ${event.request_id || '–'}`, style: dim },
    { text: '' },
    ...members.flatMap((name): Row[] => [
      { text: name, style: bold },
      ...(name in before ? [{ text: `- ${shown(before[name])}`, style: red, indent: 2 }] : []),
      ...(name in after ? [{ text: `+ ${shown(after[name])}`, style: green, indent: 2 }] : []),
    ]),
  ]
}
