import { type ErrorCode, errorCodes, type Status } from '../../errors.js'
import { type Declaration, takesKey } from '../endpoints.js'
import { isList } from './names.js'
import type { Json, Schemas } from './schemas.js'

/** The error responses by status: the name of the component, and its meaning. */
const failures: Readonly<Record<Status, readonly [name: string, meaning: string]>> = {
  400: ['BadRequest', 'The body, query or address is malformed, or a member of it is refused.'],
  401: ['Unauthorized', 'The credentials are wrong, or nobody is signed in.'],
  403: ['Forbidden', 'There are no valid credentials, or a permission is missing: the sentence names it.'],
  404: ['NotFound', 'There is no such record.'],
  405: ['MethodNotAllowed', 'The path has no such method.'],
  409: [
    'Conflict',
    'The state of the records does not allow it: a duplicate, or a record that is still in use.',
  ],
  410: ['Gone', 'What there was has ended: a preview link that is over or was revoked.'],
  412: [
    'PreconditionFailed',
    'Somebody else saved first: the record is no longer the one that `If-Match` names.',
  ],
  413: ['ContentTooLarge', 'The body or file is larger than allowed, or the body has too many values.'],
  415: ['UnsupportedMediaType', 'The body has another type than the endpoint takes.'],
  422: ['KeyReused', 'The `Idempotency-Key` came with another request before.'],
  429: ['TooManyRequests', 'Too many tries from this address in a minute.'],
  500: ['InternalServerError', 'A fault of the service. The log has it under the request id.'],
  502: ['BadGateway', 'The OAuth provider did not do its part.'],
  503: ['ServiceUnavailable', 'The database or storage does not answer, or there is no room. Try again.'],
}

const schemaOf = (type: 'string' | 'integer') => ({ schema: { type } })

export const headerComponents: Json = {
  'X-Request-Id': { description: 'The id of the request, which the log has too.', ...schemaOf('string') },
  ETag: {
    description: 'Names this state of the record, for `If-Match` and `If-None-Match`.',
    ...schemaOf('string'),
  },
  'X-Total-Count': { description: 'How many records there are without `limit`.', ...schemaOf('integer') },
  'Retry-After': { description: 'Seconds to wait before another try.', ...schemaOf('integer') },
  'WWW-Authenticate': {
    description: 'How to show credentials, where none were valid.',
    ...schemaOf('string'),
  },
  'Set-Cookie': { description: 'The session cookie.', ...schemaOf('string') },
  Location: { description: 'Where to go.', ...schemaOf('string') },
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
    error: { type: 'string', description: 'What is wrong, for people; it may change.' },
    code: { type: 'string', enum: Object.keys(errorCodes), description: 'What is wrong, for programs.' },
    member: { type: 'string', description: 'The member of the body, form or query that it is about.' },
    errors: {
      type: 'array',
      description: 'Everything that is wrong, where that is more than a sentence can say.',
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

/** The statuses that an endpoint may refuse with. */
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
  200: 'Done.',
  201: 'Made.',
  204: 'Done; there is nothing to show.',
  302: 'Go there.',
} as const

/** True if an endpoint answers with one record, which then has an ETag. */
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
 * @param dryRun the schema of the answer of one that only asks what would be done
 */
export function answersOf(declaration: Declaration, content: Json | undefined, dryRun?: Json): Json {
  const { status = 200 } = declaration.answers ?? {}
  const success = {
    description: meanings[status],
    headers: successHeaders(declaration, status),
    ...(content ? { content } : {}),
  }
  const unchanged = {
    description: 'Unchanged: `If-None-Match` names this state.',
    headers: headersNamed('ETag'),
  }
  const moved = { description: 'It is there now.', headers: headersNamed('X-Request-Id', 'Location') }
  return {
    [status]: success,
    ...(declaration.mayHaveMoved ? { 301: moved, 308: moved } : {}),
    ...(dryRun
      ? {
          200: {
            description: 'What would be done.',
            headers: headersNamed('X-Request-Id'),
            content: { 'application/json': { schema: dryRun } },
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
