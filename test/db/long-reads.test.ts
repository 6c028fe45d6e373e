import { afterAll, describe, expect, it } from 'vitest'
import type { Allowance } from '../../src/db/allowance.js'
import { connect } from '../../src/db/connect.js'
import { eachRow } from '../../src/db/each-row.js'
import { freshDatabase } from '../support/database.js'

// A server runs statements in another process, so nobody waits for them here.
describe('a statement that may look at everything', async () => {
  const { address, drop } = await freshDatabase()
  const dialect = await connect(address)
  const { bounded, all } = dialect.read
  if (!bounded) throw new Error('SQLite bounds no statement')
  await dialect.transaction(async tx => {
    await tx.run('create table numbers (n integer primary key)', [])
    await tx.run(
      'with recursive c(n) as (select 1 union all select n + 1 from c where n < 2000) insert into numbers select n from c',
      [],
    )
  })
  afterAll(async () => {
    await dialect.close()
    await drop()
  })
  const add = (n: number) => dialect.transaction(tx => tx.run('insert into numbers values (?)', [n]))
  /** Takes as long as it is let: each number with each other, again and again. */
  const endless = `select count(*) as n from numbers a, numbers b, numbers c, numbers d where ${eachRow.of('d.n')} a.n < 0 or d.n + a.n < ?`
  const allowed = (leftMs: number) => {
    const allowance: Allowance = { leftMs, refusal: () => new Error('too much') }
    return { allowance, allowanceOf: async () => allowance }
  }

  it('gives what the statement gives, of the last commit', async () => {
    await add(2001)
    expect(await bounded('select max(n) as n from numbers where n > ?', [0])).toEqual([{ n: 2001 }])
    await add(2002)
    expect(await bounded('select max(n) as n from numbers', [])).toEqual([{ n: 2002 }])
  })

  it('is ended when its time is over, and keeps nobody waiting until then', async () => {
    const { allowance, allowanceOf } = allowed(300)
    let [turns, running] = [0, true]
    const tick = () => {
      turns++
      if (running) setImmediate(tick)
    }
    setImmediate(tick)
    await expect(bounded(endless, [-1], allowanceOf)).rejects.toThrow('too much')
    running = false
    expect(turns).toBeGreaterThan(100)
    expect(allowance.leftMs).toBeLessThan(0)
    // Its thread is there for the next.
    expect(await bounded('select count(*) as n from numbers', [])).toEqual([{ n: 2002 }])
  })

  it('takes what it took from what its caller may take, and is not begun when nothing is left', async () => {
    const { allowance, allowanceOf } = allowed(10_000)
    await bounded('select sum(a.n * b.n) as n from numbers a, numbers b where a.n < ?', [200], allowanceOf)
    expect(allowance.leftMs).toBeLessThan(10_000)
    expect(allowance.leftMs).toBeGreaterThan(0)
    await expect(bounded('select 1', [], allowed(-1).allowanceOf)).rejects.toThrow('too much')
  })

  it('runs alone among those with a limit, and beside those without', async () => {
    // Two threads are there then.
    await Promise.all([bounded('select 1 as n', []), bounded('select 1 as n', [])])
    const first = bounded(endless, [-1], allowed(2000).allowanceOf)
    first.catch(() => undefined)
    let isSecondGiven = false
    const second = bounded('select 1 as n', [], allowed(10_000).allowanceOf).then(() => {
      isSecondGiven = true
    })
    expect(await bounded('select 1 as n', [])).toEqual([{ n: 1 }])
    expect(isSecondGiven).toBe(false)
    await expect(first).rejects.toThrow('too much')
    await second
  })

  it('is refused where 64 wait', async () => {
    const { allowanceOf } = allowed(500)
    const running = bounded(endless, [-1], allowanceOf)
    const waiting = Array.from({ length: 64 }, () => bounded('select 1 as n', [], allowed(1000).allowanceOf))
    // Each has asked what it is allowed before it stands in the queue.
    await Promise.resolve().then(() => undefined)
    const further = bounded('select 1 as n', [], allowed(1000).allowanceOf)
    await expect(further).rejects.toMatchObject({ status: 503 })
    await expect(running).rejects.toThrow('too much')
    expect((await Promise.all(waiting)).every(([row]) => row?.n === 1)).toBe(true)
  })

  it('fails as others do, without its values', async () => {
    await expect(bounded('select nothing from numbers where n = ?', [42])).rejects.toMatchObject({
      name: 'DriverError',
    })
    await expect(
      bounded(`select abs(-9223372036854775807 - 1) from numbers where n < ?`, [42]),
    ).rejects.toMatchObject({ name: 'DriverError', message: expect.not.stringContaining('42') })
  })

  it('reads in a snapshot too, of its moment, and ends there as well', async () => {
    const [before] = await all('select count(*) as n from numbers', [])
    await dialect.snapshot(async session => {
      await add(3000)
      expect(await session.bounded?.('select count(*) as n from numbers', [])).toEqual([before])
      expect(await session.lists('select count(*) from numbers', [])).toEqual([[before?.n]])
      await expect(session.bounded?.(endless, [-1], allowed(100).allowanceOf)).rejects.toThrow('too much')
      expect(await session.all('select count(*) as n from numbers', [])).toEqual([before])
    })
    expect(await all('select count(*) as n from numbers', [])).toEqual([{ n: Number(before?.n) + 1 }])
  })
})
