// Makes dist from the sources: the program in a few files, because a start that reads four hundred takes a third longer.
// What a start does not need (the panel, the terminal, other systems' addresses, commands) stays in files of its own.
import { spawnSync } from 'node:child_process'
import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { build } from 'esbuild'
import sharp from 'sharp'

/** What bench and tests use of the program in a process of their own. */
const inside = [
  'migrations/index',
  'src/actor',
  'src/app',
  'src/config',
  'src/db/connect',
  'src/db/migrate',
  'src/db/restore',
  'src/db/tables',
  'src/node/ports',
  'src/server',
  'src/services/delivery/page-request',
  'src/systems/contentful/rich-text',
  'src/services/delivery/rich-text/html',
  'src/systems/sanity/rich-text',
  'src/services/operation/archive-check',
  'src/ssh/interactive',
]

const root = import.meta.dirname

await rm(`${root}/dist`, { recursive: true, force: true })
await build({
  absWorkingDir: root,
  entryPoints: [
    'cli.ts',
    'src/computing/process.ts',
    'src/cli/import-process.ts',
    'src/db/dialects/sqlite-thread.ts',
    ...inside.map(name => `${name}.ts`),
  ],
  outdir: 'dist',
  outbase: '.',
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  logLevel: 'warning',
})
await chmod(`${root}/dist/cli.js`, 0o755)
await mkdir(`${root}/dist/man`, { recursive: true })
const manual = spawnSync(process.execPath, [`${root}/dist/cli.js`, 'help', '--man'], { encoding: 'utf8' })
if (manual.status !== 0) throw new Error(manual.stderr)
await writeFile(`${root}/dist/man/slugline.1`, manual.stdout)
await import('./src/panel/browser/build.mjs')

/** The pictures of the sample site: the service decodes no SVG, so they become WebP here. */
const drawings = `${root}/src/cli/sample`
await mkdir(`${root}/dist/sample`)
await Promise.all(
  (await readdir(drawings)).map(name =>
    sharp(`${drawings}/${name}`)
      .webp({ quality: 80, effort: 2 })
      .toFile(`${root}/dist/sample/${name.replace('.svg', '.webp')}`),
  ),
)
