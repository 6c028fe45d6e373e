import { all, type Entry, valuesOf } from '../resources/entries.js'
import type { PanelContext } from './context.js'
import { type Event, type Save, saveOf } from './savers.js'

/** Changes that others have saved of an entry since it was shown. */
export interface SavedSince {
  readonly last: Save | undefined
  /** The fields whose values were saved in this locale; undefined if that is uncertain. */
  readonly fields: ReadonlySet<string> | undefined
}

const maxEvents = 500

const partOf = (event: Event, name: string): unknown =>
  [event.new_values, event.old_values]
    .map(values => Object(values)[name] as unknown)
    .find(value => value !== undefined)

/**
 * Returns the changes that were saved of an entry since a form showed it. Each request that edits an entry raises its
 * revision by one, so the events are complete only if there are as many requests as revisions.
 * @param seen the entry as the form had it
 */
export async function savedSince(
  entry: Entry,
  seen: { readonly revision: number; readonly at: string },
  locale: string,
  context: PanelContext,
): Promise<SavedSince> {
  const { space, audit } = context.services
  const { content_data_id: id } = entry
  const rows = new Map((await valuesOf(id, context)).map(row => [row.content_field_id, row]))
  const since = seen.at
  const table_name = space.contentFields.table.name
  const [values, own] = [
    await all(audit.list({ table_name, since }, maxEvents)),
    await all(audit.list({ record_id: id, since }, maxEvents)),
  ]
  const isLater = ({ occurred_at }: Event) => occurred_at > since
  const edits = values.filter(
    event => isLater(event) && (rows.has(event.record_id) || partOf(event, 'content_data_id') === id),
  )
  const events = [...edits, ...own.filter(isLater)]
  const requests = new Set(events.map(({ request_id }) => request_id))
  const last = events.toSorted((a, b) => (a.audit_event_id < b.audit_event_id ? 1 : -1))[0]
  const isAll =
    values.length < maxEvents &&
    own.length < maxEvents &&
    !requests.has('') &&
    requests.size === entry.revision - seen.revision
  const inLocale = edits.filter(
    event => (rows.get(event.record_id)?.locale ?? partOf(event, 'locale')) === locale,
  )
  const fieldOf = (event: Event) => rows.get(event.record_id)?.field_id ?? String(partOf(event, 'field_id'))
  return {
    last: (await saveOf(last, context)) ?? { at: entry.date_modified },
    fields: isAll ? new Set(inLocale.map(fieldOf)) : undefined,
  }
}
