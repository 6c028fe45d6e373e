import { readFileSync } from 'node:fs'

/** Of the package that this file belongs to, built or not. */
const packageFile = new URL(
  import.meta.url.includes('/dist/') ? '../../../package.json' : '../../package.json',
  import.meta.url,
)

export const version: string = JSON.parse(readFileSync(packageFile, 'utf8')).version
