import { systemActor } from '../../actor.js'
import type { RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { deadAfterMs, schemaNumber } from '../../db/running.js'
import type { SiteClock } from '../../db/site-clock.js'
import { internalTables } from '../../db/tables.js'
import { type Ids, timestamp } from '../../ids.js'
import type { Log, Random } from '../../ports.js'
import { randomSecret } from '../secrets.js'

const { instances: table } = internalTables

/** How often an instance says that it runs. Two may be missed. */
export const beatIntervalMs = 5000
/** With a larger difference to the database's clock the machine needs NTP. */
export const maxAheadMs = 5000

export type InstanceRow = RowOf<typeof table>

/** Where a process runs, and what it does. */
export interface ProcessFacts {
  readonly host: string
  readonly pid: number
  /** `instance`; processes that share a listener have a role of their own. */
  readonly role: string
}

interface InstanceParts {
  clock: SiteClock
  ids: Ids
  log: Log
  random: Random
  version: string
  /** The names of the migrations that this version knows. */
  schema: readonly string[]
}

/** Separates the instance from the rest of a holder's name. */
const separator = '.'

/** All names of `newHolder` of an instance are between these two. */
export const namesOf = (instance: string): { from: string; to: string } => ({
  from: instance + separator,
  to: instance + String.fromCharCode(separator.charCodeAt(0) + 1),
})

/** The instance that took a name of `newHolder`; undefined for names of processes without a row. */
export const instanceOf = (holder: string): string | undefined => {
  const at = holder.indexOf(separator)
  return at < 0 ? undefined : holder.slice(0, at)
}

/** The running instances of the service, each with a row that it renews. */
export class InstancesService {
  private own: Omit<InstanceRow, 'beat_at' | 'clock_ms'> | undefined
  private beatAt = Number.NEGATIVE_INFINITY
  private isAhead = false
  private beating: Promise<string[]> | undefined

  constructor(
    private readonly db: Database,
    private readonly parts: InstanceParts,
  ) {}

  /**
   * Says that this process runs from now on. Commands that only open the database have no row, nor have instances that
   * only read.
   */
  async begin({ host, pid, role }: ProcessFacts): Promise<void> {
    const { ids, clock, version, schema } = this.parts
    if (this.db.isReadOnly) return this.compareClocks()
    this.own = {
      ...{ instance_id: ids.ulid(), version, schema_number: schemaNumber(schema), role },
      ...{ host: host.slice(0, 255), pid, started_at: timestamp(clock.now()) },
    }
    await this.beat()
  }

  /** The id of this instance; undefined before `begin`. */
  get id(): string | undefined {
    return this.own?.instance_id
  }

  /** A name under which this instance holds work: nobody else has it, and `isDead` tells whose it was. */
  newHolder(): string {
    // Columns for holders have 64 characters.
    const secret = randomSecret(this.parts.random).slice(0, 32)
    return this.own ? this.own.instance_id + separator + secret : secret
  }

  /** Whether the instance that took this name has died or was stopped; false where nobody knows. */
  async isDead(holder: string): Promise<boolean> {
    const id = instanceOf(holder)
    if (id === undefined || id === this.own?.instance_id) return false
    const row = await this.db.get(table, id)
    return row === undefined || !this.isAlive(row)
  }

  /** Those that run, in the order of their start. */
  async list(): Promise<InstanceRow[]> {
    return (await this.db.findAll(table)).filter(row => this.isAlive(row))
  }

  /** Whether an instance runs that does not know the newest migrations of this version. */
  async hasOlder(): Promise<boolean> {
    const own = schemaNumber(this.parts.schema)
    return (await this.list()).some(({ schema_number }) => schema_number < own)
  }

  /** How far the clock of this machine is ahead of the database's, in milliseconds. */
  get clockAheadMs(): number {
    return this.parts.clock.aheadMs
  }

  /** Whether the machine's clock is near enough to the database's. */
  get isClockRight(): boolean {
    return Math.abs(this.clockAheadMs) <= maxAheadMs
  }

  /**
   * Compares the clocks, says that this instance runs, and removes those that have died.
   * @returns the ids of the removed ones
   */
  beat(): Promise<string[]> {
    this.beating ??= this.beatNow().finally(() => {
      this.beating = undefined
    })
    return this.beating
  }

  private async beatNow(): Promise<string[]> {
    const { own } = this
    if (own || this.db.isReadOnly) await this.compareClocks()
    if (!own) return []
    // After a failure of the database the others need a moment to say that they run.
    const wasAway = performance.now() - this.beatAt > 2 * beatIntervalMs
    const rows = await this.db.findAll(table)
    const dead = wasAway ? [] : rows.filter(row => row.instance_id !== own.instance_id && !this.isAlive(row))
    const removed = await this.db.write(systemActor, async tx => {
      const ids = [own, ...dead].map(({ instance_id }) => instance_id).sort()
      const held = await tx.lockIn(table, 'instance_id', ids)
      const gone = held.filter(row => row.instance_id !== own.instance_id && !this.isAlive(row))
      await tx.deleteAllInternal(
        table,
        'instance_id',
        gone.map(row => row.instance_id),
      )
      const beat = { beat_at: tx.now, clock_ms: this.clockAheadMs }
      if (held.some(row => row.instance_id === own.instance_id))
        await tx.updateInternal(table, [own.instance_id], beat)
      else await tx.insertInternal(table, { ...own, ...beat })
      return gone
    })
    this.beatAt = performance.now()
    for (const { instance_id, host, pid, version } of removed)
      this.parts.log.warn({ instance: instance_id, host, pid, version }, 'an instance has stopped responding')
    return removed.map(({ instance_id }) => instance_id)
  }

  /** Removes the row: what this instance held is free at once. */
  async end(): Promise<void> {
    const { own } = this
    this.own = undefined
    await this.beating?.catch(() => undefined)
    if (own) await this.db.write(systemActor, tx => tx.deleteInternal(table, own.instance_id))
  }

  private isAlive({ beat_at }: Pick<InstanceRow, 'beat_at'>): boolean {
    return this.parts.clock.now() - Date.parse(beat_at) < deadAfterMs
  }

  private async compareClocks(): Promise<void> {
    const { clock, log } = this.parts
    await clock.compare()
    if (this.isClockRight !== this.isAhead) return
    this.isAhead = !this.isClockRight
    const fields = { ahead_ms: this.clockAheadMs }
    if (this.isAhead)
      log.warn(
        fields,
        'the clock of this machine differs from that of the database: set it, and keep it right with NTP',
      )
    else log.info(fields, 'the clock of this machine is right again')
  }
}
