import type { Declaration } from '../endpoints.js'
import { failureComponents, headerComponents, withError } from './answers.js'
import { curlSample } from './curl.js'
import { Examples } from './examples.js'
import { tagsOf } from './groups.js'
import { isList } from './names.js'
import { operationOf, templateOf } from './operations.js'
import { type Json, propertiesOf, Schemas } from './schemas.js'
import { webhooksOf } from './webhooks.js'

interface About {
  version: string
  cookieName: string
}

const introduction = `
The \`description\` of each endpoint names the permission that it needs. Browsers sign in with \`POST /auth/login\` and
send the session cookie. Programs create an API key with \`POST /tokens\` and send it as \`Authorization: Bearer\`.

- \`/routes\` and \`/routes/\` are the same endpoint, and so are \`/routes/{route_id}\` and \`/routes/?q=<route_id>\`.
- A list returns all records ordered by id. Use \`limit\` with \`offset\` or \`after\` to get a part of them.
- Each record has an \`ETag\`. Send it as \`If-Match\` with PUT or DELETE to get 412 if somebody else saved first.
- You can read a record, edit it and send it back: read-only members are ignored. Unknown members and parameters
  are rejected with 400.
- Each error has the form \`{error, code, member?}\`.
`.trim()

function examplesByName(declarations: readonly Declaration[], schemas: Schemas): Map<string, unknown> {
  const found = new Map<string, unknown>()
  for (const { body } of declarations) {
    if (!body) continue
    for (const [name, member] of Object.entries(propertiesOf(schemas.of(body, 'input', 'Body')))) {
      const [example] = (member.examples ?? []) as unknown[]
      if (example !== undefined && !found.has(name)) found.set(name, example)
    }
  }
  return found
}

function publicPage(paths: Record<string, Record<string, Json>>): Json {
  const { get } = paths['/page/{slug}'] ?? {}
  if (!get) return {}
  const { '403': _, ...responses } = get.responses as Json
  const page: Json = {
    ...get,
    summary: 'Get the published content tree of a page',
    operationId: 'getPublicPage',
    description: 'Public. Send a slug of several segments, such as `blog/first`, with its slashes.',
    responses,
    security: [],
    'x-access': 'public',
  }
  const prefix = `$\{API%/api/v1}`
  return {
    '/{slug}': {
      servers: [{ url: '/', description: 'Public pages have no prefix.' }],
      get: { ...page, 'x-codeSamples': [curlSample('get', '/{slug}', page, prefix)] },
    },
  }
}

/**
 * The OpenAPI 3.1 document of all declared endpoints. Records come from the tables; bodies, queries and other answers
 * come from the schemas that check them, so that the document cannot differ from the service.
 */
export function openApiDocument(declarations: readonly Declaration[], { version, cookieName }: About): Json {
  const schemas = new Schemas()
  withError(schemas)
  const collections = new Set(
    declarations.filter(one => one.method === 'get' && isList(one)).map(({ path }) => path),
  )
  const examples = new Examples(schemas, examplesByName(declarations, new Schemas()))
  const paths: Record<string, Record<string, Json>> = {}
  for (const declaration of declarations) {
    const template = templateOf(declaration.path)
    const operation = operationOf(declaration, { schemas, examples, collections })
    paths[template] = { ...paths[template], [declaration.method]: operation }
  }
  const { tags, groups } = tagsOf(declarations.map(({ tag }) => tag))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Slugline',
      version,
      description: introduction,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/api/v1' }],
    tags,
    'x-tagGroups': groups,
    paths: { ...paths, ...publicPage(paths) },
    webhooks: webhooksOf(schemas, examples),
    components: {
      schemas: schemas.named,
      responses: failureComponents,
      headers: headerComponents,
      securitySchemes: {
        cookie: {
          type: 'apiKey',
          in: 'cookie',
          name: cookieName,
          description: 'The session of `POST /auth/login`.',
        },
        key: { type: 'http', scheme: 'bearer', description: 'An API key, as `POST /tokens` creates it.' },
      },
    },
  }
}
