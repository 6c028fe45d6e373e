import { authRoutes } from './auth.js'
import { contentRoutes } from './content.js'
import { contentFieldRoutes } from './content-fields.js'
import { datatypeRoutes } from './datatypes.js'
import { fieldTypeRoutes } from './field-types.js'
import { fieldRoutes } from './fields.js'
import { healthRoutes } from './health.js'
import { routeRoutes } from './routes.js'

/** Every part of the API, in the order of the document. */
export const apiParts = [
  authRoutes,
  routeRoutes,
  contentRoutes,
  contentFieldRoutes,
  datatypeRoutes,
  fieldRoutes,
  fieldTypeRoutes,
  healthRoutes,
]
