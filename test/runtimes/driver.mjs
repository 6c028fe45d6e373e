// The SQLite driver of the product has one build for each runtime; this one has a build for all.
import { createRequire, registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const path = createRequire(join(process.env.SQLITE_DRIVER_FOLDER, 'package.json')).resolve('better-sqlite3')

/** Its name, and the path of the project's own copy, which vitest has resolved already. */
const isDriver = /^better-sqlite3$|\/node_modules\/better-sqlite3\/lib\/index\.js$/

registerHooks({
  resolve: (specifier, context, next) =>
    isDriver.test(specifier)
      ? { url: pathToFileURL(path).href, format: 'commonjs', shortCircuit: true }
      : next(specifier, context),
})
