import { defineConfig } from 'vitest/config'

const engines = (process.env.TEST_ENGINES ?? 'sqlite').split(',')

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: engines.map((engine, i) => ({
      extends: true as const,
      test: {
        name: engine,
        include: ['test/**/*.test.ts'],
        // What needs no database runs once.
        exclude: i === 0 ? [] : ['test/services/**', 'test/node/**', 'test/whole/compile.test.ts'],
        env: { TEST_ENGINE: engine, AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
      },
    })),
  },
})
