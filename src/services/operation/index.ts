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
import type { InstancesService } from './instances.js'
import { metrics } from './metrics.js'
import { recentChanges } from './recent-changes.js'

interface Needs extends Ports {
  db: Database
  config: () => Config
  live: { current: Config; settings: Record<string, unknown> }
  variables: Record<string, string | undefined>
  isMigrated: () => Promise<boolean>
  version: string
  schema: readonly string[]
  pageCounts: PageCounts
  attempts: ReadonlyMap<string, number>
  instances: InstancesService
  access: AccessService
  seesDrafts: (actor: Actor) => Promise<boolean>
  storageAnswers(): Promise<boolean | null>
  storageOf(space: MediaSpaceName): MediaStorage
}

/** Services for the operator. */
export function operationServices(needs: Needs) {
  const { db, access } = needs
  const certificatesService = certificates(db, needs)
  const auditService = audit(db)
  const backups = new BackupsService(db, { ...needs, mediaStorage: needs.storageOf })
  return {
    audit: auditService,
    instances: needs.instances,
    recentChanges: recentChanges({ audit: auditService, access, seesDrafts: needs.seesDrafts }),
    backupDownloads: backupDownloads(db, needs),
    backups,
    certificates: certificatesService,
    idempotency: new IdempotencyService(db, needs),
    configuration: new ConfigurationService(db, { ...needs, file: needs.configFile }),
    health: health(db, { ...needs, certificate: certificatesService.state }),
    metrics: metrics(db, { ...needs, backups }),
  }
}
