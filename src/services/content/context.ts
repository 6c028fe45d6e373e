import type { Actor } from '../../actor.js'
import type { RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import type { ContentSpace } from '../../db/tables.js'
import type { ContentEvents, EventPrefix } from './events.js'
import type { LeftRedirects } from './left-redirects.js'

type Trashed = RowOf<ContentSpace['trash']>

/** Answers what the limits of a role or key leave of deleted entries. */
interface TrashLimits {
  /** @returns the ids in the trash of entries to restore, and of those to delete for good */
  mayChangeTrashed(
    caller: Actor,
    trashed: readonly Trashed[],
    authorOf: (trashed: Trashed) => Promise<string | null>,
  ): Promise<{ restore: ReadonlySet<string>; remove: ReadonlySet<string> }>
}

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
  readonly limits: TrashLimits
  /** Most versions that are stored of an entry in one locale; the oldest are deleted. */
  readonly maxVersions: () => number
  readonly keepsDeleted: () => boolean
}
