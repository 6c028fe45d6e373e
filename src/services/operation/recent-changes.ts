import type { Actor } from '../../actor.js'
import type { AccessService } from '../accounts/access.js'
import type { AuditService } from './audit.js'

type Permission = `${string}:${string}`
type Event = Awaited<ReturnType<AuditService['get']>>

/** The parts of a change that show without `audit:read`: no address, browser or request, and only these values. */
export type RecentChange = Pick<
  Event,
  'audit_event_id' | 'occurred_at' | 'operation' | 'table_name' | 'record_id' | 'user_id'
> & {
  readonly old_values: Readonly<Record<string, unknown>>
  readonly new_values: Readonly<Record<string, unknown>>
}

const toldMembers = [
  ...['title', 'label', 'display_name', 'name', 'slug', 'code'],
  ...['content_data_id', 'datatype_id', 'field_id', 'locale', 'trigger'],
  ...['role_id', 'permission_id'],
]

/** The permissions to see changes in tables. Changes in other tables require `audit:read`. */
const readers: Readonly<Record<string, Permission>> = {
  routes: 'routes:read',
  content_data: 'content:read',
  content_fields: 'content:read',
  content_versions: 'content:read',
  media: 'media:read',
  media_folders: 'media:read',
  datatypes: 'datatypes:read',
  fields: 'fields:read',
  locales: 'content:read',
  redirects: 'routes:read',
}
const adminReader: Permission = 'admin_tree:read'
const adminTables = [
  ...['routes', 'content_data', 'content_fields', 'content_versions'],
  ...['media', 'media_folders', 'datatypes', 'fields'],
].map(name => `admin_${name}`)

/** A sign-in or sign-out is not a change, nor is what people say about content. */
const silent = new Set(['sessions', 'comments', 'review_requests'])
const maxRounds = 5

interface Needs {
  readonly audit: Pick<AuditService, 'list'>
  readonly access: Pick<AccessService, 'can' | 'readsAll'>
  readonly seesDrafts: (actor: Actor) => Promise<boolean>
}

const toldOf = (values: unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(Object(values)).filter(([name]) => toldMembers.includes(name)))

const told = (event: Event): RecentChange => ({
  audit_event_id: event.audit_event_id,
  occurred_at: event.occurred_at,
  operation: event.operation,
  table_name: event.table_name,
  record_id: event.record_id,
  user_id: event.user_id,
  old_values: toldOf(event.old_values),
  new_values: toldOf(event.new_values),
})

/** Recent changes, for those who work on the site: the audit log without the parts that require `audit:read`. */
export function recentChanges({ audit, access, seesDrafts }: Needs) {
  async function tablesFor(actor: Actor): Promise<readonly string[] | undefined> {
    if (await access.can(actor, 'audit:read')) return undefined
    const tables: string[] = []
    // Events show drafts too.
    if (await seesDrafts(actor))
      for (const [table, permission] of Object.entries(readers))
        if (await access.can(actor, permission)) tables.push(table)
    return (await access.can(actor, adminReader)) ? [...tables, ...adminTables] : tables
  }
  return {
    /**
     * Lists the newest changes that the caller may see, at most `limit`: those of records whose current state they may
     * read.
     * @returns undefined if the caller may see no changes at all. An event does not say which part it is of, so those who
     * read only a part see none
     */
    async list(actor: Actor, limit: number) {
      if (!access.readsAll) return undefined
      const tables = await tablesFor(actor)
      if (tables?.length === 0) return undefined
      const found: RecentChange[] = []
      for (let round = 0, before: string | undefined; round < maxRounds && found.length < limit; round++) {
        const events: Event[] = []
        for await (const batch of audit.list(before ? { before } : {}, limit, tables)) events.push(...batch)
        found.push(...events.filter(({ table_name }) => !silent.has(table_name)).map(told))
        if (events.length < limit) break
        before = events.at(-1)?.audit_event_id
      }
      return found.slice(0, limit)
    },
  }
}
