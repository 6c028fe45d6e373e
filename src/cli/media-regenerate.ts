import { loadConfig } from '../node/config-file.js'
import { createLog, nodePorts } from '../node/ports.js'
import { open } from '../server.js'
import { type Progress, progressBar, regenerateMedia } from './media.js'
import { complain, say, showAdministrator, type Terminal } from './terminal.js'

/** Makes the variants of all images again. @returns 1 when one could not be made */
export async function mediaRegenerate(terminal: Terminal, options: { config?: string }): Promise<number> {
  const { config, path } = loadConfig(options.config, terminal.variables)
  const { db, services } = await open({
    config,
    ports: nodePorts(createLog('error'), path),
    variables: terminal.variables,
    showAdministrator: showAdministrator(terminal),
  })
  try {
    let last: Progress = { done: 0, total: 0, failed: [] }
    for await (const progress of regenerateMedia([services.media, services.adminMedia])) {
      last = progress
      if (terminal.isInteractive) terminal.write(`\r${progressBar(progress)}`)
    }
    say(terminal, terminal.isInteractive ? '' : progressBar(last))
    for (const line of last.failed) complain(terminal, line)
    return last.failed.length > 0 ? 1 : 0
  } finally {
    await services.settle()
    await db.close()
  }
}
