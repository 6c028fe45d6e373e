import { LRUCache } from 'lru-cache'
import type { Database } from '../../db/database.js'
import type { ForeignCommits } from '../../db/foreign-commits.js'
import type { Book } from '../../db/queries/trees.js'

/** A dependency of an item: one tree of a book, or everything that a book shows. */
export type Tag = `${Book} ${string}`
export const treeTag = (book: Book, root: string): Tag => `${book} ${root}`
export const bookTag = (book: Book): Tag => `${book} *`

interface Item {
  readonly value: unknown
  readonly bytes: number
  readonly tags: readonly Tag[]
}

/** The cache of one kind of response. */
export interface Kept<T> {
  get(key: string): T | undefined
  delete(key: string): void
  /** @param bytes what it takes; one that is larger than the whole memory is not kept */
  set(key: string, value: T, bytes: number, tags: readonly Tag[]): void
}

const overheadBytes = 600

/**
 * The cache of delivery, under one bound: rendered pages, responses, and entries as they were written. The least
 * recently used item goes first. A commit drops what it changes before its writer goes on: items by the trees that they
 * show, and items that show other entries by any change of their book. A change that the public cannot see drops
 * nothing of the public. What other processes commit drops the same, as soon as it is read.
 */
export class Answers {
  private readonly items: LRUCache<string, Item>
  private readonly keys = new Map<Tag, Set<string>>()

  /** @param maxBytes 0 caches nothing */
  constructor(
    db: Pick<Database, 'onCommit'> & { readonly foreign: Pick<Database['foreign'], 'onCommits'> },
    private readonly maxBytes: number,
  ) {
    const most = Math.max(1, maxBytes)
    this.items = new LRUCache({
      maxSize: most,
      maxEntrySize: most,
      sizeCalculation: ({ bytes }, key) => bytes + 2 * key.length + overheadBytes,
      dispose: ({ tags }, key) => this.untag(key, tags),
    })
    db.onCommit(commit => this.dropChanged(commit))
    db.foreign.onCommits(commits => this.dropChanged(commits))
  }

  /** @param prefix in front of each key, to keep the kinds apart; that of pages is empty, for the hottest path */
  of<T>(prefix: string): Kept<T> {
    return {
      get: key => this.items.get(prefix + key)?.value as T | undefined,
      delete: key => void this.items.delete(prefix + key),
      set: (key, value, bytes, tags) => this.set(prefix + key, { value, bytes, tags }),
    }
  }

  get bytes(): number {
    return this.items.calculatedSize
  }

  private set(key: string, item: Item): void {
    if (this.maxBytes === 0) return
    this.items.set(key, item)
    if (this.items.peek(key) !== item) return
    for (const tag of item.tags) {
      const keys = this.keys.get(tag)
      if (keys) keys.add(key)
      else this.keys.set(tag, new Set([key]))
    }
  }

  private untag(key: string, tags: readonly Tag[]): void {
    for (const tag of tags) {
      const keys = this.keys.get(tag)
      keys?.delete(key)
      if (keys?.size === 0) this.keys.delete(tag)
    }
  }

  private drop(tag: Tag): void {
    for (const key of [...(this.keys.get(tag) ?? [])]) this.items.delete(key)
  }

  private dropChanged({ allPages, trees, shown, isPublic }: ForeignCommits): void {
    if (allPages) {
      this.items.clear()
      return
    }
    for (const root of trees) this.drop(treeTag('working', root))
    if (trees.size > 0) this.drop(bookTag('working'))
    for (const root of shown) this.drop(treeTag('public', root))
    if (isPublic) this.drop(bookTag('public'))
  }
}
