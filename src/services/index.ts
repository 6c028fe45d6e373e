import type { Config } from '../config.js'
import type { Database } from '../db/database.js'
import type { Ids } from '../ids.js'
import type { Ports, RateLimiter } from '../ports.js'
import { accountServices } from './accounts/index.js'
import { liveCallers } from './accounts/live-callers.js'
import { contentServices } from './content-space.js'
import { type AudienceOf, listAudience } from './delivery/audience.js'
import { previewServices } from './delivery/index.js'
import { ImportJobs } from './import/jobs.js'
import { mediaServices } from './media/index.js'
import { operationServices } from './operation/index.js'
import { background } from './operation/jobs.js'
import { PendingWork } from './operation/pending-work.js'
import { reviewServices } from './review/index.js'
import { webhookServices } from './webhooks/index.js'

export type { SpaceServices } from './content-space.js'
export type MediaServices = Services['media']
export type Services = ReturnType<typeof createServices>

/** The parts that all services are made of. */
interface Parts {
  db: Database
  ports: Ports
  live: { current: Config; settings: Record<string, unknown> }
  variables: Record<string, string | undefined>
  ids: Ids
  /** One for all surfaces. */
  rateLimiter: RateLimiter
  /** Whether the database has every step of this version's schema. */
  isMigrated: () => Promise<boolean>
  /** Of the service, and the names of the migrations that it knows. */
  version: string
  schema: readonly string[]
}

/** Nothing of the admin space is for the public. */
const ofAdminSpace: AudienceOf = async () => 'working'

/** Everything the product can do, over one database. Every surface calls these. */
export function createServices(parts: Parts) {
  const { db, ports, live, rateLimiter } = parts
  const common = {
    ...ports,
    ...parts,
    config: () => live.current,
    jobs: background(ports.log),
    pending: new PendingWork(db, ports),
    pageCounts: { memory: 0, built: 0 },
    attempts: new Map<string, number>(),
  }
  const { removeExpired: removeAccounts, ...accounts } = accountServices(common)
  const { access } = accounts
  const audienceOf = listAudience(access, () => live.current.readers_see_drafts)
  const seesDrafts = async (actor: Parameters<AudienceOf>[0]) =>
    (await audienceOf(actor, 'content')) === 'working'
  const { storageAnswers, storageOf, ...media } = mediaServices(common, {
    media: audienceOf,
    admin_media: ofAdminSpace,
  })
  const content = contentServices({
    ...{ ...common, access },
    audienceOf: { space: audienceOf, adminSpace: ofAdminSpace },
    mediaUrl: { space: media.media.urlOf, adminSpace: media.adminMedia.urlOf },
  })
  const { removeExpired: removeChanges, ...previews } = previewServices({
    ...{ ...common, rights: access, pages: content.space.pages },
    liveCallers: liveCallers(db, ports.clock),
  })
  const { removeExpired: removeDeliveries, ...webhooks } = webhookServices(common)
  const operation = operationServices({ ...common, access, seesDrafts, storageAnswers, storageOf })
  return {
    ...{ rateLimiter, pendingWork: common.pending },
    ...accounts,
    ...media,
    ...content,
    ...previews,
    ...reviewServices({ ...common, access, publishing: content.space.publishing }),
    ...webhooks,
    ...operation,
    importJobs: new ImportJobs(db, common),
    /** Removes expired records. Called once an hour. */
    async removeExpired() {
      await removeAccounts()
      await removeDeliveries()
      await removeChanges()
      await operation.idempotency.removeOld()
      await content.presence.removeOld()
      await content.emptyTrash()
    },
    /** Resolves when all work that no request waits for is done. */
    settle: () => common.jobs.settle(),
  }
}
