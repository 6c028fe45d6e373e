import { z } from 'zod'
import { type Actor, signedIn } from '../../actor.js'
import type { RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { tables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { conflict, duplicate, notFound } from '../../errors.js'
import { limits } from '../../limits.js'
import { label } from '../text.js'

const table = tables.userPreferences
const { savedViews: maxViews, savedViewCharacters } = limits.accounts
const maxLabel = 80

/** The lists that have views, by their paths in the panel. */
const lists = ['/content', '/media', '/audit', '/space/content', '/space/media'] as const
export type ViewedList = (typeof lists)[number]

const viewLabel = z
  .string()
  .overwrite(text => text.trim())
  .pipe(label(maxLabel))

export const SavedViewCreate = z.object({
  list: z.enum(lists),
  label: viewLabel,
  /** The query of the list's address, without the question mark. */
  query: z
    .string()
    .max(savedViewCharacters, { abort: true })
    .overwrite(text => new URLSearchParams(text).toString())
    .refine(text => text !== '', 'must have a filter, a search or an order')
    // Percent-encoding has made it longer.
    .refine(text => text.length <= savedViewCharacters, `must be at most ${savedViewCharacters} characters`),
})
export const SavedViewUpdate = z.object({ label: viewLabel })

/** A list with filters and an order, by a name of its owner. */
export interface SavedView {
  readonly id: string
  readonly list: ViewedList
  readonly label: string
  readonly query: string
}

const shown = (row: RowOf<typeof table>): SavedView => ({
  id: row.user_preference_id,
  list: row.kind as ViewedList,
  label: row.label,
  query: row.value,
})

/** Locks the caller's own view. @throws 404 also for that of somebody else */
async function ownView(tx: Writer, userId: string, id: string) {
  const row = await tx.get(table, id)
  if (row?.user_id !== userId || !lists.some(list => list === row.kind)) throw notFound()
  return tx.lock(table, id)
}

/** Views of lists that an account saves for itself. Nobody else sees or changes them. */
export const savedViews = (db: Database) => ({
  /** Lists the caller's views of one list by their names. */
  async own(actor: Actor, list: ViewedList): Promise<SavedView[]> {
    const rows = await db.findAll(table, { user_id: signedIn(actor).userId, kind: list })
    return rows.map(shown).toSorted((a, b) => a.label.localeCompare(b.label))
  },
  /** @throws 409 for a name that the list has already, and when it has too many */
  async create(actor: Actor, { list, label, query }: z.output<typeof SavedViewCreate>): Promise<SavedView> {
    const { userId } = signedIn(actor)
    const row = await db.write(actor, async tx => {
      await tx.lock(tables.users, userId)
      const views = await tx.findAll(table, { user_id: userId, kind: list })
      if (views.length >= maxViews) throw conflict(`the list has ${maxViews} saved views: delete some`)
      refuseTaken(views, label)
      return tx.insert(table, { user_id: userId, kind: list, label, value: query })
    })
    return shown(row)
  },
  /** @throws 404; 409 for a name that the list has already */
  async rename(actor: Actor, id: string, { label }: z.output<typeof SavedViewUpdate>): Promise<SavedView> {
    const { userId } = signedIn(actor)
    const row = await db.write(actor, async tx => {
      await tx.lock(tables.users, userId)
      const view = await ownView(tx, userId, id)
      const views = await tx.findAll(table, { user_id: userId, kind: view.kind })
      refuseTaken(
        views.filter(({ user_preference_id }) => user_preference_id !== id),
        label,
      )
      return (await tx.update(table, id, { label })).after
    })
    return shown(row)
  },
  /** @throws 404 */
  async remove(actor: Actor, id: string): Promise<SavedView> {
    const { userId } = signedIn(actor)
    return db.write(actor, async tx => {
      const row = await ownView(tx, userId, id)
      await tx.removeAll(table, [row])
      return shown(row)
    })
  },
})

function refuseTaken(views: readonly RowOf<typeof table>[], label: string): void {
  const same = (text: string) => text.toLocaleLowerCase('en')
  if (views.some(view => same(view.label) === same(label)))
    throw duplicate('a saved view of this list has this name already', 'label')
}
