import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseAddress } from '../../src/db/connect.js'
import { freePort } from './process.js'

export interface OwnPostgres {
  address: DatabaseAddress
  port: number
  /** Kills every connection and process as a crash would, and starts again. */
  restart(): void
  /** Crashes without a restart. */
  crash(): void
  /** Everything that the server has logged. */
  log(): string
  /** Starts a standby that has every change before it is acknowledged. It accepts changes after it is promoted. */
  standby(): Promise<OwnPostgres & { promote(): void }>
  remove(): void
}

const root = process.getuid?.() === 0
/** Runs a program as `postgres`: the server refuses to run as root. */
const run = (program: string, ...args: string[]) =>
  root
    ? execFileSync('runuser', ['-u', 'postgres', '--', program, ...args], { stdio: 'ignore' })
    : execFileSync(program, args, { stdio: 'ignore' })

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'slugline-pg-'))
  if (root) execFileSync('chown', ['postgres', folder])
  return folder
}

/** Starts the server with the data of the folder. */
async function started(folder: string, settings = ''): Promise<OwnPostgres & { promote(): void }> {
  const port = await freePort()
  const options = `-c listen_addresses=127.0.0.1 -p ${port} -c unix_socket_directories=${folder} ${settings}`
  const control = (...args: string[]) =>
    run('pg_ctl', '-D', join(folder, 'data'), '-w', '-l', join(folder, 'log'), ...args)
  const crash = () => control('-m', 'immediate', 'stop')
  control('-o', options, 'start')
  return {
    port,
    address: { db_driver: 'postgres', db_url: `postgres://postgres@127.0.0.1:${port}/postgres` },
    restart: () => control('-o', options, '-m', 'immediate', 'restart'),
    crash,
    log: () => readFileSync(join(folder, 'log'), 'utf8'),
    promote: () => control('promote'),
    async standby() {
      const own = newFolder()
      const from = `postgres://postgres@127.0.0.1:${port}`
      // By default the server takes its time for the checkpoint before: half a minute.
      run('pg_basebackup', '-D', join(own, 'data'), '-R', '-X', 'stream', '-c', 'fast', '-d', from)
      return started(own)
    },
    remove() {
      try {
        crash()
      } catch {
        // It has already crashed.
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Creates a PostgreSQL server for the test, which may restart it; undefined if it is not installed.
 * @param settings further options of its command line
 */
export async function ownPostgres(settings = ''): Promise<OwnPostgres | undefined> {
  const folder = newFolder()
  try {
    run('initdb', '-D', join(folder, 'data'), '-A', 'trust', '-U', 'postgres', '-E', 'UTF8')
  } catch {
    rmSync(folder, { recursive: true, force: true })
    return undefined
  }
  return started(folder, settings)
}
