import { z } from 'zod'
import { type Actor, systemActor } from '../../actor.js'
import type { RowOf } from '../../db/columns.js'
import { dueEntries } from '../../db/queries/content.js'
import type { ContentSpace } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { HttpError, invalid } from '../../errors.js'
import { timestamp } from '../../ids.js'
import type { Clock, Log } from '../../ports.js'
import { reference, time } from '../body-parts.js'
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

/** Plans when an entry is published, and when it is taken back. */
export async function schedule(
  tx: Writer,
  { space, events, clock }: ScheduleContext,
  actor: Actor,
  { content_data_id, publish_at, unpublish_at }: z.output<typeof Schedule>,
): Promise<RowOf<ContentSpace['contentData']>> {
  const entry = await lockEntry(tx, space, content_data_id)
  const now = timestamp(clock.now())
  for (const [name, at] of Object.entries({ publish_at, unpublish_at }))
    if (at && at <= now) throw invalid(name, 'must be in the future')
  const from = publish_at === undefined ? entry.publish_at : publish_at
  const to = unpublish_at === undefined ? entry.unpublish_at : unpublish_at
  if (from && to && to <= from) throw invalid('unpublish_at', 'must be after publish_at')
  const { after, changed } = await updatePublication(tx, space, entry, { publish_at, unpublish_at })
  if (changed && (publish_at || unpublish_at)) await events.scheduled(tx, actor, after)
  return after
}

/** Does what is due, until nothing is that has not failed. */
export async function runDue(context: ScheduleContext): Promise<void> {
  const failed = new Set<string>()
  for (;;) {
    const ids = (await dueIds(context)).filter(id => !failed.has(id))
    if (ids.length === 0) return
    for (const id of ids) if (!(await tryEntry(context, id))) failed.add(id)
  }
}

async function dueIds({ db, space, clock }: ScheduleContext): Promise<string[]> {
  const now = timestamp(clock.now())
  const starting = await db.query(dueEntries(space, 'publish_at'), { now })
  const ending = await db.query(dueEntries(space, 'unpublish_at'), { now })
  return [...new Set([...starting, ...ending])]
}

/** @returns false when it failed */
async function tryEntry(context: ScheduleContext, id: string): Promise<boolean> {
  try {
    await context.db.write(systemActor, tx => runEntry(tx, context, id))
    return true
  } catch (error) {
    // Deleted meanwhile: nothing is due any more.
    const isGone = error instanceof HttpError && error.status === 404
    if (!isGone) context.log.error({ err: error, content_data_id: id }, 'what was planned could not be done')
    return false
  }
}

async function runEntry(tx: Writer, context: ScheduleContext, id: string): Promise<void> {
  // Read again in the lock: another instance may have done it, or somebody has planned anew.
  const entry = await lockEntry(tx, context.space, id)
  const isDue = (at: string | null) => at !== null && at <= timestamp(context.clock.now())
  const now = isDue(entry.publish_at)
    ? await publishTree(tx, context, systemActor, { entry, trigger: 'schedule' })
    : entry
  if (isDue(now.unpublish_at)) await unpublishTree(tx, context, systemActor, now)
}
