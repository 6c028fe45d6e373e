import { expect, it } from 'vitest'
import { installationProblem } from '../../src/node/installed.js'

const failure = (message: string, code?: string) => Object.assign(new Error(message), code && { code })
const here = process.versions.node

it.each([
  [
    'another version of Node',
    failure(
      "The module '/srv/node_modules/better-sqlite3/build/Release/better_sqlite3.node'\nwas compiled against a different Node.js version using\nNODE_MODULE_VERSION 115. This version of Node.js requires\nNODE_MODULE_VERSION 137. Please try re-compiling or re-installing\n",
      'ERR_DLOPEN_FAILED',
    ),
    `better-sqlite3 was installed for Node 20, and this is Node ${here}: run npm rebuild`,
  ],
  [
    'a version that nobody knows yet',
    failure(
      "The module '/srv/node_modules/a/b.node' was compiled using NODE_MODULE_VERSION 999. This requires NODE_MODULE_VERSION 137.",
    ),
    `a was installed for Node with modules of version 999, and this is Node ${here}: run npm rebuild`,
  ],
  [
    'another system',
    failure('/srv/node_modules/better-sqlite3/build/a.node: invalid ELF header', 'ERR_DLOPEN_FAILED'),
    'better-sqlite3 was installed without a part that runs here: run npm rebuild',
  ],
  [
    'packages that were installed without their scripts',
    failure('Could not locate the bindings file. Tried:\n → /srv/node_modules/better-sqlite3/build/a.node'),
    'better-sqlite3 was installed without a part that runs here: run npm rebuild',
  ],
  [
    'pictures',
    failure('Could not load the "sharp" module using the linux-x64 runtime\nPossible solutions: …'),
    'sharp was installed without a part that runs here: run npm rebuild',
  ],
  [
    'passwords, as a cause of something else',
    new Error('the password could not be hashed', {
      cause: failure('Failed to load native binding of /srv/node_modules/@node-rs/argon2/index.js'),
    }),
    '@node-rs/argon2 was installed without a part that runs here: run npm rebuild',
  ],
])('names the package and what to do: %s', (_, error, sentence) =>
  expect(installationProblem(error)).toBe(sentence),
)

it('says nothing of another error', () => {
  expect(installationProblem(failure('SQLITE_CANTOPEN'))).toBeUndefined()
  expect(installationProblem('a text')).toBeUndefined()
})
