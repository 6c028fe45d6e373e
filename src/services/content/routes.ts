import { z } from 'zod'
import type { Database } from '../../db/database.js'
import { type ContentSpace, internalTables } from '../../db/tables.js'
import { authorId } from '../body-parts.js'
import { type Crud, crud } from '../crud.js'
import { label, slug } from '../text.js'
import type { ContentEvents } from './events.js'
import { invalidatePublicPage } from './public-snapshot.js'

export const RouteCreate = z.object({
  slug,
  title: label(1024),
  status: z.int32().default(1),
  author_id: authorId,
})
export const RouteUpdate = z.object({
  slug: slug.optional(),
  title: label(1024).optional(),
  status: z.int32().optional(),
  author_id: authorId,
})

export type RouteService = Crud<ContentSpace['routes']>

/** Addresses of pages. A page shows its route's slug and title, so a changed route is a changed page. */
export function routes(
  db: Database,
  space: ContentSpace,
  { events }: { events: ContentEvents },
): RouteService {
  const plain = crud(db, space.routes)
  return {
    ...plain,
    update: (actor, id, patch, check) =>
      db.write(actor, async tx => {
        const root = await tx.find(space.contentData, { route_id: id })
        if (root) await invalidatePublicPage(tx, space, root.root_id)
        const { before, after } = await tx.update(space.routes, id, patch, check)
        // Stored under the slug that was.
        if (before.slug !== after.slug)
          await tx.deleteAllInternal(internalTables.renderedPages, 'route_id', [id])
        if (root && (before.slug !== after.slug || before.title !== after.title))
          await events.updated(tx, actor, root, async () => ({
            ids: [root.content_data_id],
            slugs: [before.slug],
          }))
        return after
      }),
  }
}
