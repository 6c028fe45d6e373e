import { type SiteCommand, show } from './command.js'
import { type Progress, progressBar, regenerateMedia } from './media.js'
import { complain } from './terminal.js'

/** Generates the variants of all images again. @returns 1 if one fails */
export const mediaRegenerate: SiteCommand['work'] = async ({ media, adminMedia }, actor, io, options) => {
  let last: Progress = { done: 0, total: 0, failed: [] }
  for await (const progress of regenerateMedia([media, adminMedia], actor)) {
    last = progress
    if (io.isInteractive) io.writeError(`\r${progressBar(progress)}`)
  }
  if (io.isInteractive) io.writeError('\n')
  show(io, options, last, progressBar(last))
  for (const line of last.failed) complain(io, line)
  return last.failed.length > 0 ? 1 : 0
}
