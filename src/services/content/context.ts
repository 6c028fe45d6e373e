import type { Actor } from '../../actor.js'
import type { Database } from '../../db/database.js'
import type { ContentSpace } from '../../db/tables.js'
import type { ContentEvents, EventPrefix } from './events.js'
import type { LeftRedirects } from './left-redirects.js'

/** What every service of one content space works with. */
export interface ContentContext {
  readonly db: Database
  readonly space: ContentSpace
  readonly prefix: EventPrefix
  readonly events: ContentEvents
  /** What changes of addresses leave; undefined where the public has none. */
  readonly redirects?: LeftRedirects | undefined
  /** Whether edits of published trees stay pending until the next publish (`publish_mode`). */
  readonly isStaged: () => boolean
  /** Asked before every change of a status, whatever surface or request it comes by. @throws 403 */
  readonly refuseNonPublisher: (actor: Actor) => Promise<void>
  /** Versions that are stored of an entry in one locale; the oldest go. */
  readonly maxVersions: () => number
}
