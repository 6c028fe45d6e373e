import { expect, it, onTestFinished } from 'vitest'
import { connect, type DatabaseAddress } from '../../src/db/connect.js'
import { engine, migratedDatabase } from '../support/database.js'
import { freePort } from '../support/process.js'
import { onServer } from '../support/servers.js'

/** The address with a host in front where nothing listens. */
async function withDeadHost({ db_url = '', ...rest }: DatabaseAddress, more = '') {
  const dead = `127.0.0.1:${await freePort()}`
  const url = new URL(db_url)
  const account = url.username && `${url.username}${url.password && `:${url.password}`}@`
  return { dead, ...rest, db_url: `${url.protocol}//${account}${dead},${url.host}${url.pathname}${more}` }
}

async function opened(address: DatabaseAddress) {
  const dialect = await connect(address)
  onTestFinished(() => dialect.close())
  return { dialect, ask: () => dialect.read.all('select 1 as one', []) }
}

it.runIf(engine !== 'sqlite')(
  'goes to the first host that answers and takes changes, and stays there',
  async () => {
    const { address, drop } = await migratedDatabase()
    onTestFinished(drop)
    const { dead, ...several } = await withDeadHost(address)
    const { dialect, ask } = await opened(several)
    expect(await Promise.all(Array.from({ length: 20 }, ask))).toHaveLength(20)
    await dialect.transaction(tx =>
      tx.run("update counters set value = value + 1 where name = 'changes'", []),
    )
    // It is not in the wanted state, or nothing listens: neither tells an account.
    const { dead: _, ...reading } = await withDeadHost(address, '?target_session_attrs=read-only')
    const { dialect: other, ask: askOther } = await opened(reading)
    const error: Error = await askOther().then(
      () => new Error('it answered'),
      error => error,
    )
    expect([other.classify(error), error.message]).toEqual([
      'unavailable',
      expect.stringMatching(/^ENOSERVER: no server is read-only: .*ECONNREFUSED.*; .* is read-write$/),
    ])
    expect(dead).not.toBe('')
  },
)

it.runIf(engine === 'postgres')(
  'leaves a server that only reads from now on, and takes one that only reads',
  async () => {
    const { address, drop } = await migratedDatabase()
    onTestFinished(drop)
    const { dead: _, ...writing } = await withDeadHost(address)
    const { dead: __, ...reading } = await withDeadHost(address, '?target_session_attrs=read-only')
    const [writer, reader] = [await opened(writing), await opened(reading)]
    const count = "update counters set value = value + 1 where name = 'changes'"
    const write = () => writer.dialect.transaction(tx => tx.run(count, []))
    await write()
    const database = new URL(address.db_url ?? '').pathname.slice(1)
    const set = (state: string) =>
      onServer('postgres', `alter database ${database} set default_transaction_read_only = ${state}`)
    const end = () =>
      onServer(
        'postgres',
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`,
      )
    await set('on')
    await end()
    for (let n = 0; n < 3; n++) await expect(write()).rejects.toThrow()
    await expect(write()).rejects.toThrow(/ENOSERVER: no server is read-write/)
    expect(await reader.ask()).toHaveLength(1)
    await set('off')
    await expect
      .poll(() =>
        write().then(
          () => 'written',
          () => 'refused',
        ),
      )
      .toBe('written')
  },
)
