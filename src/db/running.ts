import { timestamp } from '../ids.js'
import type { Dialect, Session } from './dialects/dialect.js'

/** An instance that has not said for this long that it runs has died, in milliseconds. */
export const deadAfterMs = 15_000

/** The number of the newest of these migrations, or of migrations that have these steps. */
export const schemaNumber = (names: readonly string[]): number =>
  Math.max(0, ...names.map(name => Number.parseInt(name, 10)))

/**
 * Whether an instance runs that does not know a migration. Versions without a row in `instances` are not seen.
 * @param step one of its steps
 */
export async function runsOlder(
  dialect: Pick<Dialect, 'time'>,
  session: Session,
  step: string,
): Promise<boolean> {
  const now = (await dialect.time?.()) ?? Date.now()
  const rows = await session.all('select schema_number from instances where beat_at > ?', [
    timestamp(now - deadAfterMs),
  ])
  return rows.some(row => Number(row.schema_number) < schemaNumber([step]))
}
