import { nearestName } from './nearest-name.js'

export type Status = 400 | 401 | 403 | 404 | 405 | 409 | 410 | 412 | 413 | 415 | 422 | 429 | 500 | 502 | 503

/**
 * The kinds of errors, for programs: the statuses that a code comes with. These words are a contract; docs/errors.md
 * explains each of them.
 */
export const errorCodes = {
  malformed: [400],
  invalid: [400],
  unknown_member: [400],
  foreign_key: [400],
  circular_reference: [400],
  not_configured: [400],
  sign_in_pending: [400],
  sign_in_denied: [400],
  sign_in_expired: [400],
  wrong_credentials: [401],
  second_factor_required: [401],
  session_expired: [401, 403],
  unauthenticated: [403],
  second_factor_missing: [403],
  missing_permission: [403],
  outside_limits: [403],
  forbidden: [403],
  protected: [403],
  not_found: [404],
  method_not_allowed: [405],
  conflict: [409],
  duplicate: [409],
  referenced: [409],
  damaged: [409],
  gone: [410],
  changed: [412],
  still_running: [409],
  answer_lost: [409],
  key_reused: [422],
  too_large: [413],
  unsupported_media_type: [415],
  too_many_requests: [429],
  internal: [500],
  provider_failed: [502],
  unavailable: [503],
  read_only: [503],
} as const satisfies Record<string, readonly Status[]>

export type ErrorCode = keyof typeof errorCodes

type Headers = Readonly<Record<string, string>>

/** One of several problems: a sentence, the member that it is about, and details about its place. */
export interface OneOfErrors {
  readonly error: string
  readonly member: string
}

/** A refusal that the caller may read. Anything else that is thrown leaves as one fixed sentence. */
export class HttpError extends Error {
  /**
   * @param member the member of the body, form or query that it is about, such as `fields.price`
   * @param errors every problem, if the message names only one
   */
  constructor(
    readonly status: Status,
    readonly code: ErrorCode,
    message: string,
    readonly member?: string | undefined,
    readonly headers: Headers = {},
    readonly errors?: readonly OneOfErrors[],
  ) {
    super(message)
  }
}

/** For input that cannot be read at all: a body, form or address that breaks its own format. */
export const malformed = (message: string) => new HttpError(400, 'malformed', message)
const maxMember = 512

/** A member whose value is refused. */
export function invalid(given: string, problem: string): HttpError {
  // Names of members come from callers, who need no megabytes of theirs back.
  const member = given.length > maxMember ? `${given.slice(0, maxMember)}…` : given
  return new HttpError(400, 'invalid', `${member}: ${problem}`, member)
}
/** For an unknown member or parameter. @param known the names that are possible in its place */
export function unknownMember(
  path: readonly string[],
  known: Iterable<string>,
  kind: 'member' | 'parameter' | 'field' = 'member',
): HttpError {
  const shown = path.map(name => name.slice(0, 64))
  const nearest = nearestName(path.at(-1) ?? '', known)
  const hint = nearest === undefined ? '' : `. Did you mean ${[...shown.slice(0, -1), nearest].join('.')}?`
  const member = shown.join('.')
  return new HttpError(400, 'unknown_member', `${member}: unknown ${kind}${hint}`, member)
}
/** For a problem of several members together, or of the change that they ask for. */
export const badRequest = (message: string, member?: string) => new HttpError(400, 'invalid', message, member)
/** For several members whose values are refused; the message names the first, and `errors` lists all. */
export function allInvalid(errors: readonly [OneOfErrors, ...OneOfErrors[]]): HttpError {
  const [{ error, member }, ...others] = errors
  const message = others.length > 0 ? `${error} (and ${others.length} more)` : error
  return new HttpError(400, 'invalid', message, member, {}, errors)
}
/** A member that names a record which does not exist. */
export const missingReference = (member: string, table: string) =>
  new HttpError(400, 'foreign_key', `foreign key failure: ${member} names no record of ${table}`, member)
export const circularReference = (member: string, message = 'Circular reference detected') =>
  new HttpError(400, 'circular_reference', message, member)
export const notConfigured = (message: string) => new HttpError(400, 'not_configured', message)
/** The answers of RFC 8628, 3.5 to a command line that waits for its sign-in. */
export const signInPending = () =>
  new HttpError(400, 'sign_in_pending', 'nobody has approved this sign-in yet')
export const signInDenied = () => new HttpError(400, 'sign_in_denied', 'this sign-in was denied')
export const signInExpired = () =>
  new HttpError(400, 'sign_in_expired', 'this sign-in is unknown or has expired: start it again')
/** RFC 9110, 11.6.1 and RFC 6750, 3: how to show who one is. */
const challenge = (problem = ''): Headers => ({ 'WWW-Authenticate': `Bearer realm="slugline"${problem}` })
export const wrongCredentials = (message: string, member?: string) =>
  new HttpError(401, 'wrong_credentials', message, member, challenge())
/** The password is right, and the account has a second factor. */
export const secondFactorRequired = () =>
  new HttpError(
    401,
    'second_factor_required',
    'code: send the code of your authenticator app, or a recovery code, with the password',
    'code',
    challenge(),
  )
/** The role of the caller requires a second factor, and the account lacks it. */
export const secondFactorMissing = () =>
  new HttpError(
    403,
    'second_factor_missing',
    'your role requires a second factor: set one up at /admin/profile/second-factor, or with POST /api/v1/auth/second-factor',
  )
/** @param status 401 where the endpoint is about the session itself, 403 where it needs one (product document, 5.1) */
export const sessionExpired = (status: 401 | 403 = 401) =>
  new HttpError(status, 'session_expired', "sessions don't match", undefined, challenge())
const howToSignIn = 'sign in, or send an API key as Authorization: Bearer'
/** @param how what the caller can do */
export const unauthenticated = (how = howToSignIn) =>
  new HttpError(403, 'unauthenticated', `no valid credentials: ${how}`, undefined, challenge())
export const badKey = () =>
  new HttpError(
    403,
    'unauthenticated',
    'no valid credentials: the API key is unknown, expired or revoked',
    undefined,
    challenge(', error="invalid_token"'),
  )
/** @param permission such as `content:create` */
export const missingPermission = (permission: string) =>
  new HttpError(403, 'missing_permission', `the permission ${permission} is missing`)
/** The limits of the caller's role leave this out. @param message the limit, and what is outside */
export const outsideLimits = (message: string) => new HttpError(403, 'outside_limits', message)
export const forbidden = (message: string) => new HttpError(403, 'forbidden', message)
/** A record that belongs to the service itself. */
export const protectedRecord = (message: string) => new HttpError(403, 'protected', message)
export const notFound = (message = 'not found') => new HttpError(404, 'not_found', message)
export const methodNotAllowed = (methods: readonly string[]) =>
  new HttpError(405, 'method_not_allowed', 'method not allowed', undefined, { Allow: methods.join(', ') })
/** For a change that the state of the records does not allow. */
export const conflict = (message: string, member?: string) => new HttpError(409, 'conflict', message, member)
export const duplicate = (message: string, member?: string) =>
  new HttpError(409, 'duplicate', message, member)
export const stillReferenced = (message: string) => new HttpError(409, 'referenced', message)
/** Stored content that something outside of the service has broken. */
export const damagedContent = (message: string) => new HttpError(409, 'damaged', message)
/** For something that existed and has ended for good, such as a link that somebody revoked. */
export const gone = (message: string) => new HttpError(410, 'gone', message)
export const changedMeanwhile = () =>
  new HttpError(412, 'changed', 'somebody else saved first: read the record again')
/** The first request with the same `Idempotency-Key` has no answer yet. */
export const stillRunning = () =>
  new HttpError(
    409,
    'still_running',
    'the first request with this Idempotency-Key is still running',
    undefined,
    {
      'Retry-After': '1',
    },
  )
export const answerLost = () =>
  new HttpError(
    409,
    'answer_lost',
    'the request with this Idempotency-Key has succeeded, but its response was not stored: read the records',
  )
export const keyReused = () =>
  new HttpError(
    422,
    'key_reused',
    'this Idempotency-Key was used with a different request',
    'Idempotency-Key',
  )
export const tooLarge = (message: string, headers?: Headers) =>
  new HttpError(413, 'too_large', message, undefined, headers)
export const unsupported = (message: string) => new HttpError(415, 'unsupported_media_type', message)
/** @param waitMs until another try is taken */
export const tooMany = (waitMs: number) =>
  new HttpError(429, 'too_many_requests', 'too many requests, try again later', undefined, {
    'Retry-After': String(Math.ceil(waitMs / 1000)),
  })
export const providerFailed = (message: string) => new HttpError(502, 'provider_failed', message)
export const unavailable = (message: string, seconds = 1) =>
  new HttpError(503, 'unavailable', message, undefined, { 'Retry-After': String(seconds) })

/** The database does not answer: what is in memory may be given instead. */
export class DatabaseAwayError extends HttpError {
  constructor() {
    super(503, 'unavailable', 'the database does not respond', undefined, { 'Retry-After': '1' })
  }
}

/** For changes and sign-ins at an instance whose database takes none. */
export const readOnlyInstance = () =>
  new HttpError(
    503,
    'read_only',
    'this instance only reads: send changes and sign-ins to an instance that writes',
    undefined,
    { 'Retry-After': '1' },
  )

/** Repeats a refusal with another name for its member, such as `children.2.datatype_id` for `datatype_id`. */
export function renamed(error: unknown, nameOf: (member: string) => string): unknown {
  if (!(error instanceof HttpError) || error.member === undefined) return error
  const { status, code, message, member, headers } = error
  const name = nameOf(member)
  return new HttpError(
    status,
    code,
    message.replace(member, () => name),
    name,
    headers,
  )
}

/** A configuration that the service cannot start with; its message is one line for the operator. */
export class ConfigError extends Error {
  /** @param field that it is about, where there is one */
  constructor(
    message: string,
    readonly field?: string,
  ) {
    super(message)
  }
}

/** A file that could not be fetched: the reason in words, without the host, and the host. */
export class FetchFailure extends Error {
  constructor(
    readonly reason: string,
    readonly host: string,
    /** Whether the host did not respond at all, so that its other files cannot be fetched either. */
    readonly isSilent = false,
  ) {
    super(`${host}: ${reason}`)
  }
}
