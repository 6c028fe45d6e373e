import { z } from 'zod'
import type { AnyColumn, AnyTable } from '../db/columns.js'
import { type EventName, webhookEvents } from '../events.js'
import { eventBody } from '../services/webhooks/events.js'
import type { AnswerShape, Declaration } from './endpoints.js'

type Json = Record<string, unknown>

const columnSchemas: Record<AnyColumn['kind'], Json> = {
  id: { type: 'string', description: 'A ULID.' },
  text: { type: 'string' },
  longtext: { type: 'string' },
  integer: { type: 'integer' },
  bigint: { type: 'integer' },
  boolean: { type: 'boolean' },
  time: { type: 'string', format: 'date-time' },
  json: {},
  bytes: { type: 'string' },
}

function recordSchema(table: AnyTable): Json {
  const shown = Object.entries(table.columns).filter(([, { flags }]) => !flags.secret)
  const properties = Object.fromEntries(
    shown.map(([name, { kind, flags }]) => {
      const schema = columnSchemas[kind]
      return [name, flags.nullable && schema.type ? { ...schema, type: [schema.type, 'null'] } : schema]
    }),
  )
  return { type: 'object', properties, required: shown.map(([name]) => name) }
}

const toJsonSchema = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' })
  return rest as Json
}

const errorAnswer = (description: string): Json => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
})

/** Headers of every delivery. */
const deliveryHeaders = {
  'X-CMS-Event': 'The event name.',
  'X-CMS-Delivery': 'The id of the delivery, the same in every attempt.',
  'X-CMS-Timestamp': 'When this attempt was made, in seconds since 1970.',
  'X-CMS-Signature': 'Hex HMAC-SHA256 of the raw body with the webhook secret as the key.',
  'X-CMS-Signature-Previous': 'The same with the secret before a rotation, for 24 hours.',
  'webhook-id': 'As X-CMS-Delivery (Standard Webhooks).',
  'webhook-timestamp': 'As X-CMS-Timestamp (Standard Webhooks).',
  'webhook-signature': 'Signatures of Standard Webhooks, separated by blanks.',
}

/** What receivers are called with, event by event. */
const webhooksOf = (names: readonly EventName[]): Json =>
  Object.fromEntries(
    names.map(name => [
      name,
      {
        post: {
          summary: webhookEvents[name].when,
          operationId: `webhook_${name.replaceAll('.', '_')}`,
          parameters: Object.entries(deliveryHeaders).map(([header, description]) => ({
            name: header,
            in: 'header',
            required: header !== 'X-CMS-Signature-Previous',
            description,
            schema: { type: 'string' },
          })),
          requestBody: {
            required: true,
            content: { 'application/json': { schema: toJsonSchema(eventBody(name), 'output') } },
          },
          responses: { '2XX': { description: 'Taken. Anything else is tried again.' } },
        },
      },
    ]),
  )

const errorSchema: Json = {
  type: 'object',
  properties: {
    error: { type: 'string', description: 'What is wrong, for people.' },
    code: { type: 'string', description: 'What is wrong, for programs.' },
    member: { type: 'string', description: 'The member of the body, form or query that it is about.' },
  },
  required: ['error', 'code'],
}

/** A path as OpenAPI writes it: `/page/*` is `/page/{slug}`. */
export const templateOf = (path: string): string =>
  path.replaceAll(/:(\w+)/g, '{$1}').replace('/*', '/{slug}')

type ObjectSchema = { properties?: Record<string, Json>; required?: string[] }

function parametersOf(template: string, query: Declaration['query']): Json[] {
  const inPath = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  if (!query) return inPath
  const { properties = {}, required = [] } = toJsonSchema(query, 'input') as ObjectSchema
  const inQuery = Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }))
  return [...inPath, ...inQuery]
}

/** A form with its file. */
function uploadSchema(upload: z.ZodType): Json {
  const { properties = {} } = toJsonSchema(upload, 'input') as ObjectSchema
  const file = { type: 'string', format: 'binary' }
  return { type: 'object', properties: { file, ...properties }, required: ['file'] }
}

function requestBodyOf({ body, form, upload }: Declaration): Json | undefined {
  if (upload) return { required: true, content: { 'multipart/form-data': { schema: uploadSchema(upload) } } }
  if (body)
    return { required: true, content: { 'application/json': { schema: toJsonSchema(body, 'input') } } }
  if (!form) return undefined
  const schema = toJsonSchema(form, 'input')
  const types = ['application/x-www-form-urlencoded', 'multipart/form-data']
  return { required: true, content: Object.fromEntries(types.map(type => [type, { schema }])) }
}

/** Describes one endpoint, and leaves the schemas of the records that it names in `schemas`. */
function operationOf(declaration: Declaration, schemas: Record<string, Json>): Json {
  const { method, path, access, tag, summary, body, form, query, answers } = declaration
  const shapeOf = (shape: AnswerShape): Json => {
    if (!('table' in shape)) return toJsonSchema(shape, 'output')
    schemas[shape.table.name] = recordSchema(shape.table)
    const record = { $ref: `#/components/schemas/${shape.table.name}` }
    return shape.list ? { oneOf: [{ type: 'array', items: record }, record] } : record
  }
  const template = templateOf(path)
  const { status = 200, shape } = answers ?? {}
  const content = shape && { content: { 'application/json': { schema: shapeOf(shape) } } }
  const requestBody = requestBodyOf(declaration)
  return {
    tags: [tag],
    summary,
    operationId: `${method} ${template}`.replaceAll(/\W+/g, '_').replace(/_$/, ''),
    description: access === 'public' ? 'Public.' : `Needs: ${access}.`,
    parameters: parametersOf(template, query),
    responses: {
      [status]: { description: 'Done.', ...content },
      ...(body || form || query ? { 400: errorAnswer('Malformed or invalid.') } : {}),
      ...(access === 'public' ? {} : { 403: errorAnswer('Not signed in, or not allowed.') }),
    },
    security: access === 'public' ? [] : [{ cookie: [] }, { key: [] }],
    'x-access': access,
    ...(requestBody ? { requestBody } : {}),
  }
}

/**
 * The OpenAPI 3.1 document of all declared endpoints. RecordResponses come from the tables, bodies and queries from the schemas
 * that check them, so it cannot say anything else than the service does.
 */
export function openApiDocument(declarations: readonly Declaration[], version: string): Json {
  const schemas: Record<string, Json> = { Error: errorSchema }
  const paths: Record<string, Record<string, Json>> = {}
  for (const declaration of declarations) {
    const template = templateOf(declaration.path)
    paths[template] = { ...paths[template], [declaration.method]: operationOf(declaration, schemas) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Slugline', version, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/api/v1' }],
    paths,
    webhooks: webhooksOf(Object.keys(webhookEvents) as EventName[]),
    components: {
      schemas,
      securitySchemes: {
        cookie: { type: 'apiKey', in: 'cookie', name: 'cms_session' },
        key: { type: 'http', scheme: 'bearer' },
      },
    },
  }
}
