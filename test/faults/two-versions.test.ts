import { afterAll, expect, it } from 'vitest'
import { migrations } from '../../migrations/index.js'
import { parseConfig } from '../../src/config.js'
import { createTable, dropTable, type Migration } from '../../src/db/schema.js'
import { createLog, nodePorts } from '../../src/node/ports.js'
import { open } from '../../src/server.js'
import { migratedDatabase } from '../support/database.js'
import { rowsOf } from './rows.js'

const { address, drop } = await migratedDatabase()
afterAll(drop)
const { config } = parseConfig({ ...address }, {})

/** A version of the service that knows these migrations, on the one database. */
async function versionWith(known: readonly Migration[]) {
  const opened = await open({
    config,
    ports: nodePorts(createLog('silent'), 'no-such-file.json'),
    variables: { CMS_ADMIN_PASSWORD: 'correct horse' },
    followsDatabaseClock: true,
    migrations: known,
  })
  afterAll(() => opened.db.close())
  return opened
}
const place = { host: 'machine', pid: 1, role: 'instance' }
const stepsDone = async () =>
  (await rowsOf<{ name: string }>(address, "select name from schema_migrations where name like '99%'")).map(
    ({ name }) => name,
  )

it('a newer version starts beside an older one, and takes away what that needs when it has ended', async () => {
  const before: Migration[] = [
    ...migrations,
    { name: '990+needed', steps: [createTable('needed_before', { name: 'text(64) key' })] },
  ]
  const after: Migration[] = [
    ...before,
    { name: '991-not-needed', waits: true, steps: [dropTable('needed_before')] },
    { name: '992+needed-now', steps: [createTable('needed_now', { name: 'text(64) key' })] },
  ]
  const older = await versionWith(before)
  await older.services.instances.begin(place)
  const newer = await versionWith(after)
  await newer.services.instances.begin(place)
  const added = ['990+needed/needed_before', '992+needed-now/needed_now']
  expect((await stepsDone()).sort()).toEqual(added)
  for (const { services } of [older, newer])
    expect(await services.health.readiness()).toMatchObject({ database: true, migrations: true, clock: true })
  await newer.services.followOlder()
  expect((await stepsDone()).sort()).toEqual(added)
  // Restarted in the middle of the upgrade.
  const again = await versionWith(before)
  await again.services.instances.begin(place)
  await older.services.instances.end()
  await newer.services.followOlder()
  expect((await stepsDone()).sort()).toEqual(added)
  await again.services.instances.end()
  await newer.services.followOlder()
  expect((await stepsDone()).sort()).toEqual([added[0], '991-not-needed/needed_before-dropped', added[1]])
  await expect(versionWith(before)).rejects.toThrow('(step 991-not-needed')
  expect(await again.services.health.readiness()).toMatchObject({ migrations: false })
  expect(await newer.services.health.readiness()).toMatchObject({ migrations: true })
})

it('marks each migration from 040 on as one that adds or one that waits', () => {
  const marked = migrations.filter(({ name }) => name >= '040')
  expect(marked.length).toBeGreaterThan(2)
  for (const { name, waits } of marked) expect([name, waits === true]).toEqual([name, /^\d+-/.test(name)])
})
