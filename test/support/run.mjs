// Runs the suite on SQLite and on every engine that is named or answers. --all makes a missing one a failure, and
// repeats on SQLite what repeats itself as often as it can.
import { spawn } from 'node:child_process'
import { connect } from 'node:net'

const servers = {
  postgres: { variable: 'TEST_POSTGRES_URL', usual: 'postgres://postgres@127.0.0.1:5432' },
  mysql: { variable: 'TEST_MYSQL_URL', usual: 'mysql://root@127.0.0.1:3306' },
}
const ports = { postgres: 5432, mysql: 3306 }

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
const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...args], {
  stdio: 'inherit',
  // With --all nothing is spared, and no test skips itself because of a program that is not there.
  env: { ...(all && { TEST_THOROUGH: '1', TEST_ALL: 'true' }), ...env, TEST_ENGINES: engines.join(',') },
})
child.on('exit', code => {
  process.stdout.write(`The suite ran on ${engines.join(', ')}: ${code === 0 ? 'passed' : 'failed'}\n`)
  process.exit(code ?? 1)
})
