import type { Actor } from '../actor.js'
import {
  adminWord,
  inAdminSpace,
  inPublicSpace,
  rightsOf,
  type ServicesOfSpace,
} from '../resources/admin-space.js'
import type { Access } from '../services/accounts/access.js'
import { english } from '../texts/language.js'
import type { Wording } from '../texts/wording.js'
import type { Site } from './terminal.js'

/** Undoes the last change of a session. */
interface Undo {
  readonly access: string
  /** @returns what is so again, in a sentence. @throws 412 if somebody else has changed it meanwhile */
  run(): Promise<string>
}

/** The user of a session, their permissions, the services, and the texts of the screens. */
export interface Session extends Wording {
  readonly site: Site
  readonly services: ServicesOfSpace
  /** The zone in which the user reads and types times. */
  readonly zone: string
  /** The last change of this session that can be undone. */
  readonly undo: { last: Undo | undefined }
  /** A new actor for each action. */
  readonly actor: Actor
  /** Whether an action is offered. The service checks the roles again for every action. */
  can(access: string): boolean
  /** @throws 403 as the API does */
  need(access: string): Promise<void>
}

export async function sessionOf(site: Site, actor: Actor, zone: string): Promise<Session> {
  const services = inPublicSpace(site.services)
  const { access } = services
  const rights = await rightsOf(access, actor)
  return {
    ...english,
    site,
    services,
    zone,
    undo: { last: undefined },
    get actor() {
      return { ...actor, requestId: site.newRequestId() }
    },
    can: word => rights.has(word),
    need: word => access.need(actor, word as Access),
  }
}

/** Returns a session that works on the admin space. */
export function inSpaceOfAdmins(session: Session): Session {
  const services = inAdminSpace(session.site.services)
  return {
    ...english,
    site: session.site,
    services,
    zone: session.zone,
    undo: {
      get last() {
        return session.undo.last
      },
      // It may run in any screen, outside of the space.
      set last(undo) {
        session.undo.last = undo && { ...undo, access: adminWord(undo.access as Access) }
      },
    },
    get actor() {
      return session.actor
    },
    can: word => session.can(adminWord(word as Access)),
    need: word => services.access.need(session.actor, word as Access),
  }
}
