import type { Actor } from '../actor.js'
import type { Services } from '../services/index.js'
import { optimised } from '../services/media/variants.js'

export interface Progress {
  readonly done: number
  readonly total: number
  readonly failed: readonly string[]
}

/** Generates the variants of all images of both spaces again, one after the other; a failure does not stop the rest. */
export async function* regenerateMedia(
  spaces: readonly Pick<Services['media'], 'items'>[],
  actor: Actor,
): AsyncGenerator<Progress> {
  let [done, total] = [0, 0]
  const failed: string[] = []
  for (const { items } of spaces) total += await items.count({ type: 'image' })
  yield { done, total, failed }
  for (const { items } of spaces)
    for await (const some of items.list({ type: 'image' }, {}))
      for (const { media_id, name, mimetype } of some) {
        if (optimised.has(mimetype))
          await items
            .regenerate(actor, media_id)
            .catch(error => failed.push(`${media_id} ${name}: ${error.message}`))
        done++
        yield { done, total, failed }
      }
}

const barWidth = 30

/** Returns one line with the progress, such as `[#####     ] 5/10, 1 failed`. */
export function progressBar({ done, total, failed }: Progress): string {
  const full = total === 0 ? barWidth : Math.floor((done / total) * barWidth)
  const bar = '#'.repeat(full).padEnd(barWidth)
  return `[${bar}] ${done}/${total}${failed.length > 0 ? `, ${failed.length} failed` : ''}`
}
