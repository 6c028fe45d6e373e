import type { Authentication } from '../middleware/authenticate.js'
import type { Log, PanelFiles, Ports, Random } from '../ports.js'
import { adminWord, inAdminSpace, inPublicSpace, type ServicesOfSpace } from '../resources/admin-space.js'
import type { ApiContext } from '../routes/context.js'
import { type Endpoints, endpoints } from '../routes/endpoints.js'
import type { Access } from '../services/accounts/access.js'

/** The path prefix of all pages. */
export const panelPath = '/admin'

/** Everything that the panel is built from. */
export interface PanelParts extends ApiContext {
  readonly random: Random
  readonly log: Log
  readonly clock: Ports['clock']
  readonly panelFiles: PanelFiles
  readonly secure: boolean
}

/** Everything that a page is built from: `services.space` and `services.media` are those of its content space. */
export interface PanelContext extends Omit<PanelParts, 'services' | 'authentication'> {
  readonly services: ServicesOfSpace
  readonly authentication: Pick<Authentication, 'auth' | 'cookie'>
  readonly endpointsOf: (subject: string) => Endpoints
  readonly base: string
  readonly pageAddress: string
  /** Whether visitors see pages of this space at their slugs; pages of the admin space are read by the API only. */
  readonly isVisited: boolean
  /** The permission that this space needs for what `access` guards in the public space. */
  wordOf(access: Access): Access
}

const endpointsBy =
  ({ authentication }: PanelParts) =>
  (subject: string) =>
    endpoints(subject, authentication)

export const publicPanel = (parts: PanelParts): PanelContext => ({
  ...parts,
  services: inPublicSpace(parts.services),
  endpointsOf: endpointsBy(parts),
  base: panelPath,
  pageAddress: '/api/v1/page',
  isVisited: true,
  wordOf: access => access,
})

/** The panel of the admin space: all pages of a space, under a prefix (D-700). */
export const adminPanel = (parts: PanelParts): PanelContext => ({
  ...parts,
  services: inAdminSpace(parts.services),
  endpointsOf: endpointsBy(parts),
  base: `${panelPath}/space`,
  pageAddress: '/api/v1/admin/tree',
  isVisited: false,
  wordOf: adminWord,
})
