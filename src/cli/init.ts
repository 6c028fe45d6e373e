import { mkdirSync, writeFileSync } from 'node:fs'
import { type Config, databaseFile, parseConfig } from '../config.js'
import { type ConfigName, configFields, defaultIn } from '../config-fields.js'
import type { DatabaseAddress } from '../db/connect.js'
import { ConfigError } from '../errors.js'
import { withWholePaths } from '../node/config-file.js'
import { type LocalCommand, show, type Values } from './command.js'
import { complain, type Terminal } from './terminal.js'

interface Question {
  readonly field: ConfigName
  readonly text: string
  /** The answer if nobody gives one; undefined for the default of the field. */
  readonly fallback?: string
  readonly when?: (given: Answers) => boolean
}

type Answers = Partial<Record<ConfigName, string>>

const isServer = ({ db_driver, db_url }: Answers) =>
  databaseFile({ db_driver, db_url } as DatabaseAddress) === undefined
const isPublic = ({ environment = 'local' }: Answers) => !environment.startsWith('local')
const servesHttps = (given: Answers) => isPublic(given) && given.tls !== 'off'
const passwordVariable = 'DB_PASSWORD'

const questions: readonly Question[] = [
  { field: 'environment', text: 'Environment: local, development, staging or production' },
  { field: 'port', text: 'Port of HTTP, with or without an address' },
  { field: 'client_site', text: 'Domain of the site', fallback: '', when: isPublic },
  {
    field: 'tls',
    text: 'HTTPS: auto, files (your own certificates) or off (behind a proxy)',
    when: isPublic,
  },
  { field: 'ssl_port', text: 'Port of HTTPS, with or without an address', when: servesHttps },
  {
    field: 'cert_dir',
    text: 'Folder of the certificates',
    fallback: './certificates',
    when: servesHttps,
  },
  { field: 'db_driver', text: 'Database engine: sqlite, postgres or mysql' },
  { field: 'db_url', text: 'File of the database', fallback: './modula.db', when: given => !isServer(given) },
  { field: 'db_url', text: 'Server of the database, as host:port', fallback: 'localhost', when: isServer },
  { field: 'db_name', text: 'Name of the database', fallback: 'slugline', when: isServer },
  { field: 'db_username', text: 'User of the database', fallback: 'slugline', when: isServer },
]

const optionOf = (field: ConfigName): string => field.replaceAll('_', '-')

function problemOf(field: ConfigName, value: string): string | undefined {
  return configFields[field].schema.safeParse(value).error?.issues[0]?.message
}

async function answerTo(
  { field, text }: Question,
  fallback: string,
  ask: NonNullable<Terminal['ask']>,
  terminal: Terminal,
): Promise<string> {
  for (;;) {
    const answer = (await ask(fallback === '' ? text : `${text} [${fallback}]`)).trim() || fallback
    const problem = answer === '' ? undefined : problemOf(field, answer)
    if (problem === undefined) return answer
    complain(terminal, `${field}: ${problem}`)
  }
}

async function answers(terminal: Terminal, options: Values): Promise<Answers> {
  const given: Answers = {}
  for (const question of questions) {
    const { field, when, fallback = String(defaultIn('', field) ?? '') } = question
    const option = options[optionOf(field)]
    if (option === undefined && when && !when(given)) continue
    if (given[field] !== undefined) continue
    const answer =
      option ?? (terminal.ask ? await answerTo(question, fallback, terminal.ask, terminal) : fallback)
    if (answer !== '') given[field] = answer
  }
  return given
}

function makeCertificateFolder({ cert_dir }: Config): void {
  if (cert_dir !== undefined) mkdirSync(cert_dir, { recursive: true, mode: 0o700 })
}

function writeNew(path: string, text: string): void {
  try {
    // Settings that are added later may be secrets, so only the owner can read the file.
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EEXIST') throw new ConfigError(`${path}: exists already and was not replaced`)
    throw new ConfigError(`${path}: cannot be written (${code})`)
  }
}

/**
 * Writes a configuration file. It has no password: that of a database server comes from a variable.
 * @throws ConfigError for an invalid value, and if the file exists already
 */
export const init: LocalCommand['run'] = async (terminal, options) => {
  const path = options.config ?? './cms.config.json'
  const given = await answers(terminal, options)
  const file = { ...given, ...(isServer(given) ? { db_password: `\${${passwordVariable}}` } : {}) }
  const { config } = parseConfig(file, { [passwordVariable]: '', ...terminal.variables })
  writeNew(path, `${JSON.stringify(file, null, 2)}\n`)
  makeCertificateFolder(withWholePaths(config, path))
  const next = [
    `Wrote ${path}.`,
    ...(isServer(given) ? [`The password of the database comes from the variable ${passwordVariable}.`] : []),
    'Next: run slugline doctor, then slugline serve. It shows the password of the first administrator once.',
  ]
  show(terminal, options, { file: path, fields: file }, next.join('\n'))
  return 0
}
