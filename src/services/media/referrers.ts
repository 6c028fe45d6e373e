import type { Database } from '../../db/database.js'
import { mediaReferences, publicMediaReferences } from '../../db/queries/media.js'
import type { MediaReference } from '../../db/queries/media-reference.js'
import { publishedMediaReferences } from '../../db/queries/published.js'
import type { ContentSpace } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { conflict } from '../../errors.js'
import { invalidatePublicPage } from '../content/public-state.js'

const maxNamedEntries = 20

/** The entries whose field values name a media item. */
export class MediaReferrers {
  private readonly values: ReturnType<typeof mediaReferences>
  private readonly seen: ReturnType<typeof publicMediaReferences>

  constructor(private readonly space: ContentSpace) {
    this.values = mediaReferences(space)
    this.seen = publicMediaReferences(space)
  }

  /**
   * The field values that name it.
   * @param ofPublic only of what the public sees, with values of locales or without
   */
  list(
    db: Database,
    mediaId: string,
    ofPublic: false | { localized: boolean } = false,
  ): Promise<MediaReference[]> {
    const query = ofPublic ? publishedMediaReferences(this.space, ofPublic.localized) : this.values
    return db.query(query, { media: mediaId })
  }

  /**
   * Pages that show the item are built again, also those with unpublished changes of their own.
   * @returns the entries that name it
   */
  async touch(tx: Writer, mediaId: string): Promise<string[]> {
    const named = { media: mediaId }
    const found = [...(await tx.query(this.values, named)), ...(await tx.query(this.seen, named))]
    for (const root of [...new Set(found.map(({ root_id }) => root_id))].sort())
      await invalidatePublicPage(tx, this.space, root)
    return [...new Set(found.map(({ content_data_id }) => content_data_id))]
  }
}

export function stillUsedBy(entries: readonly string[]) {
  const named = entries.slice(0, maxNamedEntries).join(', ')
  const more = entries.length > maxNamedEntries ? ` and ${entries.length - maxNamedEntries} more` : ''
  return conflict(`still used by content ${named}${more}; use force=true to delete it anyway`)
}
