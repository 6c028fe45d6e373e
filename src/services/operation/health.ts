import type { Config } from '../../config.js'
import type { Database } from '../../db/database.js'

/** How often the schema is compared, in milliseconds: anybody may ask for it. */
const schemaIntervalMs = 5000

export interface HealthService {
  /** What the service needs, each asked now. */
  checks(): Promise<{ environment: string; checks: { database: boolean; storage: boolean | null } }>
  /** Whether requests should be sent to this instance, and what speaks against it. */
  readiness(): Promise<{ database: boolean; migrations: boolean; stopping: boolean; storage: boolean | null }>
  /** From now on this instance is not ready. */
  stop(): void
}

interface Parts {
  readonly config: () => Config
  readonly storageAnswers: () => Promise<boolean | null>
  /** Whether the database has every step of this version's schema. */
  readonly isMigrated: () => Promise<boolean>
}

export function health(db: Database, { config, storageAnswers, isMigrated }: Parts): HealthService {
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
      return { environment: config().environment, checks: { database, storage } }
    },
    async readiness() {
      const [database, migrations, storage] = await Promise.all([db.ping(), schema(), storageAnswers()])
      return { database, migrations, stopping, storage }
    },
    stop() {
      stopping = true
    },
  }
}
