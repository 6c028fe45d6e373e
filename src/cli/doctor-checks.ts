import { existsSync, readFileSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, resolve } from 'node:path'
import { migrations } from '../../migrations/index.js'
import { type Config, databaseFile } from '../config.js'
import { configFields } from '../config-fields.js'
import type { Dialect } from '../db/dialects/dialect.js'
import { stepsOf } from '../db/migrate.js'
import { firstUsedTable } from '../db/restore.js'
import { timestamp } from '../ids.js'
import { mediaFolder } from '../media-folder.js'
import { secretFile } from '../node/app-secret.js'
import { connectionLimit } from '../node/descriptors.js'
import { mailSettings } from '../services/accounts/reset-mails.js'
import { mediaAddress } from '../services/media/storage.js'
import { audit } from '../services/operation/audit.js'
import { maxAheadMs } from '../services/operation/instances.js'
import {
  answerTimeoutMs,
  databaseOf,
  type Finding,
  failed,
  ok,
  type Patient,
  skipped,
  warning,
  wordsOf,
} from './doctor-finding.js'
import { clockAheadMs } from './doctor-instances.js'

/** With a larger difference of clocks the store rejects signatures, and instances disagree about due times. */
const maxSkewMs = 60_000
/** Free disk space in bytes: below the first it fails soon, below the second the check warns. */
const [fewBytes, someBytes] = [100 * 2 ** 20, 2 ** 30]
const minSecretLength = 16

/** Checks that the database has this version's schema and accepts changes. */
export async function database({ dialect }: Patient): Promise<Finding> {
  const check = 'database'
  if (!dialect) return skipped(check, 'it cannot be opened')
  const { missing, refused } = await stepsOf(dialect, migrations)
  if (refused !== undefined)
    return failed(
      check,
      `it belongs to a newer version: ${refused}`,
      'install that version, or restore a backup',
    )
  if (missing.length > 0) {
    const isUsed = (await firstUsedTable(dialect, dialect.read)) !== undefined
    return warning(
      check,
      `pending migrations: ${missing.length}`,
      `slugline migrate up${isUsed ? '' : ', or repeat a restore that was interrupted (slugline backup restore)'}`,
    )
  }
  const db = databaseOf(dialect)
  const answers = await db.ping()
  if (db.isReadOnly)
    return answers
      ? ok(check, 'responds, is up to date and has the schema of this version')
      : failed(
          check,
          'it responds, but is more than five seconds behind',
          'check the replication to this server, and its load',
        )
  if (!answers)
    return failed(
      check,
      'it responds, but accepts no changes',
      'check for a full disk, a file that another account owns, or a read-only server',
    )
  return ok(check, 'responds, accepts changes and has the schema of this version')
}

/** Checks the mail server: connects and signs in, and sends nothing. */
export async function mail({ config }: Patient): Promise<Finding> {
  const check = 'mail'
  if (!config.email_enabled)
    return skipped(check, 'email_enabled is false: nobody can reset a password by mail')
  const settings = mailSettings(config)
  if (!settings)
    return failed(
      check,
      'reset mails cannot be sent with this configuration',
      'set email_host, email_from_address and password_reset_url',
    )
  const { host, port } = settings.server
  try {
    const { mailServerAnswers } = await import('../node/mail.js')
    await mailServerAnswers(settings.server)
    return ok(check, `${host}:${port} accepts mail`)
  } catch (error) {
    return failed(
      check,
      `${host}:${port}: ${wordsOf(error)}`,
      'check email_host, email_port, email_tls, email_username and email_password',
    )
  }
}

/** Returns the time of the store's clock; undefined if it sends none. */
async function timeOfStore(config: Config): Promise<number | undefined> {
  const address = mediaAddress(config, 'media')
  if (!address || 'folder' in address) return undefined
  const limits = { signal: AbortSignal.timeout(answerTimeoutMs), redirect: 'manual' } as const
  const answer = await fetch(address.endpoint, { method: 'HEAD', ...limits }).catch(() => undefined)
  const time = Date.parse(answer?.headers.get('date') ?? '')
  return Number.isNaN(time) ? undefined : time
}

async function timeOfNewestChange(dialect: Dialect | undefined): Promise<number | undefined> {
  if (!dialect) return undefined
  try {
    for await (const [newest] of audit(databaseOf(dialect)).list({}, 1))
      return newest && Date.parse(newest.occurred_at)
  } catch {
    // The check of the database reports the reason.
  }
  return undefined
}

const advice = 'set the clock, and keep it right with NTP: on systemd, timedatectl set-ntp true'

/** Compares the clock with those of the store and the database, and with the newest change, which cannot be in the future. */
export async function clock(patient: Patient): Promise<Finding> {
  const { config, dialect } = patient
  const check = 'clock'
  const now = Date.now()
  const [store, change, ahead = 0] = await Promise.all([
    timeOfStore(config),
    timeOfNewestChange(dialect),
    clockAheadMs(patient).catch(() => undefined),
  ])
  if (store !== undefined && Math.abs(store - now) > maxSkewMs)
    return failed(check, `it is ${timestamp(now)} here and ${timestamp(store)} at the media storage`, advice)
  if (Math.abs(ahead) > maxAheadMs)
    return warning(
      check,
      `it is ${timestamp(now)} here and ${timestamp(now - ahead)} at the database, whose clock the service uses`,
      advice,
    )
  if (change !== undefined && change - now > maxSkewMs)
    return failed(
      check,
      `it is ${timestamp(now)} here, but the newest change is of ${timestamp(change)}`,
      advice,
    )
  return ok(
    check,
    `${timestamp(now)}: later than the newest change${store ? ', and close to the time of the storage' : ''}`,
  )
}

/** Checks the free space on the disks of the database file, of media and of incoming uploads. */
export async function disk({ config }: Patient): Promise<Finding> {
  const check = 'disk'
  const file = databaseFile(config)
  const media = mediaFolder(config.bucket_endpoint)
  const folders = [
    ...(file === undefined ? [] : [dirname(resolve(file))]),
    ...(media !== undefined && existsSync(media) ? [media] : []),
    tmpdir(),
  ]
  const rooms = await Promise.all(
    folders.map(async folder => {
      const { bavail, bsize } = await statfs(folder)
      return { folder, bytes: bavail * bsize }
    }),
  )
  const [least] = rooms.toSorted((a, b) => a.bytes - b.bytes)
  if (!least) return skipped(check, 'no folder is used')
  const message = `${Math.floor(least.bytes / 2 ** 20)} MiB are free at ${least.folder}`
  if (least.bytes < fewBytes)
    return failed(check, message, 'free disk space: a full disk rejects every change')
  if (least.bytes < someBytes) return warning(check, message, 'free disk space soon')
  return ok(check, message)
}

const isSecret = (name: string) =>
  (configFields as Record<string, { secret?: true } | undefined>)[name]?.secret

const fromEnvironment = /^\$\{\w+\}$/

/** The texts of a setting, or the client secrets in `oauth_providers`. */
const secretTexts = (value: unknown): unknown[] =>
  Array.isArray(value)
    ? value.map(one => (one as { oauth_client_secret?: unknown } | null)?.oauth_client_secret)
    : [value]

/** Whether the file itself has a secret; the path of a database file or the name of a variable is not one. */
function holdsSecret({ config, path }: Patient): boolean {
  const stored: unknown = JSON.parse(readFileSync(path, 'utf8'))
  return Object.entries(stored ?? {}).some(([name, value]) => {
    if (!isSecret(name)) return false
    const isKept = secretTexts(value).some(one => typeof one === 'string' && !fromEnvironment.test(one))
    return isKept && (name !== 'db_url' || databaseFile(config) === undefined)
  })
}

/** Checks that secrets are set and long enough, and that only their owner can read the file with them. */
export async function secrets(patient: Patient): Promise<Finding> {
  const check = 'secrets'
  const { config, path } = patient
  const { app_secret } = config
  if (app_secret !== undefined && app_secret.length < minSecretLength)
    return failed(check, `app_secret has ${app_secret.length} characters`, 'set one of 32 random characters')
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0
  if ((mode & 0o077) !== 0 && holdsSecret(patient))
    return warning(check, `${path} contains secrets, and other accounts can read it`, `chmod 600 ${path}`)
  if (app_secret === undefined && databaseFile(config) === undefined)
    return warning(
      check,
      'app_secret is not set: each instance creates its own, and cannot read what another has encrypted',
      'set app_secret to the same 32 random characters on every instance',
    )
  const file = databaseFile(config)
  const own = file && secretFile({ configuration: path, database: file })
  if (app_secret === undefined && own !== undefined && !existsSync(own)) {
    // The schema may exist before the first start.
    if ((await timeOfNewestChange(patient.dialect)) === undefined)
      return skipped(check, `app_secret is not set: the first start creates one in ${own}`)
    return warning(
      check,
      `${own} is missing, and app_secret is not set`,
      'restore the file: without it, encrypted values cannot be read, and the next start creates a new secret',
    )
  }
  return ok(check, 'exist, and only their owner can read them')
}

/** Checks that the process may open enough files and sockets. */
export async function descriptors(): Promise<Finding> {
  const check = 'descriptors'
  try {
    return ok(check, `${connectionLimit()} connections at once`)
  } catch (error) {
    return failed(check, wordsOf(error), 'set LimitNOFILE=65536 in the unit, or ulimit -n 65536')
  }
}
