import { setTimeout } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { parseConfig } from '../../src/config.js'
import { SiteClock } from '../../src/db/site-clock.js'
import { internalTables } from '../../src/db/tables.js'
import { timestamp } from '../../src/ids.js'
import { createLog, nodePorts } from '../../src/node/ports.js'
import { open } from '../../src/server.js'
import { takeLease } from '../../src/services/operation/leases.js'
import { engine, migratedDatabase } from '../support/database.js'
import { rowsOf } from './rows.js'

it('puts a clock right by the time of the answer, and keeps it while that fits', async () => {
  const own = { now: () => 1_000_000 }
  let time = 1_000_000
  const clock = new SiteClock(own, async () => time)
  await clock.compare()
  expect([clock.now(), clock.aheadMs]).toEqual([1_000_000, 0])
  time = 700_000
  await clock.compare()
  expect(Math.abs(clock.now() - 700_000)).toBeLessThan(2000)
  const before = clock.aheadMs
  expect(Math.abs(before - 300_000)).toBeLessThan(2000)
  // As far as a question that took no time can tell, nothing has changed.
  time = clock.now()
  await clock.compare()
  expect(clock.aheadMs).toBe(before)
  await expect(
    new SiteClock(own, async () => {
      throw new Error('away')
    }).compare(),
  ).rejects.toThrow('away')
})

it('is never ahead after a slow question, and a quick one before it counts more', async () => {
  const own = { now: () => 1_000_000 }
  let [time, slow] = [700_000, 60]
  const clock = new SiteClock(own, async () => {
    await setTimeout(slow)
    return time
  })
  await clock.compare()
  expect(clock.now()).toBe(700_000)
  // The server read its clock when the answer came, or up to 60 ms before.
  ;[time, slow] = [700_030, 0]
  await clock.compare()
  expect(clock.now()).toBe(700_030)
  ;[time, slow] = [700_000, 60]
  await clock.compare()
  expect(Math.abs(clock.now() - 700_030)).toBeLessThanOrEqual(10)
  // The clock of the server was set.
  time = 900_000
  await clock.compare()
  expect(clock.now()).toBe(900_000)
})

// SQLite has the clock of the one machine.
describe.skipIf(engine === 'sqlite')('instances whose clocks are minutes apart', async () => {
  const { address, drop } = await migratedDatabase()
  afterAll(drop)
  const logged: string[] = []
  const log = { ...createLog('silent'), warn: (_: object, message: string) => void logged.push(message) }
  const instanceAt = async (aheadMs: number) => {
    const opened = await open({
      config: parseConfig({ ...address }, {}).config,
      ports: { ...nodePorts(log, 'no-such-file.json'), clock: { now: () => Date.now() + aheadMs } },
      variables: { CMS_ADMIN_PASSWORD: 'correct horse' },
      followsDatabaseClock: true,
    })
    afterAll(() => opened.db.close())
    await opened.services.instances.begin({ host: `ahead ${aheadMs}`, pid: 1, role: 'instance' })
    return opened
  }
  const three = await Promise.all([0, 300_000, -300_000].map(instanceAt))

  it('count tries to sign in together', async () => {
    const limiters = three.map(({ newRateLimiter }) => newRateLimiter())
    let passed = 0
    for (let round = 0; round < 15; round++)
      for (const limiter of limiters) if ((await limiter.consume('203.0.113.1')) === undefined) passed++
    expect(passed).toBe(10)
    const waits = await Promise.all(limiters.map(limiter => limiter.consume('203.0.113.1')))
    for (const wait of waits)
      expect([wait !== undefined && wait > 0 && wait <= 60_000, wait]).toEqual([true, wait])
    const atOnce = await Promise.all(
      Array.from({ length: 60 }, (_, i) => limiters[i % 3]?.consume('203.0.113.2')),
    )
    expect(atOnce.filter(wait => wait === undefined)).toHaveLength(10)
  })

  it('begin a new window when one has ended, and let none last longer than it may', async () => {
    const [limiter] = three.map(({ newRateLimiter }) => newRateLimiter())
    const key = '203.0.113.3'
    const row = `where ${engine === 'mysql' ? '`key`' : 'key'} = '${key}'`
    const used = async () => {
      for (let i = 0; i < 9; i++) expect(await limiter?.consume(key)).toBeUndefined()
      return rowsOf(address, `select points from auth_limits ${row}`)
    }
    expect(await used()).toEqual([{ points: 9 }])
    await rowsOf(address, `update auth_limits set expire = 1 ${row}`)
    expect(await used()).toEqual([{ points: 9 }])
    // As a server leaves it whose clock went back.
    await rowsOf(address, `update auth_limits set expire = expire + 3600000 ${row}`)
    expect(await limiter?.consume(key)).toBeUndefined()
    expect(await limiter?.consume(key)).toBeLessThanOrEqual(60_000)
  })

  it('have one time, so plans and leases come when they should', async () => {
    const times = three.map(({ ports }) => ports.clock.now())
    expect(Math.max(...times) - Math.min(...times)).toBeLessThan(5000)
    const [one, ahead] = three
    if (!one || !ahead) throw new Error('there is no instance')
    const until = timestamp(one.ports.clock.now() + 60_000)
    const take = ({ db }: typeof one, holder: string) =>
      db.write(systemActor, tx => takeLease(tx, { name: 'work', holder, until }))
    expect([await take(one, 'first'), await take(ahead, 'second')]).toEqual([true, false])
    const rows = await one.db.findAll(internalTables.instances)
    const beats = rows.map(({ beat_at }) => Date.parse(beat_at))
    expect(Math.max(...beats) - Math.min(...beats)).toBeLessThan(60_000)
  })

  it('are told of in the log, in the readiness and in the list', async () => {
    expect(logged.filter(message => message.startsWith('the clock of this machine differs'))).toHaveLength(2)
    const ready = await Promise.all(three.map(({ services }) => services.health.readiness()))
    expect(ready.map(({ clock }) => clock)).toEqual([true, false, false])
    const rows = (await three[0]?.services.instances.list()) ?? []
    const minutes = rows.map(({ host, clock_ms }) => [host, Math.round(clock_ms / 60_000)])
    expect(minutes.sort()).toEqual([
      ['ahead -300000', -5],
      ['ahead 0', expect.closeTo(0)],
      ['ahead 300000', 5],
    ])
  })
})
