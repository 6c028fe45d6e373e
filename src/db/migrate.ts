import type { Dialect, Session } from './dialects/dialect.js'
import { DriverError } from './dialects/driver-error.js'
import { runsOlder } from './running.js'
import type { Migration } from './schema.js'

export interface MigrateOptions {
  now: () => string
  /** Called at named points, so that a test can end the process there. */
  reached?: (point: string) => void
}

const ledger = 'schema_migrations'

async function appliedSteps(dialect: Dialect): Promise<Set<string> | undefined> {
  try {
    const rows = await dialect.read.all(`select name from ${ledger}`, [])
    return new Set(rows.map(({ name }) => String(name)))
  } catch (error) {
    if (dialect.classify(error) === 'unavailable') throw error
    return undefined
  }
}

const stepsIn = (migrations: readonly Migration[]) =>
  migrations.flatMap(({ name, steps, waits = false }) =>
    steps.map(({ name: step, ...rest }) => ({ name: `${name}/${step}`, waits, ...rest })),
  )

/**
 * Whether a step of a newer version only adds to the schema, so that this version goes on beside that one. A migration
 * says so by a `+` behind its number, which older versions see in the database
 * (docs/decisions/523-migrations-and-poolers.md).
 */
const onlyAdds = (step: string): boolean => /^\d+\+/.test(step)

export interface StepsOfDatabase {
  readonly done: string[]
  readonly missing: string[]
  /** Names of the steps that it runs when no older instance is left, and does without until then. */
  readonly waiting: string[]
  readonly unknown: string[]
  /** The first of them that is not for this version; with it this one does not start. */
  readonly refused: string | undefined
}

/**
 * Compares the database with this version's schema and changes nothing.
 * @throws when the database does not respond
 */
export async function stepsOf(dialect: Dialect, migrations: readonly Migration[]): Promise<StepsOfDatabase> {
  const steps = stepsIn(migrations)
  const applied = (await appliedSteps(dialect)) ?? new Set<string>()
  const known = new Set(steps.map(({ name }) => name))
  const left = steps.filter(({ name }) => !applied.has(name))
  const namesOf = (some: readonly { name: string }[]) => some.map(({ name }) => name)
  const unknown = [...applied].filter(name => !known.has(name))
  return {
    done: namesOf(steps.filter(({ name }) => applied.has(name))),
    missing: namesOf(left.filter(({ waits }) => !waits)),
    waiting: namesOf(left.filter(({ waits }) => waits)),
    unknown,
    refused: unknown.find(name => !onlyAdds(name)),
  }
}

/**
 * The list of steps is made before the first table, so tables without it are foreign: those of another program, or of a
 * dump that was loaded only to look into it, which have no keys.
 * @throws when there are some that a step would take for its own
 */
async function refuseForeignTables(
  dialect: Dialect,
  session: Session,
  migrations: readonly Migration[],
): Promise<void> {
  const there = await dialect.tableNames(session)
  if (there.includes(ledger)) return
  const ours = new Set(migrations.flatMap(({ steps }) => steps.map(({ name }) => name)))
  const foreign = there.find(name => ours.has(name))
  if (foreign)
    throw new Error(
      `the database has the table ${foreign} of another program: use an empty database (slugline backup restore also needs one)`,
    )
}

/**
 * Brings the database to this version's schema. Each step is recorded by itself and can be repeated, so a process
 * that dies anywhere is completed by the next start; the lock belongs to a connection and ends with it.
 * Steps that wait for older instances are left for later while one runs.
 * @returns the names of the steps that were done now
 * @throws when a newer version has migrated the database by more than additions
 */
export async function migrate(
  dialect: Dialect,
  migrations: readonly Migration[],
  { now, reached = () => {} }: MigrateOptions,
): Promise<string[]> {
  const { missing, waiting, refused } = await stepsOf(dialect, migrations)
  if (refused)
    throw new Error(`the database was migrated by a newer version (step ${refused}): start that version`)
  const left = [...missing, ...waiting]
  if (left.length === 0) return []

  // Recorded steps are never run again; under the lock only the missing ones are checked once more.
  const steps = stepsIn(migrations)
    .filter(({ name }) => left.includes(name))
    .toSorted((a, b) => Number(a.waits) - Number(b.waits))
  const done: string[] = []
  await dialect.withMigrationLock(async () => {
    await dialect.transaction(async session => {
      await refuseForeignTables(dialect, session, migrations)
      await session.run(
        `create table if not exists ${ledger} (name ${dialect.type('text', 255)} not null primary key, applied_at ${dialect.type('time', 24)} not null)${dialect.tableSuffix}`,
        [],
      )
    })
    for (const { name, waits, statements, rows } of steps) {
      const work = dialect.transaction(async session => {
        const [row] = await session.all(`select name from ${ledger} where name = ?`, [name])
        if (row || (waits && (await runsOlder(dialect, session, name)))) return
        for (const [i, sql] of statements(dialect).entries()) {
          await session.run(sql, []).catch(error => {
            // Left by a process that died before it could record the step.
            if (dialect.classify(error) !== 'done') throw error
          })
          reached(`migrate ${name} statement ${i + 1}`)
        }
        await rows?.(session)
        await session.run(`insert into ${ledger} (name, applied_at) values (?, ?)`, [name, now()])
        reached(`migrate ${name} recorded`)
        done.push(name)
      })
      await work.catch(async error => {
        // On a cluster with several writers the lock is of one node: another instance did the step at the same moment.
        if (!(error instanceof DriverError && (await appliedSteps(dialect))?.has(name))) throw error
      })
    }
  })
  return done
}
