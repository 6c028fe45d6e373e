import type { Config } from '../../config.js'
import type { Database } from '../../db/database.js'
import type { CertificateState } from './certificate-rules.js'
import type { InstancesService } from './instances.js'

/** How often the schema is compared, in milliseconds: anybody may ask for it. */
const schemaIntervalMs = 5000

interface HealthParts {
  readonly config: () => Config
  readonly storageAnswers: () => Promise<boolean | null>
  readonly isMigrated: () => Promise<boolean>
  readonly instances: Pick<InstancesService, 'isClockRight'>
  readonly certificate: () => CertificateState | undefined
}

export function health(db: Database, parts: HealthParts) {
  const { config, storageAnswers, isMigrated, certificate, instances } = parts
  let stopping = false
  let compared: { at: number; answer: Promise<boolean> } | undefined
  const schema = () => {
    if (compared === undefined || performance.now() - compared.at >= schemaIntervalMs)
      compared = { at: performance.now(), answer: isMigrated().catch(() => false) }
    return compared.answer
  }
  return {
    async checks() {
      const [database, storage] = await Promise.all([db.ping(), storageAnswers()])
      const state = certificate()
      const checks = { database, storage, ...(state === undefined ? {} : { certificate: state }) }
      return { environment: config().environment, checks }
    },
    async readiness() {
      const [database, migrations, storage] = await Promise.all([db.ping(), schema(), storageAnswers()])
      return { database, migrations, stopping, storage, clock: instances.isClockRight }
    },
    /** Whether requests for pages should be sent here: those in memory are answered while the database is away. */
    servesPages: () => !stopping,
    stop() {
      stopping = true
    },
  }
}
