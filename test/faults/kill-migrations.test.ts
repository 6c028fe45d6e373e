import { expect, it, onTestFinished } from 'vitest'
import { migrations } from '../../migrations/index.js'
import { connect, type DatabaseAddress } from '../../src/db/connect.js'
import { migrate } from '../../src/db/migrate.js'
import { engine, freshDatabase } from '../support/database.js'
import { migrateUntilFaults, startProduct } from '../support/process.js'
import { schemaOf } from '../support/schema.js'
import { rowsOf } from './rows.js'

async function recordedSteps(address: DatabaseAddress): Promise<string[]> {
  const rows = await rowsOf<{ name: string }>(address, 'select name from schema_migrations')
  return rows.map(({ name }) => name).sort()
}

/** What a migration that nobody disturbs reports, does and leaves. */
async function undisturbed() {
  const { address, drop } = await freshDatabase()
  onTestFinished(drop)
  const points: string[] = []
  const dialect = await connect(address)
  const steps = await migrate(dialect, migrations, {
    now: () => '2026-11-21T12:00:00.000Z',
    reached: point => points.push(point),
  }).finally(() => dialect.close())
  const expected = migrations.flatMap(({ name, steps }) =>
    steps.flatMap(step => [
      ...step.statements(dialect).map((_, i) => `migrate ${name}/${step.name} statement ${i + 1}`),
      `migrate ${name}/${step.name} recorded`,
    ]),
  )
  return { points, expected, steps, schema: await schemaOf(address) }
}

/** So many databases share the points: one process brings each to its next point, and is killed with all of them. */
const lanes = engine === 'sqlite' ? 24 : 16

async function expectStepsUntil(address: DatabaseAddress, point: string, steps: readonly string[]) {
  const at = steps.findIndex(step => point.startsWith(`migrate ${step} `))
  const recorded = await recordedSteps(address)
  // MySQL commits with each CREATE TABLE, and at once whatever comes after it.
  const early = engine === 'mysql' && point.endsWith(' recorded') && recorded.length > at
  expect([point, recorded]).toEqual([point, steps.slice(0, early ? at + 1 : at).sort()])
}

it('completes a migration that was killed at every one of its points', { timeout: 900_000 }, async () => {
  const { points, expected, steps, schema } = await undisturbed()
  expect(steps.length).toBeGreaterThan(35)
  expect(points).toEqual(expected)
  expect(points.length).toBeGreaterThan(1.9 * steps.length)
  for (const rows of schema) expect(rows.length).toBeGreaterThan(35)

  const addresses: DatabaseAddress[] = []
  for (let lane = 0; lane < lanes; lane++) {
    const { address, drop } = await freshDatabase()
    onTestFinished(drop)
    addresses.push(address)
  }
  for (let first = 0; first < points.length; first += lanes) {
    const faults = addresses.flatMap((address, lane) => {
      const point = points[first + lane]
      return point ? { address, point } : []
    })
    expect([first, await migrateUntilFaults(faults)]).toEqual([first, 'SIGKILL'])
    for (const { address, point } of faults) await expectStepsUntil(address, point, steps)
  }
  const [address, ...others] = addresses as [DatabaseAddress, ...DatabaseAddress[]]
  for (const other of others) {
    const dialect = await connect(other)
    await migrate(dialect, migrations, { now: () => '2026-11-21T12:00:00.000Z' }).finally(() =>
      dialect.close(),
    )
    expect(await recordedSteps(other)).toEqual([...steps].sort())
    expect(await schemaOf(other)).toEqual(schema)
  }
  for (let start = 0; start < 2; start++) {
    const product = await startProduct(address)
    expect(await product.stop()).toBe(0)
  }
  expect(await recordedSteps(address)).toEqual([...steps].sort())
  expect(await schemaOf(address)).toEqual(schema)
  expect(await rowsOf(address, 'select label from roles order by label')).toEqual([
    { label: 'admin' },
    { label: 'editor' },
    { label: 'viewer' },
  ])
  const namesIn = async (table: string) => {
    const rows = await rowsOf<{ name: string }>(address, `select name from ${table} order by name`)
    return rows.map(({ name }) => name)
  }
  // Who asks whether the product is ready makes it write the last of them.
  expect(await namesIn('counters')).toEqual([
    'changes',
    'content_version',
    'public_version',
    'schema_version',
    'write_probe',
  ])
  expect(await namesIn('seeds')).toEqual([
    'admin_public_entries 1',
    'field-types',
    'locales',
    'media-dimensions',
    'public_entries 1',
    'roles',
  ])
  expect(await namesIn('locks')).toEqual([
    'admin_content_fields',
    'admin_datatypes',
    'admin_media_folders',
    'admin_routes',
    'content_fields',
    'datatypes',
    'locales',
    'media_dimensions',
    'media_folders',
    'routes',
    'users',
  ])
})
