import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PanelFile, PanelFiles } from '../ports.js'
import { packageRoot } from './package-root.js'

const folder = fileURLToPath(new URL('dist/panel/', packageRoot))
const codings = { br: '.br', gzip: '.gz' } as const

async function fileAt(path: string, names: ReadonlySet<string>, name: string): Promise<PanelFile> {
  const bytesOf = async (file: string) => Uint8Array.from(await readFile(join(path, file)))
  const bytes = await bytesOf(name)
  const encoded = new Map<keyof typeof codings, Uint8Array<ArrayBuffer>>()
  for (const coding of ['br', 'gzip'] as const)
    if (names.has(name + codings[coding])) encoded.set(coding, await bytesOf(name + codings[coding]))
  return { bytes, encoded, hash: createHash('sha256').update(bytes).digest('hex') }
}

export const panelFiles: PanelFiles = {
  async read() {
    if (!existsSync(folder)) throw new Error('the panel is not built: run npm run build')
    const names = new Set(await readdir(folder))
    const own = [...names].filter(name => !name.endsWith('.br') && !name.endsWith('.gz'))
    return new Map(
      await Promise.all(own.map(async name => [name, await fileAt(folder, names, name)] as const)),
    )
  },
}
