import type { Bytes } from '../../db/columns.js'
import type { MadeOf } from '../../db/queries/page.js'

export interface Answer {
  /** UTF-8. */
  readonly body: Bytes
  /** Strong: it changes with every byte of the body. */
  readonly etag: string
  /** Ids of its route and its root entry, by which a cache can be told to drop it. */
  readonly tags: string
}

export interface Cached extends Answer, MadeOf {
  /** The `externalChanges` under which it was last known to be good. */
  foreign: number
  readonly bytes: number
  used: boolean
}

/** Finished pages under a byte limit; those that nobody asked for again go first. */
export function pageMemory(limit: number) {
  const entries = new Map<string, Cached>()
  const keysOfTree = new Map<string, Set<string>>()
  const linkedKeys = new Set<string>()
  let bytes = 0

  function drop(key: string): void {
    const entry = entries.get(key)
    if (!entry) return
    entries.delete(key)
    bytes -= entry.bytes
    linkedKeys.delete(key)
    const keys = keysOfTree.get(entry.root_id)
    keys?.delete(key)
    if (keys?.size === 0) keysOfTree.delete(entry.root_id)
  }

  return {
    get(key: string): Cached | undefined {
      const entry = entries.get(key)
      if (entry) entry.used = true
      return entry
    },
    set(key: string, entry: Cached): void {
      drop(key)
      if (entry.bytes > limit) return
      entries.set(key, entry)
      bytes += entry.bytes
      // It shows entries of other trees, so a change of any of them concerns it.
      if (entry.content_version !== null) linkedKeys.add(key)
      const keys = keysOfTree.get(entry.root_id)
      if (keys) keys.add(key)
      else keysOfTree.set(entry.root_id, new Set([key]))
      for (const [oldest, candidate] of entries) {
        if (bytes <= limit) break
        if (!candidate.used) drop(oldest)
        else {
          // Used since it last stood in front: it goes to the end once more.
          candidate.used = false
          entries.delete(oldest)
          entries.set(oldest, candidate)
        }
      }
    },
    dropTree(root: string): void {
      for (const key of [...(keysOfTree.get(root) ?? [])]) drop(key)
    },
    dropLinked(): void {
      for (const key of [...linkedKeys]) drop(key)
    },
    clear(): void {
      linkedKeys.clear()
      entries.clear()
      keysOfTree.clear()
      bytes = 0
    },
  }
}
