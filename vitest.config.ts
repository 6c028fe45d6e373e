import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/sequencer.js'

const engines = (process.env.TEST_ENGINES ?? 'sqlite').split(',')

export default defineConfig({
  test: {
    pool: 'forks',
    // The product is loaded once by each worker, not once for each file: a file leaves nothing behind in it.
    isolate: false,
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    // Only what hangs reaches these: a busy machine makes nothing fail.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    projects: engines.map((engine, i) => ({
      extends: true as const,
      test: {
        name: engine,
        globalSetup: ['test/support/templates.ts'],
        include: ['test/**/*.test.ts'],
        // What needs no database runs once.
        exclude:
          i === 0
            ? []
            : [
                'test/services/**',
                'test/node/**',
                'test/whole/{compile,lint,openapi-tools,security-doc}.test.ts',
                'test/attacks/{blocked-output,descriptors,full-disk,private-files,stop-under-load}.test.ts',
              ],
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
