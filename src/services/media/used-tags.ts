import type { Database } from '../../db/database.js'
import { mediaTags } from '../../db/queries/media.js'
import type { ContentSpace } from '../../db/tables.js'
import type { Clock } from '../../ports.js'
import { folded } from './tags.js'

/** Tags are suggested from this many files, for this long, as far as this process has not changed any. */
const [taggedFiles, suggestedTags, tagsAgeMs] = [10_000, 200, 60_000]

/** The tags that are used. Those of other processes may be missing for a minute. */
export class UsedTags {
  private known: { readonly tags: readonly string[]; readonly until: number } | undefined

  constructor(
    private readonly db: Database,
    private readonly space: ContentSpace,
    private readonly clock: Clock,
  ) {}

  /** Looks anew the next time. */
  forget(): void {
    this.known = undefined
  }

  /** By name; the most used of them. */
  async list(): Promise<readonly string[]> {
    const now = this.clock.now()
    if (this.known && this.known.until > now) return this.known.tags
    const byFolded = new Map<string, { tag: string; uses: number }>()
    for (const tag of (await this.db.query(mediaTags(this.space, taggedFiles), {})).flat()) {
      const known = byFolded.get(folded(tag))
      byFolded.set(folded(tag), { tag: known?.tag ?? tag, uses: (known?.uses ?? 0) + 1 })
    }
    const tags = [...byFolded.values()]
      .sort((one, other) => other.uses - one.uses)
      .slice(0, suggestedTags)
      .map(({ tag }) => tag)
      .sort((one, other) => (folded(one) < folded(other) ? -1 : 1))
    this.known = { tags, until: now + tagsAgeMs }
    return tags
  }
}
