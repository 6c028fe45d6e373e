import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { migrations } from '../../migrations/index.js'
import { databaseFile } from '../config.js'
import { connect } from '../db/connect.js'
import type { Dialect } from '../db/dialects/dialect.js'
import { isWritable } from '../db/dialects/sqlite-file.js'
import { stepsOf } from '../db/migrate.js'
import { ConfigError } from '../errors.js'
import { withKeptSecret } from '../node/app-secret.js'
import { configFileAt, loadConfig } from '../node/config-file.js'
import { readSettings, withStoredSettings } from '../services/operation/settings.js'
import { type LocalCommand, show } from './command.js'
import { certificate } from './doctor-certificate.js'
import { clock, database, descriptors, disk, mail, secrets } from './doctor-checks.js'
import { databaseOf, type Finding, failed, type Patient, type State, warning } from './doctor-finding.js'
import { instances, settings } from './doctor-instances.js'
import { storage } from './doctor-storage.js'
import type { Terminal } from './terminal.js'

const marks: Readonly<Record<State, string>> = { ok: 'ok', warning: 'warn', failed: 'FAIL', skipped: '-' }

const lineOf = ({ check, state, message, advice }: Finding): string =>
  `${marks[state].padEnd(5)}${check}: ${message}${advice === undefined ? '' : `\n     -> ${advice}`}`

function missingFile(path: string): Finding | undefined {
  const folder = dirname(path)
  if (!existsSync(folder)) return undefined
  return isWritable(folder)
    ? warning('database', `${path} is missing`, 'the first start creates it; check that db_url is correct')
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

/** The configuration with the settings of the database, and what became of them; the file's alone if they cannot be read. */
async function withSettings(
  { config, path }: Pick<Patient, 'config' | 'path'>,
  dialect: Dialect | undefined,
  variables: Terminal['variables'],
): Promise<Pick<Patient, 'config' | 'stored'>> {
  if (!dialect || (await stepsOf(dialect, migrations)).missing.length > 0)
    return { config, stored: undefined }
  const { app_secret } = withKeptSecret(config, { configuration: path, database: databaseFile(config) })
  const { values, unreadable } = await readSettings(databaseOf(dialect), app_secret)
  const inFile = JSON.parse((await configFileAt(path).read()) ?? '{}')
  const applied = withStoredSettings(config, { inFile, values }, variables)
  const refused = applied.refused.map(({ message }) => message)
  return { config: applied.config, stored: { ...applied, refused, unreadable } }
}

const others = [settings, storage, mail, certificate, clock, instances, disk, secrets, descriptors]

/**
 * Checks everything that the service needs, changes nothing permanently, and says what to do.
 * @returns 1 if a check fails; a warning does not count
 */
export const doctor: LocalCommand['run'] = async (terminal, options) => {
  const site = loadConfig(options.config, terminal.variables)
  const opened = await openOnce(site.config)
  try {
    const { dialect } = opened
    const whole = await withSettings(site, dialect, terminal.variables)
    const patient = { ...whole, path: site.path, dialect }
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
