import { z } from 'zod'
import type { Actor } from '../../actor.js'
import type { Database } from '../../db/database.js'
import { entryShapes, misroutedEntries } from '../../db/queries/content.js'
import type { ContentSpace } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { unavailable } from '../../errors.js'

export const Heal = z.object({ dry_run: z.boolean().default(true) })

const ids = z.array(z.string())
export const HealReport = z.object({
  dry_run: z.boolean(),
  problems: z.array(z.string()).meta({ description: 'What was found, in a sentence each.' }),
  circular: ids.meta({
    description: 'Entries that are their own ancestors; one of each circle becomes a root.',
  }),
  orphaned: ids.meta({ description: 'Entries whose parent does not exist; each becomes a root.' }),
  misplaced: ids.meta({ description: 'Entries that were counted to another tree than their own.' }),
  without_tree: ids.meta({ description: 'Roots that could not be locked or delivered.' }),
})

interface Shape {
  id: string
  parent: string | null
  root: string
}

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
  rootOf: ReadonlyMap<string, string>
  trees: string[]
}

async function findDamage(tx: Writer, space: ContentSpace): Promise<Damage> {
  const shapes = new Map((await tx.query(entryShapes(space), {})).map(shape => [shape.id, shape]))
  const trees = new Set((await tx.findAll(space.contentTrees)).map(({ root_id }) => root_id))
  const { rootOf, orphaned, circular } = examine(shapes)
  const misplaced = [...shapes.values()].filter(({ id, root }) => rootOf.get(id) !== root)
  const misrouted = await tx.query(misroutedEntries(space), {})
  const without_tree = [...new Set(rootOf.values())].filter(root => !trees.has(root)).sort()
  const damagedTrees = [
    ...without_tree,
    ...[...orphaned, ...circular].map(id => rootOf.get(id) ?? id),
    ...[...misplaced, ...misrouted].flatMap(({ id, root }) => [root, rootOf.get(id) ?? id]),
  ]
  return {
    rootOf,
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
      else await tx.lockAndBumpTree(space.contentTrees, root)
      held.add(root)
    }
  }
  throw unavailable('the content is being moved, try again')
}

/** Looks after the shape of content trees. Nothing of this can happen through the service itself. */
export const contentHeal = (db: Database, space: ContentSpace) => ({
  /** Finds what was damaged outside the service, and unless it is a dry run puts it right. */
  heal: (actor: Actor, { dry_run }: z.output<typeof Heal>): Promise<z.output<typeof HealReport>> =>
    db.write(actor, async tx => {
      const { rootOf: _, trees: __, ...found } = await findDamage(tx, space)
      if (!dry_run) await repair(tx, space)
      const problems = [
        ...(found.circular.length > 0 ? ['Circular reference detected'] : []),
        ...(found.orphaned.length > 0 ? ['Orphaned nodes detected'] : []),
      ]
      return { dry_run, problems, ...found }
    }),
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
  for (const { id, route } of await tx.query(misroutedEntries(space), {})) {
    const ids = onRoute.get(route)
    if (ids) ids.push(id)
    else onRoute.set(route, [id])
  }
  for (const [route_id, ids] of onRoute)
    await tx.setSilently(contentFields, 'content_data_id', ids, { route_id })
}
