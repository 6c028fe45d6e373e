import type { Hashing } from '../../ports.js'
import type { Declaration } from '../endpoints.js'
import { endpoints } from '../endpoints.js'
import { fixedDocument } from '../fixed-document.js'
import type { ApiContext } from './context.js'

/** The OpenAPI document of everything declared, this endpoint included. */
export function openApiRoutes(
  { authentication }: ApiContext,
  declarations: readonly Declaration[],
  version: string,
  hashing: Pick<Hashing, 'sha256'>,
) {
  const api = endpoints('operation', authentication)
  const document = async () => {
    const { openApiDocument } = await import('../openapi.js')
    return openApiDocument([...declarations, ...api.declarations], version)
  }
  const answer = fixedDocument('application/json', hashing, async () => JSON.stringify(await document()))
  api.get('/openapi.json', 'public', { summary: 'The OpenAPI 3.1 document' }, answer)
  return { api, document }
}
