// Programs that a trial starts: all of them listen on loopback, have their files in one temporary folder, and end with
// the trial.
import { execFile, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

export const run = promisify(execFile)
/** Readable for the accounts of the database servers. */
export const folder = mkdtempSync(join(tmpdir(), 'slugline-trial-'))
execFileSync('chmod', ['755', folder])

const from = performance.now()
/** Prints a line with the seconds since the start. */
export const say = text =>
  process.stdout.write(`${((performance.now() - from) / 1000).toFixed(1).padStart(6)} ${text}\n`)

const running = new Set()
const cleaners = []
/** Calls a function at the end of the trial; the latest first. */
export const atEnd = clean => void cleaners.unshift(clean)

/** Starts a program whose output goes to `<name>.log`. */
export function program(name, command, args, options = {}) {
  const log = join(folder, `${name}.log`)
  const output = openSync(log, 'a')
  const child = spawn(command, args, { stdio: ['ignore', output, output], ...options })
  running.add(child)
  const ended = new Promise(done => {
    child.once('error', error => {
      say(`${name} cannot be started: ${error.message}`)
      done(undefined)
    })
    child.once('exit', (code, signal) => done(code ?? signal))
  })
  const self = {
    child,
    ended,
    isOver: false,
    log: () => readFileSync(log, 'utf8'),
    kill(signal = 'SIGKILL') {
      child.kill(signal)
      return ended
    },
  }
  void ended.then(() => {
    self.isOver = true
    running.delete(child)
  })
  return self
}

/** Ends a program, and with one that leads a group, such as a browser, all its processes: they write files too. */
function end(child) {
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    child.kill('SIGKILL')
  }
}

/** Ends every program and removes the files. */
export async function endAll() {
  for (const clean of cleaners.splice(0)) await Promise.resolve(clean()).catch(() => undefined)
  for (const child of running) end(child)
  while (running.size > 0) await sleep(20)
  if (process.env.TRIAL_KEEP) say(`kept ${folder}`)
  else rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
}

export const listens = port =>
  new Promise(done => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      done(true)
    })
    socket.once('error', () => done(false))
  })

/** Waits until a test is true. @returns the milliseconds it took */
export async function until(what, test, { ms = 60_000, every = 50 } = {}) {
  const began = performance.now()
  while (!(await test())) {
    if (performance.now() - began > ms) throw new Error(`not in ${ms} ms: ${what}`)
    await sleep(every)
  }
  return performance.now() - began
}

/** Below the ports that the system assigns to clients. */
let latestPort = 12_000 + Math.floor(Math.random() * 19_000)
export async function freePort() {
  for (;;) {
    latestPort = latestPort > 31_000 ? 12_000 : latestPort + 1
    const port = latestPort
    const server = createServer()
    const isFree = await new Promise(done =>
      server.once('error', () => done(false)).listen(port, '127.0.0.1', () => done(true)),
    )
    if (!isFree) continue
    await new Promise(done => server.close(done))
    return port
  }
}

/** Returns a command run by an account, which database servers want instead of root. It is the process itself. */
export const asUser = (user, command, ...args) =>
  process.getuid() === 0
    ? ['setpriv', [`--reuid=${user}`, `--regid=${user}`, '--clear-groups', command, ...args]]
    : [command, args]

/** Creates a folder that belongs to an account. */
export function folderFor(user, name) {
  const at = join(folder, name)
  mkdirSync(at, { recursive: true })
  if (process.getuid() === 0) execFileSync('chown', ['-R', `${user}:${user}`, at])
  return at
}

export function writeFor(user, file, text) {
  writeFileSync(file, text)
  if (process.getuid() === 0) execFileSync('chown', [user, file])
}

/** Starts HAProxy. */
export async function haproxy(name, port, text) {
  const file = join(folder, `${name}.cfg`)
  writeFileSync(file, text)
  void program(name, 'haproxy', ['-q', '-db', '-f', file])
  await until(`${name} listens`, () => listens(port))
}

/** Starts HAProxy in front of a database, with the lines of docs/scaling.md. @returns its port */
export async function databaseBalancer(lines) {
  const port = await freePort()
  await haproxy(
    'database',
    port,
    `defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 2s
listen database
  bind 127.0.0.1:${port}
  ${lines.join('\n  ')}
`,
  )
  return port
}

/**
 * Starts HAProxy with its file of `deploy`, without HTTPS, in front of three instances that write. Clients name their
 * own address, because one load stands for many of them.
 * @returns its address
 */
export async function siteBalancer(ports) {
  const port = await freePort()
  const server = ['one', 'two', 'three'].map((name, i) => `  server ${name} 127.0.0.1:${ports[i]}\n`)
  const text = readFileSync(new URL('../../deploy/haproxy.cfg', import.meta.url), 'utf8')
    .replace('bind :80\n', `bind 127.0.0.1:${port}\n`)
    .replace(/ {2}bind :443 .*\n/, '')
    .replace(/.*redirect scheme https.*\n/, '')
    .replace(/.*set-header X-Forwarded-For.*\n/, '')
    .replace(/.*use_backend readers.*\n/, '')
    .replace(/# Reads of the API at instances[\s\S]*?(?=# Public pages)/, '')
    .replaceAll(/( {2}server .*\n)+/g, server.join(''))
  await haproxy('site', port, text)
  return `http://127.0.0.1:${port}`
}

const pgFolders = ['/usr/lib/postgresql/17/bin', '/usr/lib/postgresql/16/bin', '/usr/lib/postgresql/15/bin']
/** The folder of PostgreSQL's programs, which Debian has outside the search path. */
export const pgPrograms = () =>
  pgFolders.find(at => {
    try {
      execFileSync(join(at, 'postgres'), ['--version'], { stdio: 'ignore' })
      return true
    } catch {
      return false
    }
  }) ?? ''

/** Starts a PostgreSQL server, on the data of a folder or on new data. */
export async function postgres(name, { data, settings = [] } = {}) {
  const port = await freePort()
  const at = folderFor('postgres', name)
  const bin = pgPrograms()
  if (data) await data(join(at, 'data'))
  else
    await run(
      ...asUser('postgres', join(bin, 'initdb'), '-D', join(at, 'data'), '-A', 'trust', '-U', 'postgres'),
    )
  const options = [`-clisten_addresses=127.0.0.1`, `-cport=${port}`, `-cunix_socket_directories=${at}`]
  const more = ['max_connections=200', ...settings].map(setting => `-c${setting}`)
  const server = program(
    name,
    ...asUser('postgres', join(bin, 'postgres'), '-D', join(at, 'data'), ...options, ...more),
  )
  atEnd(() => server.kill('SIGQUIT'))
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  await until(`${name} answers`, () =>
    rowsOf(url, 'select 1').then(
      () => true,
      () => false,
    ),
  )
  return { port, url, server }
}

/** Returns the rows of a statement as lists of texts. */
export async function rowsOf(url, statement) {
  const { stdout } = await run('psql', [url, '-XAtF', '\t', '-c', statement], { timeout: 20_000 })
  return stdout
    .trim()
    .split('\n')
    .filter(Boolean)
    .map(line => line.split('\t'))
}
