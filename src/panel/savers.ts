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
