import type { Config } from '../config.js'
import type { Database } from '../db/database.js'
import type { SiteClock } from '../db/site-clock.js'
import type { Ids } from '../ids.js'
import type { Ports, RateLimiter } from '../ports.js'
import type { PartOfContent } from '../role-limits.js'
import { accountServices } from './accounts/index.js'
import { liveCallers } from './accounts/live-callers.js'
import { refuseHarmByAgents } from './agents.js'
import { contentServices, type SpaceServices } from './content-space.js'
import { type AudienceOf, listAudience } from './delivery/audience.js'
import type { ChangeStreams } from './delivery/changes/streams.js'
import { previewServices } from './delivery/index.js'
import { pagesBy } from './delivery/pages.js'
import { ImportJobs } from './import/jobs.js'
import { refuseOutsideLimits } from './limited/index.js'
import { mediaServices } from './media/index.js'
import { models } from './model/index.js'
import { operationServices } from './operation/index.js'
import { InstancesService } from './operation/instances.js'
import { background } from './operation/jobs.js'
import { withLease } from './operation/leases.js'
import { PendingWork } from './operation/pending-work.js'
import { reviewServices } from './review/index.js'
import { webhookServices } from './webhooks/index.js'

export type { SpaceServices } from './content-space.js'
export type MediaServices = Services['media']
/** The services for callers who may read only a part of the content. */
export interface ServicesOfPart {
  readonly services: Services
  /** Nobody is answered by them any more. */
  readonly release: () => void
}

export interface Services extends ReturnType<typeof compose> {
  /** Makes the services for a part of the content. */
  ofPart(part: PartOfContent): Promise<ServicesOfPart>
}

interface Supplied {
  db: Database
  ports: Ports
  live: { current: Config; settings: Record<string, unknown> }
  variables: Record<string, string | undefined>
  ids: Ids
  clock: SiteClock
  rateLimiter: RateLimiter
  isMigrated: () => Promise<boolean>
  /** Does the steps of the schema that wait for older instances, once none is left. */
  finishMigrating: () => Promise<void>
  version: string
  schema: readonly string[]
}

interface OfPart {
  /** The part of the content that `db` reads, by its name; empty for all of it. */
  part?: string
  /** The services over all of the content, which deliver to everybody what the public sees. */
  whole?: { instances: InstancesService; changeStreams: ChangeStreams; space: SpaceServices }
}

/** Nothing of the admin space is for the public. */
const ofAdminSpace: AudienceOf = async () => 'working'

/**
 * Returns a function that indexes what older versions have written, and ends the migration of the schema when none of
 * them is left. It is called at the start, and every few seconds while one runs beside this one.
 */
function followingOlder(parts: Supplied, instances: InstancesService, catchUpIndexes: () => Promise<number>) {
  const { db, ports } = parts
  let [wasChecked, hadOlder] = [false, false]
  return async (): Promise<void> => {
    const hasOlder = await instances.hasOlder()
    if (wasChecked && !hasOlder && !hadOlder) return
    let isDone = false
    await withLease(db, 'indexes', { ...ports, ...parts }, async () => {
      const trees = await catchUpIndexes()
      if (trees > 0) ports.log.info({ trees }, 'content of an older version was indexed')
      isDone = true
    })
    await parts.finishMigrating()
    ;[wasChecked, hadOlder] = [true, hasOlder || !isDone]
  }
}

/** Everything the product can do, over one database. Every surface calls these. */
export function createServices(parts: Supplied): Services {
  const services = compose(parts)
  async function ofPart({ name, bounds }: PartOfContent): Promise<ServicesOfPart> {
    const { database, release } = await parts.db.partFor(bounds)
    const its = compose({ ...parts, db: database, part: name, whole: services })
    return { services: { ...its, ofPart }, release }
  }
  return { ...services, ofPart }
}

/** Shows everybody the same public content, and of working states those of the part. */
const withDeliveries = (own: SpaceServices, { pages, ...whole }: SpaceServices): SpaceServices => ({
  ...own,
  ...{ publishedPages: whole.publishedPages, queries: whole.queries, search: whole.search },
  compat: whole.compat,
  pages: pagesBy(({ audience }) => (audience === 'working' ? own.pages : pages), own.pages),
})

function compose(parts: Supplied & OfPart) {
  const { db, ports, live, rateLimiter, whole } = parts
  const common = {
    ...ports,
    ...parts,
    part: parts.part ?? '',
    config: () => live.current,
    jobs: background(ports.log),
    pending: new PendingWork(db, ports),
    pageCounts: { memory: 0, built: 0 },
    attempts: new Map<string, number>(),
    instances: parts.whole?.instances ?? new InstancesService(db, { ...ports, ...parts }),
  }
  const { removeExpired: removeAccounts, ...accounts } = accountServices(common)
  const { access } = accounts
  // Before what derives data from changes, which a refusal makes needless.
  refuseOutsideLimits(db, access)
  const audienceOf = listAudience(access, () => live.current.readers_see_drafts)
  const seesDrafts = async (actor: Parameters<AudienceOf>[0]) =>
    (await audienceOf(actor, 'content')) === 'working'
  const { storageAnswers, storageOf, ...media } = mediaServices(common, {
    media: audienceOf,
    admin_media: ofAdminSpace,
  })
  const { catchUpIndexes, ...ownContent } = contentServices({
    ...{ ...common, access },
    audienceOf: { space: audienceOf, adminSpace: ofAdminSpace },
    mediaUrl: { space: media.media.urlOf, adminSpace: media.adminMedia.urlOf },
  })
  const content = whole ? { ...ownContent, space: withDeliveries(ownContent.space, whole.space) } : ownContent
  const { removeExpired: removeChanges, ...previews } = previewServices({
    ...{ ...common, rights: access, pages: content.space.pages },
    liveCallers: liveCallers(db, ports.clock),
  })
  const { removeExpired: removeDeliveries, freeDeliveries, ...webhooks } = webhookServices(common)
  refuseHarmByAgents(db)
  const operation = operationServices({ ...common, access, seesDrafts, storageAnswers, storageOf })
  return {
    refuseIfReadOnly: () => db.refuseIfReadOnly(),
    ...{ rateLimiter, pendingWork: common.pending, importJobs: new ImportJobs(db, common) },
    ...{ ...accounts, ...media, ...content },
    ...previews,
    ...(whole ? { changeStreams: whole.changeStreams } : {}),
    ...reviewServices({
      ...{ ...common, access },
      ...{ publishing: content.space.publishing, content: content.space.content },
    }),
    ...webhooks,
    ...operation,
    model: models({ db, access, webhooks: webhooks.webhooks }),
    /** Says that this instance runs, and frees what instances held that have died. Called every few seconds. */
    async beat() {
      const dead = await common.instances.beat()
      if (dead.length === 0) return
      await freeDeliveries(dead)
      await webhooks.delivery.drain()
    },
    followOlder: followingOlder(parts, common.instances, catchUpIndexes),
    async removeExpired() {
      await removeAccounts()
      await removeDeliveries()
      await removeChanges()
      await operation.idempotency.removeOld()
      await content.presence.removeOld()
      await content.emptyTrash()
    },
    settle: () => common.jobs.settle(),
  }
}
