import { readdirSync, statSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/sequencer.js'

const engines = (process.env.TEST_ENGINES ?? 'sqlite').split(',')

/**
 * Only `npm run test:all` runs these: they need a browser, a certificate authority, a proxy or packages from the
 * registry, end processes, or take long: most that need more than five seconds of a processor
 * (docs/decisions/732-test-policy.md).
 */
const onlyWithAll = [
  'test/api/{hostile-texts,imports,imports-files,media-hostile,surrogate-keys}.test.ts',
  'test/attacks/{blocked-output,descriptors,full-disk,holes,hostile-agents,hostile-groq,hostile-rich-text,hostile-shapes,private-files,stop-under-load,unread-lists}.test.ts',
  'test/compat/{random,sanity-live-browser}.test.ts',
  'test/cli/{backup,every-command,first-password,local-commands,site-commands,start-refusals,twin-follow,user-password}.test.ts',
  'test/faults/**',
  'test/import/{follow,memory}.test.ts',
  'test/operation/{acme,backup-dump,https,install,proxies,runtimes}.test.ts',
  'test/panel/!(overview|resource|resources|staged).test.ts',
  'test/services/regular-expressions.test.ts',
  'test/ssh/{crowd,lost-words,operator-screens,recording,tmux}.test.ts',
  'test/whole/{astro-site,chart,create,docs-site,drafts,example-site,examples,openapi-tools,package,quickstart,safe-by-default,starters,twin}.test.ts',
]

/** `npm test` runs only these on the database servers. */
const identity = ['test/whole/identity.test.ts']

/**
 * The tests about a database, which `npm run test:all` runs on the servers too. The others are about HTTP, terminals,
 * files, formats and words: they run once, on SQLite.
 */
const aboutDatabases = [
  'test/{db,document,faults}/**/*.test.ts',
  'test/api/!(bad-input|body-schemas|browser-apps|cache-headers|derived-names|hostile-rich-text|hostile-texts|imports|imports-files|key-limits|limits-of-reading|long-paths|media-crop|media-hostile|metrics|oauth|own-rights|publish-rights|query-entry-memory|query-memory|rate-limit|role-limits|site-files|surfaces|surrogate-keys|types|webhook-secrets|webhook-targets).test.ts',
  'test/attacks/{database-away,holes,hostile-archives,plain-secrets,unread-lists}.test.ts',
  'test/cli/{backup,start-refusals}.test.ts',
  'test/compat/{random,reads,sanity-random}.test.ts',
  'test/import/{load,wordpress}.test.ts',
  'test/operation/backup-dump.test.ts',
  'test/ssh/commands.test.ts',
  'test/whole/{clients,contract,identity,secrets,tree-edits}.test.ts',
]

/** Tests without a database, in the folders above. */
const withoutDatabase = [
  'test/db/long-reads.test.ts',
  'test/faults/{media-storage,replaced-program,services-away}.test.ts',
]

const onServers = process.env.TEST_ALL === undefined ? identity : aboutDatabases

/** A file named on the command line runs on each engine of the run; a folder runs what `npm test` has in it. */
const isNamed = process.argv.some(arg => arg.startsWith('test/') && arg.endsWith('.ts'))

const builtAt = statSync('dist/cli.js', { throwIfNoEntry: false })?.mtimeMs ?? 0
const isBuilt = readdirSync('src', { recursive: true, encoding: 'utf8' }).every(
  name => statSync(`src/${name}`).mtimeMs <= builtAt,
)

/**
 * Threads and processes that the source starts run from `dist` where that is newer than the source. From TypeScript each
 * start takes five times the processor time.
 */
const builtPrograms = {
  name: 'built-programs',
  transform: (code: string, id: string) =>
    isBuilt && id.endsWith('/src/node/program.ts')
      ? code.replace(/const isBuilt = .*/, 'const isBuilt = true')
      : null,
}

export default defineConfig({
  plugins: [builtPrograms],
  test: {
    pool: 'forks',
    // The product is loaded once by each worker, not once for each file: a file leaves nothing behind in it.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // Only what hangs reaches these: a busy machine makes nothing fail.
    testTimeout: 900_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 180_000 } },
    projects: engines.map((engine, i) => ({
      extends: true as const,
      test: {
        name: engine,
        globalSetup: ['test/support/templates.ts'],
        include: i === 0 || isNamed ? ['test/**/*.test.ts'] : onServers,
        exclude: [
          ...(isNamed || process.env.TEST_ALL !== undefined ? [] : onlyWithAll),
          ...(i === 0 ? [] : withoutDatabase),
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
