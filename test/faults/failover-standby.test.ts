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

/** Starts a server with a standby that has every change before it is acknowledged. */
async function pair(): Promise<
  { primary: OwnPostgres; standby: OwnPostgres & { promote(): void } } | undefined
> {
  const primary = await ownPostgres('-c synchronous_standby_names=* -c synchronous_commit=local')
  if (!primary) return undefined
  onTestFinished(primary.remove)
  const standby = await primary.standby()
  onTestFinished(standby.remove)
  while (!(await isSynchronous(primary))) await sleep(50)
  // What prepares the servers did not wait for the standby.
  const client = new pg.Client({ connectionString: primary.address.db_url })
  await client.connect()
  await client.query('alter database postgres set synchronous_commit = remote_apply')
  await client.end()
  return { primary, standby }
}

describe.runIf(engine === 'postgres')('PostgreSQL with a standby', () => {
  it.for(['behind HAProxy', 'with both hosts in db_url'])(
    `%s loses no acknowledged change of ${writers} writers when the primary crashes, and answers no 500`,
    async (place, { skip }) => {
      const servers = await pair()
      if (!servers) return skip('no PostgreSQL is installed')
      const { primary, standby } = servers
      const isBehind = place === 'behind HAProxy'
      const port = isBehind ? await haproxy(primary.port, standby.port) : undefined
      if (isBehind && port === undefined) return skip('no HAProxy is installed')
      // The standby comes first: it is not taken while it only reads.
      const hosts = isBehind ? `127.0.0.1:${port}` : `127.0.0.1:${standby.port},127.0.0.1:${primary.port}`
      const db_url = `postgres://postgres@${hosts}/postgres`
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
    },
  )
})
