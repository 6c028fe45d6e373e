import { systemActor } from '../../actor.js'
import type { Config } from '../../config.js'
import type { RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { webhooksWithPlainSecrets } from '../../db/queries/webhooks.js'
import { tables } from '../../db/tables.js'
import { HttpError } from '../../errors.js'
import type { Clock, Log, Random } from '../../ports.js'
import { withLease } from '../operation/leases.js'
import { sealedPrefix, storedSecret } from './stored-secrets.js'

type WebhookRow = RowOf<typeof tables.webhooks>
type Secrets = Pick<WebhookRow, 'secret' | 'previous_secret'>

const isPlain = (stored: string | null): stored is string =>
  stored !== null && !stored.startsWith(sealedPrefix)

const isSame = (one: Secrets, other: Secrets): boolean =>
  one.secret === other.secret && one.previous_secret === other.previous_secret

/** One that is too long to be encrypted stays as it is, and the log says so. */
async function sealed(
  { webhook_id, secret, previous_secret }: WebhookRow,
  config: Config,
  log: Log,
): Promise<Secrets> {
  const one = async <S extends string | null>(stored: S): Promise<S | string> => {
    if (!isPlain(stored)) return stored
    return storedSecret(stored, config).catch(error => {
      if (!(error instanceof HttpError)) throw error
      log.warn({ webhook_id }, 'the secret of a webhook is too long to be encrypted: rotate it')
      return stored
    })
  }
  return { secret: await one(secret), previous_secret: await one(previous_secret) }
}

/** A secret that is rotated meanwhile stays the rotated one. */
async function sealSome(db: Database, ids: readonly string[], config: Config, log: Log): Promise<void> {
  const patches = new Map<string, { before: WebhookRow; patch: Secrets }>()
  for (const before of await db.findIn(tables.webhooks, 'webhook_id', ids))
    patches.set(before.webhook_id, { before, patch: await sealed(before, config, log) })
  await db.write(systemActor, async tx => {
    for (const now of await tx.lockIn(tables.webhooks, 'webhook_id', ids)) {
      const known = patches.get(now.webhook_id)
      if (known && isSame(known.before, now)) await tx.update(tables.webhooks, now.webhook_id, known.patch)
    }
  })
}

/** Encrypts the secrets that were stored before there was an `app_secret`, some at a time. */
export const sealSecrets =
  (
    db: Database,
    { clock, random, config, log }: { clock: Clock; random: Random; config: () => Config; log: Log },
  ) =>
  async (): Promise<void> => {
    if (!config().app_secret) return
    await withLease(db, 'plain secrets', { clock, random, log }, async () => {
      for (let after = ''; ; ) {
        const ids = await db.query(webhooksWithPlainSecrets, { after })
        const last = ids.at(-1)
        if (last === undefined) return
        await sealSome(db, ids, config(), log)
        after = last
      }
    })
  }
