import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { programPath } from './programs.js'

/** A program that serves a twin. */
export interface Edge {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
}

export interface EdgePlace {
  /** The folder of the twin. */
  readonly twin: string
  /** A folder of its own, which is created. */
  readonly folder: string
  /** Where it listens on 127.0.0.1. */
  readonly port: number
  /** The folder with the packages of `test/client-runtimes`. */
  readonly runtimes: string
  /** Where nginx finds the handler. */
  readonly handlerPort: number
}

const handlerFile = resolve('dist/twin.js')
const document = readFileSync('docs/edge.md', 'utf8')

/** Returns the example of a runtime in the documentation. @throws if there is none */
function example(title: string, language = 'js'): string {
  const from = document.indexOf(`### ${title}\n`)
  const begin = `\`\`\`${language}\n`
  const start = document.indexOf(begin, from) + begin.length
  const code = document.slice(start, document.indexOf('```', start))
  if (from < 0 || !/slugline\/twin/.test(code)) throw new Error(`docs/edge.md has no example for ${title}`)
  return code
}

function writtenExample(title: string, name: string, { twin, folder, port }: EdgePlace): void {
  const code = example(title).replace('/srv/twin', twin).replace('8080', String(port))
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, name), code)
}

/** Makes the packages known that the example imports. */
function withPackages(folder: string, ...names: string[]): void {
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  for (const name of names)
    symlinkSync(
      resolve(name === 'slugline' ? '.' : join('node_modules', name)),
      join(folder, 'node_modules', name),
    )
}

/** Writes what a program needs to serve a twin by the examples of `docs/edge.md` and `deploy/nginx-twin.conf`. */
export const edges = {
  node(place: EdgePlace): Edge {
    writtenExample('Node', 'server.mjs', place)
    withPackages(place.folder, 'slugline', '@hono')
    return { command: process.execPath, args: ['server.mjs'], cwd: place.folder }
  },
  bun(place: EdgePlace): Edge {
    writtenExample('Bun', 'server.mjs', place)
    withPackages(place.folder, 'slugline')
    const command = join(place.runtimes, 'node_modules/@oven/bun-linux-x64/bin/bun')
    return { command, args: ['run', 'server.mjs'], cwd: place.folder }
  },
  deno(place: EdgePlace): Edge {
    const { folder, runtimes } = place
    writtenExample('Deno', 'server.mjs', place)
    const file = join(folder, 'server.mjs')
    // A package of the registry, which a test does not ask.
    const imported = readFileSync(file, 'utf8').replace('npm:slugline/twin', pathToFileURL(handlerFile).href)
    writeFileSync(file, imported)
    const command = join(runtimes, 'node_modules/@deno/linux-x64-glibc/deno')
    const args = ['run', '--no-config', '--allow-net', '--allow-read', 'server.mjs']
    return { command, args, cwd: folder }
  },
  workerd(place: EdgePlace): Edge {
    const { twin, folder, port, runtimes } = place
    writtenExample('workerd', 'worker.js', place)
    mkdirSync(join(folder, 'node_modules/slugline/dist'), { recursive: true })
    writeFileSync(join(folder, 'node_modules/slugline/dist/twin.js'), readFileSync(handlerFile))
    const config = example('workerd', 'capnp')
      .replace('"/srv/twin"', JSON.stringify(twin))
      .replace('*:8080', `127.0.0.1:${port}`)
    writeFileSync(join(folder, 'config.capnp'), config)
    const command = join(runtimes, 'node_modules/@cloudflare/workerd-linux-64/bin/workerd')
    return { command, args: ['serve', 'config.capnp'], cwd: folder }
  },
  nginx({ folder, port, handlerPort }: EdgePlace): Edge {
    mkdirSync(folder, { recursive: true })
    const site = readFileSync('deploy/nginx-twin.conf', 'utf8')
      .replace('127.0.0.1:8080', `127.0.0.1:${handlerPort}`)
      .replace(/server \{\n {2}listen 80;[^}]*\}\n/, '')
      .replace('listen 443 ssl http2;', `listen 127.0.0.1:${port};`)
      .replace(/ {2}ssl_certificate.*\n/g, '')
    const own = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      name => `${name}_temp_path ${join(folder, name)};`,
    )
    const file = join(folder, 'nginx.conf')
    writeFileSync(
      file,
      `pid ${join(folder, 'pid')}; error_log stderr; daemon off; master_process off;
events {} http { access_log off; ${own.join(' ')} ${site} }`,
    )
    return { command: programPath('nginx') ?? 'nginx', args: ['-e', 'stderr', '-c', file], cwd: folder }
  },
} satisfies Record<string, (place: EdgePlace) => Edge>
