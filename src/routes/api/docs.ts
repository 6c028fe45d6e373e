import type { Authentication } from '../../middleware/authenticate.js'
import { nonceOf } from '../../middleware/headers.js'
import { type Declaration, endpoints } from '../endpoints.js'

/** The OpenAPI document as a page. */
export function docsRoutes(
  authentication: Authentication,
  declarations: readonly Declaration[],
  document: () => Promise<Record<string, unknown>>,
) {
  const api = endpoints('docs', authentication)
  api.get('/', 'public', { summary: 'The API for people' }, async c => {
    const { DocsPage } = await import('../docs.js')
    const page = DocsPage({ declarations, document: await document(), nonce: nonceOf(c) })
    return c.html(`<!doctype html>${page}`)
  })
  return api
}
