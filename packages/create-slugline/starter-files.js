// How the examples of the repository become starters. Not in the published package, which has them as templates.
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { starters } from './starters.js'

const examples = new URL('../../examples/', import.meta.url)
const read = path => JSON.parse(readFileSync(new URL(path, examples), 'utf8'))

/** The packages of this repository that an example links, as `[name, folder]`. */
export const linked = name =>
  Object.entries(read(`${name}/package.json`).dependencies)
    .filter(([, at]) => at.startsWith('file:'))
    .map(([dependency, at]) => [dependency, at.slice('file:'.length)])

/**
 * Writes the files of a starter.
 * @param to its folder, which exists
 * @param places where npm finds each linked package: `{ '@slugline/client': { version, spec, resolved } }`
 */
export function copyStarter(name, to, places) {
  const { ignored, rebuilds } = starters[name]
  const from = fileURLToPath(new URL(name, examples))
  const left = ['node_modules', 'README.md', ...ignored].map(path => `${from}/${path}`)
  cpSync(from, to, { recursive: true, filter: path => !left.includes(path) })
  const shared = ['seed.mjs', ...(rebuilds ? ['rebuild.mjs', 'receiver.mjs'] : [])]
  for (const file of shared) cpSync(new URL(`eleventy/${file}`, examples), `${to}/${file}`)
  const own = read(`${name}/package.json`)
  const lock = read(`${name}/package-lock.json`)
  for (const [dependency, at] of linked(name)) {
    const { version, spec, resolved } = places[dependency]
    own.dependencies[dependency] = spec
    lock.packages[''].dependencies[dependency] = spec
    delete lock.packages[at]
    lock.packages[`node_modules/${dependency}`] = { version, ...(resolved && { resolved }) }
  }
  for (const [file, content] of [
    ['package.json', own],
    ['package-lock.json', lock],
  ])
    writeFileSync(`${to}/${file}`, `${JSON.stringify(content, null, 2)}\n`)
}
