// Makes dist from the sources: the program in a few files, because a start that reads four hundred takes a third longer.
// What a start does not need (the panel, the terminal, other systems' addresses, commands) stays in files of its own.
import { spawnSync } from 'node:child_process'
import { chmod, copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
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

/** @returns names, versions and licences of the packages that the built files hold, as their licences demand */
async function licenses(sources) {
  const folders = sources.flatMap(path => /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [])
  const packagesOf = new Map()
  for (const folder of [...new Set(folders)].sort()) {
    const { name, version, license } = JSON.parse(await readFile(`${root}/${folder}/package.json`, 'utf8'))
    const files = (await readdir(`${root}/${folder}`)).filter(file =>
      /^(licen[cs]e|copying|notice)/i.test(file),
    )
    const own = await Promise.all(files.map(file => readFile(`${root}/${folder}/${file}`, 'utf8')))
    const text = own.map(part => part.trim()).join('\n\n')
    packagesOf.set(text, [
      ...(packagesOf.get(text) ?? []),
      `${name} ${version}${license ? ` (${license})` : ''}`,
    ])
  }
  const parts = [...packagesOf].map(([text, packages]) => `${packages.join('\n')}\n\n${text}\n`)
  return parts.join(`\n${'-'.repeat(72)}\n\n`)
}

const root = import.meta.dirname
const { dependencies, optionalDependencies } = JSON.parse(await readFile(`${root}/package.json`, 'utf8'))

await rm(`${root}/dist`, { recursive: true, force: true })
const { metafile } = await build({
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
  // A library in CommonJS that is loaded at first use has only its default export in the bundle.
  external: [...Object.keys({ ...dependencies, ...optionalDependencies }), 'cpu-features', '*.node'],
  // Names that Node supplies to the libraries in CommonJS.
  banner: {
    js: `import { createRequire as requireFor } from 'node:module'
const require = requireFor(import.meta.url), __dirname = import.meta.dirname`,
  },
  metafile: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  logLevel: 'warning',
})
await chmod(`${root}/dist/cli.js`, 0o755)
// The handler of twins runs where there is nothing of Node, so it is one file of its own.
await build({
  absWorkingDir: root,
  entryPoints: { twin: 'src/twin/handler.ts' },
  outdir: 'dist',
  bundle: true,
  minify: true,
  platform: 'neutral',
  format: 'esm',
  target: 'es2022',
  logLevel: 'warning',
})
await copyFile(`${root}/src/twin/twin.d.ts`, `${root}/dist/twin.d.ts`)
await mkdir(`${root}/dist/man`, { recursive: true })
const manual = spawnSync(process.execPath, [`${root}/dist/cli.js`, 'help', '--man'], { encoding: 'utf8' })
if (manual.status !== 0) throw new Error(manual.stderr)
await writeFile(`${root}/dist/man/slugline.1`, manual.stdout)
const { sources } = await import('./src/panel/browser/build.mjs')
await writeFile(`${root}/dist/licenses.txt`, await licenses([...Object.keys(metafile.inputs), ...sources]))

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
