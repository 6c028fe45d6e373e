import type { PageVersion } from '../../db/queries/page-version.js'
import type { Book } from '../../db/queries/trees.js'
import type { RenderedPage } from './rendered-page.js'

export interface CacheEntry extends RenderedPage, PageVersion {
  /** What it was made of. */
  readonly book: Book
  /** The `externalChanges` under which it was last known to be current. */
  externalVersion: number
  readonly bytes: number
  /** Since it last stood first in line to go. */
  used: boolean
}

const treeKey = (book: Book, root: string): string => `${book} ${root}`

/** Rendered pages in memory, under a byte limit; those that nobody asked for again go first. */
export class PageCache {
  private readonly entries = new Map<string, CacheEntry>()
  private readonly keysOfTree = new Map<string, Set<string>>()
  private readonly linkedKeys = { public: new Set<string>(), working: new Set<string>() }
  private bytes = 0

  constructor(private readonly maxBytes: number) {}

  get(key: string): CacheEntry | undefined {
    const entry = this.entries.get(key)
    if (entry) entry.used = true
    return entry
  }

  set(key: string, entry: CacheEntry): void {
    this.drop(key)
    if (entry.bytes > this.maxBytes) return
    this.entries.set(key, entry)
    this.bytes += entry.bytes
    // It shows entries of other trees, so a change of any of them concerns it.
    if (entry.content_version !== null) this.linkedKeys[entry.book].add(key)
    const tree = treeKey(entry.book, entry.root_id)
    const keys = this.keysOfTree.get(tree)
    if (keys) keys.add(key)
    else this.keysOfTree.set(tree, new Set([key]))
    this.makeRoom()
  }

  dropTree(book: Book, root: string): void {
    for (const key of [...(this.keysOfTree.get(treeKey(book, root)) ?? [])]) this.drop(key)
  }

  /** Drops pages that show entries of other trees. */
  dropLinked(book: Book): void {
    for (const key of [...this.linkedKeys[book]]) this.drop(key)
  }

  dropAll(): void {
    this.linkedKeys.public.clear()
    this.linkedKeys.working.clear()
    this.entries.clear()
    this.keysOfTree.clear()
    this.bytes = 0
  }

  private makeRoom(): void {
    for (const [oldest, candidate] of this.entries) {
      if (this.bytes <= this.maxBytes) break
      if (!candidate.used) this.drop(oldest)
      else {
        // Used since it last stood in front: it goes to the end once more.
        candidate.used = false
        this.entries.delete(oldest)
        this.entries.set(oldest, candidate)
      }
    }
  }

  private drop(key: string): void {
    const entry = this.entries.get(key)
    if (!entry) return
    this.entries.delete(key)
    this.bytes -= entry.bytes
    this.linkedKeys[entry.book].delete(key)
    const tree = treeKey(entry.book, entry.root_id)
    const keys = this.keysOfTree.get(tree)
    keys?.delete(key)
    if (keys?.size === 0) this.keysOfTree.delete(tree)
  }
}
