import { LocaleCreate, LocaleUpdate } from '../../services/content/locales.js'
import type { ApiContext } from '../context.js'
import { crudRoutes } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'

/** Languages of content. */
export function localeRoutes({ services, recordResponses, authentication }: ApiContext) {
  const api = endpoints('locales', authentication)
  crudRoutes(
    {
      api,
      path: '/locales',
      permission: { read: 'content:read', write: 'content:admin' },
      service: services.locales,
      recordResponses,
    },
    { create: LocaleCreate, update: LocaleUpdate, filters: ['code'] },
  )
  return api
}
