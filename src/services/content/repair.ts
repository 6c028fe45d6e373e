import { z } from 'zod'
import type { Actor } from '../../actor.js'
import type { Database } from '../../db/database.js'
import {
  misroutedBetween,
  type Shape,
  shapesBetween,
  treeSizes,
  treesAtOnce,
} from '../../db/queries/content.js'
import type { Reader } from '../../db/reader.js'
import type { ContentSpace } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { unavailable } from '../../errors.js'
import { Turns } from '../../turns.js'

export const Heal = z.object({ dry_run: z.boolean().default(true) })

const ids = z.array(z.string())
export const HealReport = z.object({
  dry_run: z.boolean(),
  problems: z.array(z.string()).meta({ description: 'The problems that were found, a sentence for each.' }),
  circular: ids.meta({
    description: 'Entries that are their own ancestors; one of each circle becomes a root.',
  }),
  orphaned: ids.meta({ description: 'Entries whose parent does not exist; each becomes a root.' }),
  misplaced: ids.meta({ description: 'Entries that were stored under the wrong tree.' }),
  without_tree: ids.meta({
    description: 'Roots without a tree of their own, so they could not be edited or delivered.',
  }),
})

type Shapes = ReadonlyMap<string, Shape>

interface Walk {
  root: string
  path: readonly string[]
  orphan?: string
  circle?: readonly string[]
}

/** Walks up from an entry: to a root, to a parent that is not there, in a circle, or to where a walk has been. */
function walkUp(shapes: Shapes, rootOf: ReadonlyMap<string, string>, start: string): Walk {
  const path = new Set<string>()
  for (let at = start; ; ) {
    const known = rootOf.get(at)
    if (known !== undefined) return { root: known, path: [...path] }
    if (path.has(at)) {
      const passed = [...path]
      const circle = passed.slice(passed.indexOf(at))
      // The smallest of the circle is where it is cut, whoever looks.
      return { root: circle.toSorted()[0] as string, path: passed, circle }
    }
    path.add(at)
    const parent = shapes.get(at)?.parent ?? null
    if (parent === null) return { root: at, path: [...path] }
    if (!shapes.has(parent)) return { root: at, path: [...path], orphan: at }
    at = parent
  }
}

/** Walks up from every entry once, without recursion. */
function examine(shapes: Shapes) {
  const rootOf = new Map<string, string>()
  const [orphaned, circular] = [[] as string[], [] as string[]]
  for (const start of shapes.keys()) {
    const { root, path, orphan, circle } = walkUp(shapes, rootOf, start)
    for (const id of path) rootOf.set(id, root)
    if (orphan !== undefined) orphaned.push(orphan)
    if (circle) circular.push(...circle)
  }
  return { rootOf, orphaned: orphaned.sort(), circular: circular.sort() }
}

interface Damage extends Omit<z.output<typeof HealReport>, 'dry_run' | 'problems'> {
  /** The tree of each misplaced entry, and of each that is cut off. */
  rootOf: ReadonlyMap<string, string>
  trees: string[]
}

/** Entries that are read at once: a piece is whole trees. One tree may have more. */
const entriesAtOnce = 5000
/** How long a search may take, in milliseconds. */
const maxSearchMs = 600_000

interface Piece {
  readonly after: string
  readonly until: string
}

/** All trees in pieces, so that a search takes no more memory on a large site. */
async function* piecesOf(read: Reader, space: ContentSpace): AsyncGenerator<Piece> {
  const turns = new Turns()
  let after = ''
  for (;;) {
    const trees = await read.query(treeSizes(space), { after })
    let [until, entries] = [after, 0]
    for (const tree of trees) {
      if (entries > 0 && entries + tree.entries > entriesAtOnce) {
        yield { after, until }
        await turns.next()
        ;[after, entries] = [until, 0]
      }
      entries += tree.entries
      until = tree.root
    }
    if (entries > 0) yield { after, until }
    if (trees.length < treesAtOnce) return
    after = until
  }
}

async function withoutTree(read: Reader, { contentTrees }: ContentSpace, roots: readonly string[]) {
  const there = new Set((await read.findIn(contentTrees, 'root_id', roots)).map(({ root_id }) => root_id))
  return roots.filter(root => !there.has(root))
}

/** Whether every entry of a tree leads to its root by its parents. */
function isWhole(root: string, shapes: Shapes): boolean {
  const { rootOf, orphaned, circular } = examine(shapes)
  if (orphaned.length + circular.length > 0) return false
  for (const found of rootOf.values()) if (found !== root) return false
  return true
}

interface Searched {
  /** Entries of trees that are not whole. */
  readonly suspects: Map<string, Shape>
  readonly misrouted: { readonly id: string; readonly root: string }[]
  /** Whole trees that could not be locked. */
  readonly unlockable: string[]
}

async function search(read: Reader, space: ContentSpace): Promise<Searched> {
  const found: Searched = { suspects: new Map(), misrouted: [], unlockable: [] }
  for await (const piece of piecesOf(read, space)) {
    const trees = new Map<string, Map<string, Shape>>()
    for (const shape of await read.query(shapesBetween(space), piece)) {
      const tree = trees.get(shape.root) ?? new Map<string, Shape>()
      trees.set(shape.root, tree.set(shape.id, shape))
    }
    const whole: string[] = []
    for (const [root, shapes] of trees)
      if (isWhole(root, shapes)) whole.push(root)
      else for (const [id, shape] of shapes) found.suspects.set(id, shape)
    found.unlockable.push(...(await withoutTree(read, space, whole)))
    found.misrouted.push(...(await read.query(misroutedBetween(space), piece)))
  }
  return found
}

/** Adds what the entries hang on in other trees, up to the roots: those trees are whole. */
async function addAncestors(read: Reader, { contentData }: ContentSpace, shapes: Map<string, Shape>) {
  const asked = new Set<string>()
  for (let some = [...shapes.values()]; ; ) {
    const parents = new Set(some.flatMap(({ parent }) => parent ?? []))
    const missing = [...parents].filter(id => !shapes.has(id) && !asked.has(id))
    if (missing.length === 0) return
    for (const id of missing) asked.add(id)
    const rows = await read.findIn(contentData, 'content_data_id', missing)
    some = rows.map(row => ({ id: row.content_data_id, parent: row.parent_id, root: row.root_id }))
    for (const shape of some) shapes.set(shape.id, shape)
  }
}

async function findDamage(read: Reader, space: ContentSpace): Promise<Damage> {
  const { suspects, misrouted, unlockable } = await search(read, space)
  await addAncestors(read, space, suspects)
  const { rootOf, orphaned, circular } = examine(suspects)
  const misplaced = [...suspects.values()].filter(({ id, root }) => rootOf.get(id) !== root)
  const roots = [...new Set(rootOf.values())]
  const without_tree = [...unlockable, ...(await withoutTree(read, space, roots))].sort()
  const trees = new Map(misrouted.map(({ id, root }) => [id, rootOf.get(id) ?? root]))
  for (const [id, root] of rootOf) trees.set(id, root)
  const damagedTrees = [
    ...without_tree,
    ...[...orphaned, ...circular].map(id => rootOf.get(id) ?? id),
    ...[...misplaced, ...misrouted].flatMap(({ id, root }) => [root, trees.get(id) ?? id]),
  ]
  return {
    rootOf: trees,
    orphaned,
    circular,
    misplaced: [...new Set([...misplaced, ...misrouted].map(({ id }) => id))].sort(),
    without_tree,
    trees: [...new Set(damagedTrees)].sort(),
  }
}

/** The damage, with the locks of all trees that it concerns, so that nobody moves anything there meanwhile. */
async function findDamageInLocks(tx: Writer, space: ContentSpace): Promise<Damage> {
  const held = new Set<string>()
  for (let attempt = 0; attempt < 5; attempt++) {
    const damage = await findDamage(tx, space)
    const more = damage.trees.filter(root => !held.has(root))
    if (more.length === 0) return damage
    for (const root of more) {
      if (damage.without_tree.includes(root)) await tx.createTree(space.contentTrees, root)
      else await tx.lockAndBumpTree(space.contentTrees, root, { isEdit: true })
      held.add(root)
    }
  }
  throw unavailable('the content is being moved, try again')
}

/** Looks after the shape of content trees. Nothing of this can happen through the service itself. */
export const contentHeal = (db: Database, space: ContentSpace) => ({
  /** Finds what was damaged outside the service, and unless it is a dry run puts it right. */
  async heal(actor: Actor, { dry_run }: z.output<typeof Heal>): Promise<z.output<typeof HealReport>> {
    db.refuseChanges(actor)
    // Nobody waits for the search. What is put right is searched again, in the locks of its trees.
    const long = { long: true, maxMs: maxSearchMs }
    const { rootOf: _, trees, ...found } = await db.snapshot(read => findDamage(read, space), long)
    if (!dry_run && trees.length > 0) await db.write(actor, tx => repair(tx, space))
    const problems = [
      ...(found.circular.length > 0 ? ['Circular reference detected'] : []),
      ...(found.orphaned.length > 0 ? ['Orphaned nodes detected'] : []),
    ]
    return { dry_run, problems, ...found }
  },
})

/** Cuts circles and orphans off as drafts of their own, and counts all entries to the tree and route they are on. */
async function repair(tx: Writer, space: ContentSpace): Promise<void> {
  const { contentData, contentFields, contentTrees } = space
  const { rootOf, orphaned, circular, misplaced, trees } = await findDamageInLocks(tx, space)
  for (const root of trees) tx.touched.noteTree(contentTrees, root)
  const newRoots = new Set([...orphaned, ...circular.filter(id => rootOf.get(id) === id)])
  for (const id of newRoots) await tx.update(contentData, id, { parent_id: null, status: 'draft' })
  for (const id of misplaced)
    await tx.setSilently(contentData, 'content_data_id', [id], { root_id: rootOf.get(id) ?? id })
  // Searched again, because the repairs above may have moved entries off their route.
  const onRoute = new Map<string | null, string[]>()
  for await (const piece of piecesOf(tx, space))
    for (const { id, route } of await tx.query(misroutedBetween(space), piece)) {
      const ids = onRoute.get(route)
      if (ids) ids.push(id)
      else onRoute.set(route, [id])
    }
  for (const [route_id, ids] of onRoute)
    await tx.setSilently(contentFields, 'content_data_id', ids, { route_id })
}
