import type { Ctx } from '../middleware/context.js'
import type { Choice } from '../resources/form-field.js'
import { AuditQuery } from '../services/operation/audit.js'
import { known } from './filters.js'

/** The filters of the audit log. */
export interface Chosen {
  readonly filter: ReturnType<typeof AuditQuery.parse>
  /** The tables to show; undefined for all. */
  readonly tables: readonly string[] | undefined
  /** The choices in the form that these tables and the start time come from. */
  readonly of: string | undefined
  readonly when: string | undefined
}

export const operations: readonly Choice[] = [
  { value: 'INSERT', word: 'Created' },
  { value: 'UPDATE', word: 'Changed' },
  { value: 'DELETE', word: 'Deleted' },
]

const hourMs = 3_600_000
const spanMs: Readonly<Record<string, number>> = {
  hour: hourMs,
  day: 24 * hourMs,
  week: 7 * 24 * hourMs,
  month: 30 * 24 * hourMs,
}
export const spans: readonly Choice[] = [
  { value: 'hour', word: 'In the last hour' },
  { value: 'day', word: 'In the last day' },
  { value: 'week', word: 'In the last 7 days' },
  { value: 'month', word: 'In the last 30 days' },
]

const ofContent = ['content_data', 'content_fields', 'content_versions', 'content_data.schedule']
const ofMedia = ['media', 'media_folders']
const ofModel = ['datatypes', 'fields', 'field_types']

/** The subjects in the filter: the word that people see, then the tables with their changes. */
const kinds: Readonly<Record<string, readonly [word: string, ...tables: string[]]>> = {
  content: ['Entries', ...ofContent, 'preview_links'],
  routes: ['Routes', 'routes'],
  media: ['Media', ...ofMedia, 'media_dimensions'],
  model: ['Datatypes and fields', ...ofModel],
  redirects: ['Redirects', 'redirects'],
  locales: ['Locales', 'locales'],
  space: ['Admin space', ...[...ofContent, ...ofMedia, ...ofModel, 'routes'].map(table => `admin_${table}`)],
  people: ['People', 'users', 'user_oauth', 'user_ssh_keys'],
  sessions: ['Sessions', 'sessions'],
  roles: ['Roles', 'roles', 'permissions', 'role_permissions'],
  tokens: ['API keys', 'tokens'],
  webhooks: ['Webhooks', 'webhooks'],
  backups: ['Backups', 'backups', 'backups.download'],
  imports: ['Imports', 'imports'],
  settings: ['Settings', 'config'],
}
export const changeKinds: readonly Choice[] = Object.entries(kinds).map(([value, [word]]) => ({
  value,
  word,
}))

/** Reads the filters from the address, without those that are empty or invalid. */
export function chosenIn(c: Ctx, now: number): Chosen {
  const given = Object.entries(c.req.query()).filter(([name, text]) => {
    const schema = AuditQuery.shape[name as keyof typeof AuditQuery.shape]
    return text !== '' && schema?.safeParse(text).success
  })
  const when = known(spans, c.req.query('when'))
  const of = known(changeKinds, c.req.query('of'))
  const since = when && new Date(now - (spanMs[when] ?? 0)).toISOString()
  const tables = of === undefined ? undefined : kinds[of]?.slice(1)
  return {
    filter: AuditQuery.parse({ ...(since ? { since } : {}), ...Object.fromEntries(given) }),
    tables,
    of,
    when,
  }
}
