import { createRequire } from 'node:module'

/**
 * Loads a package that is CommonJS. An `import` of one first reads its source for the names that it exports, which
 * takes longer than the package itself; what every start loads comes this way.
 */
export const commonjs = createRequire(import.meta.url)
