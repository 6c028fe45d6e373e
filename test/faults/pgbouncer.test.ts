import { describe, expect, it, onTestFinished } from 'vitest'
import { connect } from '../../src/db/connect.js'
import { callerOf, made } from '../support/calls.js'
import { engine, freshDatabase } from '../support/database.js'
import { pgbouncer } from '../support/pgbouncer.js'
import { startProduct } from '../support/process.js'

const rounds = Number(process.env.PGBOUNCER_ROUNDS ?? 1)

describe.runIf(engine === 'postgres')('behind PgBouncer in transaction mode, with a pool of two', () => {
  it(`three instances start together on an empty database and work, in each of ${rounds} rounds`, async ({
    skip,
  }) => {
    for (let round = 0; round < rounds; round++) {
      const { address, drop } = await freshDatabase()
      const pooled = await pgbouncer(address)
      if (!pooled) return skip('no pgbouncer is installed')
      onTestFinished(drop)
      const products = await Promise.all([1, 2, 3].map(() => startProduct(pooled)))
      for (const [n, product] of products.entries()) {
        const call = await callerOf(product)
        await made(call('POST', '/routes', { slug: `/from-${n}`, title: `${n}` }))
      }
      const [first] = products
      if (first) expect(await made((await callerOf(first))('GET', '/routes'))).toHaveLength(3)

      const direct = await connect(address)
      const locks = await direct.read.all(
        `select 1 from pg_locks join pg_database on pg_database.oid = pg_locks.database
          where locktype = 'advisory' and datname = current_database()`,
        [],
      )
      await direct.close()
      expect(locks).toEqual([])
      expect(await Promise.all(products.map(product => product.stop()))).toEqual([0, 0, 0])
    }
  })

  it('a statement that runs too long is ended by the server, in its transaction', async ({ skip }) => {
    const { address, drop } = await freshDatabase()
    onTestFinished(drop)
    const pooled = await pgbouncer(address)
    if (!pooled) return skip('no pgbouncer is installed')
    const dialect = await connect(pooled)
    onTestFinished(() => dialect.close())
    expect(await dialect.transaction(tx => tx.all('show jit', []))).toEqual([{ jit: 'off' }])
    const late = dialect.transaction(tx => tx.run('select pg_sleep(30)', []))
    await expect(late).rejects.toMatchObject({ code: '57014' })
    // Nothing of it is left for whoever gets the server's connection next.
    const [row] = await dialect.read.all("select current_setting('statement_timeout') as timeout", [])
    expect(row).toEqual({ timeout: '0' })
  })
})
