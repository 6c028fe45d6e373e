import type { z } from 'zod'
import { type Actor, authorOf } from '../../actor.js'
import type { RowOf } from '../../db/columns.js'
import type { ContentSpace } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import type { ContentCreate } from './content-input.js'
import type { ContentContext } from './context.js'
import { createEntries } from './create-entries.js'
import { editParent } from './edit-trees.js'
import { type EntryTree, nested } from './entry-tree.js'
import { checkedPlace, lastPosition } from './placement.js'
import { hasPendingChanges } from './public-state.js'
import { emitStatus } from './publication.js'
import { refuseBroken } from './publication-check.js'
import { insertRoute, type PageCreate } from './routes.js'

export interface Page {
  route: RowOf<ContentSpace['routes']>
  entry: EntryTree
}

/** Makes an entry with everything under it, and announces the one when it is published. */
export async function makeContent(
  tx: Writer,
  context: ContentContext,
  actor: Actor,
  { route_id, parent_id, ...given }: z.output<typeof ContentCreate>,
): Promise<EntryTree> {
  const { space } = context
  const parent = parent_id ? await editParent(tx, context, parent_id) : undefined
  const place = await checkedPlace(tx, space, given.datatype_id, { route_id, parent_id }, parent)
  const top = {
    given,
    ...place,
    member: '',
    status: given.status,
    author_id: authorOf(actor, given.author_id),
    sort_order: given.sort_order ?? (await lastPosition(tx, space, place.parent_id)),
  }
  const { entries, members } = await createEntries(tx, context, { parent, actor }, [top])
  const [entry] = entries
  if (!entry) throw new Error('no entry was made')
  // A new entry of a published page is a change of that page.
  const isPending = parent !== undefined && (await hasPendingChanges(tx, space, entry.root_id))
  if (!isPending)
    await refuseBroken(
      tx,
      space,
      entries.filter(({ status }) => status === 'published'),
      undefined,
      members,
    )
  if (entry.status === 'published' && !isPending)
    // Nothing can refer to it yet.
    await emitStatus(tx, context, actor, { entry, entries }, async () => ({ ids: [] }))
  return nested(entries)
}

/** Makes a route with the tree on it. */
export async function makePage(
  tx: Writer,
  context: ContentContext,
  actor: Actor,
  { slug, title, translations, ...given }: z.output<typeof PageCreate> & { slug: string },
): Promise<Page> {
  const author_id = authorOf(actor, given.author_id)
  const route = await insertRoute(tx, context.space, { slug, title, translations, author_id })
  const place = { route_id: route.route_id, parent_id: null }
  return { route, entry: await makeContent(tx, context, actor, { ...given, ...place }) }
}
