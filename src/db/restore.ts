import { Changes, ConstraintError } from './changes.js'
import type { AnyTable, Scalar } from './columns.js'
import type { Dialect, Session } from './dialects/dialect.js'
import type { DumpedRows } from './dump/read.js'
import { installationTables, ownReference } from './dump/tables.js'
import { Reader } from './reader.js'
import { Statements } from './statements.js'
import {
  adminTables,
  type ContentSpace,
  type CounterName,
  everyTable,
  internalTables,
  tables,
} from './tables.js'

/** Why a restore did not take place, in one sentence. Nothing of it is in the database. */
export class RestoreError extends Error {}

export interface RestoreSettings {
  replace: boolean
  progress(rows: number): void
}

const replaced: readonly AnyTable[] = everyTable.filter(table => !installationTables.has(table))

/** The first table that has rows; undefined in a database that has nothing but its schema. */
export async function firstUsedTable(dialect: Dialect, session: Session): Promise<string | undefined> {
  const there = new Set(await dialect.tableNames(session))
  for (const { name } of replaced) {
    if (!there.has(name)) continue
    const [row] = await session.all(`select 1 as one from ${dialect.quote(name)} limit 1`, [])
    if (row) return name
  }
  return undefined
}

function withoutReferences(all: readonly AnyTable[]): AnyTable[] {
  const ordered: AnyTable[] = []
  for (let left = [...all]; left.length > 0; ) {
    const isNamed = ({ name }: AnyTable) =>
      left.some(
        other =>
          other.name !== name &&
          Object.values(other.columns).some(({ flags: { references } }) => references === name),
      )
    const free = left.filter(table => !isNamed(table))
    ordered.push(...free)
    left = left.filter(table => !free.includes(table))
  }
  return ordered
}

class Loading {
  private readonly changes: Changes
  private readonly read: Reader
  private readonly later = new Map<AnyTable, [key: Scalar, named: Scalar][]>()
  private rows = 0

  constructor(
    private readonly dialect: Dialect,
    private readonly session: Session,
    private readonly settings: RestoreSettings,
  ) {
    const statements = new Statements(dialect.knex)
    this.changes = new Changes(dialect, statements, session)
    this.read = new Reader(statements, session)
  }

  async clear(): Promise<void> {
    const { quote } = this.dialect
    for (const table of withoutReferences(replaced)) {
      const own = ownReference(table)
      // Not every engine takes rows away that name each other.
      if (own) await this.session.run(`update ${quote(table.name)} set ${quote(own)} = null`, [])
      await this.session.run(`delete from ${quote(table.name)}`, [])
    }
  }

  /** Stores rows in the order of their keys. A reference to a later row of the table is set when all are stored. */
  async add({ of: { table, columns }, rows }: DumpedRows): Promise<void> {
    const own = ownReference(table)
    const [keyAt, ownAt] = [columns.indexOf(table.key), own === undefined ? -1 : columns.indexOf(own)]
    const stored = rows.map(row => {
      const [key = null, named = null] = [row[keyAt], row[ownAt]]
      if (ownAt < 0 || key === null || named === null || named < key) return row
      const later = this.later.get(table) ?? []
      this.later.set(table, later)
      later.push([key, named])
      return row.with(ownAt, null)
    })
    await this.changes.load(table, stored)
    this.rows += rows.length
    this.settings.progress(this.rows)
  }

  async finish(): Promise<void> {
    const { dialect, session } = this
    for (const [table, pairs] of this.later) {
      const [name, own, key] = [table.name, ownReference(table) ?? '', table.key].map(dialect.quote)
      for (const [of, named] of pairs)
        await session.run(`update ${name} set ${own} = ? where ${key} = ?`, [named, of])
    }
    await this.makeTrees()
    await dialect.raiseVersion(session)
  }

  /** Makes the trees again, under versions that no page was ever rendered from. */
  private async makeTrees(): Promise<void> {
    const [schema, content, shown]: CounterName[] = ['schema_version', 'content_version', 'public_version']
    const { counters } = internalTables
    for (const counter of [schema, content, shown])
      await this.changes.increment(counters, ['value'], counter as string)
    const version = (await this.read.get(counters, content as string))?.value ?? 1
    for (const space of [tables, adminTables]) await this.makeTreesOf(space, version)
  }

  private async makeTreesOf(space: ContentSpace, version: number): Promise<void> {
    const { quote } = this.dialect
    const [trees, entries] = [space.contentTrees, space.contentData].map(({ name }) => quote(name))
    await this.session.run(`update ${trees} set version = ?, public_version = ?`, [version, version])
    await this.session.run(
      `insert into ${trees} (root_id, version, public_version, changed_at)
        select content_data_id, ${version}, ${version}, date_modified from ${entries}
        where content_data_id = root_id and not exists (select 1 from ${trees} t where t.root_id = content_data_id)`,
      [],
    )
  }
}

const inWords = (error: unknown): unknown =>
  error instanceof ConstraintError
    ? new RestoreError(`the rows of ${error.table.name} contradict each other or other rows`)
    : error

/**
 * Fills a migrated database with the rows of a dump, all of them or none: in one transaction, that no start of an
 * instance comes into. Values are bound. Rendered pages and the public book are empty afterwards; the next start makes
 * them. It is no change of a record, and leaves no audit event: the log is that of the dump.
 * @param rows ends with an error when the dump turns out to be damaged
 * @throws RestoreError when the database is not empty and is not to be replaced
 */
export async function restoreRows(
  dialect: Dialect,
  rows: AsyncIterable<DumpedRows>,
  settings: RestoreSettings,
): Promise<void> {
  await dialect.withMigrationLock(() =>
    dialect.transaction(async session => {
      const loading = new Loading(dialect, session, settings)
      if (settings.replace) await loading.clear()
      const used = await firstUsedTable(dialect, session)
      if (used) throw new RestoreError(`the database is not empty: ${used} has rows`)
      try {
        for await (const some of rows) await loading.add(some)
        await loading.finish()
      } catch (error) {
        throw inWords(error)
      }
    }),
  )
}
