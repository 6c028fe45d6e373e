import type { Actor } from '../../actor.js'
import type { Writer } from '../../db/writer.js'
import { removeEntry } from '../content/content.js'
import type { ChildEntry, Values } from '../content/content-input.js'
import { editTree, lockEntry, lockReadEntry } from '../content/edit-trees.js'
import { updateEntry, updatePublication } from '../content/entry-rows.js'
import { step } from '../content/placement.js'
import { workingTree } from '../content/public-state.js'
import { publishTree, unpublishTree } from '../content/publish-tree.js'
import { updateRoute } from '../content/routes.js'
import { type ScheduleContext, schedule } from '../content/schedule.js'
import type { EntrySnapshot } from '../content/tree-diff.js'
import { updateContent } from '../content/update-entry.js'
import { treeHashes } from './states.js'
import { newEntry, type RootToStore, type TreeToStore } from './tree-to-store.js'

/** Somebody has changed the tree here since the last import. */
export class ChangedHere extends Error {}

async function refuseChanged(
  tx: Writer,
  { space }: ScheduleContext,
  { id, known }: { readonly id: string; readonly known: string },
): Promise<void> {
  await lockReadEntry(tx, space, id)
  if ((await treeHashes(tx, space, [id])).get(id) !== known) throw new ChangedHere()
}

const absent = (names: Iterable<string>, values: Values): Values =>
  Object.fromEntries([...names].flatMap(name => (Object.hasOwn(values, name) ? [] : [[name, null]])))

/** All values of an entry: null for those that it has no more, in the locales of either state. */
function valuesOf({ fields, values, translations }: TreeToStore, stored: EntrySnapshot) {
  const translatable = [...fields].flatMap(([name, field]) => (field.translatable ? [name] : []))
  const codes = new Set([...Object.keys(translations), ...stored.fields.map(({ locale }) => locale)])
  codes.delete('')
  const locales = [...codes].map(code => {
    const given = translations[code] ?? {}
    return [code, { fields: { ...absent(translatable, given), ...given } }] as const
  })
  return {
    fields: { ...absent(fields.keys(), values), ...values },
    locales: Object.fromEntries(translatable.length > 0 ? locales : []),
  }
}

/** Matches children with those that are stored, each with the next one of its datatype. */
class Children {
  readonly gone: string[] = []
  private readonly under = new Map<string, EntrySnapshot[]>()

  constructor(stored: readonly EntrySnapshot[]) {
    const inOrder = stored.toSorted((a, b) => a.entry.sort_order - b.entry.sort_order)
    for (const one of inOrder) {
      const parent = one.entry.parent_id ?? ''
      this.under.set(parent, [...(this.under.get(parent) ?? []), one])
    }
  }

  of(parent: string, wanted: readonly TreeToStore[]): ChildEntry[] {
    const left = [...(this.under.get(parent) ?? [])]
    const children = wanted.map((tree, i): ChildEntry => {
      const at = left.findIndex(({ entry }) => entry.datatype_id === tree.datatype_id)
      const [known] = at < 0 ? [] : left.splice(at, 1)
      if (!known) return { ...newEntry(tree), sort_order: (i + 1) * step }
      const { content_data_id } = known.entry
      return {
        ...{ content_data_id, sort_order: (i + 1) * step, ...valuesOf(tree, known) },
        children: this.of(content_data_id, tree.children),
      }
    })
    this.gone.push(...left.map(({ entry }) => entry.content_data_id))
    return children
  }
}

/**
 * Gives an entry the time of its last change in the other system, where no other change of it has done so.
 * @returns whether that was necessary
 */
async function updateTime(
  tx: Writer,
  context: ScheduleContext,
  { id, changedAt }: { readonly id: string; readonly changedAt: string | undefined },
): Promise<boolean> {
  if (changedAt === undefined) return false
  const entry = await editTree(tx, context, id)
  if (entry.date_modified === changedAt) return false
  return (await updateEntry(tx, context.space, entry, { date_modified: changedAt })).changed
}

/** Gives the page of an entry the address and the title that it has in the other system. */
async function updatePage(
  tx: Writer,
  context: ScheduleContext,
  actor: Actor,
  { content_data_id, page }: RootToStore,
): Promise<void> {
  const { space } = context
  const route_id = (await tx.get(space.contentData, content_data_id))?.route_id
  const route = route_id && page ? await tx.get(space.routes, route_id) : undefined
  if (!route || !page || (route.slug === page.slug && route.title === page.title)) return
  await updateRoute(tx, context, actor, { id: route.route_id, patch: page })
}

async function updateStatus(
  tx: Writer,
  context: ScheduleContext,
  actor: Actor,
  { content_data_id, isPublished, publishedAt, publishAt }: RootToStore,
): Promise<void> {
  const { space } = context
  const publish_at = publishAt ?? null
  const entry = await lockEntry(tx, space, content_data_id)
  if (!isPublished) {
    if (entry.status === 'published') await unpublishTree(tx, context, actor, entry)
    if (entry.publish_at !== publish_at) await schedule(tx, context, actor, { content_data_id, publish_at })
    return
  }
  const now = await publishTree(tx, context, actor, { entry, trigger: 'publish' })
  if (publishedAt !== undefined) await updatePublication(tx, space, now, { published_at: publishedAt })
}

/**
 * Gives a tree the state that it has in the other system. Fields that only this site has stay as they are.
 * @param how.known the hash that the tree has had since the last import
 * @throws ChangedHere if it has another one; 400, 409 as `PUT /content` does
 */
export async function updateTree(
  tx: Writer,
  context: ScheduleContext,
  actor: Actor,
  { tree, known }: { readonly tree: RootToStore; readonly known: string },
): Promise<void> {
  const { content_data_id: id, changedAt } = tree
  await refuseChanged(tx, context, { id, known })
  if (changedAt !== undefined) tx.dateChanges(changedAt)
  const stored = await workingTree(tx, context.space, id)
  const matching = new Children(stored)
  const children = matching.of(id, tree.children)
  for (const gone of matching.gone) await removeEntry(tx, context, actor, { id: gone, withChildren: true })
  const own = stored.find(({ entry }) => entry.content_data_id === id)
  if (!own) throw new Error('a tree without its root')
  await updateContent(tx, context, actor, { id, patch: { ...valuesOf(tree, own), children } })
  const isDated = await updateTime(tx, context, { id, changedAt })
  await updatePage(tx, context, actor, tree)
  await updateStatus(tx, context, actor, tree)
  if (!isDated || (await treeHashes(tx, context.space, [id])).get(id) !== known) return
  // Nothing else has changed, so nothing else has announced it.
  const entry = await lockEntry(tx, context.space, id)
  await context.events.edited(tx, actor, entry, async () => ({ ids: [id] }))
}

/**
 * Takes a tree to the trash, and frees the address of its page: the other system may give it to another record. The
 * trash makes the page again. @throws ChangedHere as `updateTree`
 */
export async function removeTree(
  tx: Writer,
  context: ScheduleContext,
  actor: Actor,
  how: { readonly id: string; readonly known: string },
): Promise<void> {
  await refuseChanged(tx, context, how)
  const { space, redirects } = context
  const route_id = (await tx.get(space.contentData, how.id))?.route_id
  await removeEntry(tx, context, actor, { id: how.id, withChildren: true })
  if (!route_id || (await tx.exists(space.contentData, { route_id }))) return
  await redirects?.removed(tx, route_id)
  await tx.remove(space.routes, route_id)
}
