import { expect, it, onTestFinished } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { connect } from '../../src/db/connect.js'
import { Database } from '../../src/db/database.js'
import type { Dialect } from '../../src/db/dialects/dialect.js'
import { searchCandidates, searchCount } from '../../src/db/queries/search.js'
import { Statements } from '../../src/db/statements.js'
import { internalTables, tables } from '../../src/db/tables.js'
import { createIds } from '../../src/ids.js'
import { testApp } from '../support/app.js'
import { engine } from '../support/database.js'
import { updated } from '../support/events.js'

const { db, users, clock, config, audits, logged } = await testApp()
const route = (slug: string, title = 'x') => ({ slug, title, author_id: users.admin })

it('compares text by its bytes and keeps every one of them', async () => {
  const slugs = [
    '/a',
    '/A',
    '/a ',
    '/á',
    '/a\u0301',
    '/ａ',
    '/ß',
    '/ss',
    '/😀',
    '/\u{10ffff}',
    '/i',
    '/İ',
    '/ı',
  ]
  await db.write(systemActor, tx =>
    tx.insertAll(
      tables.routes,
      slugs.map(slug => route(slug)),
    ),
  )
  for (const slug of slugs)
    expect((await db.findAll(tables.routes, { slug })).map(row => row.slug)).toEqual([slug])
  const long = `${'é😀'.repeat(500_000)} `
  await db.write(systemActor, async tx => {
    const { datatype_id } = await tx.insert(tables.datatypes, {
      label: 'x',
      name: 'x',
      type: 'content',
      author_id: users.admin,
    })
    const field = await tx.insert(tables.fields, {
      label: 'x',
      name: 'x',
      field_type: 'text',
      parent_id: datatype_id,
      data: { deep: [{ ключ: null }] },
      author_id: users.admin,
    })
    const id = tx.newId()
    await tx.createTree(tables.contentTrees, id)
    await tx.insert(tables.contentData, {
      content_data_id: id,
      root_id: id,
      datatype_id,
      status: 'draft',
      author_id: users.admin,
    })
    await tx.insert(tables.contentFields, {
      content_data_id: id,
      field_id: field.field_id,
      field_value: long,
      author_id: users.admin,
    })
  })
  const [value] = await db.findAll(tables.contentFields)
  expect(value?.field_value === long).toBe(true)
  const [field] = await db.findAll(tables.fields)
  expect([field?.data, field?.required]).toEqual([{ deep: [{ ключ: null }] }, false])
})

it('gives numeric ids as exact numbers that grow', async () => {
  const [entry] = await db.findAll(tables.contentData)
  expect(Number.isSafeInteger(entry?.numeric_id)).toBe(true)
  const ids = createIds(clock, { bytes: length => crypto.getRandomValues(new Uint8Array(length)) })
  const numbers = Array.from({ length: 10_000 }, () => ids.numeric())
  expect(numbers.every((number, i) => i === 0 || number > (numbers[i - 1] ?? 0))).toBe(true)
  expect(numbers.at(-1)).toBeLessThan(Number.MAX_SAFE_INTEGER)
  const ulids = Array.from({ length: 10_000 }, () => ids.ulid())
  expect(ulids).toEqual([...new Set(ulids)].toSorted())
})

it('takes back everything of a transaction that fails, whatever it had done', async () => {
  const before = [await db.count(tables.routes), (await audits()).length]
  const work = db.write(systemActor, async tx => {
    const { route_id } = await tx.insert(tables.routes, route('/gone'))
    await tx.update(tables.routes, route_id, { title: 'y' })
    await tx.emit('content.updated', updated())
    throw new Error('at the end')
  })
  await expect(work).rejects.toThrow('at the end')
  expect([await db.count(tables.routes), (await audits()).length]).toEqual(before)
  await expect(
    db.write(systemActor, tx => tx.insertAll(tables.routes, [route('/n1'), route('/n2'), route('/n1')])),
  ).rejects.toThrow()
  expect(await db.count(tables.routes, { slug: '/n1' })).toBe(0)
})

it('says in one order what is wrong, however many things are', async () => {
  await expect(
    db.write(systemActor, tx =>
      tx.insert(tables.routes, { ...route('/a'), author_id: '01ARZ3NDEKTSV4RRFFQ69G5FAV' }),
    ),
  ).rejects.toMatchObject({ status: 400, message: 'foreign key failure: author_id names no record of users' })
  await expect(db.write(systemActor, tx => tx.insert(tables.routes, route('/a')))).rejects.toMatchObject({
    status: 409,
    message: 'slug already exists',
  })
  await expect(db.write(systemActor, tx => tx.remove(tables.users, users.admin))).rejects.toMatchObject({
    status: 409,
    message: expect.stringMatching(/^still referenced by /),
  })
  await expect(db.write(systemActor, tx => tx.remove(tables.routes, 'none'))).rejects.toMatchObject({
    status: 404,
  })
})

/** The real engine, in which the first commits fail as under contention. */
async function failing(times: number): Promise<{ dialect: Dialect; runs: () => number }> {
  const dialect = await connect(config)
  let runs = 0
  const { transaction, classify } = dialect
  const contention = new Error('contention')
  return {
    runs: () => runs,
    dialect: Object.assign(dialect, {
      transaction: <T>(work: Parameters<typeof transaction<T>>[0]) =>
        transaction<T>(async session => {
          const result = await work(session)
          runs++
          if (runs <= times) throw contention
          return result
        }),
      classify: (error: unknown) => (error === contention ? 'retry' : classify(error)),
    } satisfies Partial<Dialect>),
  }
}

it('runs a contended transaction again, three times at most, and writes it once', async () => {
  const settings = {
    clock,
    ids: createIds(clock, { bytes: length => crypto.getRandomValues(new Uint8Array(length)) }),
    webhooksEnabled: () => false,
    log: { debug() {}, info() {}, warn() {}, error() {} },
  }
  const lucky = await failing(3)
  const again = new Database(lucky.dialect, settings)
  await again.write(systemActor, tx => tx.insert(tables.routes, route('/contended')))
  expect([lucky.runs(), await db.count(tables.routes, { slug: '/contended' })]).toEqual([4, 1])
  expect(await db.count(internalTables.auditEvents, { table_name: 'routes', operation: 'INSERT' })).toBe(
    await db.count(tables.routes),
  )
  await again.close()
  const unlucky = await failing(4)
  const never = new Database(unlucky.dialect, settings)
  await expect(
    never.write(systemActor, tx => tx.insert(tables.routes, route('/never'))),
  ).rejects.toMatchObject({
    status: 503,
    headers: { 'Retry-After': '1' },
  })
  expect(await db.count(tables.routes, { slug: '/never' })).toBe(0)
  await never.close()
  expect(logged.filter(({ level }) => level === 'error')).toEqual([])
})

it('sees at once what another process committed, and what it did itself as no news', async () => {
  const dialect = await connect(config)
  const other = new Database(dialect, {
    clock,
    ids: createIds(clock, { bytes: length => crypto.getRandomValues(new Uint8Array(length)) }),
    webhooksEnabled: () => false,
    log: { debug() {}, info() {}, warn() {}, error() {} },
  })
  const before = await db.externalChangesNow()
  await db.write(systemActor, tx => tx.insert(tables.routes, route('/own')))
  expect(await db.externalChangesNow()).toBe(before)
  expect(await db.countAll(tables.routes)).toBe(await db.count(tables.routes))
  expect(await db.count(tables.routes, {}, 2)).toBe(2)
  expect(await db.count(tables.routes, {}, 1000)).toBe(await db.count(tables.routes))
  await other.write(systemActor, tx => tx.insert(tables.routes, route('/foreign')))
  expect(await db.externalChangesNow()).toBe(before + 1)
  expect(await db.countAll(tables.routes)).toBe(await db.count(tables.routes))
  await other.close()
})

it.skipIf(engine !== 'postgres')('a migration has no limit of the server for its statements', async () => {
  const dialect = await connect(config)
  onTestFinished(() => dialect.close())
  const limit = () => dialect.transaction(session => session.all('show statement_timeout', []))
  expect(await limit()).toEqual([{ statement_timeout: '3500ms' }])
  expect(await dialect.withMigrationLock(limit)).toEqual([{ statement_timeout: '0' }])
  expect(await limit()).toEqual([{ statement_timeout: '3500ms' }])
})

it.skipIf(engine !== 'postgres')('the server compiles no statement', async () => {
  const dialect = await connect(config)
  onTestFinished(() => dialect.close())
  expect(await dialect.read.all('show jit', [])).toEqual([{ jit: 'off' }])
})

it('finds each word whole, however long or common, and what begins with it', async () => {
  const { publicSearch } = tables
  const id = (n: number) => `01ARZ3NDEKTSV4RRFFQ69G5F${n}`.padEnd(26, '0')
  const longest = `k0${'y'.repeat(80)}`
  const words = ['k0a', 'k0the', 'k01', 'k0abc', 'k0abd', longest, `${longest.slice(0, 81)}x`]
  const row = (n: number, own: readonly string[]) => ({
    document_id: n,
    content_data_id: id(n),
    word_count: own.length,
    title_words: '',
    words: own.join(' '),
  })
  const all = words.map((word, i) => row(i + 1, [word, 'k0common']))
  await db.write(systemActor, tx => tx.insertAllInternal(publicSearch, all))
  const find = async (terms: Parameters<typeof db.wordsFor>[0], most = 100) =>
    (await db.query(searchCandidates(tables, most), { words: db.wordsFor(terms) })).map(({ id }) => id)
  const whole = (word: string) => [{ word, isPrefix: false }]
  const begun = (word: string) => [{ word, isPrefix: true }]
  for (const [i, word] of words.entries())
    expect([word, await find([whole(word)])]).toEqual([word, [id(i + 1)]])
  expect(await find([begun('k0ab')])).toEqual([id(5), id(4)])
  expect(await find([begun('k0ab'), whole('k0abd')])).toEqual([id(5)])
  expect(await find([[...whole('k0abc'), ...whole('k01')], whole('k0common')])).toEqual([id(4), id(3)])
  expect(await find([whole('k0common')], 3)).toEqual([id(7), id(6), id(5)])
  expect(await find([begun(longest.slice(0, 70))])).toEqual([id(7), id(6)])
  await db.write(systemActor, async tx => {
    await tx.deleteAllInternal(publicSearch, 'content_data_id', [id(4), id(5)])
    await tx.insertInternal(publicSearch, row(5, ['k0new']))
  })
  expect([await find([begun('k0ab')]), await find([whole('k0new')])]).toEqual([[], [id(5)]])
  await expect(
    db.write(systemActor, async tx => {
      await tx.deleteAllInternal(publicSearch, 'content_data_id', [id(5)])
      throw new Error('never mind')
    }),
  ).rejects.toThrow('never mind')
  expect(await find([whole('k0new')])).toEqual([id(5)])
  const ids = Array.from({ length: 9 }, (_, i) => id(i + 1))
  await db.write(systemActor, tx => tx.deleteAllInternal(publicSearch, 'content_data_id', ids))
  expect(await find([begun('k0')])).toEqual([])
})

it('looks for words by the index of the full text', async () => {
  const dialect = await connect(config)
  onTestFinished(() => dialect.close())
  const statements = new Statements(dialect.knex, dialect.fullText)
  const terms = dialect.fullText.expression([
    [{ word: 'k0a', isPrefix: false }],
    [{ word: 'k0b', isPrefix: true }],
  ])
  const ofSearch = [
    statements.ofQuery(searchCandidates(tables, 10)),
    statements.ofQuery(searchCount(tables, 10)),
  ]
  for (const { sql, places } of ofSearch) {
    const values = places.map(at => (typeof at === 'number' ? terms : at.constant))
    const plan = await dialect.transaction(async session => {
      // Here there is so little that the server would read all of it.
      if (engine === 'postgres') await session.run('set local enable_seqscan = off', [])
      return session.all(`explain ${engine === 'sqlite' ? 'query plan ' : ''}${sql}`, values)
    })
    const marks = {
      sqlite: 'VIRTUAL TABLE INDEX',
      postgres: 'public_search_words_fulltext',
      mysql: '"fulltext"',
    }
    expect(JSON.stringify(plan)).toContain(marks[engine])
  }
})
