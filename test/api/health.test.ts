import { expect, it, onTestFinished } from 'vitest'
import { connect } from '../../src/db/connect.js'
import { testApp } from '../support/app.js'
import { freshDatabase } from '../support/database.js'
import { startProduct } from '../support/process.js'

const { call, services, config } = await testApp()
const nobody = { as: 'nobody' } as const
const ready = '/api/v1/health/ready'
const pages = '/api/v1/health/pages'

it('an instance lives, and is ready', async () => {
  expect(await call('GET', '/api/v1/health/live', nobody)).toMatchObject({
    status: 200,
    body: { status: 'ok' },
  })
  expect(await call('GET', ready, nobody)).toMatchObject({
    status: 200,
    body: { status: 'ok', checks: { database: true, migrations: true, stopping: false, storage: null } },
  })
  expect(await call('GET', pages, nobody)).toMatchObject({ status: 200, body: { status: 'ok' } })
  expect((await call('POST', pages, nobody)).status).toBe(405)
  expect((await call('POST', ready, nobody)).status).toBe(405)
  expect((await call('GET', `${ready}?now=1`, nobody)).status).toBe(400)
})

it('an instance that stops is not ready and lives on', async () => {
  services.health.stop()
  expect(await call('GET', ready, nobody)).toMatchObject({
    status: 503,
    body: { status: 'unavailable', checks: { database: true, stopping: true } },
  })
  expect(await call('GET', pages, nobody)).toMatchObject({ status: 503, body: { status: 'unavailable' } })
  expect((await call('GET', '/api/v1/health/live', nobody)).status).toBe(200)
  expect((await call('GET', '/api/v1/health', nobody)).status).toBe(200)
})

it('an instance over the database of an older version is not ready', async () => {
  const other = await testApp()
  const dialect = await connect(other.config)
  const older = "delete from schema_migrations where name like '024%'"
  await dialect.transaction(tx => tx.run(older, [])).finally(() => dialect.close())
  expect(await other.call('GET', ready, nobody)).toMatchObject({
    status: 503,
    body: { checks: { database: true, migrations: false } },
  })
  expect(config.db_url).not.toBe(other.config.db_url)
})

it('a stop says that it is not ready while it goes on serving, and then ends', async () => {
  const { address, drop } = await freshDatabase()
  onTestFinished(drop)
  const product = await startProduct(address, { config: { stop_delay_seconds: 3 } })
  const answer = () => fetch(`${product.url}${ready}`).then(({ status }) => status)
  expect(await answer()).toBe(200)
  const ended = product.stop()
  let seen = await answer()
  while (seen === 200) seen = await answer()
  expect(seen).toBe(503)
  expect((await fetch(`${product.url}/api/v1/openapi.json`)).status).toBe(200)
  expect(await ended).toBe(0)
})
