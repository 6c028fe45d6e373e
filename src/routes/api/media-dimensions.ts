import { MediaDimensionCreate, MediaDimensionUpdate } from '../../services/media/dimensions.js'
import type { ApiContext } from '../context.js'
import { crudRoutes } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'

/** Size presets of image variants, for both spaces. */
export function mediaDimensionRoutes({ services, recordResponses, authentication }: ApiContext) {
  const api = endpoints('media dimensions', authentication)
  crudRoutes(
    {
      api,
      path: '/media-dimensions',
      permission: { read: 'media:read', write: 'media:admin' },
      service: services.mediaDimensions,
      recordResponses,
    },
    { create: MediaDimensionCreate, update: MediaDimensionUpdate, filters: ['label'] },
  )
  return api
}
