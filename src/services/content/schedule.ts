import { z } from 'zod'
import { type Actor, systemActor, systemActorFor } from '../../actor.js'
import type { RowOf } from '../../db/columns.js'
import { dueEntries } from '../../db/queries/content.js'
import type { ContentSpace } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { HttpError, invalid } from '../../errors.js'
import { timestamp } from '../../ids.js'
import type { Clock, Log } from '../../ports.js'
import { reference, time } from '../body-parts.js'
import type { Check } from '../crud.js'
import type { ContentContext } from './context.js'
import { lockEntry } from './edit-trees.js'
import { updatePublication } from './entry-rows.js'
import { publishTree, unpublishTree } from './publish-tree.js'

export const Schedule = z.object({
  content_data_id: reference,
  publish_at: time.nullable().optional(),
  unpublish_at: time.nullable().optional(),
})

export type ScheduleContext = ContentContext & { readonly clock: Clock; readonly log: Log }

/** Schedules when an entry is published and when it is unpublished. @throws 403 if the actor may not publish */
export async function schedule(
  tx: Writer,
  { space, events, clock, refuseNonPublisher }: ScheduleContext,
  actor: Actor,
  { content_data_id, publish_at, unpublish_at }: z.output<typeof Schedule>,
  check?: Check<RowOf<ContentSpace['contentData']>>,
): Promise<RowOf<ContentSpace['contentData']>> {
  await refuseNonPublisher(actor)
  const entry = await lockEntry(tx, space, content_data_id)
  check?.(entry)
  const now = timestamp(clock.now())
  for (const [name, at] of Object.entries({ publish_at, unpublish_at }))
    if (at && at <= now) throw invalid(name, 'must be in the future')
  const from = publish_at === undefined ? entry.publish_at : publish_at
  const to = unpublish_at === undefined ? entry.unpublish_at : unpublish_at
  if (from && to && to <= from) throw invalid('unpublish_at', 'must be after publish_at')
  const { after, changed } = await updatePublication(tx, space, entry, { publish_at, unpublish_at })
  if (changed) await notePlanner(tx, space, actor, { content_data_id, publish_at, unpublish_at })
  if (changed && (publish_at || unpublish_at)) await events.scheduled(tx, actor, after)
  return after
}

async function notePlanner(
  tx: Writer,
  { contentPlans }: ContentSpace,
  { userId }: Actor,
  { content_data_id, publish_at, unpublish_at }: z.output<typeof Schedule>,
): Promise<void> {
  const by = {
    ...(publish_at === undefined ? {} : { publish_by: userId }),
    ...(unpublish_at === undefined ? {} : { unpublish_by: userId }),
  }
  if (await tx.exists(contentPlans, { content_data_id }))
    await tx.updateInternal(contentPlans, [content_data_id], by)
  else await tx.insertInternal(contentPlans, { content_data_id, ...by })
}

/** The next scheduled change of an entry. */
export interface Planned {
  readonly content_data_id: string
  readonly at: string
  /** Whether the entry is published then; otherwise it is unpublished. */
  readonly publishes: boolean
}

const endOfTime = '9999-12-31T23:59:59.999Z'

/** Lists the scheduled entries, the next first, each once. */
export async function planned({ db, space }: ScheduleContext, limit: number): Promise<Planned[]> {
  const idsBy = async (column: 'publish_at' | 'unpublish_at') =>
    (await db.query(dueEntries(space, column), { until: endOfTime })).slice(0, limit).map(({ id }) => id)
  const ids = new Set([...(await idsBy('publish_at')), ...(await idsBy('unpublish_at'))])
  const entries = await db.findIn(space.contentData, 'content_data_id', [...ids])
  return entries
    .map(({ content_data_id, publish_at, unpublish_at }) => {
      const publishes = publish_at !== null && (unpublish_at === null || publish_at < unpublish_at)
      return { content_data_id, at: (publishes ? publish_at : unpublish_at) ?? '', publishes }
    })
    .sort((a, b) => (a.at < b.at ? -1 : 1))
    .slice(0, limit)
}

/** The time after which a failed run is tried again, such as after a lost database, in milliseconds. */
const retryMs = 500

/**
 * Does what is due, until nothing is that has not failed.
 * @param aheadMs how far to look ahead
 * @returns in how many milliseconds to look again, because the next is due or one has failed; undefined if none is that
 * soon
 */
export async function runDue(context: ScheduleContext, aheadMs = 0): Promise<number | undefined> {
  const failed = new Set<string>()
  for (;;) {
    const { due, nextMs } = await dueUntil(context, aheadMs)
    const ids = due.filter(id => !failed.has(id))
    if (ids.length === 0)
      return failed.size > 0 && aheadMs > 0 ? Math.min(nextMs ?? aheadMs, retryMs) : nextMs
    // Instances begin at different ones, and need not wait for each other.
    const at = Math.floor(Math.random() * ids.length)
    for (const id of [...ids.slice(at), ...ids.slice(0, at)])
      if ((await isStillDue(context, id)) && !(await tryEntry(context, id))) failed.add(id)
  }
}

/** Whether no other instance has carried it out meanwhile. */
async function isStillDue({ db, space, clock }: ScheduleContext, id: string): Promise<boolean> {
  const now = timestamp(clock.now())
  const entry = await db.get(space.contentData, id)
  return [entry?.publish_at, entry?.unpublish_at].some(at => at != null && at <= now)
}

async function dueUntil(
  { db, space, clock }: ScheduleContext,
  aheadMs: number,
): Promise<{ due: string[]; nextMs: number | undefined }> {
  const now = clock.now()
  const until = timestamp(now + aheadMs)
  const starting = await db.query(dueEntries(space, 'publish_at'), { until })
  const ending = await db.query(dueEntries(space, 'unpublish_at'), { until })
  const waits = [...starting, ...ending].map(({ id, at }) => ({ id, ms: Date.parse(at) - now }))
  const later = waits.filter(({ ms }) => ms > 0).map(({ ms }) => ms)
  return {
    due: [...new Set(waits.filter(({ ms }) => ms <= 0).map(({ id }) => id))],
    nextMs: later.length > 0 ? Math.min(...later) : undefined,
  }
}

/** @returns false when it failed */
async function tryEntry(context: ScheduleContext, id: string): Promise<boolean> {
  try {
    await context.db.edit(systemActor, tx => runEntry(tx, context, id))
    return true
  } catch (error) {
    const refusal = error instanceof HttpError && error.status < 500 ? error : undefined
    // Deleted meanwhile: nothing is due any more.
    if (refusal?.status === 404) return false
    context.log.error({ err: error, content_data_id: id }, 'schedules could not be carried out')
    // A refusal would only repeat, so the schedule is cancelled. Any other failure is retried.
    if (refusal) await context.db.write(systemActor, tx => giveUp(tx, context, id, refusal))
    return false
  }
}

/** Cancels the schedules of an entry that are due and refused. The audit log has the reason. */
async function giveUp(
  tx: Writer,
  { space, clock }: ScheduleContext,
  id: string,
  { message: error, errors }: HttpError,
): Promise<void> {
  if (!(await tx.exists(space.contentData, { content_data_id: id }))) return
  const entry = await lockEntry(tx, space, id)
  const { publish_at, unpublish_at } = entry
  const isDue = (at: string | null) => at !== null && at <= timestamp(clock.now())
  if (isDue(publish_at)) await updatePublication(tx, space, entry, { publish_at: null })
  else if (isDue(unpublish_at)) await updatePublication(tx, space, entry, { unpublish_at: null })
  // Somebody has set a new schedule meanwhile.
  else return
  tx.note(`${space.contentData.name}.schedule`, id, { publish_at, unpublish_at }, { error, errors })
}

async function runEntry(tx: Writer, context: ScheduleContext, id: string): Promise<void> {
  // Read again in the lock: another instance may have done it, or somebody has set a new schedule.
  const entry = await lockEntry(tx, context.space, id)
  const plan = await tx.get(context.space.contentPlans, id)
  const planner = (userId: string | null | undefined) => (userId ? systemActorFor(userId) : systemActor)
  const isDue = (at: string | null) => at !== null && at <= timestamp(context.clock.now())
  const now = isDue(entry.publish_at)
    ? await publishTree(tx, context, planner(plan?.publish_by), { entry, trigger: 'schedule' })
    : entry
  if (isDue(now.unpublish_at)) await unpublishTree(tx, context, planner(plan?.unpublish_by), now)
}
