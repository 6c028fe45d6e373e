import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../app.js'
import { parseConfig } from '../config.js'
import { loadConfig } from '../node/config-file.js'
import { createLog, nodePorts } from '../node/ports.js'
import { version } from '../node/version.js'
import { openApiDocument } from '../routes/openapi/document.js'
import { open } from '../server.js'
import type { LocalCommand } from './command.js'

/** Writes the OpenAPI document. Declaring the API needs a database; an empty one is enough. */
export const openapi: LocalCommand['run'] = async (terminal, options) => {
  const { config } = loadConfig(options.config, terminal.variables)
  const folder = mkdtempSync(join(tmpdir(), 'slugline-openapi-'))
  try {
    const ports = nodePorts(createLog('silent'))
    const empty = parseConfig({ db_url: join(folder, 'empty.db') }, {}).config
    const opened = await open({ config: empty, ports, variables: {} })
    const { declarations } = createApp({ ...opened, ports, version })
    await opened.db.close()
    const document = openApiDocument(declarations, { version, cookieName: config.cookie_name })
    terminal.write(`${JSON.stringify(document, null, 2)}\n`)
    return 0
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
