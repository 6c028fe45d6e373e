import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { databaseFile } from '../config.js'
import { connect } from '../db/connect.js'
import type { Dialect } from '../db/dialects/dialect.js'
import { isWritable } from '../db/dialects/sqlite-file.js'
import { ConfigError } from '../errors.js'
import { type LocalCommand, show } from './command.js'
import { certificate } from './doctor-certificate.js'
import { clock, database, descriptors, disk, mail, secrets, storage } from './doctor-checks.js'
import { type Finding, failed, type Patient, type State, warning } from './doctor-finding.js'
import { siteConfig } from './site-config.js'

const marks: Readonly<Record<State, string>> = { ok: 'ok', warning: 'warn', failed: 'FAIL', skipped: '-' }

const lineOf = ({ check, state, message, advice }: Finding): string =>
  `${marks[state].padEnd(5)}${check}: ${message}${advice === undefined ? '' : `\n     -> ${advice}`}`

/** Returns the finding for a missing database file; undefined if its folder is missing too. */
function missingFile(path: string): Finding | undefined {
  const folder = dirname(path)
  if (!existsSync(folder)) return undefined
  return isWritable(folder)
    ? warning('database', `${path} is missing`, 'the first start makes it, if db_url is right')
    : failed(
        'database',
        `${path} is missing, and ${folder} cannot be written`,
        'check db_url and the owner of the folder',
      )
}

/** Opens the database with one attempt: a diagnosis does not wait until the database recovers. */
async function openOnce(
  config: Patient['config'],
): Promise<{ dialect: Dialect } | { dialect: undefined; finding: Finding }> {
  const file = databaseFile(config)
  const path = file === undefined ? undefined : resolve(file)
  const missing = path === undefined || existsSync(path) ? undefined : missingFile(path)
  if (missing) return { dialect: undefined, finding: missing }
  let dialect: Dialect | undefined
  try {
    dialect = await connect(config, { onlyExisting: true })
    await dialect.read.all('select 1 as one', [])
    return { dialect }
  } catch (error) {
    await dialect?.close()
    // An error that names no field already says what to do.
    const isWhole = error instanceof ConfigError && error.field === undefined
    const others =
      file === undefined ? ', db_name, db_username and db_password, and that the server runs' : ''
    const message = error instanceof Error ? error.message : String(error)
    return {
      dialect: undefined,
      finding: failed('database', message, isWhole ? undefined : `check db_url${others}`),
    }
  }
}

const others = [storage, mail, certificate, clock, disk, secrets, descriptors]

/**
 * Checks everything that the service needs, changes nothing permanently, and says what to do.
 * @returns 1 if a check fails; a warning does not count
 */
export const doctor: LocalCommand['run'] = async (terminal, options) => {
  const { config, path, storage: store } = await siteConfig(terminal, options.config)
  const opened = await openOnce(config)
  try {
    const patient = { config, path, storage: store, dialect: opened.dialect }
    const findings = [
      opened.dialect ? await database(patient) : opened.finding,
      ...(await Promise.all(others.map(check => check(patient)))),
    ]
    show(terminal, options, { checks: findings }, findings.map(lineOf).join('\n'))
    return findings.some(({ state }) => state === 'failed') ? 1 : 0
  } finally {
    await opened.dialect?.close()
  }
}
