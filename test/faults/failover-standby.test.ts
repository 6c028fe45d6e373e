import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { callerOf, made } from '../support/calls.js'
import { engine } from '../support/database.js'
import { haproxy } from '../support/haproxy.js'
import { type OwnPostgres, ownPostgres } from '../support/own-postgres.js'
import { startProduct } from '../support/process.js'

const writers = 8

/** Whether a server acknowledges what its standby has, and no other. */
async function isSynchronous({ address }: OwnPostgres): Promise<boolean> {
  const client = new pg.Client({ connectionString: address.db_url })
  await client.connect()
  const { rows } = await client.query("select 1 from pg_stat_replication where sync_state = 'sync'")
  await client.end()
  return rows.length === 1
}

describe.runIf(engine === 'postgres')('PostgreSQL with a standby, behind HAProxy', () => {
  it(`loses no acknowledged change of ${writers} writers when the primary crashes, and answers no 500`, async ({
    skip,
  }) => {
    const settings = '-c synchronous_standby_names=* -c synchronous_commit=local'
    const primary = await ownPostgres(settings)
    if (!primary) return skip('no PostgreSQL is installed')
    onTestFinished(primary.remove)
    const standby = await primary.standby()
    onTestFinished(standby.remove)
    while (!(await isSynchronous(primary))) await sleep(50)
    const port = await haproxy(primary.port, standby.port)
    if (port === undefined) return skip('no HAProxy is installed')
    // Changes of the service alone wait for the standby; what prepares the servers does not.
    const db_url = `postgres://postgres@127.0.0.1:${port}/postgres?options=-c%20synchronous_commit%3Dremote_apply`
    const product = await startProduct({ db_driver: 'postgres', db_url })
    const call = await callerOf(product)

    const acknowledged: string[] = []
    const others = new Map<number, number>()
    let [isOver, n] = [false, 0]
    const write = async () => {
      while (!isOver) {
        const slug = `/route-${++n}`
        const { status } = await call('POST', '/routes', { slug, title: slug })
        if (status === 201) acknowledged.push(slug)
        else {
          others.set(status, (others.get(status) ?? 0) + 1)
          await sleep(20)
        }
      }
    }
    const writing = Promise.all(Array.from({ length: writers }, write))
    while (acknowledged.length < 100) await sleep(20)
    primary.crash()
    // What was sent before is answered or refused by now.
    while ((others.get(503) ?? 0) === 0) await sleep(20)
    standby.promote()
    const before = acknowledged.length
    while (acknowledged.length < before + 50) await sleep(20)
    isOver = true
    await writing
    expect([...others.keys()].filter(status => status !== 503)).toEqual([])
    const routes: { slug: string }[] = await made(call('GET', '/routes'))
    const there = new Set(routes.map(({ slug }) => slug))
    expect(acknowledged.filter(slug => !there.has(slug))).toEqual([])
  })
})
