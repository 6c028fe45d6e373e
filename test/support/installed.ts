import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Installs the packages of a folder's `package-lock.json`, once beside the project's own and without their scripts.
 * @returns the folder that has them in `node_modules`
 */
export async function installedPackages(folder: string, name: string): Promise<string> {
  const lock = readFileSync(join(folder, 'package-lock.json'))
  const hash = createHash('sha256').update(lock).digest('hex').slice(0, 16)
  const at = resolve('node_modules/.cache', `${name}-${hash}`)
  if (existsSync(join(at, 'installed'))) return at
  rmSync(at, { recursive: true, force: true })
  mkdirSync(at, { recursive: true })
  for (const file of ['package.json', 'package-lock.json']) cpSync(join(folder, file), join(at, file))
  await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: at })
  writeFileSync(join(at, 'installed'), '')
  return at
}
