import { MediaDimensionCreate, MediaDimensionUpdate } from '../../services/media/dimensions.js'
import { crudRoutes } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'
import type { ApiKit } from './kit.js'

/** Size presets of image variants, for both spaces. */
export function mediaDimensionRoutes({ services, records, authentication }: ApiKit) {
  const api = endpoints('media dimensions', authentication)
  crudRoutes(
    {
      api,
      path: '/media-dimensions',
      permission: { read: 'media:read', write: 'media:admin' },
      service: services.mediaDimensions,
      records,
    },
    { create: MediaDimensionCreate, update: MediaDimensionUpdate, filters: ['label'] },
  )
  return api
}
