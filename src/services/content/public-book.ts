import { systemActor } from '../../actor.js'
import { chunks } from '../../db/batches.js'
import type { RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { type ContentSpace, internalTables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { Turns } from '../../turns.js'
import { BookUpdate } from './book-update.js'
import { followReferences, rebuildReferences } from './references.js'

/**
 * The public book: every entry that the public sees, with its values, as it sees them. It is written at the end of each
 * transaction that changes content, from the working book, so it is never older than the last commit, and a draft or a
 * pending value is never in it. Trees with pending changes stay as they are; what publishes parts of them writes these
 * (staging.ts).
 */

const shape: readonly string[] = ['status', 'parent_id', 'route_id', 'datatype_id', 'sort_order']

/** How many trees are written at once. */
const treesAtOnce = 50
/** How many trees are looked at, and how many are locked in one transaction when all are written. */
const [treesRead, treesLocked] = [500, 5]

const renamedRoutes = (tx: Writer, space: ContentSpace): string[] =>
  tx.touched.recordsIn(space.routes).flatMap(({ key, before, after }) => {
    const [was, is] = [before, after].map(row => row && JSON.stringify([row.title, row.translations]))
    return was !== undefined && is !== undefined && was !== is ? [key] : []
  })

async function follow(tx: Writer, space: ContentSpace): Promise<void> {
  const again = tx.touched.treesIn(space.contentTrees)
  const entries = tx.touched.ownersIn(space.contentData)
  const values = tx.touched.ownersIn(space.contentFields)
  const routes = renamedRoutes(tx, space)
  if (routes.length > 0) await new BookUpdate(tx, space).ofRoutes(routes)
  if (again.size + entries.size + values.size === 0) return
  const moved = [...entries.values()].some(columns => shape.some(column => columns.has(column)))
  if (!moved && again.size === 0) return new BookUpdate(tx, space).ofEntries()
  const turns = new Turns()
  for (const roots of chunks([...new Set([...tx.changedTrees, ...again])], treesAtOnce)) {
    await turns.next()
    await new BookUpdate(tx, space).ofTrees(roots, again)
  }
}

export interface PublicBook {
  /** Writes all trees unless that has been done: once, at the first start that knows the book. */
  fill(): Promise<void>
  isFilled(): Promise<boolean>
  /** Writes all trees again, in bounded transactions. @returns how many trees there are */
  rebuild(): Promise<number>
  /** Writes trees again that older versions have changed, which do not know all indexes. @returns how many there were */
  catchUp(): Promise<number>
}

/** Keeps the public book of a content space, and the references of both its books. */
export function publicBook(db: Database, space: ContentSpace): PublicBook {
  db.beforeCommit(tx => follow(tx, space))
  followReferences(db, space)
  const marker = `${space.publicEntries.name} 1`

  /**
   * @param isDue whether a tree is to be written
   * @param how.isEdit whether its `changed_at` is behind too
   */
  async function writeAgain(
    isDue: (tree: RowOf<ContentSpace['contentTrees']>) => boolean,
    how: { isEdit?: boolean } = {},
  ): Promise<number> {
    const turns = new Turns()
    let after: string | undefined
    for (let n = 0; ; ) {
      await turns.next()
      const trees = await db.findAll(space.contentTrees, {}, { limit: treesRead, after })
      const due = trees.filter(isDue).map(({ root_id }) => root_id)
      for (const some of chunks(due, treesLocked))
        await db.write(systemActor, async tx => {
          for (const root of some) {
            await tx.lockAndBumpTree(space.contentTrees, root, how)
            tx.touched.noteTree(space.contentTrees, root)
            await rebuildReferences(tx, space, root)
          }
          await tx.noteIndexed(space.contentTrees, some)
        })
      n += due.length
      after = trees.at(-1)?.root_id
      if (trees.length < treesRead) return n
    }
  }

  const rebuild = () => writeAgain(() => true)
  const isFilled = () => db.exists(internalTables.seeds, { name: marker })
  return {
    rebuild,
    catchUp: () => writeAgain(({ version, book_version }) => version !== book_version, { isEdit: true }),
    isFilled,
    async fill() {
      if (await isFilled()) return
      await rebuild()
      await db.write(systemActor, async tx => void (await tx.claimSeed(marker)))
    },
  }
}
