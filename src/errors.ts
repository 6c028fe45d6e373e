type Status = 400 | 401 | 403 | 404 | 405 | 409 | 412 | 413 | 415 | 429 | 500 | 502 | 503

/** What went wrong, for programs. These words are a contract: docs/errors.md says what each of them means. */
type ErrorCode =
  | 'malformed'
  | 'invalid'
  | 'foreign_key'
  | 'circular_reference'
  | 'not_configured'
  | 'wrong_credentials'
  | 'session_expired'
  | 'forbidden'
  | 'protected'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'duplicate'
  | 'referenced'
  | 'damaged'
  | 'changed'
  | 'too_large'
  | 'unsupported_media_type'
  | 'too_many_requests'
  | 'internal'
  | 'provider_failed'
  | 'unavailable'

type Headers = Readonly<Record<string, string>>

/** A refusal that the caller may read. Anything else that is thrown leaves as one fixed sentence. */
export class HttpError extends Error {
  /** @param member the member of the body, form or query that it is about, such as `fields.price` */
  constructor(
    readonly status: Status,
    readonly code: ErrorCode,
    message: string,
    readonly member?: string | undefined,
    readonly headers: Headers = {},
  ) {
    super(message)
  }
}

/** What cannot be read at all: a body, form or address that is not what it says it is. */
export const malformed = (message: string) => new HttpError(400, 'malformed', message)
/** A member whose value is refused. */
export const invalid = (member: string, problem: string) =>
  new HttpError(400, 'invalid', `${member}: ${problem}`, member)
/** What is wrong with more than one member, or with what they would do. */
export const badRequest = (message: string, member?: string) => new HttpError(400, 'invalid', message, member)
/** A member that names a record which does not exist. */
export const missingReference = (member: string, table: string) =>
  new HttpError(400, 'foreign_key', `foreign key failure: ${member} names no record of ${table}`, member)
export const circularReference = (member: string, message = 'Circular reference detected') =>
  new HttpError(400, 'circular_reference', message, member)
export const notConfigured = (message: string) => new HttpError(400, 'not_configured', message)
export const wrongCredentials = (message: string) => new HttpError(401, 'wrong_credentials', message)
export const sessionExpired = () => new HttpError(401, 'session_expired', "sessions don't match")
export const forbidden = (message = 'forbidden') => new HttpError(403, 'forbidden', message)
/** A record that belongs to the service itself. */
export const protectedRecord = (message: string) => new HttpError(403, 'protected', message)
export const notFound = (message = 'not found') => new HttpError(404, 'not_found', message)
export const methodNotAllowed = (methods: readonly string[]) =>
  new HttpError(405, 'method_not_allowed', 'method not allowed', undefined, { Allow: methods.join(', ') })
/** What the state of the records does not allow. */
export const conflict = (message: string, member?: string) => new HttpError(409, 'conflict', message, member)
export const duplicate = (message: string, member?: string) =>
  new HttpError(409, 'duplicate', message, member)
export const stillReferenced = (message: string) => new HttpError(409, 'referenced', message)
/** Stored content that something outside of the service has broken. */
export const damagedContent = (message: string) => new HttpError(409, 'damaged', message)
export const changedMeanwhile = () =>
  new HttpError(412, 'changed', 'somebody else saved first: read the record again')
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

/** A configuration that nobody can start with; its message is one line for the operator. */
export class ConfigError extends Error {
  /** @param field that it is about, where there is one */
  constructor(
    message: string,
    readonly field?: string,
  ) {
    super(message)
  }
}
