import type { Authentication } from '../../middleware/authenticate.js'
import { endpoints } from '../endpoints.js'
import type { FixedDocument } from '../fixed-document.js'

/** The OpenAPI document as a page. */
export function docsRoutes(authentication: Authentication, page: FixedDocument) {
  const api = endpoints('docs', authentication)
  api.get('/', 'public', { summary: 'The API for people', anyQuery: true }, page)
  return api
}
