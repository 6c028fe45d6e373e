import { forbidden, unauthenticated } from './errors.js'

export const surfaces = ['api', 'panel', 'ssh', 'cli', 'system'] as const
type Surface = (typeof surfaces)[number]

/** What a limited key leaves of the rights that its user has. */
export interface Limits {
  /** Of its user's permissions only these; null for all of them. */
  readonly permissions: ReadonlySet<string> | null
  readonly readOnly: boolean
  /** When it ends, as stored times are written; null for never. */
  readonly expiresAt: string | null
}

/** What a caller has shown to say who they are. */
interface Credential {
  readonly kind: 'session' | 'key'
  /** Of the session or key. */
  readonly id: string
  /** Absent where nothing is limited. */
  readonly limits?: Limits | undefined
}

/** A user, as a credential has shown them. */
export interface Identity {
  readonly userId: string
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
  /** What the request is answered when its one transaction gives this; it is then stored with the change. */
  readonly answerOf?: (result: unknown) => StoredAnswer
}

/**
 * Who calls a service, by what right, and by which request. Every surface makes one for each request; services ask
 * nothing else of their caller, and every audit event names it. Without a user it is nobody, who may nothing.
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

/** What the service does of its own accord for a user, such as renewing their provider tokens. */
export const systemActorFor = (userId: string): Actor => ({ ...systemActor, userId })

/**
 * Whoever creates a record is its author, unless they name another user.
 * @throws 403 when it is nobody
 */
export function authorOf(actor: Actor, named: string | undefined): string {
  const author = named ?? actor.userId
  if (author === null) throw unauthenticated()
  return author
}

/** Whether the caller is a key with a list of permissions, so that it may less than its user. */
export const hasOwnList = ({ credential }: Pick<Actor, 'credential'>): boolean =>
  Boolean(credential?.limits?.permissions)

/** Whether the caller is this user with all of their permissions, and so may do what everyone may with their account. */
export const isSelf = (actor: Actor, id: string | undefined): boolean =>
  actor.userId === id && !hasOwnList(actor)

/**
 * What changes or sends something without writing to the database asks this itself; `db.write` asks it for all others.
 * @throws 403 for a key that only reads
 */
export function refuseReadOnly({ credential }: Pick<Actor, 'credential'>): void {
  if (credential?.limits?.readOnly) throw forbidden('this key only reads')
}

/** @throws 403 when nobody is signed in */
export function signedIn(actor: Actor): Actor & Identity {
  const { userId, roleId, credential } = actor
  if (userId === null || roleId === null || credential === null) throw unauthenticated()
  return { ...actor, userId, roleId, credential }
}
