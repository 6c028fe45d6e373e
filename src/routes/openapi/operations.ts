import { type Declaration, takesKey } from '../endpoints.js'
import { answersOf, isConditionalRead } from './answers.js'
import { curlSample } from './curl.js'
import type { Examples } from './examples.js'
import { isList, operationName } from './names.js'
import { type Json, propertiesOf, requiredOf, type Schemas, ulid } from './schemas.js'

/** A path as OpenAPI writes it: `/page/*` is `/page/{slug}`. */
export const templateOf = (path: string): string =>
  path.replaceAll(/:(\w+)/g, '{$1}').replace('/*', '/{slug}')

const slugParameter: Json = { type: 'string', examples: ['about'] }

function pathParameters(template: string): Json[] {
  return [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: name.endsWith('_id') ? ulid : name === 'slug' ? slugParameter : { type: 'string' },
  }))
}

const isNumberOrBoolean = ({ type }: Json) => type === 'integer' || type === 'number' || type === 'boolean'

function meantSchema(schemas: Schemas, schema: Declaration['query'] & object, owner: string): Json {
  const given = schemas.of(schema, 'input', owner)
  const meant = propertiesOf(schemas.of(schema, 'output', owner))
  const properties = Object.fromEntries(
    Object.entries(propertiesOf(given)).map(([name, one]) => {
      const other = meant[name]
      return [name, other && isNumberOrBoolean(other) ? { ...other, ...described(one) } : one]
    }),
  )
  return { ...given, properties }
}

const described = ({ description, default: fallback }: Json): Json => ({
  ...(description === undefined ? {} : { description }),
  ...(fallback === undefined ? {} : { default: fallback }),
})

function queryParameters(declaration: Declaration, schemas: Schemas, owner: string): Json[] {
  const { method } = declaration
  const query = declaration.query ?? declaration.parameters
  if (!query) return []
  const schema = meantSchema(schemas, query, owner)
  const required = requiredOf(schema)
  return Object.entries(propertiesOf(schema))
    .filter(([name]) => !(name === 'q' && isList(declaration)))
    .map(([name, { description, ...one }]) => ({
      name,
      in: 'query',
      required: required.includes(name) || (name === 'q' && method !== 'put'),
      ...(description === undefined ? {} : { description }),
      ...(one.type === 'object' ? { style: 'deepObject', explode: true } : {}),
      schema: name === 'q' ? { ...ulid, ...one, pattern: undefined } : one,
    }))
}

const conditionHeader = (name: string, description: string): Json => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
})

const idempotencyKey: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'A repeated request with the same key has no effect for 24 hours and gets the first response.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

function headerParameters(declaration: Declaration): Json[] {
  const ifMatch = conditionHeader(
    'If-Match',
    'The ETag of the record that you read. The response is 412 if the record has changed.',
  )
  const ifNoneMatch = conditionHeader(
    'If-None-Match',
    'The ETag that you know. The response is 304 if the record has not changed.',
  )
  return [
    ...(declaration.ifMatch ? [ifMatch] : []),
    ...(isConditionalRead(declaration) ? [ifNoneMatch] : []),
    ...(takesKey(declaration.method, declaration.access) ? [idempotencyKey] : []),
  ]
}

function requestBodyOf(
  { body, form, upload }: Declaration,
  { schemas, examples }: Context,
  owner: string,
): Json | undefined {
  if (upload) {
    const { properties = {} } = meantSchema(schemas, upload, owner)
    const file = { type: 'string', format: 'binary', description: 'The file itself.' }
    const schema = { type: 'object', properties: { file, ...(properties as Json) }, required: ['file'] }
    return {
      required: true,
      content: { 'multipart/form-data': { schema, example: { file: '@harbour.jpg' } } },
    }
  }
  const taken = body ?? form
  if (!taken) return undefined
  const schema = schemas.of(taken, 'input', owner)
  const content = { schema, example: examples.of(schema, false) }
  const type = body ? 'application/json' : 'application/x-www-form-urlencoded'
  return { required: true, content: { [type]: content } }
}

/** The parts that describing an endpoint needs beside the endpoint. */
export interface Context {
  schemas: Schemas
  examples: Examples
  collections: ReadonlySet<string>
}

function descriptionOf({ access, item, path, method, description }: Declaration): string {
  const needs =
    access === 'public'
      ? 'Public.'
      : access === 'signed-in' || access === 'own-account'
        ? 'Needs valid credentials.'
        : `Needs the permission \`${access}\`.`
  const right = description === undefined ? needs : `${description} ${needs}`
  if (item === undefined) return right
  const collection = path.replace(`/:${item}`, '')
  const other = `${method.toUpperCase()} ${collection}/?q=<${item}>`
  return path === collection && method === 'get'
    ? `${right} With \`q=<${item}>\` it returns that record.`
    : `${right} Also as \`${other}\`.`
}

/** Describes one endpoint, and leaves the schemas that have names in the context. */
export function operationOf(declaration: Declaration, context: Context): Json {
  const { path, access, tag, answers } = declaration
  const { schemas, examples } = context
  const operationId = operationName(declaration, context.collections)
  const owner = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}`
  const schema = answers?.shape && schemas.answer(answers.shape, owner)
  const type = answers?.type ?? 'application/json'
  const content = schema && { [type]: { schema, example: examples.of(schema, true) } }
  const template = templateOf(path)
  const requestBody = requestBodyOf(declaration, context, `${owner}Body`)
  const dryRun = declaration.dryRun && schemas.of(declaration.dryRun, 'output', `${owner}DryRun`)
  const operation: Json = {
    tags: [tag],
    summary: tag.startsWith('admin ') ? `${declaration.summary} (admin space)` : declaration.summary,
    operationId,
    description: descriptionOf(declaration),
    parameters: [
      ...pathParameters(template),
      ...queryParameters(declaration, schemas, `${owner}Query`),
      ...headerParameters(declaration),
    ],
    ...(requestBody ? { requestBody } : {}),
    responses: answersOf(
      declaration,
      content,
      dryRun && { schema: dryRun, example: examples.of(dryRun, true) },
    ),
    security: access === 'public' ? [] : [{ cookie: [] }, { key: [] }],
    'x-access': access,
  }
  return { ...operation, 'x-codeSamples': [curlSample(declaration.method, template, operation)] }
}
