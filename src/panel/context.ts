import type { Authentication } from '../middleware/authenticate.js'
import type { Log, PanelFiles, Ports, Random } from '../ports.js'
import { adminWord, inAdminSpace, inPublicSpace, type ServicesOfSpace } from '../resources/admin-space.js'
import type { ApiContext } from '../routes/context.js'
import { type Endpoints, endpoints } from '../routes/endpoints.js'
import type { Access } from '../services/accounts/access.js'

/** In front of the paths of all pages. */
export const panelPath = '/admin'

/** What the panel is made of. */
export interface PanelParts extends ApiContext {
  readonly random: Random
  readonly log: Log
  readonly clock: Ports['clock']
  readonly panelFiles: PanelFiles
  /** Whether browsers are told to use nothing but HTTPS. */
  readonly secure: boolean
}

/** What every page is made of: `services.space` and `services.media` are those of the space that it is about. */
export interface PanelContext extends Omit<PanelParts, 'services' | 'authentication'> {
  readonly services: ServicesOfSpace
  /** Without rights: `services.access` has those of the space. */
  readonly authentication: Pick<Authentication, 'auth' | 'cookie'>
  readonly endpointsOf: (subject: string) => Endpoints
  /** In front of the paths of the pages of this space. */
  readonly base: string
  /** Where the API answers with the page of a slug. */
  readonly pageAddress: string
  /** Whether visitors have pages of this space at their slugs; those of the other one are read by the API alone. */
  readonly isVisited: boolean
  /** What guards here what this word guards in the public space. */
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

/** The same pages over the admin space, under a prefix (D-700). */
export const adminPanel = (parts: PanelParts): PanelContext => ({
  ...parts,
  services: inAdminSpace(parts.services),
  endpointsOf: endpointsBy(parts),
  base: `${panelPath}/space`,
  pageAddress: '/api/v1/admin/tree',
  isVisited: false,
  wordOf: adminWord,
})
