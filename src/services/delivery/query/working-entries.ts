import type { Scalar } from '../../../db/columns.js'
import type { Reader } from '../../../db/reader.js'
import type { ContentSpace, EntryRow } from '../../../db/tables.js'
import { invalid } from '../../../errors.js'
import { Turns } from '../../../turns.js'
import { anyIds } from '../../content/field-values.js'
import { type IndexedValue, indexedValues } from '../../content/indexed-value.js'
import type { Found, Selection } from './query-entries.js'
import {
  type ColumnTest,
  type FieldTest,
  type NamesTest,
  type RelationTest,
  type Sort,
  someTest,
  type Test,
} from './query-test.js'
import { compareTexts, type KeyedEntry, orderOf } from './row-order.js'

/** So many entries of a datatype are looked through, for the working state has no index of its values. */
const mostWorking = 2000

interface Compared extends IndexedValue {
  readonly position: number
  readonly text: string
}

type Passes = (id: string) => boolean

const ordered = {
  gt: (order: number) => order > 0,
  gte: (order: number) => order >= 0,
  lt: (order: number) => order < 0,
  lte: (order: number) => order <= 0,
} as const
const isOrdered = (op: string): op is keyof typeof ordered => Object.hasOwn(ordered, op)

/** Compares one row in memory, as `comparison` in `src/db` does in the public book. */
function compared({ key, op, operands: given }: FieldTest, row: Compared): boolean {
  const isWhole = row.position === 0
  if (op === 'exists') return isWhole && row.text_key !== '' && row.text_key !== '[]'
  if (key === 'number') {
    const [value] = given
    if (row.number_key === null) return false
    if (isOrdered(op)) return ordered[op](row.number_key - Number(value))
    return given.includes(row.number_key)
  }
  if (op === 'in' || (op === 'eq' && given.length === 1)) return given.includes(row.text_key)
  if (op === 'eq') return row.text_key === given[0] && row.text === given[1]
  if (!isWhole) return false
  if (op === 'contains') return row.text.includes(String(given[0]))
  if (op === 'starts') return row.text.startsWith(String(given[3]))
  return isOrdered(op) && row.text !== '' && ordered[op](compareTexts(row.text, String(given[1])))
}

function columnPasses({ op, operands: given }: ColumnTest, text: string): boolean {
  if (op === 'exists') return text !== ''
  if (op === 'in' || op === 'eq') return given.includes(text)
  if (op === 'contains') return text.includes(String(given[0]))
  if (op === 'starts') return text.startsWith(String(given[3]))
  if (op === 'under') {
    const prefix = String(given[3])
    return text.startsWith(prefix) && text.length > prefix.length && !text.slice(prefix.length).includes('/')
  }
  return isOrdered(op) && ordered[op](compareTexts(text, String(given[0])))
}

/** Finds entries of the working state as `EntryFinder` finds those that the public sees, and compares the same. */
export class WorkingEntries {
  private readonly entries = new Map<string, EntryRow>()
  private readonly values = new Map<string, Compared[]>()
  private readonly routes = new Map<string, { slug: string; title: string }>()

  /** @param isWanted which entries are looked at */
  constructor(
    private readonly read: Reader,
    private readonly space: ContentSpace,
    private readonly isWanted: (entry: EntryRow) => boolean,
  ) {}

  async find({ limit, offset, ...selection }: Selection): Promise<Found & { readonly count: number }> {
    const rows = await this.passing(selection)
    const ids = rows.slice(offset, offset + limit).map(({ id }) => id)
    return { ids, next: undefined, count: rows.length }
  }

  private async passing({
    datatypeId,
    tests,
    sorts,
  }: Pick<Selection, 'datatypeId' | 'tests' | 'sorts'>): Promise<KeyedEntry[]> {
    const { read, space } = this
    const all = await read.findAll(
      space.contentData,
      { datatype_id: datatypeId },
      {
        limit: mostWorking + 1,
      },
    )
    if (all.length > mostWorking)
      throw invalid('status', `drafts can be searched only in datatypes with at most ${mostWorking} entries`)
    const wanted = all.filter(this.isWanted)
    await this.load(wanted)
    if (tests.some(test => someTest(test, one => one.at === 'relation'))) await this.loadTargets()
    const conditions = tests.map(test => this.compiled(test))
    const turns = new Turns()
    const rows: KeyedEntry[] = []
    for (const { content_data_id: id } of wanted) {
      await turns.next()
      if (conditions.every(passes => passes(id)))
        rows.push({ id, keys: sorts.map(sort => this.keyOf(sort, id)) })
    }
    return rows.sort(orderOf(sorts.map(({ shape }) => shape.descending)))
  }

  private async load(entries: readonly EntryRow[]): Promise<void> {
    const { read, space } = this
    const ids = entries.map(entry => entry.content_data_id)
    for (const entry of entries) this.entries.set(entry.content_data_id, entry)
    for (const value of await read.findIn(space.contentFields, 'content_data_id', ids)) {
      const rows = [...indexedValues(value.field_value)].map(one => ({ ...one, text: value.field_value }))
      this.values.set(`${value.content_data_id} ${value.field_id} ${value.locale}`, rows)
    }
    const routeIds = entries.flatMap(({ route_id }) => route_id ?? [])
    for (const route of await read.findIn(space.routes, 'route_id', routeIds))
      this.routes.set(route.route_id, route)
  }

  private async loadTargets(): Promise<void> {
    const ids = new Set([...this.values.values()].flatMap(([whole]) => anyIds(whole?.text ?? '')))
    const missing = [...ids].filter(id => !this.entries.has(id))
    await this.load(await this.read.findIn(this.space.contentData, 'content_data_id', missing))
  }

  private compiled(test: Test): Passes {
    if (test.at === 'not') {
      const inner = this.compiled(test.test)
      return id => !inner(id)
    }
    if ('tests' in test) {
      const parts = test.tests.map(one => this.compiled(one))
      return test.at === 'and' ? id => parts.every(part => part(id)) : id => parts.some(part => part(id))
    }
    if (test.at === 'column')
      return id => {
        // Drafts are sorted by their creation, but have no time of publication.
        if (test.column === 'published_at' && test.op === 'exists')
          return this.entries.get(id)?.status === 'published'
        const text = this.columnOf(test.column, id)
        return text !== null && columnPasses(test, text)
      }
    if (test.at === 'names') return id => this.isNamed(id, test)
    return this.ofValues(test)
  }

  private ofValues(test: FieldTest | RelationTest): Passes {
    const { field, locales } = test
    if (test.at === 'field') return id => this.best(id, field, locales).some(row => compared(test, row))
    const inner = this.compiled(test.test)
    return id =>
      this.best(id, field, locales).some(({ text_key }) => this.entries.has(text_key) && inner(text_key))
  }

  private isNamed(id: string, { field, operands }: NamesTest): boolean {
    const start = `${id} ${field} `
    const texts = [...this.values].flatMap(([key, [whole]]) =>
      key.startsWith(start) && whole ? whole.text : [],
    )
    return texts.some(text => operands.some(one => text.includes(one)))
  }

  private best(id: string, field: Scalar | undefined, locales: readonly Scalar[]): readonly Compared[] {
    for (const locale of locales) {
      const rows = this.values.get(`${id} ${field} ${locale}`)
      if (rows) return rows
    }
    return []
  }

  private columnOf(column: string, id: string): string | null {
    const entry = this.entries.get(id)
    if (column === 'id') return id
    if (column === 'root') return entry?.parent_id === null ? id : null
    if (column === 'published_at') return entry?.published_at ?? entry?.date_created ?? null
    if (column === 'date_created' || column === 'date_modified') return entry?.[column] ?? null
    const route = entry?.parent_id === null && entry.route_id ? this.routes.get(entry.route_id) : undefined
    return route?.[column as 'slug' | 'title'] ?? null
  }

  private keyOf({ shape, values }: Sort, id: string): Scalar | null {
    if (shape.at === 'column') return this.columnOf(shape.column, id)
    const locales = values.filter((_, i) => i % 2 === 1)
    const [whole] = this.best(id, values[0], locales)
    return shape.key === 'number' ? (whole?.number_key ?? null) : whole?.text_key || null
  }
}
