import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { engine } from '../support/database.js'

const { call, config } = await testApp()
const url = new URL(engine === 'postgres' ? (config.db_url ?? '') : 'postgres://unused')
const database = url.pathname.slice(1)

/** On a connection to another database of the server, so that nothing of ours is in its way. */
async function onServer(...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: new URL('/postgres', url).href })
  await client.connect()
  for (const sql of statements) await client.query(sql)
  await client.end()
}

const endConnections = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`
let written = 0
const write = () => call('POST', '/api/v1/routes', { body: { slug: `/route-${++written}`, title: 'x' } })

describe.runIf(engine === 'postgres')('a database that has failed over', () => {
  it('answers 503 while it only reads, and takes changes as soon as it does again', async () => {
    expect((await write()).status).toBe(201)
    // What a demoted primary, or a standby behind the same address, says to new connections.
    await onServer(`alter database ${database} set default_transaction_read_only = on`, endConnections)
    for (let i = 0; i < 3; i++) {
      const { status, headers } = await write()
      expect([status, headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)])
    }
    expect((await call('GET', '/api/v1/routes')).status).toBe(200)
    expect((await call('GET', '/api/v1/health/ready', { as: 'nobody' })).status).toBe(503)

    // The connections that are open stay with the server that only reads: somebody has to give them up.
    await onServer(`alter database ${database} reset default_transaction_read_only`)
    await write()
    expect((await write()).status).toBe(201)
  })

  it('whose connections have all ended answers requests, and never with a 500', async () => {
    const all = Array.from({ length: 8 }, () => call('GET', '/api/v1/routes'))
    await Promise.all(all)
    await onServer(endConnections)
    // testApp throws for a 500.
    const answers = await Promise.all(Array.from({ length: 8 }, write))
    for (const { status } of answers) expect([201, 503]).toContain(status)
    expect((await write()).status).toBe(201)
  })
})
