// Runs the suite. `npm test`: everything that needs only Node, on SQLite, and the identity transcript on each database
// server that responds. `npm run test:all` (--all): every test, on all three engines, which are required. --node=24:
// the tests of `npm test` on SQLite under another version of Node. --runtime=deno or bun: the tests start the built
// product in that runtime, and run in Node themselves (docs/decisions/732-test-policy.md).
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

const servers = {
  postgres: { variable: 'TEST_POSTGRES_URL', usual: 'postgres://postgres@127.0.0.1:5432' },
  mysql: { variable: 'TEST_MYSQL_URL', usual: 'mysql://root@127.0.0.1:3306' },
}
const ports = { postgres: 5432, mysql: 3306 }
/** More than the usual number of processors: tests mostly wait for a started product or a server. */
const maxWorkers = 4
/** More failed files than this are not a coincidence. */
const maxRepeated = 3

const answers = (host, port) =>
  new Promise(resolve => {
    const socket = connect({ host, port: Number(port), timeout: 2000 })
    const end = value => {
      socket.destroy()
      resolve(value)
    }
    socket.once('connect', () => end(true))
    socket.once('timeout', () => end(false))
    socket.once('error', () => end(false))
  })

const all = process.argv.includes('--all')
const option = name => process.argv.find(arg => arg.startsWith(`--${name}=`))?.slice(name.length + 3)
const [version, other] = [option('node'), option('runtime')]
const args = process.argv.slice(2).filter(arg => !/^--(all$|node=|runtime=)/.test(arg))
const env = { ...process.env }

/** Returns the engines of this run: SQLite, and each server that is configured or responds. */
async function reachableEngines() {
  const engines = ['sqlite']
  for (const [engine, { variable, usual }] of Object.entries(servers)) {
    const named = env[variable]
    const url = new URL(named || usual)
    if (await answers(url.hostname, url.port || ports[engine])) {
      engines.push(engine)
      env[variable] = url.href
    } else if (named || all) {
      process.stderr.write(
        `${engine} cannot be reached at ${url.host}${named ? '' : ` (set ${variable} to its address)`}\n`,
      )
      process.exit(1)
    }
  }
  return engines
}

/** Returns the path of the requested version of Node, whose SQLite driver is in test/runtimes. */
async function runtime() {
  if (!version) return process.execPath
  const { installedPackages } = await import('./installed.ts')
  const at = await installedPackages('test/runtimes', 'runtimes')
  env.SQLITE_DRIVER_FOLDER = at
  env.NODE_OPTIONS = `--import ${resolve('test/runtimes/driver.mjs')}`
  const bin = join(at, `node_modules/node${version}/bin`)
  env.PATH = `${bin}:${env.PATH}`
  return join(bin, 'node')
}

/** Makes the tests start the product in another runtime. @returns what removes its copy */
async function otherRuntime() {
  if (!other) return () => undefined
  const { otherRuntimes, productIn } = await import('./other-runtimes.ts')
  if (!Object.hasOwn(otherRuntimes, other)) {
    process.stderr.write(`--runtime is one of ${Object.keys(otherRuntimes).join(', ')}\n`)
    process.exit(1)
  }
  const { start, remove } = await productIn(other)
  env.TEST_RUNTIME = JSON.stringify(start)
  return remove
}

const engines = version || other ? ['sqlite'] : await reachableEngines()
const node = await runtime()
const removeCopy = await otherRuntime()
const [, ...others] = engines
const what = all
  ? `every test on ${engines.join(', ')}, 25 to 45 minutes on two cores`
  : `the suite on SQLite, about 4 minutes on two cores${others.length > 0 ? `; the identity transcript on ${others.join(' and ')}, about a minute` : ''}`
process.stdout.write(
  `Runs ${args.length > 0 ? args.join(' ') : what}${version ? ` (Node ${version})` : ''}${other ? ` (the product in ${other})` : ''}.\n`,
)
const report = join(mkdtempSync(join(tmpdir(), 'slugline-suite-')), 'report.json')

/** Runs vitest to its end. @returns its exit code */
const vitest = more =>
  new Promise(resolve => {
    const child = spawn(node, ['node_modules/vitest/vitest.mjs', 'run', ...more], {
      stdio: 'inherit',
      // With --all the programs that tests need are required.
      env: { ...(all && { TEST_ALL: 'true' }), ...env, TEST_ENGINES: engines.join(',') },
    })
    child.on('exit', code => resolve(code ?? 1))
  })

/** Returns the results of the files from the report; empty without a report. */
const results = () => (existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : { testResults: [] })

const from = performance.now()
const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
const workers = args.some(arg => arg.startsWith('--maxWorkers')) ? [] : [`--maxWorkers=${maxWorkers}`]
let code = await vitest([...args, ...workers, ...reporters])
const { testResults, numPassedTests = 0, numFailedTests = 0, numPendingTests = 0 } = results()
const failed = [...new Set(testResults.filter(({ status }) => status === 'failed').map(({ name }) => name))]
let repeated = ''
if (all && code !== 0 && failed.length > 0 && failed.length <= maxRepeated) {
  process.stdout.write(`\nFailed beside other files, and run once more alone:\n${failed.join('\n')}\n`)
  code = await vitest([...failed, '--maxWorkers=1'])
  repeated = `; ${failed.length} files failed and were run again alone: mend them`
}
rmSync(dirname(report), { recursive: true, force: true })
removeCopy()
const seconds = Math.round((performance.now() - from) / 1000)
const tests = `${numPassedTests} tests passed, ${numFailedTests} failed, ${numPendingTests} skipped`
process.stdout.write(
  `${code === 0 ? 'Passed' : 'FAILED'}: ${tests} in ${Math.floor(seconds / 60)} min ${seconds % 60} s on ${engines.join(', ')}${repeated}\n`,
)
process.exit(code)
