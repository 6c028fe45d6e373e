import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/sequencer.js'

const engines = (process.env.TEST_ENGINES ?? 'sqlite').split(',')

/**
 * What needs a browser, an authority, a proxy or packages from the registry, or a minute of waiting: `npm run test:all`
 * runs it (docs/decisions.md, D-732).
 */
const onlyWithAll = [
  'test/compat/sanity-live-browser.test.ts',
  'test/faults/services-away.test.ts',
  'test/operation/{acme,install,proxies,runtimes}.test.ts',
  'test/panel/!(overview|resource|resources|staged).test.ts',
  'test/whole/{example-site,openapi-tools}.test.ts',
]

/** A file or folder that is named on the command line runs in any case. */
const isAll = process.env.TEST_ALL !== undefined || process.argv.some(arg => arg.startsWith('test/'))

/** What is not about a server runs once. */
const withoutServer = [
  'test/db/pieces.test.ts',
  'test/services/**',
  'test/panel/**',
  'test/compat/sanity-live-browser.test.ts',
  'test/node/**',
  'test/whole/{compile,example-site,lint,openapi-tools,security-doc}.test.ts',
  'test/faults/services-away.test.ts',
  'test/operation/{install,proxies,runtimes}.test.ts',
  'test/ssh/{crowd,fuzz,hostile,sftp,start,streams,tmux}.test.ts',
  'test/attacks/{blocked-output,descriptors,full-disk,private-files,stop-under-load}.test.ts',
]

export default defineConfig({
  test: {
    pool: 'forks',
    // The product is loaded once by each worker, not once for each file: a file leaves nothing behind in it.
    isolate: false,
    // More than there are usually processors: much of the time is spent waiting for a started product or a server.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // Only what hangs reaches these: a busy machine makes nothing fail.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    projects: engines.map((engine, i) => ({
      extends: true as const,
      test: {
        name: engine,
        globalSetup: ['test/support/templates.ts'],
        include: ['test/**/*.test.ts'],
        exclude: [...(isAll ? [] : onlyWithAll), ...(i === 0 ? [] : withoutServer)],
        env: {
          TEST_ENGINE: engine,
          // Once is enough for what repeats itself, and none of it is about an engine.
          TEST_THOROUGH: i === 0 ? (process.env.TEST_THOROUGH ?? '') : '',
          AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
        },
      },
    })),
  },
})
