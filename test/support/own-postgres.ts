import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseAddress } from '../../src/db/connect.js'
import { freePort } from './process.js'

export interface OwnPostgres {
  address: DatabaseAddress
  /** Ends every connection and process as a crash would, and starts again. */
  restart(): void
  remove(): void
}

/** A PostgreSQL server of the test's own, that may be restarted; undefined where none is installed. */
export async function ownPostgres(): Promise<OwnPostgres | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'slugline-pg-'))
  const data = join(folder, 'data')
  const root = process.getuid?.() === 0
  // The server refuses to run as root.
  if (root) execFileSync('chown', ['postgres', folder])
  const run = (program: string, ...args: string[]) =>
    root
      ? execFileSync('runuser', ['-u', 'postgres', '--', program, ...args], { stdio: 'ignore' })
      : execFileSync(program, args, { stdio: 'ignore' })
  try {
    run('initdb', '-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8')
  } catch {
    rmSync(folder, { recursive: true, force: true })
    return undefined
  }
  const port = await freePort()
  const options = `-c listen_addresses=127.0.0.1 -p ${port} -c unix_socket_directories=${folder}`
  const control = (...args: string[]) => run('pg_ctl', '-D', data, '-w', '-l', join(folder, 'log'), ...args)
  control('-o', options, 'start')
  return {
    address: { db_driver: 'postgres', db_url: `postgres://postgres@127.0.0.1:${port}/postgres` },
    restart: () => control('-o', options, '-m', 'immediate', 'restart'),
    remove() {
      control('-m', 'immediate', 'stop')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
