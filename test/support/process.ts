import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import type { DatabaseAddress } from '../../src/db/connect.js'

const password = 'correct horse'
/** How long a start may take before it counts as failed, in milliseconds. */
const patience = 30_000

export interface Product {
  url: string
  kill9(): Promise<void>
  /** SIGTERM, and the exit code. */
  stop(): Promise<number | null>
  login(): Promise<string>
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  await new Promise(done => server.close(done))
  return typeof address === 'object' && address ? address.port : 0
}

const exited = (child: ChildProcess): Promise<number | null> =>
  new Promise(done => {
    if (child.exitCode !== null || child.signalCode !== null) done(child.exitCode)
    else child.once('exit', code => done(code))
  })

function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  child.kill(signal)
  return exited(child)
}

function launch(script: string, address: DatabaseAddress, port: number, env: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'slugline-run-'))
  writeFileSync(
    join(folder, 'cms.config.json'),
    JSON.stringify({ ...address, port: `127.0.0.1:${port}`, log_level: 'error' }),
  )
  const child = spawn(process.execPath, [resolve(script), 'serve'], {
    cwd: folder,
    env: { PATH: process.env.PATH, CMS_ADMIN_PASSWORD: password, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', data => (output += data))
  onTestFinished(async () => {
    await ended(child, 'SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  return { child, output: () => output }
}

/** Starts the built product and waits until it is ready. */
export async function startProduct(address: DatabaseAddress): Promise<Product> {
  const port = await freePort()
  const from = performance.now()
  const { child, output } = launch('dist/cli.js', address, port, {})
  const url = `http://127.0.0.1:${port}`
  for (let ready = false; !ready; ) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`the product ended with ${child.exitCode ?? child.signalCode}: ${output()}`)
    if (performance.now() - from > patience) throw new Error(`the product is not ready: ${output()}`)
    ready = await fetch(`${url}/api/v1/health`, { signal: AbortSignal.timeout(1000) }).then(
      answer => answer.ok,
      () => false,
    )
    if (!ready) await sleep(10)
  }
  return {
    url,
    async kill9() {
      await ended(child, 'SIGKILL')
    },
    stop: () => ended(child, 'SIGTERM'),
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

/** Migrates with a fault and waits for the end. @returns the signal that ended it */
export async function migrateUntilFault(
  address: DatabaseAddress,
  point: string,
): Promise<NodeJS.Signals | null> {
  const { child } = launch('test/support/migrate-with-fault.mjs', address, await freePort(), {
    FAULT_POINT: point,
  })
  const late = setTimeout(() => child.kill('SIGTERM'), patience)
  await exited(child)
  clearTimeout(late)
  return child.signalCode
}
