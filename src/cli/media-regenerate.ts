import { type SiteCommand, show } from './command.js'
import { type Progress, progressBar, regenerateMedia } from './media.js'
import { progressLine } from './progress.js'
import { complain } from './terminal.js'

/** Generates the variants of all images again. @returns 1 if one fails */
export const mediaRegenerate: SiteCommand['work'] = async ({ media, adminMedia }, actor, io, options) => {
  const line = progressLine(io)
  let last: Progress = { done: 0, total: 0, failed: [] }
  for await (const progress of regenerateMedia([media, adminMedia], actor)) {
    last = progress
    const { done, total, failed } = progress
    const of = failed.length > 0 ? `images, ${failed.length} failed,` : 'images'
    line.draw({ doing: 'regenerate', of, done, total })
  }
  line.end()
  show(io, options, last, progressBar(last))
  for (const line of last.failed) complain(io, line)
  return last.failed.length > 0 ? 1 : 0
}
