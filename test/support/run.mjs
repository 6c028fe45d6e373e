// Runs the suite on SQLite and on every engine that is named or answers. --all makes a missing one a failure, and
// repeats on SQLite what repeats itself as often as it can. With it a few files that fail are run once more, alone, and
// are named: what fails then too is a failure (docs/decisions.md, D-731).
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const servers = {
  postgres: { variable: 'TEST_POSTGRES_URL', usual: 'postgres://postgres@127.0.0.1:5432' },
  mysql: { variable: 'TEST_MYSQL_URL', usual: 'mysql://root@127.0.0.1:3306' },
}
const ports = { postgres: 5432, mysql: 3306 }
/** More files than these do not fail by chance. */
const maxRepeated = 6

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

const [all, args] = [process.argv.includes('--all'), process.argv.slice(2).filter(arg => arg !== '--all')]
const env = { ...process.env }
const engines = ['sqlite']
for (const [engine, { variable, usual }] of Object.entries(servers)) {
  const named = env[variable]
  const url = new URL(named || usual)
  if (await answers(url.hostname, url.port || ports[engine])) {
    engines.push(engine)
    env[variable] = url.href
  } else if (named || all) {
    process.stderr.write(
      `${engine} cannot be reached at ${url.host}${named ? '' : ` (name it by ${variable})`}\n`,
    )
    process.exit(1)
  }
}

process.stdout.write(`Engines: ${engines.join(', ')}\n`)
const report = join(mkdtempSync(join(tmpdir(), 'slugline-suite-')), 'report.json')

/** Runs vitest to its end. @returns its exit code */
const vitest = more =>
  new Promise(resolve => {
    const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...more], {
      stdio: 'inherit',
      // With --all nothing is spared, and no test skips itself because of a program that is not there.
      env: { ...(all && { TEST_THOROUGH: '1', TEST_ALL: 'true' }), ...env, TEST_ENGINES: engines.join(',') },
    })
    child.on('exit', code => resolve(code ?? 1))
  })

/** The files of which a test failed, as the report has them; none where there is no report. */
function failedFiles() {
  if (!existsSync(report)) return []
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'))
  return [...new Set(testResults.filter(({ status }) => status === 'failed').map(({ name }) => name))]
}

const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
let code = await vitest([...args, ...reporters])
const failed = failedFiles()
if (all && code !== 0 && failed.length > 0 && failed.length <= maxRepeated) {
  process.stdout.write(`\nOnce more and alone, for they failed beside others:\n${failed.join('\n')}\n`)
  code = await vitest([...failed, '--maxWorkers=1'])
}
rmSync(dirname(report), { recursive: true, force: true })
process.stdout.write(`The suite ran on ${engines.join(', ')}: ${code === 0 ? 'passed' : 'failed'}\n`)
process.exit(code)
