import type { Ctx } from '../middleware/context.js'
import type { Choice } from '../resources/form-field.js'
import { AuditQuery } from '../services/operation/audit.js'
import type { PlainText } from '../texts/text.js'
import type { Wording } from '../texts/wording.js'

/** The filters of the audit log. */
export interface Chosen {
  readonly filter: ReturnType<typeof AuditQuery.parse>
  /** The tables to show; undefined for all. */
  readonly tables: readonly string[] | undefined
  readonly of: string | undefined
  readonly when: string | undefined
}

const operationTexts = {
  INSERT: 'Created',
  UPDATE: 'Changed',
  DELETE: 'Deleted',
} as const satisfies Readonly<Record<string, PlainText>>

const hourMs = 3_600_000
const spans: Readonly<Record<string, readonly [word: PlainText, ms: number]>> = {
  hour: ['In the last hour', hourMs],
  day: ['In the last day', 24 * hourMs],
  week: ['In the last 7 days', 7 * 24 * hourMs],
  month: ['In the last 30 days', 30 * 24 * hourMs],
}

const ofContent = ['content_data', 'content_fields', 'content_versions', 'content_data.schedule']
const ofMedia = ['media', 'media_folders']
const ofModel = ['datatypes', 'fields', 'field_types']

/** The subjects in the filter: the word that people see, then the tables with their changes. */
const kinds: Readonly<Record<string, readonly [word: PlainText, ...tables: string[]]>> = {
  content: ['Entries', ...ofContent, 'preview_links'],
  routes: ['Routes', 'routes'],
  media: ['Media', ...ofMedia, 'media_dimensions'],
  model: ['Datatypes and fields', ...ofModel],
  redirects: ['Redirects', 'redirects'],
  locales: ['Locales', 'locales'],
  space: ['Admin space', ...[...ofContent, ...ofMedia, ...ofModel, 'routes'].map(table => `admin_${table}`)],
  people: [
    'People',
    'users',
    'user_oauth',
    'user_ssh_keys',
    'user_second_factors',
    'user_passkeys',
    'user_preferences',
  ],
  sessions: ['Sessions', 'sessions'],
  roles: ['Roles', 'roles', 'permissions', 'role_permissions'],
  tokens: ['API keys', 'tokens'],
  webhooks: ['Webhooks', 'webhooks'],
  backups: ['Backups', 'backups', 'backups.download'],
  imports: ['Imports', 'imports'],
  settings: ['Settings', 'config'],
}

/** The choices of each filter. */
export const filterChoices = ({ t }: Wording): Record<'operations' | 'kinds' | 'spans', Choice[]> => ({
  operations: Object.entries(operationTexts).map(([value, word]) => ({ value, word: t(word) })),
  kinds: Object.entries(kinds).map(([value, [word]]) => ({ value, word: t(word) })),
  spans: Object.entries(spans).map(([value, [word]]) => ({ value, word: t(word) })),
})

const knownKey = (of: object, given = '') => (Object.hasOwn(of, given) ? given : undefined)

/** Reads the filters from the address, without those that are empty or invalid. */
export function chosenIn(c: Ctx, now: number): Chosen {
  const given = Object.entries(c.req.query()).filter(([name, text]) => {
    const schema = AuditQuery.shape[name as keyof typeof AuditQuery.shape]
    return text !== '' && schema?.safeParse(text).success
  })
  const when = knownKey(spans, c.req.query('when'))
  const of = knownKey(kinds, c.req.query('of'))
  const since = when && new Date(now - (spans[when]?.[1] ?? 0)).toISOString()
  const tables = of === undefined ? undefined : kinds[of]?.slice(1)
  return {
    filter: AuditQuery.parse({ ...(since ? { since } : {}), ...Object.fromEntries(given) }),
    tables,
    of,
    when,
  }
}
