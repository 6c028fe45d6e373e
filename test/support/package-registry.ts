import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { freePort } from './process.js'
import { whenDone } from './when-done.js'

/** Packs packages of this repository into a folder. @returns the archive of each, by its name */
export function packed(folder: string, names: readonly string[]): Record<string, string> {
  const output = execFileSync(
    'npm',
    ['pack', '--json', '--pack-destination', folder, ...names.map(name => `./packages/${name}`)],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
  )
  // npm prints what `prepack` prints before the JSON.
  const all: { name: string; filename: string }[] = JSON.parse(output.slice(output.indexOf('[\n')))
  return Object.fromEntries(all.map(({ name, filename }) => [name, join(folder, filename)]))
}

/**
 * A registry with archives of the scope `@slugline`, as if they were published.
 * @returns the environment in which npm takes them from it, and all others from its own registry
 */
export async function packageRegistry(archives: Record<string, string>): Promise<Record<string, string>> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const registry = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '')
    const name = path.replace(/^\//, '').replace(/\.tgz$/, '')
    const archive = archives[name]
    if (archive === undefined) return void response.writeHead(404).end('{}')
    const bytes = readFileSync(archive)
    if (path.endsWith('.tgz')) return void response.end(bytes)
    const own = JSON.parse(
      readFileSync(join('packages', name.replace('@slugline/', ''), 'package.json'), 'utf8'),
    )
    const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
    const dist = { tarball: `${url}/${name}.tgz`, integrity }
    response.setHeader('Content-Type', 'application/json')
    response.end(
      JSON.stringify({
        ...{ name, 'dist-tags': { latest: own.version } },
        versions: { [own.version]: { ...own, dist } },
      }),
    )
  })
  await new Promise<void>(done => registry.listen(port, '127.0.0.1', done))
  whenDone(() => new Promise(done => registry.close(done)))
  return { 'npm_config_@slugline:registry': url }
}
