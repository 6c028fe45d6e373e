import { all } from '../../resources/entries.js'
import { listView } from '../screen/list.js'
import { pageView, type Row } from '../screen/over.js'
import { bold, dim, green, red } from '../screen/style.js'
import type { Session } from '../session.js'

type Event = Awaited<ReturnType<Session['services']['audit']['get']>>

const words: Readonly<Record<string, string>> = { INSERT: 'Created', UPDATE: 'Changed', DELETE: 'Deleted' }
const everyMs = 2000
const titleOf = ({ operation, table_name }: Event) =>
  `${words[operation] ?? operation}: ${table_name.replaceAll('_', ' ')}`
const membersOf = (values: unknown) => (Object(values) as Record<string, unknown>) ?? {}
const shown = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

/** What was changed, by whom and when, as it happens. */
export function auditScreen(session: Session) {
  const { audit, users } = session.services
  const names = new Map<string, string>()
  const nameOf = async (id: string) => {
    if (names.has(id)) return
    const user = await users.get(id).catch(() => undefined)
    names.set(id, user ? user.name || user.username : id)
  }
  const who = ({ user_id }: Event) => (user_id === null ? 'the service' : (names.get(user_id) ?? user_id))
  return listView<Event>({
    title: 'Audit log',
    access: 'audit:read',
    everyMs,
    async load({ limit, after }) {
      const records = await all(audit.list(after ? { before: after } : {}, limit))
      for (const id of new Set(records.flatMap(({ user_id }) => user_id ?? []))) await nameOf(id)
      // Nobody counts the whole log: there is more while a page is full.
      return { records, total: records.length < limit ? records.length : Number.POSITIVE_INFINITY }
    },
    keyOf: ({ audit_event_id }) => audit_event_id,
    empty: 'Nothing was changed yet.',
    columns: [
      { label: 'What', of: titleOf },
      { label: 'Who', of: who },
      { label: 'By', of: ({ surface }) => surface },
      { label: 'When', of: ({ occurred_at }) => occurred_at.slice(0, 19).replace('T', ' ') },
    ],
    keys: [
      {
        key: 'Enter',
        does: 'look',
        run: (shell, event) => shell.open(pageView(titleOf(event), rowsOf(event, who(event)))),
      },
    ],
  })
}

function rowsOf(event: Event, who: string): Row[] {
  const [before, after] = [membersOf(event.old_values), membersOf(event.new_values)]
  const members = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return [
    { text: `${who}, by ${event.surface} from ${event.ip_address || 'here'}, ${event.occurred_at}` },
    { text: `record ${event.record_id}, request ${event.request_id || '–'}`, style: dim },
    { text: '' },
    ...members.flatMap((name): Row[] => [
      { text: name, style: bold },
      ...(name in before ? [{ text: `- ${shown(before[name])}`, style: red, indent: 2 }] : []),
      ...(name in after ? [{ text: `+ ${shown(after[name])}`, style: green, indent: 2 }] : []),
    ]),
  ]
}
