import type { Actor } from '../../actor.js'
import type { Config } from '../../config.js'
import type { Database } from '../../db/database.js'
import type { PageCounts } from '../../metrics.js'
import type { Ports } from '../../ports.js'
import type { AccessService } from '../accounts/access.js'
import type { MediaSpaceName, MediaStorage } from '../media/storage.js'
import { audit } from './audit.js'
import { backupDownloads } from './backup-downloads.js'
import { BackupsService } from './backups.js'
import { certificates } from './certificates.js'
import { ConfigurationService } from './configuration.js'
import { health } from './health.js'
import { IdempotencyService } from './idempotency.js'
import { metrics } from './metrics.js'
import { recentChanges } from './recent-changes.js'

interface Needs extends Ports {
  db: Database
  config: () => Config
  live: { current: Config }
  variables: Record<string, string | undefined>
  isMigrated: () => Promise<boolean>
  version: string
  schema: readonly string[]
  pageCounts: PageCounts
  attempts: ReadonlyMap<string, number>
  access: AccessService
  seesDrafts: (actor: Actor) => Promise<boolean>
  storageAnswers(): Promise<boolean | null>
  storageOf(space: MediaSpaceName): MediaStorage
}

/** What the operator looks after. */
export function operationServices(needs: Needs) {
  const { db, config, clock, random, hashing, log, outgoing, access, pageCounts, attempts } = needs
  const keys = new IdempotencyService(db, { clock, random, hashing, log, config })
  const certificatesService = certificates(db, { clock, random, log, config })
  const auditService = audit(db)
  const backupsService = new BackupsService(db, { ...needs, mediaStorage: needs.storageOf })
  return {
    audit: auditService,
    recentChanges: recentChanges({
      audit: auditService,
      can: (actor, permission) => access.can(actor, permission),
      seesDrafts: needs.seesDrafts,
    }),
    backupDownloads: backupDownloads(db, needs),
    backups: backupsService,
    certificates: certificatesService,
    idempotency: keys,
    configuration: new ConfigurationService(db, {
      file: needs.configFile,
      outgoing,
      variables: needs.variables,
      live: needs.live,
      isAdministrator: access.isAdministrator.bind(access),
    }),
    health: health(db, {
      config,
      storageAnswers: needs.storageAnswers,
      isMigrated: needs.isMigrated,
      certificate: certificatesService.state,
    }),
    metrics: metrics(db, {
      clock,
      pages: pageCounts,
      deliveries: attempts,
      backupAgeSeconds: () => backupsService.ageSeconds(),
    }),
  }
}
