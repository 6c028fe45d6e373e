import { type Actor, authorOf } from '../actor.js'
import type { AnyTable, Audited, InsertOf, PatchOf, RecordOf, RowOf, WhereOf } from '../db/columns.js'
import { withoutSecrets } from '../db/columns.js'
import type { Door } from '../db/database.js'
import type { Slice } from '../db/reader.js'
import { notFound } from '../errors.js'

/** Refuses a change by what the record was before it; as `If-Match` does. */
export type Check<Record> = (before: Record) => void

/** The values of a new record; the author may be left out. */
export type CreateOf<T> = Omit<InsertOf<T>, 'author_id'> &
  (InsertOf<T> extends { author_id: string } ? { author_id?: string | undefined } : unknown)

/** The actions of every resource. A resource with a rule of its own replaces the one action that differs. */
export interface Crud<T extends AnyTable, Create = CreateOf<T>, Update = PatchOf<T>> {
  readonly table: T
  list(where: WhereOf<T>, slice: Slice): AsyncGenerator<RecordOf<T>[]>
  count(where: WhereOf<T>): Promise<number>
  get(id: string): Promise<RecordOf<T>>
  create(actor: Actor, values: Create): Promise<RecordOf<T>>
  update(actor: Actor, id: string, patch: Update, check?: Check<RecordOf<T>>): Promise<RecordOf<T>>
  remove(actor: Actor, id: string, check?: Check<RecordOf<T>>): Promise<void>
}

/** Reads of a table as records, without secret columns. */
export function reads<T extends AnyTable>(
  db: Door,
  table: T,
): Pick<Crud<T>, 'table' | 'list' | 'count' | 'get'> {
  return {
    table,
    async *list(where, slice) {
      for await (const rows of db.stream(table, where, slice))
        yield rows.map(row => withoutSecrets(table, row))
    },
    count: where => (Object.keys(where).length > 0 ? db.count(table, where) : db.countAll(table)),
    async get(id) {
      const row = await db.get(table, id)
      if (!row) throw notFound()
      return withoutSecrets(table, row)
    },
  }
}

function withAuthor<T extends AnyTable>(actor: Actor, table: T, values: CreateOf<T>): InsertOf<T> {
  const { author_id } = values as { author_id?: string }
  const named = 'author_id' in table.columns ? { author_id: authorOf(actor, author_id) } : {}
  // The author is the one member that the two types differ in.
  return { ...values, ...named } as unknown as InsertOf<T>
}

export function crud<T extends AnyTable & Audited>(db: Door, table: T): Crud<T> {
  const shown = (row: RowOf<T>) => withoutSecrets(table, row)
  const checked = (check?: Check<RecordOf<T>>) => check && ((before: RowOf<T>) => check(shown(before)))
  return {
    ...reads(db, table),
    create: (actor, values) =>
      db.write(actor, async tx => shown(await tx.insert(table, withAuthor(actor, table, values)))),
    update: (actor, id, patch, check) =>
      db.write(actor, async tx => shown((await tx.update(table, id, patch, checked(check))).after)),
    remove: (actor, id, check) =>
      db.write(actor, async tx => {
        await tx.remove(table, id, checked(check))
      }),
  }
}
