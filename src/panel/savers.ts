import type { Actor } from '../actor.js'
import { all } from '../resources/entries.js'
import type { PanelContext } from './context.js'

/** The author and time of the last save of a record. */
export interface Save {
  /** The name; undefined for a deleted user, and for the service itself. */
  readonly by?: string | undefined
  readonly at: string
}

export type Event = Awaited<ReturnType<PanelContext['services']['audit']['get']>>

/** Returns author and time of an event. */
export async function saveOf(
  event: Event | undefined,
  { services }: PanelContext,
): Promise<Save | undefined> {
  if (!event) return undefined
  const { user_id, occurred_at: at } = event
  if (user_id === null) return { at }
  const by = await services.users.get(user_id).then(
    ({ name, username }) => name || username,
    () => undefined,
  )
  return { by, at }
}

/** Returns the last save of a record without values of its own. */
export async function lastSave(record_id: string, context: PanelContext): Promise<Save | undefined> {
  for await (const [event] of context.services.audit.list({ record_id }, 1)) return saveOf(event, context)
  return undefined
}

const maxEvents = 100

/** Returns the last change of a tree by somebody else. */
export async function lastSaveIn(
  root_id: string,
  { userId }: Actor,
  context: PanelContext,
): Promise<Save | undefined> {
  const { audit, space } = context.services
  const { content, contentFields } = space
  const tables = [content.table.name, contentFields.table.name]
  const events = (await all(audit.list({}, maxEvents, tables))).filter(({ user_id }) => user_id !== userId)
  const content_field_id = events.map(({ record_id }) => record_id)
  const values = content_field_id.length === 0 ? [] : await all(contentFields.list({ content_field_id }, {}))
  const owners = new Map(values.map(row => [row.content_field_id, row.content_data_id]))
  const ids = new Set((await content.subtree(root_id)).map(({ content_data_id }) => content_data_id))
  const found = events.find(({ record_id }) => ids.has(owners.get(record_id) ?? record_id))
  return saveOf(found, context)
}
