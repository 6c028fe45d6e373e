import type { Actor } from '../../actor.js'
import type { Database } from '../../db/database.js'
import { rolePermissionLabels } from '../../db/queries/accounts.js'
import { tables } from '../../db/tables.js'
import type { SystemRole } from '../../permissions.js'

/** What an endpoint, page or screen asks of its caller. */
export type Access = 'public' | 'signed-in' | `${string}:${string}`

/** Rights are those of a role. */
type Caller = Pick<Actor, 'roleId'>

export interface AccessService {
  /** False whenever anything needed to say yes is missing. */
  can(caller: Caller | undefined, access: Access): Promise<boolean>
  /** The same without waiting; undefined while the mapping is not in memory. */
  canCached(caller: Caller, access: Access): boolean | undefined
  /** Whether the caller has the permission, by the role or as an administrator. */
  hasPermission(caller: Caller, permission: string): Promise<boolean>
  isAdministrator(caller: Caller): Promise<boolean>
  /** Whether the caller may do everything that the role may: only then do they change an account that has it. */
  canManageRole(caller: Caller, roleId: string): Promise<boolean>
  /** The id of a system role. */
  systemRole(label: SystemRole): Promise<string>
  labelOf(roleId: string): Promise<string | undefined>
  /** Reads the mapping again; called every 60 seconds. */
  refresh(): Promise<void>
}

interface Mapping {
  readonly labels: ReadonlyMap<string, string>
  readonly system: ReadonlyMap<string, string>
  readonly admin: string | undefined
  readonly permissions: ReadonlyMap<string, ReadonlySet<string>>
}

const guarding = new Set<string>([tables.roles.name, tables.permissions.name, tables.rolePermissions.name])

/** Roles and their permissions, kept in memory and read again at once after a change made here. */
export function access(db: Database): AccessService {
  let mapping: Promise<Mapping> | undefined
  let loaded: Mapping | undefined
  let changes = 0

  async function load(): Promise<Mapping> {
    const permissions = new Map<string, Set<string>>()
    for (const { role_id, label } of await db.query(rolePermissionLabels, {})) {
      const known = permissions.get(role_id)
      if (known) known.add(label)
      else permissions.set(role_id, new Set([label]))
    }
    const roles = await db.findAll(tables.roles)
    // The bypass belongs to the one system row, never to a label that looks like it.
    const system = new Map(
      roles.filter(role => role.system_protected).map(({ label, role_id }) => [label, role_id]),
    )
    return {
      labels: new Map(roles.map(role => [role.role_id, role.label])),
      system,
      admin: system.get('admin'),
      permissions,
    }
  }

  function reload(): Promise<Mapping> {
    const loading = load()
    mapping = loading
    loading.then(
      fresh => {
        if (mapping === loading) loaded = fresh
      },
      () => {
        if (mapping === loading) mapping = undefined
      },
    )
    return loading
  }
  const current = (): Promise<Mapping> => mapping ?? reload()
  db.onCommit(({ tables }) => {
    for (const table of tables)
      if (guarding.has(table)) {
        mapping = undefined
        loaded = undefined
        changes++
        return
      }
  })

  function allows({ admin, permissions }: Mapping, { roleId }: Caller, access: Access): boolean {
    if (roleId === null) return false
    if (access === 'public' || access === 'signed-in') return true
    if (roleId === admin) return true
    const held = permissions.get(roleId)
    if (!held) return false
    // A permission of the other spelling counts the same where somebody made it (docs/decisions.md).
    return (
      held.has(access) || (access.startsWith('webhook:') && held.has(access.replace('webhook:', 'webhooks:')))
    )
  }

  const held = ({ permissions }: Mapping, roleId: string | null) =>
    permissions.get(roleId ?? '') ?? new Set<string>()

  const isAdmin = ({ admin }: Mapping, { roleId }: Caller) => roleId !== null && roleId === admin

  return {
    async hasPermission(caller, permission) {
      const mapping = await current()
      return isAdmin(mapping, caller) || held(mapping, caller.roleId).has(permission)
    },
    isAdministrator: async caller => isAdmin(await current(), caller),
    async canManageRole(caller, roleId) {
      const mapping = await current()
      if (isAdmin(mapping, caller)) return true
      if (roleId === mapping.admin) return false
      const own = held(mapping, caller.roleId)
      return [...held(mapping, roleId)].every(permission => own.has(permission))
    },
    async systemRole(label) {
      const id = (await current()).system.get(label)
      if (id === undefined) throw new Error(`there is no role ${label}`)
      return id
    },
    async refresh() {
      // The old mapping serves until the new one is there. What was read before a change made here is not taken.
      const before = changes
      const fresh = await load()
      if (changes !== before) return
      mapping = Promise.resolve(fresh)
      loaded = fresh
    },
    labelOf: async roleId => (await current()).labels.get(roleId),
    canCached: (caller, access) => loaded && allows(loaded, caller, access),
    async can(caller, access) {
      if (access === 'public') return true
      return caller !== undefined && allows(await current(), caller, access)
    },
  }
}
