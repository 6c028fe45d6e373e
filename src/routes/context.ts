import type { Config } from '../config.js'
import type { Exposition } from '../metrics.js'
import type { Authentication } from '../middleware/authenticate.js'
import { adminPermission, adminPublish } from '../permissions.js'
import type { Hashing } from '../ports.js'
import type { Access } from '../services/accounts/access.js'
import type { MediaServices, Services, SpaceServices } from '../services/index.js'
import type { RecordResponses } from './crud-routes.js'

/** The parts from which every router of the API is built. */
export interface ApiContext {
  services: Services
  authentication: Authentication
  recordResponses: RecordResponses
  config: () => Config
  hashing: Pick<Hashing, 'sha256'>
  exposition: () => Promise<Exposition>
}

/** The parts for routers that both content spaces have: one over the public tables, one over the admin tables. */
export interface SpaceContext extends ApiContext {
  space: SpaceServices
  prefix: '' | '/admin'
  permission: (resource: string) => string
  publish: Access
  tag: (resource: string) => string
}

export const publicSpace = (context: ApiContext): SpaceContext => ({
  ...context,
  space: context.services.space,
  prefix: '',
  permission: resource => resource,
  publish: 'content:publish',
  tag: resource => resource,
})

/** Guarded by `admin_tree:*` and `admin_field_types:*`. */
export const adminSpace = (context: ApiContext): SpaceContext => ({
  ...context,
  space: context.services.adminSpace,
  prefix: '/admin',
  permission: adminPermission,
  publish: adminPublish,
  tag: resource => `admin ${resource}`,
})

/** The parts for the media of both spaces: one over the public tables and bucket, one over the admin ones. */
export interface MediaContext extends ApiContext {
  media: MediaServices
  prefix: '' | '/admin'
  permission: 'media' | 'admin_tree'
  tag: (resource: string) => string
}

export const mediaContexts = (context: ApiContext): MediaContext[] => [
  { ...context, media: context.services.media, prefix: '', permission: 'media', tag: resource => resource },
  {
    ...context,
    media: context.services.adminMedia,
    prefix: '/admin',
    permission: 'admin_tree',
    tag: resource => `admin ${resource}`,
  },
]
