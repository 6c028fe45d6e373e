import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import type { DatabaseAddress } from '../../src/db/connect.js'
import { whenDone } from './when-done.js'

export const password = 'correct horse'
/** How long a start may take before it counts as failed, in milliseconds: only a hanging start takes this long. */
const patience = 120_000

/** The environment of a started product: the search path, and the driver for another Node (test/support/run.mjs). */
export const productEnv: Record<string, string> = Object.fromEntries(
  ['PATH', 'NODE_OPTIONS', 'SQLITE_DRIVER_FOLDER'].flatMap(name => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  }),
)

export interface Product {
  url: string
  port: number
  pid: number
  /** The working directory, which has its configuration file. */
  folder: string
  /** Its output to pipes of the test. */
  output(): string
  kill9(): Promise<void>
  /** Sends SIGTERM. @returns the exit code */
  stop(): Promise<number | null>
  /** Stops a process that may not obey. @returns `'still running'` if it has not ended after this many milliseconds */
  stopWithin(milliseconds: number): Promise<number | null | 'still running'>
  login(): Promise<string>
}

/** Options of a start. */
export interface Start {
  /** The port, if it must be known before. */
  port?: number
  /** Fields of the configuration file. */
  config?: Record<string, unknown>
  env?: Record<string, string>
  /** A prefix of the command, such as `['prlimit', '--nofile=64:64']`. */
  before?: readonly string[]
  /** A program other than that in `dist`. */
  program?: string
  /** A runtime other than that of the tests. */
  runtime?: string
  /** Options of the runtime, such as `--max-old-space-size=200`. */
  flags?: readonly string[]
  /** File descriptors for standard output and standard error, instead of pipes. */
  stdout?: number
  stderr?: number
  /** Gets the function that ends the process, if it does not end with its test or file. */
  until?: (end: () => Promise<void>) => void
}

/** Below the ports that the system assigns to clients, so that no other process takes one first. */
const ownPorts = { first: 12_000, count: 20_000 }
let latestPort = Math.floor(Math.random() * ownPorts.count)

/** Returns a port of this machine on which nobody listens; a different one each time. */
export async function freePort(): Promise<number> {
  for (;;) {
    latestPort = (latestPort + 1) % ownPorts.count
    const port = ownPorts.first + latestPort
    const server = createServer()
    const isFree = await new Promise<boolean>(done => {
      server.once('error', () => done(false)).listen(port, '127.0.0.1', () => done(true))
    })
    if (!isFree) continue
    await new Promise(done => server.close(done))
    return port
  }
}

export const portListens = (port: number): Promise<boolean> =>
  new Promise<boolean>(done => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      done(true)
    })
    socket.once('error', () => done(false))
  })

const isReady = (url: string) =>
  fetch(`${url}/api/v1/health`, { signal: AbortSignal.timeout(10_000) }).then(
    async answer => {
      await answer.arrayBuffer()
      return answer.ok
    },
    () => false,
  )

const exited = (child: ChildProcess): Promise<number | null> =>
  new Promise(done => {
    if (child.exitCode !== null || child.signalCode !== null) done(child.exitCode)
    else child.once('exit', code => done(code))
  })

function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  child.kill(signal)
  return exited(child)
}

/** The runtime of the whole run, as `npm test -- --runtime=deno` sets it. */
const ofRun: Start = JSON.parse(process.env.TEST_RUNTIME ?? '{}')

function launch(address: DatabaseAddress, port: number, given: Start) {
  const start = { ...ofRun, ...given }
  const { config = {}, env = {}, before = [], flags = [], stdout = 'pipe', stderr = 'pipe' } = start
  const { until = whenDone, runtime = process.execPath } = start
  const { program = resolve('dist/cli.js') } = start
  const folder = mkdtempSync(join(tmpdir(), 'slugline-run-'))
  writeFileSync(
    join(folder, 'cms.config.json'),
    JSON.stringify({
      ...address,
      ...secretOf(address),
      port: `127.0.0.1:${port}`,
      log_level: 'error',
      // A start is faster without SSH; tests of SSH set a port.
      ssh_enabled: 'ssh_port' in config,
      ...config,
    }),
  )
  const [command = '', ...args] = [...before, runtime, ...flags, program, 'serve']
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...productEnv, CMS_ADMIN_PASSWORD: password, ...env },
    stdio: ['ignore', stdout, stderr],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', data => (output += data))
  until(async () => {
    await ended(child, 'SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  return { child, folder, output: () => output }
}

/**
 * On a database server, several starts and instances share encrypted data, each with a configuration file of its own.
 */
const secretOf = ({ db_driver }: DatabaseAddress) =>
  db_driver === 'sqlite' ? {} : { app_secret: 'a secret that all instances of a test share' }

/** Starts the built product and waits until it is ready. */
export async function startProduct(address: DatabaseAddress, start: Start = {}): Promise<Product> {
  const port = start.port ?? (await freePort())
  const from = performance.now()
  const { child, folder, output } = launch(address, port, start)
  const url = `http://127.0.0.1:${port}`
  for (let ready = false; !ready; ) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`the product ended with ${child.exitCode ?? child.signalCode}: ${output()}`)
    if (performance.now() - from > patience) throw new Error(`the product is not ready: ${output()}`)
    // A connection attempt costs less processor time than a failed request, and the start needs the processor.
    ready = (await portListens(port)) && (await isReady(url))
    if (!ready) await sleep(20)
  }
  return {
    url,
    port,
    pid: child.pid ?? 0,
    folder,
    output,
    async kill9() {
      await ended(child, 'SIGKILL')
    },
    stop: () => ended(child, 'SIGTERM'),
    async stopWithin(milliseconds) {
      const late = new AbortController()
      const outcome = await Promise.race([
        ended(child, 'SIGTERM'),
        sleep(milliseconds, 'still running' as const, { signal: late.signal, ref: false }),
      ])
      late.abort()
      return outcome
    },
    async login() {
      const answer = await fetch(`${url}/api/v1/auth/login`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ email: 'admin@example.com', password }),
      })
      const cookie = answer.headers.get('set-cookie')?.split(';')[0]
      if (!answer.ok || !cookie) throw new Error(`the login gave a ${answer.status}`)
      return cookie
    },
  }
}

interface CommandEnd {
  code: number | null
  out: string
  err: string
}

/**
 * Runs one command of the built product to its end.
 * @param cwd its working directory
 * @param input its standard input
 */
export async function runProduct(
  args: readonly string[],
  start: Omit<Start, 'config' | 'flags' | 'until'> & { cwd: string; input?: string },
): Promise<CommandEnd> {
  const { cwd, input = '', env = {}, before = [], stdout = 'pipe', stderr = 'pipe' } = start
  const [command = '', ...rest] = [...before, process.execPath, resolve('dist/cli.js'), ...args]
  const stdio: StdioOptions = ['pipe', stdout, stderr]
  const child = spawn(command, rest, { cwd, env: { ...productEnv, ...env }, stdio })
  onTestFinished(async () => void (await ended(child, 'SIGKILL')))
  let [out, err] = ['', '']
  child.stdout?.on('data', data => (out += data))
  child.stderr?.on('data', data => (err += data))
  child.stdin?.on('error', () => undefined).end(input)
  const closed = new Promise<number | null>(done => child.once('close', done))
  const late = setTimeout(() => child.kill('SIGKILL'), patience)
  const code = await closed
  clearTimeout(late)
  return { code, out, err }
}

/** The point at which the migration of a database stops. */
export interface Fault {
  address: DatabaseAddress
  point: string
}

/**
 * Migrates databases, each to its point, and kills the one process that does it when all are there.
 * @returns the signal that ended it, or its output if no signal did
 */
export async function migrateUntilFaults(faults: readonly Fault[]): Promise<string> {
  const child = spawn(process.execPath, [resolve('test/support/migrate-with-faults.mjs')], {
    env: { ...productEnv, FAULTS: JSON.stringify(faults) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr.on('data', data => (output += data))
  const late = setTimeout(() => child.kill('SIGTERM'), faults.length * patience)
  await exited(child)
  clearTimeout(late)
  return child.signalCode === 'SIGKILL' ? child.signalCode : `${child.signalCode} ${output}`
}
