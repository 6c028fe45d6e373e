import { forbidden } from './errors.js'

type Surface = 'api' | 'panel' | 'ssh' | 'cli' | 'system'

/** What a caller has shown to say who they are. */
interface Credential {
  readonly kind: 'session' | 'key'
  /** Of the session or key. */
  readonly id: string
}

/** A user, as a credential has shown them. */
export interface Identity {
  readonly userId: string
  readonly roleId: string
  readonly credential: Credential
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
  if (author === null) throw forbidden()
  return author
}

/** @throws 403 when nobody is signed in */
export function signedIn(actor: Actor): Actor & Identity {
  const { userId, roleId, credential } = actor
  if (userId === null || roleId === null || credential === null) throw forbidden()
  return { ...actor, userId, roleId, credential }
}
