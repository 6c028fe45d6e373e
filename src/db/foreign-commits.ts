import type { Log } from '../ports.js'
import type { Reader } from './reader.js'
import { internalTables } from './tables.js'
import { type Versions, versionsOf } from './versions.js'
import type { Commit } from './writer.js'

/** After more changes than these, everything may have changed. */
const maxChanges = 500

/** The changes that other processes have committed. */
export type ForeignCommits = Pick<Commit, 'trees' | 'shown' | 'isPublic' | 'allPages'>

const { contentChanges } = internalTables
const everything: ForeignCommits = { trees: new Set(), shown: new Set(), isPublic: true, allPages: true }

/**
 * Reads what other processes have committed as soon as that is noticed. So memory never has what somebody has taken
 * back, also when the database does not answer afterwards (docs/decisions/038-caching.md).
 */
export class FollowedCommits {
  private known: Versions | undefined
  private isBehind = true
  private following: Promise<void> | undefined
  private followed: number | undefined

  private readonly listeners: ((commits: ForeignCommits) => void)[] = []

  constructor(
    private readonly read: Reader,
    private readonly log: Log,
  ) {}

  /** Calls `listener` with the changes; with everything if they are not known. */
  onCommits(listener: (commits: ForeignCommits) => void): void {
    this.listeners.push(listener)
  }

  /** The seconds since everything that others had committed was known here; undefined where it never was. */
  secondsBehind(): number | undefined {
    return this.followed === undefined ? undefined : (performance.now() - this.followed) / 1000
  }

  /** Reads where to begin. What is kept from here on is followed; what was kept before is dropped without it. */
  async begin(): Promise<void> {
    this.known = await versionsOf(this.read)
  }

  noticed(): void {
    this.isBehind = true
    this.following ??= this.follow()
      .catch(error => this.log.warn({ err: error }, 'changes of other processes could not be read'))
      .finally(() => {
        this.following = undefined
      })
  }

  /** @param askedAt when the database was asked whether there is anything new */
  confirmed(askedAt: number): void {
    if (this.isBehind) this.noticed()
    else this.followed = askedAt
  }

  private async follow(): Promise<void> {
    while (this.isBehind) {
      this.isBehind = false
      const from = performance.now()
      try {
        const commits = await this.newCommits()
        for (const listener of this.listeners) listener(commits)
      } catch (error) {
        this.isBehind = true
        throw error
      }
      this.followed = from
    }
  }

  private async newCommits(): Promise<ForeignCommits> {
    const now = await versionsOf(this.read)
    const { known } = this
    const count = known ? now.content - known.content : Number.POSITIVE_INFINITY
    const isWhole = known?.schema === now.schema && count >= 0 && count <= maxChanges
    const found =
      known && isWhole && count > 0
        ? await this.read.findAll(contentChanges, {}, { after: String(known.content), limit: maxChanges })
        : []
    const changes = found.filter(({ change_id }) => change_id <= now.content)
    this.known = now
    if (!isWhole || changes.length < count || changes.some(({ all_pages }) => all_pages)) return everything
    return {
      trees: new Set(changes.flatMap(({ trees }) => trees)),
      shown: new Set(changes.flatMap(({ public_trees }) => public_trees)),
      isPublic: now.shown !== known?.shown,
      allPages: false,
    }
  }
}
