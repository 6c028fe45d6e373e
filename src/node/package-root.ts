import { existsSync } from 'node:fs'

/** The folder of the package that this file belongs to, built or not: the nearest with a `package.json`. */
export const packageRoot = (() => {
  let folder = new URL('.', import.meta.url)
  while (!existsSync(new URL('package.json', folder))) folder = new URL('..', folder)
  return folder
})()
