import type { Actor } from '../../actor.js'
import type { Reader } from '../../db/reader.js'
import { internalTables, tables } from '../../db/tables.js'
import { conflict, missingPermission } from '../../errors.js'
import type { Access } from '../accounts/access.js'
import type { Model, ModelStep } from './file.js'
import { type Planned, type Planning, planModel } from './plan.js'
import { fileOf, type Stored, stored, versionOf } from './stored.js'

export type ModelRecord = ReturnType<typeof fileOf>

interface ApplySettings {
  /** Takes changes that break something. */
  readonly accept: boolean
  /** Refuses by the model before the change, as `If-Match` does. */
  readonly check?: ((before: ModelRecord) => void) | undefined
}

/** How often another writer may change the model between the plan and the transaction. */
const maxTries = 3

const rightFor = ({ what, action }: ModelStep): Access => {
  if (what === 'locale') return 'content:admin'
  return what === 'webhook' ? `webhook:${action}` : `${what}s:${action}`
}

const shown = ({ work: _, ...step }: Planned): ModelStep => step

/** The content model, roles and webhooks as one file: read, compared and applied. */
export function models(parts: Planning) {
  const { db, access } = parts

  async function refuseWithout(actor: Actor, permissions: readonly Access[]): Promise<void> {
    for (const permission of permissions)
      if (!(await access.can(actor, permission))) throw missingPermission(permission)
  }

  /** @throws 403 without the right to read a part that every file has */
  async function recordFor(actor: Actor, now: Stored): Promise<ModelRecord> {
    await refuseWithout(actor, ['datatypes:read', 'fields:read', 'content:read'])
    return fileOf(now, {
      roles: await access.can(actor, 'roles:read'),
      webhooks: await access.can(actor, 'webhook:read'),
    })
  }

  async function planned(actor: Actor, now: Stored, file: Model): Promise<Planned[]> {
    await recordFor(actor, now)
    await refuseWithout(actor, [
      ...(file.roles ? (['roles:read'] as const) : []),
      ...(file.webhooks ? (['webhook:read'] as const) : []),
    ])
    return planModel(parts, actor, now, file)
  }

  const read = async (actor: Actor, from: Reader = db) => recordFor(actor, await stored(from))

  return {
    /** @returns the parts of the model that the caller may read */
    get: (actor: Actor): Promise<ModelRecord> => read(actor),

    /** @returns the changes that `apply` would make */
    async plan(
      actor: Actor,
      file: Model,
      { check }: Pick<ApplySettings, 'check'> = {},
    ): Promise<ModelStep[]> {
      const now = await stored(db)
      check?.(await recordFor(actor, now))
      return (await planned(actor, now, file)).map(shown)
    },

    /**
     * Makes the service what the file says, in one transaction.
     * @returns the changes
     * @throws 403 without a right for one of them, 409 for a change that breaks something; then nothing has changed
     */
    async apply(actor: Actor, file: Model, { accept, check }: ApplySettings): Promise<ModelStep[]> {
      for (let tries = 1; tries <= maxTries; tries++) {
        const now = await stored(db)
        check?.(await recordFor(actor, now))
        // Slow work, such as reading all values, is done before the transaction.
        const steps = await planned(actor, now, file)
        await refuseWithout(actor, [...new Set(steps.map(rightFor))])
        const broken = steps.find(({ breaks }) => breaks !== null)
        if (broken && !accept) throw conflict(`${broken.name}: ${broken.breaks}; nothing was changed`)
        if (steps.length === 0) return []
        const isDone = await db.write(actor, async tx => {
          await tx.lock(internalTables.locks, tables.datatypes.name)
          if (versionOf(await stored(tx)) !== versionOf(now)) return false
          const ids = new Map(now.datatypes.map(({ name, datatype_id }) => [name, datatype_id]))
          for (const { work } of steps) await work(tx, actor, ids)
          return true
        })
        if (isDone) return steps.map(shown)
      }
      throw conflict('the model keeps changing: apply the file again')
    },
  }
}
