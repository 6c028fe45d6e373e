import { LocaleCreate, LocaleUpdate } from '../../services/content/locales.js'
import { crudRoutes } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'
import type { ApiKit } from './kit.js'

/** Languages of content. */
export function localeRoutes({ services, records, authentication }: ApiKit) {
  const api = endpoints('locales', authentication)
  crudRoutes(
    {
      api,
      path: '/locales',
      permission: { read: 'content:read', write: 'content:admin' },
      service: services.locales,
      records,
    },
    { create: LocaleCreate, update: LocaleUpdate, filters: ['code'] },
  )
  return api
}
