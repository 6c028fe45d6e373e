import type { Actor } from '../actor.js'
import { missingPermission } from '../errors.js'
import { bootstrapPermissions, unseededPermissions } from '../permissions.js'
import { adminWord, inAdminSpace } from '../resources/admin-space.js'
import type { Access } from '../services/accounts/access.js'
import type { Services } from '../services/index.js'
import type { Site } from './terminal.js'

const words = [...bootstrapPermissions, ...unseededPermissions] as readonly Access[]

/** Who is at the keys, what they may, and what does it. */
export interface Session {
  readonly site: Site
  readonly services: Services
  /** A new one for each action. */
  readonly actor: Actor
  /** Whether it is offered. What is done is asked of the roles again. */
  can(access: string): boolean
  /** @throws 403 as the API does */
  need(access: string): Promise<void>
  /** What guards here what this word guards in the public space, where that is another one. */
  readonly wordOf?: (access: Access) => Access
}

export async function sessionOf(site: Site, actor: Actor): Promise<Session> {
  const { services } = site
  const held = await Promise.all(
    words.map(async word => ((await services.access.can(actor, word)) ? [word] : [])),
  )
  const rights = new Set<string>([...held.flat(), 'signed-in'])
  return {
    site,
    services,
    get actor() {
      return { ...actor, requestId: site.newRequestId() }
    },
    can: access => rights.has(access),
    async need(access) {
      if (!(await services.access.can(actor, access as Access))) throw missingPermission(access)
    },
  }
}

/** The same over the admin space. */
export const inSpaceOfAdmins = (session: Session): Session => ({
  site: session.site,
  services: inAdminSpace(session.services),
  get actor() {
    return session.actor
  },
  can: access => session.can(adminWord(access as Access)),
  need: access => session.need(adminWord(access as Access)),
  wordOf: adminWord,
})
