import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import type { DatabaseAddress } from '../../src/db/connect.js'
import { freePort, portListens } from './process.js'

/**
 * Starts a PgBouncer in transaction mode, with a pool of two, in front of a database.
 * @returns its address; undefined if it is not installed
 */
export async function pgbouncer({ db_url = '' }: DatabaseAddress): Promise<DatabaseAddress | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'slugline-pgbouncer-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const behind = new URL(db_url)
  const port = await freePort()
  const name = behind.pathname.slice(1)
  const password = behind.password ? ` password=${decodeURIComponent(behind.password)}` : ''
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]
${name} = host=${behind.hostname} port=${behind.port || 5432} dbname=${name} user=${behind.username}${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 2
`,
  )
  // It refuses to run as root.
  const root = process.getuid?.() === 0
  if (root) execFileSync('chown', ['-R', 'postgres', folder])
  const [program = '', ...args] = [
    ...(root ? ['runuser', '-u', 'postgres', '--'] : []),
    'pgbouncer',
    '-q',
    file,
  ]
  const child = spawn(program, args, { stdio: 'ignore' })
  let isMissing = false
  child.once('error', () => {
    isMissing = true
  })
  onTestFinished(() => void child.kill('SIGTERM'))
  for (let i = 0; i < 100 && !(await portListens(port)); i++) {
    if (isMissing || child.exitCode !== null) return undefined
    await sleep(50)
  }
  behind.host = `127.0.0.1:${port}`
  return { db_driver: 'postgres', db_url: behind.href, db_pooler: true }
}
