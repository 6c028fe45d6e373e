// Copies the starters of the repository into the package, before it is packed.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

const examples = new URL('../../examples/', import.meta.url)
const templates = new URL('templates/', import.meta.url)
const left = /(^|\/)(node_modules|dist|_site|\.astro|\.next|README\.md|package-lock\.json|seed\.mjs)$/

rmSync(templates, { recursive: true, force: true })
for (const name of ['astro', 'eleventy', 'next']) {
  const from = new URL(name, examples).pathname
  const to = new URL(name, templates)
  mkdirSync(to, { recursive: true })
  // Files of Astro end in .astro, and so does the name of its folder for generated ones.
  cpSync(from, to, { recursive: true, filter: path => !left.test(path.slice(from.length)) })
  cpSync(new URL('eleventy/seed.mjs', examples), new URL(`${name}/seed.mjs`, templates))
  // Packages of this repository are links in it, and have its version elsewhere.
  const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'))
  const own = JSON.parse(readFileSync(new URL(`${name}/package.json`, examples), 'utf8'))
  for (const [dependency, at] of Object.entries(own.dependencies))
    if (at.startsWith('file:')) own.dependencies[dependency] = version
  writeFileSync(new URL(`${name}/package.json`, templates), `${JSON.stringify(own, null, 2)}\n`)
}
