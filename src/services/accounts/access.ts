import { type Actor, isNarrowed, partOf } from '../../actor.js'
import type { RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { rolePermissionLabels } from '../../db/queries/accounts.js'
import type { Reader } from '../../db/reader.js'
import { tables } from '../../db/tables.js'
import { type HttpError, missingPermission, outsideLimits, secondFactorMissing } from '../../errors.js'
import type { SystemRole } from '../../permissions.js'
import { isWithin, type PartOfContent, type ReadBound, type RoleLimits } from '../../role-limits.js'

/**
 * The right that an endpoint, page or screen requires of its caller. `own-account` is all that a session has whose role
 * requires a second factor before there is one.
 */
export type Access = 'public' | 'own-account' | 'signed-in' | `${string}:${string}`

/** Access belongs to a role, and a key may leave less of it. */
type Caller = Pick<Actor, 'roleId' | 'credential'> & Partial<Pick<Actor, 'userId'>>

/** A part of the site to which a caller is limited, and what limits them to it. */
export interface BoundBy {
  readonly by: 'role' | 'key'
  readonly limits: RoleLimits
}

interface Mapping {
  readonly labels: ReadonlyMap<string, string>
  readonly system: ReadonlyMap<string, string>
  readonly admin: string | undefined
  readonly permissions: ReadonlyMap<string, ReadonlySet<string>>
  /** Roles that require a second factor. */
  readonly guarded: ReadonlySet<string>
  /** The parts of the site that roles may change, where that is not all of it. */
  readonly limits: ReadonlyMap<string, RoleLimits>
}

const sources = new Set<string>([tables.roles.name, tables.permissions.name, tables.rolePermissions.name])
const none: ReadonlySet<string> = new Set()

async function readMapping(db: Database): Promise<Mapping> {
  const [labels, roles] = await Promise.all([db.query(rolePermissionLabels, {}), db.findAll(tables.roles)])
  const permissions = new Map<string, Set<string>>()
  for (const { role_id, label } of labels) {
    const known = permissions.get(role_id)
    if (known) known.add(label)
    else permissions.set(role_id, new Set([label]))
  }
  // The bypass belongs to the one system row, never to a label that looks like it.
  const system = new Map(
    roles.filter(role => role.system_protected).map(({ label, role_id }) => [label, role_id]),
  )
  return {
    labels: new Map(roles.map(role => [role.role_id, role.label])),
    system,
    admin: system.get('admin'),
    permissions,
    guarded: new Set(roles.flatMap(role => (role.second_factor ? [role.role_id] : []))),
    limits: new Map(
      roles.flatMap(role => {
        const limits = limitsIn(role)
        return limits ? [[role.role_id, limits] as const] : []
      }),
    ),
  }
}

/** Limits of the administrators' role are ignored, even if its row has some. */
const limitsIn = ({ label, system_protected, limits }: RowOf<typeof tables.roles>): RoleLimits | undefined =>
  system_protected && label === 'admin' ? undefined : (limits ?? undefined)

/** The parts of the site that a role and a key leave. Both must hold. */
function boundsOf(ofRole: RoleLimits | undefined, caller: Caller): BoundBy[] {
  const ofKey = partOf(caller)
  return [
    ...(ofRole ? [{ by: 'role', limits: ofRole } as const] : []),
    ...(ofKey ? [{ by: 'key', limits: ofKey } as const] : []),
  ]
}

const boundsIn = ({ limits }: Mapping, caller: Caller) => boundsOf(limits.get(caller.roleId ?? ''), caller)

/** Whether a role may change nothing beyond the part of the site that the caller may change. */
function isWithinLimits(mapping: Mapping, caller: Caller, other: string): boolean {
  const ofOther = mapping.limits.get(other)
  if (boundsIn(mapping, caller).every(({ limits }) => isWithin(ofOther, limits))) return true
  if (other === mapping.admin) return false
  return [...permissionsOf(mapping, other)].every(permission => permission.endsWith(':read'))
}

const permissionsOf = ({ permissions }: Mapping, roleId: string | null): ReadonlySet<string> =>
  permissions.get(roleId ?? '') ?? none

const isAdmin = ({ admin }: Mapping, roleId: string | null): boolean => roleId !== null && roleId === admin

/** The permissions that a key leaves; null where it leaves all. */
const leftBy = ({ credential }: Caller) => credential?.limits?.permissions ?? null

/** Whether the caller may only set up a second factor. */
const lacksFactor = ({ guarded }: Mapping, { roleId, credential }: Caller): boolean =>
  credential?.lacksFactor === true && roleId !== null && guarded.has(roleId)

const isFreeAdmin = (mapping: Mapping, caller: Caller): boolean =>
  isAdmin(mapping, caller.roleId) && !isNarrowed(caller) && !lacksFactor(mapping, caller)

function holds(mapping: Mapping, caller: Caller, permission: string): boolean {
  if (lacksFactor(mapping, caller)) return false
  const left = leftBy(caller)
  if (left !== null && !left.has(permission)) return false
  return isAdmin(mapping, caller.roleId) || permissionsOf(mapping, caller.roleId).has(permission)
}

/** The rights of a caller in the part of the content that they may read. Others would show the rest. */
const rightsInPart: ReadonlySet<string> = new Set([
  ...['content', 'routes', 'media'].flatMap(resource =>
    ['read', 'create', 'update', 'delete'].map(operation => `${resource}:${operation}`),
  ),
  ...['content:publish', 'datatypes:read', 'fields:read', 'field_types:read', 'users:read', 'signed-in'],
])

/** The bounds of a caller that hold for reading. */
const readBoundsIn = (mapping: Mapping, caller: Caller): ReadBound[] =>
  boundsIn(mapping, caller).flatMap(({ limits }) =>
    limits.reads ? [{ userId: caller.userId ?? '', limits }] : [],
  )

const all: PartOfContent = { name: '', bounds: [] }

function partIn(mapping: Mapping, caller: Caller): PartOfContent {
  // Nearly nobody has limits, and this is asked for each page that a key gets.
  if (!partOf(caller) && !mapping.limits.has(caller.roleId ?? '')) return all
  const bounds = readBoundsIn(mapping, caller)
  return bounds.length === 0 ? all : { name: JSON.stringify(bounds), bounds }
}

function allows(mapping: Mapping, caller: Caller, access: Access): boolean {
  if (caller.roleId === null) return false
  if (access === 'public' || access === 'own-account') return true
  if (access === 'signed-in') return !lacksFactor(mapping, caller)
  // A permission of the other spelling counts the same where somebody made it (D-066).
  return (
    holds(mapping, caller, access) ||
    (access.startsWith('webhook:') && holds(mapping, caller, access.replace('webhook:', 'webhooks:')))
  )
}

interface Known {
  readonly external: number
  readonly mapping: Promise<Mapping>
  read?: Mapping
}

/**
 * Roles and their permissions, kept in memory and read again after a change. Whoever is asked about has just been
 * identified, and for that it was looked whether other processes have changed something: so their changes count at once.
 */
export class AccessService {
  #known: Known | undefined

  /** @param part the part of the content that these services read, by its name */
  constructor(
    private readonly db: Database,
    private readonly part = '',
  ) {
    db.onCommit(({ tables }) => {
      for (const table of tables) if (sources.has(table)) this.#known = undefined
    })
  }

  /** Rights of callers in the part of the content that they may read, for questions about that part. */
  readonly inPart = {
    can: async (caller: Caller, access: Access): Promise<boolean> =>
      rightsInPart.has(access) && allows(await this.#current(), caller, access),
  }

  get readsAll(): boolean {
    return this.part === ''
  }

  /** False whenever anything needed to say yes is missing. */
  async can(caller: Caller | undefined, access: Access): Promise<boolean> {
    if (access === 'public') return true
    return caller !== undefined && this.#allows(await this.#current(), caller, access)
  }

  /**
   * Returns the part of the content that the caller may read. Only services over that part answer them.
   */
  async partOf(caller: Caller): Promise<PartOfContent> {
    return partIn(await this.#current(), caller)
  }

  /** Answers as `partOf` does, without waiting; undefined while the mapping is not in memory. */
  partCached(caller: Caller): PartOfContent | undefined {
    const known = this.#known
    if (!known?.read || known.external !== this.db.externalChanges()) return undefined
    return partIn(known.read, caller)
  }

  /** The reason why `can` says no. */
  async refusal(caller: Caller, access: Access): Promise<HttpError> {
    const mapping = await this.#current()
    if (lacksFactor(mapping, caller)) return secondFactorMissing()
    const { name } = partIn(mapping, caller)
    if (name === '' || !allows(mapping, caller, access)) return missingPermission(access)
    return outsideLimits(
      name === this.part
        ? `${access} is for callers who may read all of the content`
        : 'you may read only a part of the content: use the panel or the API',
    )
  }

  /** Whether the caller's role requires a second factor that the account does not have. */
  async lacksFactor(caller: Caller): Promise<boolean> {
    return lacksFactor(await this.#current(), caller)
  }

  /** Whether accounts of the role that have a password need a second factor. */
  async requiresFactor(roleId: string): Promise<boolean> {
    return (await this.#current()).guarded.has(roleId)
  }

  /** Answers as `can` does, without waiting; undefined while the mapping is not in memory. */
  canCached(caller: Caller, access: Access): boolean | undefined {
    const known = this.#known
    if (!known?.read || known.external !== this.db.externalChanges()) return undefined
    return this.#allows(known.read, caller, access)
  }

  /** Whether the caller has the permission, by the role or as an administrator, and as far as their key leaves it. */
  async hasPermission(caller: Caller, permission: string): Promise<boolean> {
    return holds(await this.#current(), caller, permission)
  }

  /** Never by a key that has a list of permissions or is limited to a part of the site. */
  async isAdministrator(caller: Caller): Promise<boolean> {
    return isFreeAdmin(await this.#current(), caller)
  }

  /** Whether the caller may do everything that the role may: only then do they change an account that has it. */
  async canManageRole(caller: Caller, roleId: string): Promise<boolean> {
    const mapping = await this.#current()
    if (isFreeAdmin(mapping, caller)) return true
    if (roleId === mapping.admin || !isWithinLimits(mapping, caller, roleId)) return false
    return [...permissionsOf(mapping, roleId)].every(permission => holds(mapping, caller, permission))
  }

  /** Whether the caller may change only a part of the site, by their role or by their key. */
  async isLimited(caller: Caller): Promise<boolean> {
    return boundsIn(await this.#current(), caller).length > 0
  }

  /** Whether the role may change nothing beyond the part of the site that the caller may change. */
  async isWithinLimits(caller: Caller, roleId: string): Promise<boolean> {
    return isWithinLimits(await this.#current(), caller, roleId)
  }

  /**
   * The parts of the site that the caller's role and key leave, which must all hold; none for all of the site.
   * @param read what the role is read with where the mapping is not in memory: a transaction must not wait for another
   * connection
   */
  async boundsOf(caller: Caller, read: Reader): Promise<readonly BoundBy[]> {
    const known = this.#known
    if (known?.read && known.external === this.db.externalChanges()) return boundsIn(known.read, caller)
    const role = caller.roleId === null ? undefined : await read.get(tables.roles, caller.roleId)
    return boundsOf(role && limitsIn(role), caller)
  }

  async systemRole(label: SystemRole): Promise<string> {
    const id = (await this.#current()).system.get(label)
    if (id === undefined) throw new Error(`there is no role ${label}`)
    return id
  }

  /** The id of a role other than the one of administrators. */
  async roleLabelled(label: string): Promise<string | undefined> {
    const { labels, admin } = await this.#current()
    const found = [...labels].find(([, known]) => known === label)?.[0]
    return found === admin ? undefined : found
  }

  async labelOf(roleId: string): Promise<string | undefined> {
    return (await this.#current()).labels.get(roleId)
  }

  /** Whoever may read only a part may do nothing where more is read. */
  #allows(mapping: Mapping, caller: Caller, access: Access): boolean {
    if (!allows(mapping, caller, access)) return false
    if (access === 'public' || access === 'own-account') return true
    const { name: part } = partIn(mapping, caller)
    return part === '' || (part === this.part && rightsInPart.has(access))
  }

  #current(): Promise<Mapping> {
    const external = this.db.externalChanges()
    return this.#known?.external === external ? this.#known.mapping : this.#load(external)
  }

  #load(external: number): Promise<Mapping> {
    const known: Known = { external, mapping: readMapping(this.db) }
    this.#known = known
    known.mapping.then(
      mapping => {
        known.read = mapping
      },
      () => {
        if (this.#known === known) this.#known = undefined
      },
    )
    return known.mapping
  }
}
