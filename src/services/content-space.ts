import type { Actor } from '../actor.js'
import type { Config } from '../config.js'
import type { Database } from '../db/database.js'
import { adminTables, type ContentSpace, tables } from '../db/tables.js'
import { duration } from '../durations.js'
import { missingPermission } from '../errors.js'
import type { PageCounts } from '../metrics.js'
import { adminPublish } from '../permissions.js'
import type { Ports } from '../ports.js'
import type { Access, AccessService } from './accounts/access.js'
import { contentEvents, type EventPrefix } from './content/events.js'
import { contentOfSpace, sharedContent } from './content/index.js'
import { type LeftRedirects, leftRedirects } from './content/left-redirects.js'
import type { AudienceOf } from './delivery/audience.js'
import { type DeliverySettings, deliveryOfSpace } from './delivery/index.js'
import { treeImport } from './import/store-trees.js'
import { limitsInSpace } from './limited/may-change.js'
import { originOf } from './site-origin.js'

export type SpaceServices = ReturnType<typeof spaceServices>

type SpaceSettings = DeliverySettings & {
  access: AccessService
  maxVersions: () => number
  /** Whether edits of published trees stay pending until the next publish. */
  isStaged: () => boolean
  /** How long deleted content can be brought back; with 0 it cannot. */
  trashRetentionMs: () => number
  redirects?: LeftRedirects
}

function spaceServices(db: Database, space: ContentSpace, prefix: EventPrefix, settings: SpaceSettings) {
  const { access, clock, log, maxVersions, isStaged, redirects, trashRetentionMs } = settings
  const keepsDeleted = () => trashRetentionMs() > 0
  const publish: Access = prefix === 'content' ? 'content:publish' : adminPublish
  // Work of the service itself was allowed when it was scheduled.
  const mayPublish = async (actor: Actor) => actor.surface === 'system' || access.can(actor, publish)
  const refuseNonPublisher = async (actor: Actor) => {
    if (!(await mayPublish(actor))) throw missingPermission(publish)
  }
  const limits = limitsInSpace(db, space, access)
  const context = {
    ...{ db, space, prefix, events: contentEvents(space, prefix), redirects },
    ...{ isStaged, maxVersions, keepsDeleted, trashRetentionMs, mayPublish, refuseNonPublisher, limits },
    ...{ clock, log },
  }
  return {
    ...contentOfSpace(context),
    ...deliveryOfSpace(db, space, settings),
    imports: treeImport(context),
    limits,
  }
}

interface Needs extends Ports {
  db: Database
  config: () => Config
  /** The part of the content that is read, by its name; empty for all of it. */
  part: string
  pageCounts: PageCounts
  access: AccessService
  audienceOf: Record<'space' | 'adminSpace', AudienceOf>
  mediaUrl: Record<'space' | 'adminSpace', (key: string) => string>
}

/** Content of both spaces, and its delivery. */
export function contentServices(needs: Needs) {
  const { db, config, clock, hashing, sandbox, log, pageCounts, access, audienceOf, mediaUrl } = needs
  const ofSpace = {
    ...{ access, hashing, sandbox, log, clock },
    counts: pageCounts,
    origin: originOf(config()),
    isStaged: () => config().publish_mode === 'staged',
    maxVersions: () => config().version_max_per_content,
    trashRetentionMs: () => duration(config().trash_retention),
    typeSettings: () => config().compat,
    languages: () => ({ enabled: config().i18n_enabled, fallback: config().i18n_default_locale }),
  }
  const space = spaceServices(db, tables, 'content', {
    audienceOf: audienceOf.space,
    mediaUrl: mediaUrl.space,
    // Pages are delivered by the services over all of the content.
    cacheBytes: needs.part === '' ? config().page_cache_bytes : 0,
    redirects: leftRedirects(() => config().redirect_mode),
    ...ofSpace,
  })
  const adminSpace = spaceServices(db, adminTables, 'admin.content', {
    audienceOf: audienceOf.adminSpace,
    mediaUrl: mediaUrl.adminSpace,
    cacheBytes: 0,
    ...ofSpace,
  })
  return {
    space,
    adminSpace,
    ...sharedContent(needs),
    async fillIndexes() {
      await space.publicBook.fill()
      await adminSpace.publicBook.fill()
    },
    /** Brings the indexes up to what older versions have written. @returns how many trees they had changed */
    async catchUpIndexes(): Promise<number> {
      return (await space.publicBook.catchUp()) + (await adminSpace.publicBook.catchUp())
    },
    async emptyTrash() {
      await space.trash.removeOld()
      await adminSpace.trash.removeOld()
    },
    hasIndexes: async () => (await space.publicBook.isFilled()) && adminSpace.publicBook.isFilled(),
    /** Publishes all unpublished changes. Called at a start in live mode, which keeps no unpublished changes. */
    async publishPending() {
      await space.publishing.publishPending()
      await adminSpace.publishing.publishPending()
    },
  }
}
