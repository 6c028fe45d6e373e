import { chunks } from './batches.js'
import type { AnyTable, Scalar } from './columns.js'
import type { Dialect, Session } from './dialects/dialect.js'
import { conditions } from './reader.js'
import { encodeIn, type Row } from './rows.js'
import {
  bind,
  deleteFrom,
  insertInto,
  insertNumbered,
  type Statement,
  type Statements,
  updateSet,
} from './statements.js'
import type { Operation } from './tables.js'

/** A statement that a constraint of the database refused; explained after the rollback. */
export class ConstraintError extends Error {
  /** Private, for whoever logs an error logs its properties, and rows hold secrets. */
  readonly #rows: readonly Row[]

  constructor(
    readonly table: AnyTable,
    rows: readonly Row[],
    readonly operation: Operation,
    override readonly cause: unknown,
  ) {
    super(`${operation} on ${table.name} was refused`)
    this.#rows = rows
  }

  get rows(): readonly Row[] {
    return this.#rows
  }
}

/** At most this many values in one INSERT, which every engine takes. */
const insertValues = 2000
/** And so many characters, unless one row alone has more: MySQL and MariaDB take 16 MB by default. */
const insertCharacters = 1_000_000

const charactersOf = (values: readonly Scalar[]): number => {
  let sum = 0
  for (const value of values)
    if (typeof value === 'string' || value instanceof Uint8Array) sum += value.length
  return sum
}

function* insertPieces<R>(rows: readonly R[], columns: number, valuesOf: (row: R) => readonly Scalar[]) {
  const most = Math.max(1, Math.floor(insertValues / columns))
  let [some, values, characters]: [R[], Scalar[], number] = [[], [], 0]
  for (const row of rows) {
    const own = valuesOf(row)
    const length = charactersOf(own)
    if (some.length === most || (some.length > 0 && characters + length > insertCharacters)) {
      yield { some, values }
      ;[some, values, characters] = [[], [], 0]
    }
    some.push(row)
    values.push(...own)
    characters += length
  }
  if (some.length > 0) yield { some, values }
}

/**
 * The statements that change rows, in bounded pieces. Rows are complete before they come here, so they are not read
 * again. This part knows nothing of audit events, trees or deliveries.
 */
export class Changes {
  constructor(
    private readonly dialect: Pick<Dialect, 'classify'>,
    private readonly statements: Statements,
    private readonly session: Session,
  ) {}

  async insert(table: AnyTable, rows: readonly Row[]): Promise<void> {
    const columns = Object.keys(table.columns)
    const valuesOf = (row: Row) => columns.map(name => encodeIn(table, name, row[name]))
    for (const { some, values } of insertPieces(rows, columns.length, valuesOf))
      await this.send(table, some, 'INSERT', insertInto(this.statements, table, some.length), values)
  }

  async load(table: AnyTable, rows: readonly (readonly Scalar[])[]): Promise<void> {
    for (const { some, values } of insertPieces(rows, Object.keys(table.columns).length, row => row))
      await this.send(table, [], 'INSERT', insertInto(this.statements, table, some.length), values)
  }

  /** Sets the columns of `patch` in the one row with this key. @param after the whole row as it becomes */
  async update(table: AnyTable, key: string, patch: Row, after: Row): Promise<void> {
    const names = Object.keys(patch)
    const statement = updateSet(this.statements, table, names, [[table.key, 1]])
    const values = names.map(name => encodeIn(table, name, patch[name]))
    await this.send(table, [after], 'UPDATE', statement, [...values, key])
  }

  async updateIn(table: AnyTable, column: string, values: readonly string[], patch: Row): Promise<void> {
    const names = Object.keys(patch)
    if (names.length === 0) return
    const set = names.map(name => encodeIn(table, name, patch[name]))
    for (const some of chunks(values)) {
      const where = conditions(table, { [column]: some })
      if (where.impossible) continue
      const statement = updateSet(this.statements, table, names, where.shape)
      await this.send(table, [patch], 'UPDATE', statement, [...set, ...where.values])
    }
  }

  async copyColumn(
    table: AnyTable,
    { column, from }: { column: string; from: string },
    keys: readonly string[],
    patch: Row,
  ): Promise<void> {
    const names = Object.keys(patch)
    const set = names.map(name => encodeIn(table, name, patch[name]))
    for (const some of chunks(keys)) {
      const shape = `copy ${table.name} ${column} ${from} ${names} ${some.length}`
      const statement = this.statements.of(shape, (knex, place) =>
        knex(table.name)
          .update({
            [column]: knex.ref(from),
            ...Object.fromEntries(names.map((name, i) => [name, place(i)])),
          })
          .whereIn(
            table.key,
            some.map((_, i) => place(names.length + i)),
          ),
      )
      await this.session.run(statement.sql, bind(statement, [...set, ...some]))
    }
  }

  async deleteIn(table: AnyTable, column: string, values: readonly string[]): Promise<void> {
    for (const some of chunks(values)) {
      const statement = deleteFrom(this.statements, table, [[column, some.length]])
      const gone = some.map(value => ({ [column]: value }))
      await this.send(table, gone, 'DELETE', statement, some)
    }
  }

  /** Adds one to numbers of the row with this key, which holds the row until the commit. */
  /** @param patch what else the row gets */
  async increment(table: AnyTable, columns: readonly string[], key: string, patch: Row = {}): Promise<void> {
    const names = Object.keys(patch)
    const statement = this.statements.of(`increment ${table.name} ${columns} ${names}`, (knex, place) =>
      knex(table.name)
        .where(table.key, place(0))
        .update({
          ...Object.fromEntries(columns.map(column => [column, knex.raw('?? + 1', [column])])),
          ...Object.fromEntries(names.map((name, i) => [name, place(1 + i)])),
        }),
    )
    const values = names.map(name => encodeIn(table, name, patch[name]))
    await this.session.run(statement.sql, bind(statement, [key, ...values]))
  }

  /** Stores a row under the present value of a counter, which this transaction holds. @param row without its key */
  async insertNumbered(table: AnyTable, counters: AnyTable, counter: string, row: Row): Promise<void> {
    const others = Object.keys(table.columns).filter(name => name !== table.key)
    const values = others.map(name => encodeIn(table, name, row[name]))
    const statement = insertNumbered(this.statements, table, counters)
    await this.session.run(statement.sql, bind(statement, [...values, counter]))
  }

  private async send(
    table: AnyTable,
    rows: readonly Row[],
    operation: Operation,
    statement: Statement,
    values: readonly Scalar[],
  ): Promise<void> {
    try {
      await this.session.run(statement.sql, bind(statement, values))
    } catch (error) {
      const failure = this.dialect.classify(error)
      if (failure !== 'duplicate' && failure !== 'reference') throw error
      throw new ConstraintError(table, rows, operation, error)
    }
  }
}
