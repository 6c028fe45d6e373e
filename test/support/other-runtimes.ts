import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { installedPackages } from './installed.js'
import type { Start } from './process.js'

/** The product in another runtime than Node. */
type OtherStart = Required<Pick<Start, 'runtime' | 'flags' | 'program'>>

export const otherRuntimes = {
  deno: {
    path: '@deno/linux-x64-glibc/deno',
    flags: ['run', '--allow-all', '--no-config', '--node-modules-dir=manual'],
  },
  bun: { path: '@oven/bun-linux-x64/bin/bun', flags: [] },
} as const satisfies Record<string, { path: string; flags: readonly string[] }>

export type OtherRuntime = keyof typeof otherRuntimes

/**
 * Copies the built product to a folder where these runtimes find a driver that they can load: npm leaves it out on
 * Node 20. Other packages are those of the project, above that folder.
 * @returns how to start the copy, and what removes it
 */
export async function productIn(name: OtherRuntime): Promise<{ start: OtherStart; remove(): void }> {
  const { path, flags } = otherRuntimes[name]
  const at = await installedPackages('test/client-runtimes', 'client-runtimes')
  const folder = mkdtempSync(join(at, 'product-'))
  cpSync('dist', join(folder, 'dist'), { recursive: true, filter: file => !file.endsWith('.map') })
  cpSync('package.json', join(folder, 'package.json'))
  return {
    start: { runtime: join(at, 'node_modules', path), flags, program: join(folder, 'dist/cli.js') },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
