import type { Actor } from '../../actor.js'
import type { Database } from '../../db/database.js'
import type { ContentSpace } from '../../db/tables.js'
import type { LimitsInSpace } from '../limited/may-change.js'
import type { ContentEvents, EventPrefix } from './events.js'
import type { LeftRedirects } from './left-redirects.js'

/** The parts that every service of one content space works with. */
export interface ContentContext {
  readonly db: Database
  readonly space: ContentSpace
  readonly prefix: EventPrefix
  readonly events: ContentEvents
  /** Leaves redirects when addresses change; undefined in a space without public redirects. */
  readonly redirects?: LeftRedirects | undefined
  /** Whether edits of published trees stay pending until the next publish (`publish_mode`). */
  readonly isStaged: () => boolean
  /** Called before every change of a status, from any surface or request. @throws 403 */
  readonly refuseNonPublisher: (actor: Actor) => Promise<void>
  readonly mayPublish: (actor: Actor) => Promise<boolean>
  readonly limits: LimitsInSpace
  /** Most versions that are stored of an entry in one locale; the oldest are deleted. */
  readonly maxVersions: () => number
  readonly keepsDeleted: () => boolean
}
