import { auditRoutes } from './audit.js'
import { authRoutes } from './auth.js'
import { backupRoutes } from './backups.js'
import { commentRoutes } from './comments.js'
import { configRoutes } from './config.js'
import { contentRoutes } from './content.js'
import { contentChangeRoutes } from './content-changes.js'
import { contentFieldRoutes } from './content-fields.js'
import { contentVersionRoutes } from './content-versions.js'
import { datatypeRoutes } from './datatypes.js'
import { eventRoutes } from './events.js'
import { fieldTypeRoutes } from './field-types.js'
import { fieldRoutes } from './fields.js'
import { healthRoutes } from './health.js'
import { importRoutes } from './imports.js'
import { localeRoutes } from './locales.js'
import { mediaRoutes } from './media.js'
import { mediaDimensionRoutes } from './media-dimensions.js'
import { mediaFolderRoutes } from './media-folders.js'
import { metricsRoutes } from './metrics.js'
import { modelRoutes } from './model.js'
import { pageRoutes } from './pages.js'
import { permissionRoutes } from './permissions.js'
import { previewRoutes } from './previews.js'
import { publishedRouteRoutes } from './published-routes.js'
import { queryRoutes } from './query.js'
import { redirectRoutes } from './redirects.js'
import { reviewRequestRoutes } from './review-requests.js'
import { rolePermissionRoutes } from './role-permissions.js'
import { roleRoutes } from './roles.js'
import { routeRoutes } from './routes.js'
import { searchRoutes } from './search.js'
import { sessionRoutes } from './sessions.js'
import { sshKeyRoutes } from './ssh-keys.js'
import { tokenRoutes } from './tokens.js'
import { trashRoutes } from './trash.js'
import { typeRoutes } from './types.js'
import { userRoutes } from './users.js'
import { webhookRoutes } from './webhooks.js'

/** Every part of the API, in the order of the document. */
export const apiRouters = [
  authRoutes,
  userRoutes,
  sessionRoutes,
  sshKeyRoutes,
  roleRoutes,
  permissionRoutes,
  rolePermissionRoutes,
  tokenRoutes,
  configRoutes,
  healthRoutes,
  metricsRoutes,
  auditRoutes,
  backupRoutes,
  importRoutes,
  localeRoutes,
  modelRoutes,
  redirectRoutes,
  mediaDimensionRoutes,
  webhookRoutes,
  queryRoutes,
  previewRoutes,
  commentRoutes,
  reviewRequestRoutes,
  eventRoutes,
  publishedRouteRoutes,
  searchRoutes,
  typeRoutes,
]

/** The parts of one content space. */
export const spaceRouters = [
  routeRoutes,
  pageRoutes,
  contentRoutes,
  contentChangeRoutes,
  contentVersionRoutes,
  trashRoutes,
  contentFieldRoutes,
  datatypeRoutes,
  fieldRoutes,
  fieldTypeRoutes,
]

/** The parts of one space's media. */
export const mediaRouters = [mediaRoutes, mediaFolderRoutes]
