import { migrations } from '../../migrations/index.js'
import { stepsOf } from '../db/migrate.js'
import { deadAfterMs } from '../db/running.js'
import { SiteClock } from '../db/site-clock.js'
import { internalTables } from '../db/tables.js'
import { mediaFolder } from '../media-folder.js'
import { version } from '../node/version.js'
import { maxAheadMs } from '../services/operation/instances.js'
import { databaseOf, type Finding, ok, type Patient, skipped, warning } from './doctor-finding.js'

/** The clock of the database server, which all instances follow; undefined where it is that of this machine. */
export async function clockAheadMs({ dialect }: Patient): Promise<number | undefined> {
  if (!dialect?.time) return undefined
  const clock = new SiteClock({ now: Date.now }, dialect.time)
  await clock.compare()
  return clock.aheadMs
}

/** Looks at the running instances: their versions and clocks, and whether all of them can reach the media. */
export async function instances({ config, dialect }: Patient): Promise<Finding> {
  const check = 'instances'
  if (!dialect || (await stepsOf(dialect, migrations)).missing.length > 0)
    return skipped(check, 'the database is not available')
  const now = (await dialect.time?.()) ?? Date.now()
  const rows = await databaseOf(dialect).findAll(internalTables.instances)
  const running = rows.filter(({ beat_at }) => now - Date.parse(beat_at) < deadAfterMs)
  if (running.length === 0) return ok(check, 'no instance is running')
  const wrong = running.filter(({ clock_ms }) => Math.abs(clock_ms) > maxAheadMs)
  if (wrong.length > 0)
    return warning(
      check,
      `the clock is wrong at ${wrong.map(({ host, clock_ms }) => `${host} by ${Math.round(clock_ms / 1000)} s`).join(', ')}`,
      'synchronize the clocks with NTP: signatures for the media storage need the right time',
    )
  const others = [...new Set(running.map(one => one.version))].filter(one => one !== version)
  if (others.length > 0)
    return warning(
      check,
      `${running.length} are running, some of them with version ${others.join(', ')}`,
      'complete the upgrade',
    )
  const hosts = new Set(running.map(({ host }) => host))
  if (hosts.size > 1 && mediaFolder(config.bucket_endpoint) !== undefined)
    return warning(
      check,
      `${hosts.size} machines or containers are running it: ${[...hosts].join(', ')}; media are in a folder of one`,
      'let all of them have the same folder, or use an S3-compatible store',
    )
  return ok(check, `${running.length} running, all with version ${version}`)
}

/** Looks at the settings that requests have stored in the database. */
export async function settings({ dialect, stored }: Patient): Promise<Finding> {
  const check = 'settings'
  if (!dialect || !stored) return skipped(check, 'the database has no settings')
  const { names, unreadable, refused, fixed } = stored
  if (unreadable.length > 0)
    return warning(
      check,
      `${unreadable.join(', ')} cannot be read with this app_secret`,
      'use the app_secret of the other instances, or set these settings again',
    )
  if (refused.length > 0)
    return warning(check, `ignored: ${refused.join('; ')}`, 'change the file, or set them again in the panel')
  if (fixed.length > 0)
    return warning(
      check,
      `the configuration file overrides settings that were saved in the panel: ${fixed.join(', ')}`,
      'remove them from the file to use the settings of the panel',
    )
  return ok(
    check,
    names.length === 0
      ? 'no settings are stored in the database'
      : `stored in the database: ${names.join(', ')}`,
  )
}
