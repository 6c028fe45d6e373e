import { expect, it } from 'vitest'
import { migrations } from '../../migrations/index.js'
import { connect } from '../../src/db/connect.js'
import type { Dialect } from '../../src/db/dialects/dialect.js'
import { migrate } from '../../src/db/migrate.js'
import { engine, freshDatabase } from '../support/database.js'

const id = (n: number) => String(n).padStart(26, '0')

it('keeps trees and counters when their tables are made anew, and begins new trees behind them', async () => {
  const { address, drop } = await freshDatabase()
  const dialect = await connect(address)
  const options = { now: () => '2026-11-21T12:00:00.000Z' }
  const before = migrations.findIndex(({ name }) => name === '012-page-answers')
  await migrate(dialect, migrations.slice(0, before), options)
  const rowsOf = (table: string, key: string) =>
    dialect.read.all(`select * from ${table} order by ${key}`, [])
  await dialect.transaction(async session => {
    await session.run(`update generations set value = 40 where name = 'links'`, [])
    for (const prefix of ['', 'admin_']) {
      for (const n of [1, 2, 3])
        await session.run(`insert into ${prefix}content_trees (root_id, version) values (?, ?)`, [
          id(n),
          n * 7,
        ])
      await session.run(`insert into ${prefix}public_trees (root_id, version, since) values (?, 5, ?)`, [
        id(2),
        options.now(),
      ])
    }
  })
  const tables = ['content_trees', 'admin_content_trees', 'public_trees', 'admin_public_trees']
  const kept = async () => Promise.all(tables.map(table => rowsOf(table, 'root_id')))
  const counters = async () => {
    const rows = await rowsOf('generations', 'name')
    return Object.fromEntries(rows.map(({ name, value }) => [name, Number(value)]))
  }
  const [trees, counted] = [await kept(), await counters()]
  await migrate(dialect, migrations.slice(0, before + 1), options)
  expect(await kept()).toEqual(trees)
  expect(await counters()).toEqual({ ...counted, links: 40 + 21 + 21 })
  await dialect.close()
  await drop()
})

/** A row straight into a table. */
async function insert(
  dialect: Dialect,
  table: string,
  row: Readonly<Record<string, string | number | null>>,
) {
  const names = Object.keys(row).map(name => dialect.quote(name))
  const sql = `insert into ${table} (${names}) values (${names.map(() => '?')})`
  await dialect.transaction(session => session.run(sql, Object.values(row)))
}

it('marks the snapshots stored so far with their format, and nothing else of them', async () => {
  const { address, drop } = await freshDatabase()
  const dialect = await connect(address)
  const now = '2026-11-21T12:00:00.000Z'
  const options = { now: () => now }
  const before = migrations.findIndex(({ name }) => name === '013-snapshot-format')
  await migrate(dialect, migrations.slice(0, before), options)
  const dates = { date_created: now, date_modified: now }
  await insert(dialect, 'roles', { role_id: id(1), label: 'role', system_protected: 0, ...dates })
  const user = { user_id: id(1), username: 'u', name: 'u', email: 'u@example.com', role: id(1) }
  await insert(dialect, 'users', { ...user, email_verified: 0, origin: 'local', ...dates })
  const author_id = id(1)
  // Texts that look like the beginning of a snapshot, and what an engine may take for something else.
  const field_value = '{"entries":[{"entry":1}] {"entry": \\ \' ? :a 😀 é'
  const entry = { content_data_id: id(1), status: 'draft' }
  const fields = [{ content_data_id: id(1), field_value }]
  const [whole, single] = [
    { entries: [entry], fields },
    { entry, fields },
  ]
  for (const prefix of ['', 'admin_']) {
    const type = {
      datatype_id: id(1),
      name: 't',
      label: 't',
      type: 'content',
      parent_id: null,
      sort_order: 0,
    }
    await insert(dialect, `${prefix}datatypes`, { ...type, author_id, ...dates })
    const place = { datatype_id: id(1), root_id: id(1), sort_order: 0, revision: 1, numeric_id: 1 }
    await insert(dialect, `${prefix}content_data`, { ...entry, ...place, author_id, ...dates })
    for (const n of [1, 2]) {
      const version = { content_version_id: id(n), content_data_id: id(1), version_number: n, locale: '' }
      const told = { trigger: 'manual', label: '', date_created: now }
      await insert(dialect, `${prefix}content_versions`, {
        ...version,
        ...told,
        snapshot: JSON.stringify(whole),
      })
      const place = { public_entry_id: id(n), root_id: id(1), content_data_id: id(n) }
      await insert(dialect, `${prefix}public_entries`, { ...place, snapshot: JSON.stringify(single) })
    }
  }
  const stored = async (table: string) =>
    (await dialect.read.all(`select snapshot from ${table}`, [])).map(({ snapshot }) => snapshot)
  const marked = async () => {
    for (const prefix of ['', 'admin_']) {
      const text = JSON.stringify({ v: 1, ...whole })
      expect(await stored(`${prefix}content_versions`)).toEqual([text, text])
      const one = JSON.stringify({ v: 1, ...single })
      expect(await stored(`${prefix}public_entries`)).toEqual([one, one])
    }
  }
  const upToThis = migrations.slice(0, before + 1)
  await migrate(dialect, upToThis, options)
  await marked()
  // A process that died before it could record the step repeats it.
  await dialect.transaction(session =>
    session.run(`delete from schema_migrations where name like '013-snapshot-format/%'`, []),
  )
  expect(await migrate(dialect, upToThis, options)).toHaveLength(4)
  await marked()
  await dialect.close()
  await drop()
})

it('keeps what was counted and what was seeded, each in a table of its own', async () => {
  const { address, drop } = await freshDatabase()
  const dialect = await connect(address)
  const options = { now: () => '2026-11-21T12:00:00.000Z' }
  const before = migrations.findIndex(({ name }) => name === '014-counters')
  await migrate(dialect, migrations.slice(0, before), options)
  await dialect.transaction(async session => {
    for (const [name, value] of Object.entries({ changes: 30, pages: 20, links: 10 }))
      await session.run('update generations set value = ? where name = ?', [value, name])
    for (const name of ['seed:roles', 'seed:field-types', 'seed:media-dimensions'])
      await session.run('insert into generations (name, value) values (?, 1)', [name])
  })
  await migrate(dialect, migrations, options)
  const counted = await dialect.read.all('select name, value from counters order by name', [])
  expect(counted.map(({ name, value }) => [name, Number(value)])).toEqual([
    ['changes', 30],
    ['content_version', 10],
    ['public_version', 10],
    ['schema_version', 20],
  ])
  const seeded = await dialect.read.all('select name from seeds order by name', [])
  expect(seeded.map(({ name }) => name)).toEqual(['field-types', 'media-dimensions', 'roles'])
  await dialect.close()
  await drop()
})

it('keeps trees with pending changes and what was published of them, under their new names', async () => {
  const { address, drop } = await freshDatabase()
  const dialect = await connect(address)
  const options = { now: () => '2026-11-21T12:00:00.000Z' }
  const before = migrations.findIndex(({ name }) => name === '016-published-snapshots')
  await migrate(dialect, migrations.slice(0, before), options)
  const tree = { root_id: id(1), version: 7, since: options.now() }
  const entry = { root_id: id(1), content_data_id: id(2), snapshot: '{"v":1,"entry":{},"fields":[]}' }
  for (const prefix of ['', 'admin_']) {
    await insert(dialect, `${prefix}public_trees`, tree)
    for (const n of [1, 2])
      await insert(dialect, `${prefix}public_entries`, { public_entry_id: id(n), ...entry })
  }
  await migrate(dialect, migrations.slice(0, before + 1), options)
  for (const prefix of ['', 'admin_']) {
    expect(await dialect.read.all(`select * from ${prefix}pending_trees`, [])).toEqual([tree])
    expect(
      await dialect.read.all(`select * from ${prefix}published_snapshots order by published_snapshot_id`, []),
    ).toEqual([1, 2].map(n => ({ published_snapshot_id: id(n), ...entry })))
  }
  await dialect.close()
  await drop()
})

it('makes of who may query a datatype what the public sees of it', async () => {
  const { address, drop } = await freshDatabase()
  const dialect = await connect(address)
  const now = '2026-11-21T12:00:00.000Z'
  const options = { now: () => now }
  const before = migrations.findIndex(({ name }) => name === '033-visibility')
  await migrate(dialect, migrations.slice(0, before), options)
  const dates = { date_created: now, date_modified: now }
  await insert(dialect, 'roles', { role_id: id(1), label: 'role', system_protected: 0, ...dates })
  const user = { user_id: id(1), username: 'u', name: 'u', email: 'u@example.com', role: id(1) }
  await insert(dialect, 'users', { ...user, email_verified: 0, origin: 'local', ...dates })
  for (const prefix of ['', 'admin_'])
    for (const is_public of [0, 1]) {
      const name = `t${is_public}`
      const type = { datatype_id: id(is_public), name, label: name, type: 'content', parent_id: null }
      const more = { sort_order: 0, author_id: id(1), is_public }
      await insert(dialect, `${prefix}datatypes`, { ...type, ...more, ...dates })
      const place = { datatype_id: id(is_public), root_id: id(is_public), sort_order: 0, revision: 1 }
      const entry = { content_data_id: id(is_public), status: 'draft', numeric_id: is_public + 1 }
      await insert(dialect, `${prefix}content_data`, { ...entry, ...place, author_id: id(1), ...dates })
    }
  const upToThis = migrations.slice(0, before + 1)
  await migrate(dialect, upToThis, options)
  const seen = async () => {
    for (const prefix of ['', 'admin_']) {
      const rows = await dialect.read.all(`select * from ${prefix}datatypes order by name`, [])
      expect(rows.map(({ name, visibility, label }) => [name, visibility, label])).toEqual([
        ['t0', 'linked', 't0'],
        ['t1', 'public', 't1'],
      ])
      expect(Object.keys(rows[0] ?? {})).not.toContain('is_public')
      expect(await dialect.read.all(`select * from ${prefix}content_data`, [])).toHaveLength(2)
    }
  }
  await seen()
  // A process that died before it could record the last step repeats it, where the engine has kept what it did.
  if (engine === 'mysql') {
    await dialect.transaction(session =>
      session.run(`delete from schema_migrations where name like '033-visibility/drop %'`, []),
    )
    expect(await migrate(dialect, upToThis, options)).toHaveLength(2)
    await seen()
  }
  await dialect.close()
  await drop()
})

it('makes the public book of what was published of trees with pending changes', async () => {
  const { address, drop } = await freshDatabase()
  const dialect = await connect(address)
  const now = '2026-11-21T12:00:00.000Z'
  const options = { now: () => now }
  const before = migrations.findIndex(({ name }) => name === '035-public-book')
  await migrate(dialect, migrations.slice(0, before), options)
  const dates = { date_created: now, date_modified: now }
  await insert(dialect, 'roles', { role_id: id(1), label: 'role', system_protected: 0, ...dates })
  const user = { user_id: id(1), username: 'u', name: 'u', email: 'u@example.com', role: id(1) }
  await insert(dialect, 'users', { ...user, email_verified: 0, origin: 'local', ...dates })
  const author_id = id(1)
  for (const prefix of ['', 'admin_']) {
    const type = { type: 'content', parent_id: null, sort_order: 0, author_id, ...dates }
    for (const [n, visibility] of ['linked', 'private'].entries())
      await insert(dialect, `${prefix}datatypes`, {
        ...{ datatype_id: id(n + 1), name: visibility, label: visibility, visibility },
        ...type,
      })
    // The page has a child of each kind: one that moved to another page, a draft, one that is private, one that is gone.
    const entry = (n: number, parent: number | null, more: object = {}) => ({
      ...{ content_data_id: id(n), numeric_id: n, datatype_id: id(1), route_id: null },
      ...{ parent_id: parent === null ? null : id(parent), root_id: id(10), sort_order: n },
      ...{ status: 'published', author_id, published_at: now, published_by: id(1) },
      ...{ publish_at: null, unpublish_at: null, revision: 3, ...dates },
      ...more,
    })
    const value = (n: number, field_value: string) => ({
      ...{ content_field_id: id(100 + n), content_data_id: id(n), field_id: id(1), locale: '', field_value },
      ...{ route_id: null, author_id, ...dates },
    })
    const working = [
      entry(10, null),
      entry(20, null, { root_id: id(20) }),
      entry(11, 20, { root_id: id(20) }),
    ]
    for (const row of working) await insert(dialect, `${prefix}content_data`, row)
    for (const [n, version] of [
      [10, 7],
      [20, 9],
    ] as const)
      await insert(dialect, `${prefix}content_trees`, { root_id: id(n), version })
    const kept = [
      [10, entry(10, null)],
      [10, entry(11, 10)],
      [10, entry(12, 10, { status: 'draft' })],
      [10, entry(13, 12)],
      [10, entry(14, 10, { datatype_id: id(2) })],
      [10, entry(15, 10)],
      [20, entry(20, null, { root_id: id(20) })],
    ] as const
    for (const [i, [root, row]] of kept.entries())
      await insert(dialect, `${prefix}published_snapshots`, {
        ...{ published_snapshot_id: id(i), root_id: id(root), content_data_id: row.content_data_id },
        snapshot: JSON.stringify({ v: 1, entry: row, fields: [value(Number(row.numeric_id), `text ${i}`)] }),
      })
    for (const root of [10, 20])
      await insert(dialect, `${prefix}pending_trees`, { root_id: id(root), version: 5, since: now })
  }
  await migrate(dialect, migrations, options)
  // A process that died before it could record the steps repeats them.
  await dialect.transaction(session =>
    session.run(`delete from schema_migrations where name = '035-public-book/public-version'`, []),
  )
  expect(await migrate(dialect, migrations, options)).toEqual(['035-public-book/public-version'])
  for (const prefix of ['', 'admin_']) {
    const rows = await dialect.read.all(
      `select content_data_id, root_id, parent_id, status from ${prefix}public_entries order by content_data_id`,
      [],
    )
    expect(rows.map(row => Object.values(row))).toEqual([
      [id(10), id(10), null, 'published'],
      [id(11), id(10), id(10), 'published'],
      [id(15), id(10), id(10), 'published'],
      [id(20), id(20), null, 'published'],
    ])
    const values = await dialect.read.all(
      `select content_data_id, field_value, content_field_id from ${prefix}public_values order by content_data_id`,
      [],
    )
    expect(values.map(row => Object.values(row))).toEqual([
      [id(10), 'text 0', id(110)],
      [id(11), 'text 1', id(111)],
      [id(15), 'text 5', id(115)],
      [id(20), 'text 6', id(120)],
    ])
    const trees = await dialect.read.all(
      `select root_id, pending_since, public_version from ${prefix}content_trees order by root_id`,
      [],
    )
    expect(trees.map(row => [row.root_id, row.pending_since, Number(row.public_version)])).toEqual([
      [id(10), now, 7],
      [id(20), now, 9],
    ])
  }
  await dialect.close()
  await drop()
})
