import type { Declaration } from '../endpoints.js'
import { endpoints } from '../endpoints.js'
import type { ApiContext } from './context.js'

/** The OpenAPI document of everything declared, this endpoint included. */
export function openApiRoutes(
  { authentication }: ApiContext,
  declarations: readonly Declaration[],
  version: string,
) {
  const api = endpoints('operation', authentication)
  let known: Promise<Record<string, unknown>> | undefined
  const document = () => {
    known ??= import('../openapi.js').then(({ openApiDocument }) =>
      openApiDocument([...declarations, ...api.declarations], version),
    )
    return known
  }
  api.get('/openapi.json', 'public', { summary: 'The OpenAPI 3.1 document' }, async c =>
    c.json(await document()),
  )
  return { api, document }
}
