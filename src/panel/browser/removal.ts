import { baseNow } from './base.js'

/** Says in a question what a deletion takes along and whether it can be undone; otherwise the words there stay. */
export async function sayRemoval(words: Element, ids: string): Promise<void> {
  try {
    const answer = await fetch(`${baseNow()}/content-removal?ids=${encodeURIComponent(ids)}`)
    if (answer.ok) words.textContent = ((await answer.json()) as { words: string }).words
  } catch {
    // No connection: the deletion will say so too.
  }
}
