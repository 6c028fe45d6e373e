import { baseNow } from './base.js'

/** Says in a question which records a deletion includes and whether it can be undone; after an error the words stay. */
export async function sayRemoval(words: Element, ids: string): Promise<void> {
  try {
    const answer = await fetch(`${baseNow()}/content-removal?ids=${encodeURIComponent(ids)}`)
    if (answer.ok) words.textContent = ((await answer.json()) as { words: string }).words
  } catch {
    // No connection.: the deletion will report it too.
  }
}
