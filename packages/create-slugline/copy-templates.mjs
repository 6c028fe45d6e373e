// Copies the starters of the repository into the package, before it is packed.
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { copyStarter, linked } from './starter-files.js'
import { starters } from './starters.js'

const templates = fileURLToPath(new URL('templates/', import.meta.url))
const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'))

rmSync(templates, { recursive: true, force: true })
for (const name of Object.keys(starters)) {
  const to = `${templates}${name}`
  mkdirSync(to, { recursive: true })
  copyStarter(name, to, Object.fromEntries(linked(name).map(([one]) => [one, { version, spec: version }])))
}
