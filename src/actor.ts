import { forbidden, unauthenticated } from './errors.js'
import type { RoleLimits } from './role-limits.js'

export const surfaces = ['api', 'panel', 'ssh', 'cli', 'mcp', 'system'] as const
type Surface = (typeof surfaces)[number]

/** The restrictions of a limited key, compared with the rights of its user. */
export interface Limits {
  /** The permissions that the key keeps of its user's; null for all of them. */
  readonly permissions: ReadonlySet<string> | null
  readonly readOnly: boolean
  /** When it ends, as stored times are written; null for never. */
  readonly expiresAt: string | null
  /** The part of the site that it may change, beside the limits of its user's role; null for all of it. */
  readonly part: RoleLimits | null
  /** The requests that it may make in a minute; null for as many as the site allows. */
  readonly rate: number | null
}

/** The limits of a key, by its record. */
export const limitsOfKey = (key: {
  readonly permissions: readonly string[] | null
  readonly read_only: boolean
  readonly expires_at: string | null
  readonly limits: RoleLimits | null
  readonly rate_limit: number | null
}): Limits => ({
  permissions: key.permissions && new Set(key.permissions),
  readOnly: key.read_only,
  expiresAt: key.expires_at,
  part: key.limits,
  rate: key.rate_limit,
})

export const unlimited: Limits = {
  permissions: null,
  readOnly: false,
  expiresAt: null,
  part: null,
  rate: null,
}

interface Credential {
  readonly kind: 'session' | 'key'
  readonly id: string
  /** Absent where nothing is limited. */
  readonly limits?: Limits | undefined
  /** A session without a second factor, of an account with a password: a role may refuse it. */
  readonly lacksFactor?: true
}

/** A user, as a credential has shown them. */
export interface Identity {
  readonly userId: string
  readonly roleId: string
  readonly credential: Credential
}

/** Somebody without an account who may read what a role may read, and change nothing. */
export interface Guest {
  readonly userId: null
  readonly roleId: string
  readonly credential: Credential
}

/** An answer as it is stored, to be given again. */
export interface StoredAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The row that a request holds for its `Idempotency-Key`. */
export interface KeyClaim {
  readonly keyHash: string
  readonly holder: string
  /** Makes the response from the result of the request's one transaction; it is then stored with the change. */
  readonly answerOf?: (result: unknown) => StoredAnswer
}

/**
 * Who calls a service, by what right, and by which request. Every surface makes one for each request; services read
 * nothing else about their caller, and every audit event names it. Without a user it is anonymous, and has no rights.
 */
export interface Actor {
  readonly userId: string | null
  readonly roleId: string | null
  readonly credential: Credential | null
  readonly surface: Surface
  readonly requestId: string
  readonly ipAddress: string
  readonly userAgent: string
  /** The transaction that changes records says so in it, so that they are made once. */
  readonly claim?: KeyClaim | undefined
}

/** The service itself, as in seeding and background jobs. */
export const systemActor: Actor = {
  userId: null,
  roleId: null,
  credential: null,
  surface: 'system',
  requestId: '',
  ipAddress: '',
  userAgent: '',
}

/** The service acting for a user by itself, such as renewing their provider tokens. */
export const systemActorFor = (userId: string): Actor => ({ ...systemActor, userId })

/**
 * The author of a new record: the user who creates it, unless they name another user.
 * @throws 403 if nobody is signed in
 */
export function authorOf(actor: Actor, named: string | undefined): string {
  const author = named ?? actor.userId
  if (author === null) throw unauthenticated()
  return author
}

/** True if the caller is a key with its own list of permissions, and so may do less than its user. */
export const hasOwnList = ({ credential }: Pick<Actor, 'credential'>): boolean =>
  Boolean(credential?.limits?.permissions)

/** The part of the site that a key leaves of what its user may change; null where it leaves all. */
export const partOf = ({ credential }: Pick<Actor, 'credential'>): RoleLimits | null =>
  credential?.limits?.part ?? null

/** True if the caller is a key that may do or change less than its user, however often it does so. */
export const isNarrowed = (actor: Pick<Actor, 'credential'>): boolean =>
  hasOwnList(actor) || partOf(actor) !== null

/** True if the caller is this user with all of their rights: they may do what everyone may with their account. */
export const isSelf = (actor: Actor, id: string | undefined): boolean =>
  actor.userId === id && !isNarrowed(actor)

/**
 * Refuses keys and guests that only read. `db.refuseChanges` calls it for every change.
 * @throws 403 for a caller who only reads
 */
export function refuseReadOnly({ credential }: Pick<Actor, 'credential'>): void {
  if (!credential?.limits?.readOnly) return
  throw forbidden(
    credential.kind === 'key' ? 'this key is read-only' : 'guests cannot change anything: sign in first',
  )
}

/** @throws 403 when nobody is signed in */
export function signedIn(actor: Actor): Actor & Identity {
  const { userId, roleId, credential } = actor
  if (userId === null || roleId === null || credential === null) throw unauthenticated()
  return { ...actor, userId, roleId, credential }
}
