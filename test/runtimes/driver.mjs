// The SQLite driver of the product has one build for each runtime; this one has a build for all.
import { createRequire, registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const path = createRequire(join(process.env.SQLITE_DRIVER_FOLDER, 'package.json')).resolve('better-sqlite3')

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'better-sqlite3'
      ? { url: pathToFileURL(path).href, format: 'commonjs', shortCircuit: true }
      : next(specifier, context),
})
