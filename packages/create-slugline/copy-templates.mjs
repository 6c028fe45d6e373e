// Copies the starters of the repository into the package, before it is packed.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { starters } from './starters.js'

const examples = new URL('../../examples/', import.meta.url)
const templates = new URL('templates/', import.meta.url)
const read = (file, base) => JSON.parse(readFileSync(new URL(file, base), 'utf8'))
const { version } = read('package.json', import.meta.url)

/** Packages of this repository are links in it, and have its version elsewhere. */
function published(name) {
  const own = read(`${name}/package.json`, examples)
  const lock = read(`${name}/package-lock.json`, examples)
  for (const [dependency, at] of Object.entries(own.dependencies)) {
    if (!at.startsWith('file:')) continue
    own.dependencies[dependency] = version
    lock.packages[''].dependencies[dependency] = version
    delete lock.packages[at.slice('file:'.length)]
    lock.packages[`node_modules/${dependency}`] = { version }
  }
  return { 'package.json': own, 'package-lock.json': lock }
}

rmSync(templates, { recursive: true, force: true })
for (const [name, { ignored, rebuilds }] of Object.entries(starters)) {
  const from = new URL(name, examples).pathname
  const to = new URL(`${name}/`, templates)
  mkdirSync(to, { recursive: true })
  const left = ['node_modules', 'README.md', ...ignored].map(path => `${from}/${path}`)
  cpSync(from, to, { recursive: true, filter: path => !left.includes(path) })
  const shared = ['seed.mjs', ...(rebuilds ? ['rebuild.mjs', 'receiver.mjs'] : [])]
  for (const file of shared) cpSync(new URL(`eleventy/${file}`, examples), new URL(file, to))
  for (const [file, content] of Object.entries(published(name)))
    writeFileSync(new URL(file, to), `${JSON.stringify(content, null, 2)}\n`)
}
