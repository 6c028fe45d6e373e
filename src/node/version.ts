import { readFileSync } from 'node:fs'
import { packageRoot } from './package-root.js'

export const version: string = JSON.parse(readFileSync(new URL('package.json', packageRoot), 'utf8')).version
