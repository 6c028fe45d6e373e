import type { AnyTable, Scalar } from '../columns.js'
import type { ContentSpace } from '../tables.js'
import { adminTables, everyTable, internalTables, tables } from '../tables.js'

/**
 * The content of a dump: every table except those named here, ordered so that references come after the rows that they
 * name. A new table is in it by itself; a new secret column asks for a rule (docs/decisions/600-backups.md).
 */

const ofSpace = (space: ContentSpace): AnyTable[] => [
  // Made again from the content.
  space.contentReferences,
  space.publicReferences,
  space.publicSearch,
]

/** Of this installation or of its moment, or made again after a restore. */
const leftOut: ReadonlySet<AnyTable> = new Set<AnyTable>([
  ...ofSpace(tables),
  ...ofSpace(adminTables),
  tables.sessions,
  tables.backups,
  tables.imports,
  internalTables.importRecords,
  internalTables.oauthStates,
  internalTables.deviceSignIns,
  internalTables.mediaUploads,
  internalTables.pendingWork,
  internalTables.contentChanges,
  internalTables.counters,
  internalTables.locks,
  internalTables.idempotencyKeys,
  internalTables.certificates,
  internalTables.acmeChallenges,
  internalTables.leases,
  internalTables.instances,
])

/** Tables whose rows a restore leaves as they are: they are about the installation. */
export const installationTables: ReadonlySet<AnyTable> = new Set<AnyTable>([
  tables.backups,
  internalTables.counters,
  internalTables.locks,
  internalTables.certificates,
  internalTables.acmeChallenges,
  internalTables.leases,
])

type Rule = (value: Scalar) => Scalar

const asItIs: Rule = value => value
const nothing: Rule = () => null
/** Keeps encrypted values. Any other value becomes one that nobody can open, and has to be set again. */
const sealedOnly =
  (other: string | null): Rule =>
  value =>
    typeof value === 'string' && value.startsWith('sealed:') ? value : value === null ? null : other

/** Headers of webhooks may sign in at their receiver: their names stay, and their values go. */
const namesOnly: Rule = value =>
  JSON.stringify(Object.fromEntries(Object.keys(JSON.parse(String(value))).map(name => [name, ''])))

/** How values of columns are dumped that are not dumped as they are. Every secret column of a dumped table is here. */
const rules: Readonly<Record<string, Rule>> = {
  // Slow, salted hashes, and hashes of 32 random bytes: they are of no use for signing in.
  'users.password': asItIs,
  'tokens.token_hash': asItIs,
  'user_oauth.access_token': nothing,
  'user_oauth.refresh_token': nothing,
  'webhooks.secret': sealedOnly('sealed:'),
  'webhooks.previous_secret': sealedOnly(null),
  'webhooks.headers': namesOnly,
  'user_second_factors.secret': sealedOnly('sealed:'),
  // Hashes of 80 random bits, and what tells used codes from others.
  'user_second_factors.recovery_codes': asItIs,
  'user_second_factors.last_step': asItIs,
  'user_second_factors.wrong_codes': asItIs,
  'user_second_factors.wrong_since': asItIs,
  // Public keys, and what tells one passkey from another.
  'user_passkeys.credential_hash': asItIs,
  'user_passkeys.credential_id': asItIs,
  'user_passkeys.public_key': asItIs,
  'user_passkeys.sign_count': asItIs,
  'media.search_text': asItIs,
  'admin_media.search_text': asItIs,
  // A derived value, not a secret.
  'review_requests.open_for': asItIs,
  'webhook_deliveries.leased_by': nothing,
  // Made again after a restore.
  'public_values.text_key': () => '',
  'public_values.number_key': nothing,
  'admin_public_values.text_key': () => '',
  'admin_public_values.number_key': nothing,
  // A restore gives them versions of its own.
  'content_trees.version': () => 1,
  'content_trees.public_version': () => 1,
  'content_trees.book_version': () => 1,
  'admin_content_trees.version': () => 1,
  'admin_content_trees.public_version': () => 1,
  'admin_content_trees.book_version': () => 1,
}

const skipped: Readonly<Record<string, (row: Record<string, Scalar>) => boolean>> = {
  // Reset tokens, which are on their way by mail.
  tokens: ({ token_type }) => token_type !== 'api_key',
  // The mark that the public book has been made: in the restored database it has not been.
  seeds: ({ name }) => /^(admin_)?public_entries /.test(String(name)),
}

/** A table as it is dumped. */
export interface DumpedTable {
  readonly table: AnyTable
  readonly columns: readonly string[]
  readonly rules: readonly Rule[]
  isSkipped(values: readonly Scalar[]): boolean
}

function dumped(table: AnyTable): DumpedTable {
  const columns = Object.keys(table.columns)
  for (const [name, { flags, kind }] of Object.entries(table.columns)) {
    if (kind === 'bytes') throw new Error(`${table.name}.${name}: a dump holds no bytes`)
    if (flags.secret && !rules[`${table.name}.${name}`])
      throw new Error(`${table.name}.${name}: no rule says how a dump holds this secret`)
  }
  const skips = skipped[table.name]
  return {
    table,
    columns,
    rules: columns.map(name => rules[`${table.name}.${name}`] ?? asItIs),
    isSkipped: values =>
      skips?.(Object.fromEntries(columns.map((name, i) => [name, values[i] ?? null]))) ?? false,
  }
}

const namedBy = ({ name, columns }: AnyTable): string[] =>
  Object.values(columns).flatMap(({ flags: { references } }) =>
    references && references !== name ? [references] : [],
  )

function inOrder(all: readonly AnyTable[]): AnyTable[] {
  const ordered: AnyTable[] = []
  const names = new Set<string>()
  for (let left = [...all]; left.length > 0; ) {
    const next = left.find(table => namedBy(table).every(name => names.has(name)))
    if (!next) throw new Error('tables of a dump name each other in a circle')
    ordered.push(next)
    names.add(next.name)
    left = left.filter(table => table !== next)
  }
  return ordered
}

let known: readonly DumpedTable[] | undefined

/** Every table of a dump, in its order. */
export function dumpedTables(): readonly DumpedTable[] {
  known ??= inOrder(everyTable.filter(table => !leftOut.has(table))).map(dumped)
  return known
}

/** The column by which a row names another of the same table. */
export const ownReference = ({ name, columns }: AnyTable): string | undefined =>
  Object.keys(columns).find(column => columns[column]?.flags.references === name)
