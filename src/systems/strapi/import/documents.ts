import type { Notes } from '../../../services/import/notes.js'
import { type Lists, type Records, recordAt, recordsOf } from '../../../services/import/records.js'
import { byTime, memberOf, memberText } from '../../imports.js'
import type { Entity, Link, StrapiExport } from './export.js'
import type { PlannedType, StrapiModel } from './model.js'

/** A document with the rows of it that are taken over: the published ones, or else its drafts. */
export interface StrapiDocument {
  readonly key: string
  readonly type: PlannedType
  readonly isPublished: boolean
  readonly createdAt: string
  readonly changedAt: string | undefined
  readonly publishedAt: string | undefined
  /** By their locales, the default one first; one row where the type has no languages. */
  readonly rows: ReadonlyMap<string, Entity>
}

/** The rows of all documents by numbers, because each has a few facts only and there are many. */
export class StrapiRows {
  private readonly numbers = new Map<string, number>()
  private readonly keys: string[] = []
  private readonly locales: string[] = []
  private readonly taken: boolean[] = []

  get count(): number {
    return this.keys.length
  }

  add(type: string, id: string, key: string, locale: string): void {
    const row = rowOf(type, id)
    const number = this.numbers.get(row) ?? this.count
    this.numbers.set(row, number)
    this.keys[number] = key
    this.locales[number] = locale
    this.taken[number] = false
  }

  take({ type, id }: Entity): void {
    const number = this.number(type, id)
    if (number !== undefined) this.taken[number] = true
  }

  number(type: string, id: string): number | undefined {
    return this.numbers.get(rowOf(type, id))
  }

  /** The key of the document. */
  key(number: number): string {
    return this.keys[number] ?? ''
  }

  locale(number: number): string {
    return this.locales[number] ?? ''
  }

  isTaken(number: number): boolean {
    return this.taken[number] === true
  }
}

export interface StrapiDocuments {
  readonly documents: Records<StrapiDocument>
  readonly rows: StrapiRows
}

const rowOf = (type: string, id: string): string => `${type} ${id}`

const timeOf = (value: unknown): string | undefined => {
  const time = typeof value === 'string' || typeof value === 'number' ? new Date(value) : undefined
  return time && !Number.isNaN(time.getTime()) ? time.toISOString() : undefined
}

/** Version 4 has no ids of documents: rows are one by the links between their languages. */
function firstRows(links: Iterable<Link>): (row: string) => string {
  const above = new Map<string, string>()
  const first = (row: string): string => {
    let found = row
    for (let next = above.get(found); next !== undefined; next = above.get(found)) found = next
    if (found !== row) above.set(row, found)
    return found
  }
  for (const { left, right } of links) {
    if (left.field !== 'localizations' || left.type !== right.type) continue
    const [a, b] = [first(rowOf(left.type, left.ref)), first(rowOf(right.type, right.ref))]
    if (a !== b) above.set(a > b ? a : b, a > b ? b : a)
  }
  return first
}

const writtenIn = ({ data }: Entity, { fields }: PlannedType): string =>
  JSON.stringify(
    fields.map(({ attributeName }) => memberOf(data, attributeName)),
    (name, value) => (name === 'id' ? undefined : value),
  )

const localeOf = ({ data }: Entity, { isLocalized }: PlannedType, standard: string): string =>
  (isLocalized ? memberText(data, 'locale') : undefined) ?? standard

class Grouping {
  constructor(
    private readonly standard: string,
    private readonly notes: Notes,
  ) {}

  document(key: string, type: PlannedType, rows: readonly Entity[]): StrapiDocument {
    const drafts = type.schema.options?.draftAndPublish === true
    const published = drafts ? rows.filter(({ data }) => memberText(data, 'publishedAt')) : rows
    const isPublished = published.length > 0
    const taken = this.byLocale(type, isPublished ? published : rows)
    const unpublished = this.byLocale(
      type,
      rows.filter(row => !published.includes(row)),
    )
    if (isPublished)
      for (const [locale, draft] of unpublished) {
        const row = taken.get(locale)
        if (!row) this.notes.add('Draft translations of published entries are left out', type.name)
        else if (writtenIn(row, type) !== writtenIn(draft, type))
          this.notes.add('Unpublished changes are left out: the published state is imported', type.name)
      }
    const [first] = taken.values()
    const read = (name: string) => (first ? timeOf(memberOf(first.data, name)) : undefined)
    const createdAt = read('createdAt') ?? '1970-01-01T00:00:00.000Z'
    return {
      key,
      type,
      isPublished,
      createdAt,
      changedAt: read('updatedAt'),
      publishedAt: isPublished ? read('publishedAt') : undefined,
      rows: taken,
    }
  }

  private byLocale(type: PlannedType, rows: readonly Entity[]): Map<string, Entity> {
    const isStandard = ({ data }: Entity) => (memberText(data, 'locale') ?? this.standard) === this.standard
    const found = new Map<string, Entity>()
    for (const row of [...rows.filter(isStandard), ...rows.filter(row => !isStandard(row))]) {
      const locale = localeOf(row, type, this.standard)
      if (!found.has(locale)) found.set(locale, row)
      else this.notes.add('Duplicate rows of a document in one language are left out', type.name)
    }
    return found
  }
}

/** The rows of documents, by the places of rows in the list of all. */
class Groups {
  private readonly numbers = new Map<string, number>()
  private readonly keys: string[] = []
  private readonly types: PlannedType[] = []
  private readonly latest: number[] = []
  /** For each row that of the same document before it, or -1. */
  private readonly before: number[] = []

  /** @returns the key, of which only one text stays in memory */
  add(key: string, type: PlannedType, place: number): string {
    const number = this.numbers.get(key) ?? this.keys.length
    if (number === this.keys.length) {
      this.numbers.set(key, number)
      this.keys.push(key)
      this.types.push(type)
    }
    this.before[place] = this.latest[number] ?? -1
    this.latest[number] = place
    return this.keys[number] ?? key
  }

  *[Symbol.iterator](): Generator<{ key: string; type: PlannedType; places: readonly number[] }> {
    for (const [number, key] of this.keys.entries()) {
      const places: number[] = []
      for (let at = this.latest[number] ?? -1; at >= 0; at = this.before[at] ?? -1) places.push(at)
      yield { key, type: this.types[number] as PlannedType, places: places.reverse() }
    }
  }
}

/** Finds the documents among the rows of an export. @param standard the default locale, `''` without locales */
export function documentsOf(
  { entities, links }: Pick<StrapiExport, 'entities' | 'links'>,
  model: StrapiModel,
  standard: string,
  { lists, notes }: { readonly lists: Lists; readonly notes: Notes },
): StrapiDocuments {
  const first = firstRows(links)
  const rows = new StrapiRows()
  const groups = new Groups()
  let place = -1
  for (const entity of entities) {
    place++
    const type = model.types.get(entity.type)
    if (!type) continue
    const { id, data } = entity
    const documentId = memberText(data, 'documentId')
    const key = documentId === undefined ? first(rowOf(entity.type, id)) : rowOf(entity.type, documentId)
    rows.add(entity.type, id, groups.add(key, type, place), localeOf(entity, type, standard))
  }
  const grouping = new Grouping(standard, notes)
  const kept = lists.make<Omit<StrapiDocument, 'type'> & { readonly uid: string }>()
  const times: string[] = []
  for (const { key, type, places } of groups) {
    const { type: _, ...document } = grouping.document(
      key,
      type,
      places.map(at => recordAt(entities, at)),
    )
    for (const row of document.rows.values()) rows.take(row)
    times.push(document.createdAt)
    kept.push({ ...document, uid: type.schema.uid })
  }
  // Rows of a time are in the order of their ids already, which sorting keeps.
  const order = [...times.keys()].sort(byTime(at => times[at] ?? ''))
  const documents = recordsOf(order.length, (i): StrapiDocument => {
    const { uid, ...document } = recordAt(kept, order[i] ?? -1)
    const type = model.types.get(uid)
    if (!type) throw new Error(`the export has no type ${uid}`)
    return { ...document, type }
  })
  return { documents, rows }
}
