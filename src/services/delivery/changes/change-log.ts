import { systemActor } from '../../../actor.js'
import type { Database } from '../../../db/database.js'
import {
  type ContentChange,
  changesAfter,
  changesAtOnce,
  oldestChanges,
} from '../../../db/queries/content-changes.js'
import { internalTables, tables } from '../../../db/tables.js'
import { timestamp } from '../../../ids.js'
import { limits } from '../../../limits.js'
import type { Clock } from '../../../ports.js'
import { Turns } from '../../../turns.js'

const { contentChanges, counters } = internalTables
const dayMs = 86_400_000
const maxKept = limits.webhooks.storedChanges

/** A page that changed. */
export interface ChangedPage {
  readonly content_data_id: string
  /** Its address now; null without an address that the listener may know. */
  readonly slug: string | null
}

interface PageOfChange extends ChangedPage {
  readonly isPublic: boolean
  readonly isShown: boolean
}

/** The changes of one commit. */
export interface Change {
  readonly id: number
  readonly at: string
  /** Whether everything that is shown may have changed, as after a change of the content model. */
  readonly all: boolean
  readonly pages: readonly PageOfChange[]
}

/** Reads changes from the database, in the order of the commits. */
export class ChangeLog {
  constructor(private readonly db: Database) {}

  async newest(): Promise<number> {
    return (await this.db.get(counters, 'content_version'))?.value ?? 0
  }

  async knows(id: number, newest: number): Promise<boolean> {
    if (id === newest) return true
    return id < newest && (await this.db.exists(contentChanges, { change_id: id + 1 }))
  }

  /** Reads at most `changesAtOnce` changes after one: four statements for any number, or one without changes. */
  async after(id: number): Promise<{ changes: Change[]; isWhole: boolean }> {
    const rows = await this.db.query(changesAfter, { after: id })
    const pages = await this.#pages(rows)
    const turns = new Turns()
    const changes: Change[] = []
    for (const row of rows) {
      await turns.next()
      const isPublic = new Set(row.public_trees)
      changes.push({
        id: row.change_id,
        at: row.changed_at,
        all: row.all_pages,
        pages: row.trees.map(root => ({
          content_data_id: root,
          slug: pages.slugOf.get(root) ?? null,
          isPublic: isPublic.has(root),
          isShown: pages.shown.has(root),
        })),
      })
    }
    return { changes, isWhole: rows.length < changesAtOnce }
  }

  async #pages(
    rows: readonly ContentChange[],
  ): Promise<{ slugOf: ReadonlyMap<string, string>; shown: ReadonlySet<string> }> {
    const roots = [...new Set(rows.flatMap(({ trees }) => trees))]
    if (roots.length === 0) return { slugOf: new Map(), shown: new Set() }
    const shown = await this.db.findIn(tables.publicEntries, 'content_data_id', roots)
    const entries = await this.db.findIn(tables.contentData, 'content_data_id', roots)
    const placed = entries.flatMap(({ content_data_id, route_id }) =>
      route_id === null ? [] : [{ content_data_id, route_id }],
    )
    const routes = await this.db.findIn(
      tables.routes,
      'route_id',
      placed.map(({ route_id }) => route_id),
    )
    const slugs = new Map(routes.map(({ route_id, slug }) => [route_id, slug]))
    return {
      slugOf: new Map(
        placed.flatMap(({ content_data_id, route_id }): [string, string][] => {
          const slug = slugs.get(route_id)
          return slug === undefined ? [] : [[content_data_id, slug]]
        }),
      ),
      shown: new Set(shown.map(({ content_data_id }) => content_data_id)),
    }
  }
}

/** Removes changes that nobody resumes after any more, a few at a time. */
export const changeRetention = (db: Database, clock: Clock) => async (): Promise<void> => {
  const newest = await new ChangeLog(db).newest()
  const before = timestamp(clock.now() - dayMs)
  for (;;) {
    const rows = await db.query(oldestChanges, {})
    const old = rows.filter(
      ({ change_id, changed_at }) => change_id <= newest - maxKept || changed_at < before,
    )
    if (old.length === 0) return
    const ids = old.map(({ change_id }) => String(change_id))
    await db.write(systemActor, tx => tx.deleteAllInternal(contentChanges, 'change_id', ids))
  }
}
