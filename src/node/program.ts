import { fileURLToPath, pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { commonjs } from './commonjs.js'
import { packageRoot } from './package-root.js'

const isBuilt = !import.meta.url.endsWith('.ts')
/** True if this runs from TypeScript source under Node.js, which needs tsx for it. */
const needsTsx = !isBuilt && !('bun' in process.versions)

const addressOf = (name: string) => new URL(isBuilt ? `dist/${name}.js` : `${name}.ts`, packageRoot)
const tsx = (what: string) => pathToFileURL(commonjs.resolve(what)).href.replace(/\.cjs$/, '.mjs')

/**
 * A program of ours for another process, and how it is run: from source by what runs the source here.
 * @param name its path in the package, without an ending
 */
export const programOf = (name: string): { file: string; flags: string[] } => ({
  file: fileURLToPath(addressOf(name)),
  flags: needsTsx ? ['--import', tsx('tsx')] : [],
})

/** Starts a program of ours in a thread. What the process was started with, such as `--import`, is loaded there too. */
export function threadOf(name: string, workerData: unknown): Worker {
  const file = addressOf(name)
  if (!needsTsx) return new Worker(file, { workerData })
  const start = `import('${tsx('tsx/esm/api')}').then(({ register }) => { register(); return import('${file}') })`
  return new Worker(new URL(`data:text/javascript,${encodeURIComponent(start)}`), { workerData })
}
