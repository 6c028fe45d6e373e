import type { Ctx } from '../../../middleware/context.js'
import type { Failure } from '../../../middleware/errors.js'
import type { ApiContext } from '../../../routes/context.js'
import { door, hasCredentials } from '../../root.js'
import { strapiEntry, strapiFileById, strapiFiles, strapiLocales, strapiType } from '../find/documents.js'
import { requestOf, root4, root5 } from './request.js'

const names: Readonly<Record<number, string>> = {
  400: 'ValidationError',
  401: 'UnauthorizedError',
  403: 'ForbiddenError',
  404: 'NotFoundError',
  405: 'MethodNotAllowedError',
  429: 'RateLimitError',
}

/** `{data: null, error: {status, name, message, details}}`. Who has no valid key is not authorized there. */
export function strapiFailure({ status: given, code, error }: Failure, c: Ctx) {
  const status = code === 'unauthenticated' && hasCredentials(c) ? 401 : given
  const name = names[status] ?? (status < 500 ? 'ApplicationError' : 'InternalServerError')
  return { status, body: { data: null, error: { status, name, message: error, details: {} } } }
}

/** The content API of Strapi, read-only: versions 5 and 4. See docs/moving-from/strapi.md. */
export function strapiRoutes(context: ApiContext) {
  const { api, get } = door(context, 'strapi', 'Strapi')
  for (const root of [root5, root4]) {
    get(`${root}/upload/files`, c => {
      const { request } = requestOf(c)
      return site => strapiFiles(site, request)
    })
    get(
      `${root}/upload/files/:number{[0-9]{1,15}}`,
      c => site => strapiFileById(site, Number(c.req.param('number'))),
    )
    get(`${root}/i18n/locales`, () => strapiLocales)
    get(`${root}/:type`, c => {
      const { request, drafts } = requestOf(c)
      return { drafts, write: site => strapiType(site, c.req.param('type') ?? '', request) }
    })
    get(`${root}/:type/:document`, c => {
      const { request, drafts } = requestOf(c)
      const { type = '', document = '' } = c.req.param() as { type?: string; document?: string }
      return { drafts, write: site => strapiEntry(site, type, document, request) }
    })
  }
  return api
}
