import { afterAll, describe, expect, it } from 'vitest'
import { connect } from '../../src/db/connect.js'
import { freshDatabase } from '../support/database.js'

// A server runs statements in another process, so nobody waits for them here.
describe('a statement in pieces', async () => {
  const { address, drop } = await freshDatabase()
  const dialect = await connect(address)
  const { pieces, all } = dialect.read
  if (!pieces) throw new Error('SQLite reads in no pieces')
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
  const everything = 'select n from numbers order by n'

  it('gives every row once, and other work its turn between 64 of them', async () => {
    const seen: unknown[] = []
    let [turns, running] = [0, true]
    const tick = () => {
      turns++
      if (running) setImmediate(tick)
    }
    setImmediate(tick)
    for await (const piece of pieces(everything, [])) {
      expect(piece.length).toBeLessThanOrEqual(64)
      seen.push(...piece.map(({ n }) => n))
    }
    running = false
    expect(seen).toEqual(Array.from({ length: 2000 }, (_, i) => i + 1))
    expect(turns).toBeGreaterThanOrEqual(10)
  })

  it('shows one moment, and keeps nobody else at it', async () => {
    let n = 0
    for await (const piece of pieces(everything, [])) {
      if (n === 0) {
        await add(2001)
        expect((await all('select max(n) as n from numbers', []))[0]?.n).toBe(2001)
      }
      n += piece.length
    }
    expect(n).toBe(2000)
  })

  it('is given up when nobody asks for more, and its connection is used again', async () => {
    for (let i = 0; i < 20; i++)
      for await (const piece of pieces(everything, [])) {
        expect(piece[0]?.n).toBe(1)
        break
      }
    await add(2002)
    let last: unknown
    for await (const piece of pieces('select max(n) as n from numbers', [])) last = piece[0]?.n ?? last
    expect(last).toBe(2002)
  })

  it('works alone among those with a limit, and ends where that is reached', async () => {
    const limited = (leftMs: number) => {
      const allowance = { leftMs, refusal: () => new Error('too much') }
      return pieces(everything, [], async () => allowance)
    }
    const first = limited(10_000)
    await first.next()
    const second = limited(10_000)
    let isSecondGiven = false
    const given = second.next().then(() => {
      isSecondGiven = true
    })
    for (let i = 0; i < 5; i++) {
      const other = pieces(everything, [])
      expect((await other.next()).done).toBe(false)
      await other.return(undefined)
    }
    expect(isSecondGiven).toBe(false)
    await first.return(undefined)
    await given
    await second.return(undefined)
    await expect(limited(0).next()).rejects.toThrow('too much')
    const third = limited(10_000)
    expect((await third.next()).done).toBe(false)
    await third.return(undefined)
  })

  it('waits for its turn where four run, and is refused where 64 wait', async () => {
    const running = Array.from({ length: 4 }, () => pieces(everything, []))
    for (const one of running) await one.next()
    const waiting = Array.from({ length: 64 }, () => pieces(everything, []))
    const first = waiting.map(one => one.next())
    await expect(pieces(everything, []).next()).rejects.toMatchObject({ status: 503 })
    for (const one of running) await one.return(undefined)
    const lengths: number[] = []
    for (const [i, one] of waiting.entries()) {
      lengths.push((await first[i])?.value?.length ?? 0)
      await one.return(undefined)
    }
    // Fewer than 32 where the machine is slow: a piece ends after 8 ms too.
    expect(lengths).toHaveLength(64)
    for (const length of lengths) expect(length).toSatisfy((n: number) => n >= 1 && n <= 32)
  })

  it('fails as others do, without its values', async () => {
    await expect(pieces('select nothing from numbers where n = ?', [42]).next()).rejects.toMatchObject({
      name: 'DriverError',
    })
    await expect(
      pieces(`select abs(-9223372036854775807 - 1) from numbers where n < ?`, [42]).next(),
    ).rejects.toMatchObject({
      name: 'DriverError',
      message: expect.not.stringContaining('42'),
    })
    await add(2003)
  })

  it('reads in a snapshot too', async () => {
    await dialect.snapshot(async session => {
      await add(2004)
      let n = 0
      for await (const piece of session.pieces?.(everything, []) ?? []) n += piece.length
      expect(n).toBe(2003)
    })
  })
})
