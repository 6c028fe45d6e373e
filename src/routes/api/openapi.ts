import { z } from 'zod'
import type { ApiContext } from '../context.js'
import type { Declaration } from '../endpoints.js'
import { endpoints } from '../endpoints.js'
import { fixedDocument } from '../fixed-document.js'

const OpenApi = z.object({ openapi: z.string().meta({ examples: ['3.1.0'] }) }).loose()

/** The OpenAPI document of everything declared, this endpoint included. */
export function openApiRoutes(
  { authentication, config, hashing }: ApiContext,
  declarations: readonly Declaration[],
  version: string,
) {
  const api = endpoints('operation', authentication)
  const document = async () => {
    const { openApiDocument } = await import('../openapi/document.js')
    return openApiDocument([...declarations, ...api.declarations], {
      version,
      cookieName: config().cookie_name,
    })
  }
  const answer = fixedDocument('application/json', hashing, async () => JSON.stringify(await document()))
  api.get(
    '/openapi.json',
    'public',
    {
      name: 'getOpenApi',
      summary: 'Get the OpenAPI 3.1 document',
      anyQuery: true,
      answers: { shape: OpenApi },
    },
    answer,
  )
  return { api, document }
}
