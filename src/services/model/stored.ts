import type { RowOf } from '../../db/columns.js'
import type { Reader } from '../../db/reader.js'
import { tables } from '../../db/tables.js'

type Locale = RowOf<typeof tables.locales>
type Datatype = RowOf<typeof tables.datatypes>
type Field = RowOf<typeof tables.fields>
type Webhook = RowOf<typeof tables.webhooks>

/** The records of a model, as they are stored. */
export type Stored = Awaited<ReturnType<typeof stored>>

/** Reads all records that a model file describes. */
export async function stored(read: Reader) {
  const locales = await read.findAll(tables.locales)
  const datatypes = await read.findAll(tables.datatypes)
  const fields = await read.findAll(tables.fields)
  const roles = await read.findAll(tables.roles)
  const permissions = await read.findAll(tables.permissions)
  const mappings = await read.findAll(tables.rolePermissions)
  const webhooks = await read.findAll(tables.webhooks)
  const names = new Map(datatypes.map(({ datatype_id, name }) => [datatype_id, name]))
  const labels = new Map(permissions.map(({ permission_id, label }) => [permission_id, label]))
  const permissionsOf = (id: string): string[] =>
    mappings.flatMap(({ role_id, permission_id }) =>
      role_id === id ? (labels.get(permission_id) ?? []) : [],
    )
  return {
    ...{ locales, datatypes, fields, webhooks },
    permissions: new Map(permissions.map(({ permission_id, label }) => [label, permission_id])),
    roles: roles.map(role => ({ ...role, permissions: permissionsOf(role.role_id).sort() })),
    nameOf: (id: string | null) => names.get(id ?? '') ?? null,
  }
}

/** A text that differs if any of the records does. */
export const versionOf = ({ nameOf: _, permissions, ...records }: Stored): string =>
  JSON.stringify([records, [...permissions]])

/** The role that may do everything, whatever permissions are stored for it. */
export const isAdministrator = ({ label, system_protected }: Stored['roles'][number]): boolean =>
  system_protected && label === 'admin'

export const localeOf = ({ code, label, is_default, is_enabled, fallback_code, sort_order }: Locale) => ({
  ...{ code, label, is_default, is_enabled, fallback_code, sort_order },
})
export const datatypeOf = (
  { name, label, type, visibility, sort_order }: Datatype,
  parent: string | null,
) => ({
  ...{ name, label, type, visibility, sort_order, parent },
})
const fieldOf = (field: Field) => {
  const { name, label, field_type, data, ui_config, required, translatable, sort_order } = field
  return { name, label, field_type, data, ui_config, required, translatable, sort_order }
}
export const webhookOf = ({ name, url, events, is_active, filter, body_template }: Webhook) => ({
  ...{ name, url, events, is_active, filter, body_template },
})

/** Sorts rows so that each comes after the one that it names. */
function parentsFirst<T>(
  rows: readonly T[],
  nameOf: (row: T) => string,
  parentOf: (row: T) => string | null,
) {
  const byName = new Map(rows.map(row => [nameOf(row), row]))
  const sorted = new Set<T>()
  for (const row of rows) {
    const chain = new Set<T>()
    for (let at: T | undefined = row; at && !sorted.has(at) && !chain.has(at); ) {
      chain.add(at)
      at = byName.get(parentOf(at) ?? '')
    }
    for (const one of [...chain].reverse()) sorted.add(one)
  }
  return [...sorted]
}

const by =
  <T>(keyOf: (row: T) => string) =>
  (a: T, b: T) =>
    keyOf(a) < keyOf(b) ? -1 : 1

/** @param sees parts that the reader may see */
export function fileOf(now: Stored, sees: { roles: boolean; webhooks: boolean }) {
  const locales = parentsFirst(
    now.locales,
    ({ code }) => code,
    one => one.fallback_code,
  ).map(localeOf)
  const datatypes = parentsFirst(
    now.datatypes.toSorted(by(({ name }) => name)),
    ({ name }) => name,
    one => now.nameOf(one.parent_id),
  ).map(row => ({
    ...datatypeOf(row, now.nameOf(row.parent_id)),
    fields: now.fields
      .filter(({ parent_id }) => parent_id === row.datatype_id)
      .sort((a, b) => a.sort_order - b.sort_order)
      .map(fieldOf),
  }))
  const roles = now.roles
    .filter(role => !isAdministrator(role))
    .map(({ label, permissions }) => ({ label, permissions }))
    .sort(by(({ label }) => label))
  const webhooks = now.webhooks.map(webhookOf).sort(by(({ name }) => name))
  return { locales, datatypes, ...(sees.roles && { roles }), ...(sees.webhooks && { webhooks }) }
}
