import { type ErrorCode, errorCodes, type Status } from '../../errors.js'
import { type Declaration, takesKey } from '../endpoints.js'
import { isList } from './names.js'
import type { Json, Schemas } from './schemas.js'

const failures: Readonly<Record<Status, readonly [name: string, meaning: string]>> = {
  400: ['BadRequest', 'The body, the query or the path is invalid.'],
  401: ['Unauthorized', 'The credentials are missing or wrong.'],
  403: ['Forbidden', 'Valid credentials or a permission are missing. `error` names the permission.'],
  404: ['NotFound', 'The record does not exist.'],
  405: ['MethodNotAllowed', 'The path does not support this method.'],
  409: ['Conflict', 'A record with this value exists already, or the record is still in use.'],
  410: ['Gone', 'The preview link has expired or was revoked.'],
  412: ['PreconditionFailed', 'The record has changed since the ETag in `If-Match`.'],
  413: ['ContentTooLarge', 'The body or file is too large, or the body has too many values.'],
  415: ['UnsupportedMediaType', 'The endpoint does not accept this content type.'],
  422: ['KeyReused', 'The `Idempotency-Key` was used with a different request.'],
  429: ['TooManyRequests', 'Too many requests from this IP address in a minute.'],
  500: ['InternalServerError', 'Internal error. The log has the details under the request id.'],
  502: ['BadGateway', 'The OAuth provider failed.'],
  503: ['ServiceUnavailable', 'The database or storage is not available, or the disk is full. Retry later.'],
}

const schemaOf = (type: 'string' | 'integer') => ({ schema: { type } })

export const headerComponents: Json = {
  'X-Request-Id': { description: 'The id of the request, as in the log.', ...schemaOf('string') },
  ETag: {
    description: 'The version of the record, for `If-Match` and `If-None-Match`.',
    ...schemaOf('string'),
  },
  'X-Total-Count': { description: 'The number of records without `limit`.', ...schemaOf('integer') },
  'Retry-After': { description: 'Seconds to wait before a retry.', ...schemaOf('integer') },
  'WWW-Authenticate': {
    description: 'The accepted authentication scheme.',
    ...schemaOf('string'),
  },
  'Set-Cookie': { description: 'The session cookie.', ...schemaOf('string') },
  Location: { description: 'The URL to go to.', ...schemaOf('string') },
}

type HeaderName =
  | 'X-Request-Id'
  | 'ETag'
  | 'X-Total-Count'
  | 'Retry-After'
  | 'WWW-Authenticate'
  | 'Set-Cookie'
  | 'Location'

const headersNamed = (...names: HeaderName[]): Json =>
  Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))

const failureHeaders = (status: Status): Json => {
  if (status === 429 || status === 503) return headersNamed('X-Request-Id', 'Retry-After')
  if (status === 401 || status === 403) return headersNamed('X-Request-Id', 'WWW-Authenticate')
  return headersNamed('X-Request-Id')
}

const codesOf = (status: Status) =>
  (Object.keys(errorCodes) as ErrorCode[]).filter(code =>
    (errorCodes[code] as readonly Status[]).includes(status),
  )

const errorSchema: Json = {
  type: 'object',
  properties: {
    error: { type: 'string', description: 'A sentence for people. It may change.' },
    code: {
      type: 'string',
      enum: Object.keys(errorCodes),
      description: 'A code for programs. It does not change.',
    },
    member: { type: 'string', description: 'The member of the body, form or query that is invalid.' },
    errors: {
      type: 'array',
      description: 'All problems, if there are several.',
      items: { type: 'object', properties: { error: { type: 'string' }, member: { type: 'string' } } },
    },
  },
  required: ['error', 'code'],
}

/** Every answer that refuses, for `components.responses`. */
export const failureComponents: Json = Object.fromEntries(
  (Object.keys(failures).map(Number) as Status[])
    .filter(status => status !== 405)
    .map(status => {
      const [name, meaning] = failures[status]
      const codes = codesOf(status)
      const example = { error: meaning, code: codes[0] }
      const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, example } }
      const description = `${meaning} \`code\`: ${codes.map(code => `\`${code}\``).join(', ')}.`
      return [name, { description, headers: failureHeaders(status), content }]
    }),
)

/** True if the address names a record. A list that is one record with `q` is described as two operations. */
const namesRecord = (declaration: Declaration) => {
  const { path, query, item } = declaration
  const isWhole = isList(declaration) && item !== undefined
  return /[:*]/.test(path) || (query !== undefined && 'q' in query.shape && !isWhole)
}

function failuresOf(declaration: Declaration): Status[] {
  const { method, access, body, form, upload, limited, ifMatch, fails = [] } = declaration
  const isRead = method === 'get'
  const takes = body !== undefined || form !== undefined || upload !== undefined
  const found: [Status, boolean][] = [
    [400, true],
    [403, access !== 'public' || !isRead],
    [404, namesRecord(declaration) || (takes && access !== 'public')],
    [409, !isRead],
    [412, ifMatch === true],
    [413, takes],
    [415, takes],
    [422, takesKey(method, access)],
    [429, limited === true],
    [500, true],
    [503, true],
  ]
  const statuses = found.filter(([, may]) => may).map(([status]) => status)
  return [...new Set([...statuses, ...fails])].toSorted((a, b) => a - b)
}

const failureAnswers = (declaration: Declaration): Json =>
  Object.fromEntries(
    failuresOf(declaration).map(status => [
      status,
      { $ref: `#/components/responses/${failures[status][0]}` },
    ]),
  )

const meanings = {
  200: 'Success.',
  201: 'Created.',
  204: 'Success, without a body.',
  302: 'Redirect to `Location`.',
} as const

const answersRecord = (declaration: Declaration) => {
  const { method, path, answers } = declaration
  return answers?.shape !== undefined && !isList(declaration) && (method !== 'get' || /[:*]/.test(path))
}

function successHeaders(declaration: Declaration, status: number): Json {
  const { query, name } = declaration
  if (status === 302) return headersNamed('X-Request-Id', 'Location')
  if (name === 'login' || name === 'logout') return headersNamed('X-Request-Id', 'Set-Cookie')
  if (query && 'offset' in query.shape) return headersNamed('X-Request-Id', 'X-Total-Count')
  return answersRecord(declaration) ? headersNamed('X-Request-Id', 'ETag') : headersNamed('X-Request-Id')
}

/** True if an endpoint answers 304 to callers that have the record already. */
export const isConditionalRead = (declaration: Declaration): boolean =>
  declaration.method === 'get' &&
  (answersRecord(declaration) || declaration.anyQuery === true) &&
  declaration.answers?.status === undefined

/**
 * All answers of an endpoint.
 * @param content of the answer of a request that went well
 * @param dryRun content of the answer of a dry run
 */
export function answersOf(declaration: Declaration, content: Json | undefined, dryRun?: Json): Json {
  const { status = 200 } = declaration.answers ?? {}
  const success = {
    description: meanings[status],
    headers: successHeaders(declaration, status),
    ...(content ? { content } : {}),
  }
  const unchanged = {
    description: 'Not modified since the ETag in `If-None-Match`.',
    headers: headersNamed('ETag'),
  }
  const moved = { description: 'Moved to `Location`.', headers: headersNamed('X-Request-Id', 'Location') }
  return {
    [status]: success,
    ...(declaration.mayHaveMoved ? { 301: moved, 308: moved } : {}),
    ...(dryRun
      ? {
          200: {
            description: 'The effect that the request would have. Nothing was saved.',
            headers: headersNamed('X-Request-Id'),
            content: { 'application/json': dryRun },
          },
        }
      : {}),
    ...(isConditionalRead(declaration) ? { 304: unchanged } : {}),
    ...failureAnswers(declaration),
  }
}

/** Makes the error's schema known under its name. */
export const withError = (schemas: Schemas): void => {
  schemas.named.Error = errorSchema
}
