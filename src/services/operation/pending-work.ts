import { systemActor } from '../../actor.js'
import type { RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { dueWork } from '../../db/queries/operation.js'
import { internalTables } from '../../db/tables.js'
import { timestamp } from '../../ids.js'
import type { Clock, Log, Random } from '../../ports.js'
import { withLease } from './leases.js'

const { pendingWork: table } = internalTables

type WorkKind = 'password_reset' | 'review_mail' | 'media' | 'admin_media'

/** Does the work for each subject. @returns those for which it failed */
type Work = (subjects: readonly string[]) => Promise<readonly string[]>

/** Waiting times in milliseconds after each failure. After the last one the work is given up. */
const delaysMs = [60_000, 300_000, 900_000, 3_600_000, 10_800_000]

type PendingRow = RowOf<typeof table>

/** Stores work that must survive the failure of a mail server or a store, and retries it. */
export class PendingWork {
  private readonly works = new Map<string, Work>()

  constructor(
    private readonly db: Database,
    private readonly parts: { clock: Clock; random: Random; log: Log },
  ) {}

  on(kind: WorkKind, work: Work): void {
    this.works.set(kind, work)
  }

  async add(kind: WorkKind, subjects: readonly string[]): Promise<void> {
    await this.db.write(systemActor, async tx => {
      const stored = new Set((await tx.findIn(table, 'subject', subjects)).map(({ subject }) => subject))
      const rows = subjects
        .filter(subject => !stored.has(subject))
        .map(subject => ({ work_id: tx.newId(), kind, subject, attempts: 1, due_at: this.after(0) }))
      await tx.insertAllInternal(table, rows)
    })
  }

  async runDue(): Promise<void> {
    if ((await this.due()).length === 0) return
    await withLease(this.db, 'pending work', this.parts, async () => {
      // Read again: another instance may have done it before the lease was taken.
      const due = await this.due()
      for (const kind of new Set(due.map(row => row.kind)))
        await this.run(
          kind,
          due.filter(row => row.kind === kind),
        )
    })
  }

  private due(): Promise<PendingRow[]> {
    return this.db.query(dueWork, { now: timestamp(this.parts.clock.now()) })
  }

  private async run(kind: string, rows: readonly PendingRow[]): Promise<void> {
    const subjects = rows.map(({ subject }) => subject)
    const work = this.works.get(kind)
    const failed = new Set(
      await Promise.resolve(work?.(subjects) ?? subjects).catch(error => {
        this.parts.log.warn({ err: error, kind }, 'pending work failed')
        return subjects
      }),
    )
    const isOver = ({ subject, attempts }: PendingRow) => !failed.has(subject) || attempts >= delaysMs.length
    const lost = rows.filter(row => failed.has(row.subject) && isOver(row)).map(({ subject }) => subject)
    if (lost.length > 0)
      this.parts.log.error({ kind, subjects: lost }, 'pending work failed too often and is not retried')
    const ended = rows.filter(isOver).map(({ work_id }) => work_id)
    const again = rows.filter(row => !isOver(row))
    await this.db.write(systemActor, async tx => {
      if (ended.length > 0) await tx.deleteAllInternal(table, 'work_id', ended)
      for (const { work_id, attempts } of again)
        await tx.updateInternal(table, [work_id], { attempts: attempts + 1, due_at: this.after(attempts) })
    })
  }

  private after(attempts: number): string {
    return timestamp(this.parts.clock.now() + (delaysMs[attempts] ?? 0))
  }
}
