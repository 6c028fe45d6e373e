import { z } from 'zod'
import { type Actor, systemActor } from '../../actor.js'
import { pendingTrees } from '../../db/queries/content.js'
import type { EntryRow } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { HttpError, notFound } from '../../errors.js'
import { reference } from '../body-parts.js'
import type { Check } from '../crud.js'
import { lockEntry } from './edit-trees.js'
import { localeCode } from './locales.js'
import { readSubtree } from './placement.js'
import { errorsOf } from './publication-check.js'
import { publishLocale, publishPending, publishTree, unpublishTree } from './publish-tree.js'
import { planned, runDue, type Schedule, type ScheduleContext, schedule } from './schedule.js'

export const Publish = z.object({ content_data_id: reference, locale: localeCode.optional() })

export const PublishCheck = z.object({
  content_data_id: z.string(),
  errors: z
    .array(
      z.object({
        error: z.string(),
        member: z.string().meta({ description: 'The field, such as `fields.price`.' }),
        rule: z.string().meta({ description: 'The broken setting, or `required`, or `type`.' }),
        content_data_id: z.string(),
        field_id: z.string(),
        locale: z.string(),
      }),
    )
    .meta({ description: 'The problems that prevent publishing; empty if the entry can be published.' }),
})

const mostTrees = 2 ** 31 - 1

/** Status changes with their versions and events, for one content space. */
export function publishing(context: ScheduleContext) {
  const { db, space, log } = context
  return {
    /** Lists what keeps an entry and everything under it from being published. @throws 404 if the entry is missing */
    check: (id: string) => check(context, id),
    /**
     * Publishes an entry with everything under it and all its unpublished changes.
     * With a locale, marks the texts of a published entry in that locale as ready: a version of them is stored, and the
     * event is `locale.published`.
     * @param also a change in the same transaction
     * @throws 400 for an unknown locale, 409 for a locale of a draft
     */
    publish: (
      actor: Actor,
      { content_data_id, locale }: z.output<typeof Publish>,
      also?: (tx: Writer) => Promise<void>,
    ) =>
      db.write(actor, async tx => {
        const entry = await lockEntry(tx, space, content_data_id)
        await also?.(tx)
        return locale === undefined
          ? publishTree(tx, context, actor, { entry, trigger: 'publish' })
          : publishLocale(tx, context, actor, { entry, locale })
      }),
    unpublish: (actor: Actor, id: string) =>
      db.write(actor, async tx => unpublishTree(tx, context, actor, await lockEntry(tx, space, id))),
    /** Schedules both; null cancels a schedule. @throws 400 for a time that is over, or an end before its beginning */
    schedule: (actor: Actor, plan: z.output<typeof Schedule>, check?: Check<EntryRow>) =>
      db.write(actor, tx => schedule(tx, context, actor, plan, check)),
    planned: (limit: number) => planned(context, limit),
    /**
     * Publishes all unpublished changes if `publish_mode` is `live`, except in trees that break rules: those are
     * logged, and pending until they are published. Called at the start.
     */
    async publishPending() {
      for (const { root_id } of await db.query(pendingTrees(space, mostTrees), {}))
        try {
          await db.write(systemActor, async tx =>
            publishPending(tx, context, await lockEntry(tx, space, root_id)),
          )
        } catch (error) {
          if (!(error instanceof HttpError && error.errors)) throw error
          const { errors } = error
          log.error(
            { root_id, errors },
            'unpublished changes break field rules and must be published by hand',
          )
        }
    },
    /**
     * Carries out due schedules, each once, on any instance. Called at the start and every few seconds.
     * @param aheadMs how far to look ahead
     * @returns in how many milliseconds to look again; undefined if nothing is due that soon
     */
    runDue: (aheadMs?: number) => runDue(context, aheadMs),
  }
}

async function check({ db, space }: ScheduleContext, id: string): Promise<z.output<typeof PublishCheck>> {
  const entry = await db.get(space.contentData, id)
  if (!entry) throw notFound()
  const entries = await readSubtree(db, space, entry, 'each')
  return { content_data_id: id, errors: await errorsOf(db, space, entries) }
}
