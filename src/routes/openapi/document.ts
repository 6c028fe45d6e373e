import type { Declaration } from '../endpoints.js'
import { failureComponents, headerComponents, withError } from './answers.js'
import { Examples } from './examples.js'
import { isList } from './names.js'
import { operationOf, templateOf } from './operations.js'
import { type Json, propertiesOf, Schemas } from './schemas.js'
import { webhooksOf } from './webhooks.js'

interface About {
  version: string
  /** The session cookie's name. */
  cookieName: string
}

const introduction = `
Every endpoint says in \`description\` who may call it. Sign in with \`POST /auth/login\` and send the cookie, or make an
API key with \`POST /tokens\` and send it as \`Authorization: Bearer\`.

- \`/routes\` and \`/routes/\` are the same, and so are \`/routes/{route_id}\` and \`/routes/?q=<route_id>\`.
- Lists are whole arrays in the order of their ids; \`limit\` with \`offset\` or \`after\` gives a part.
- A record has an \`ETag\`. A PUT or DELETE with it as \`If-Match\` is refused with 412 when somebody else saved first.
- A record that was read can be edited and sent back: members that nobody sets are ignored. Other members and
  parameters that an endpoint does not have are refused with 400.
- Every refusal is \`{error, code, member?}\`.
`.trim()

/** Examples that bodies give for their members, by the members' names. */
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

/** The page of a route as everybody gets it, which is outside of the API's prefix. */
function publicPage(paths: Record<string, Record<string, Json>>): Json {
  const { get } = paths['/page/{slug}'] ?? {}
  if (!get) return {}
  const { '403': _, ...responses } = get.responses as Json
  return {
    '/{slug}': {
      servers: [{ url: '/', description: 'Public pages have no prefix.' }],
      get: {
        ...get,
        summary: 'The published content tree of the route with this slug',
        operationId: 'getPublicPage',
        description:
          'Public. Slugs of more than one segment, such as `blog/first`, are sent with their slashes.',
        responses,
        security: [],
        'x-access': 'public',
      },
    },
  }
}

/**
 * The OpenAPI 3.1 document of all declared endpoints. Records come from the tables, bodies, queries and other answers
 * from the schemas that check them, so it cannot say anything else than the service does.
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
  return {
    openapi: '3.1.0',
    info: {
      title: 'Slugline',
      version,
      description: introduction,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/api/v1' }],
    tags: [...new Set(declarations.map(({ tag }) => tag))].map(name => ({ name })),
    paths: { ...paths, ...publicPage(paths) },
    webhooks: webhooksOf(schemas),
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
        key: { type: 'http', scheme: 'bearer', description: 'An API key, as `POST /tokens` makes it.' },
      },
    },
  }
}
