import type { StrapiDocuments, StrapiRows } from './documents.js'
import type { Attribute, Link } from './export.js'

const fileType = 'plugin::upload.file'
/** The name of a relation to any type, whose other side has no field for it. */
const morphField = (type: string, field: string): string => `${type} ${field}`

/** Texts by numbers, and back. */
class Names {
  private readonly numbers = new Map<string, number>()
  private readonly names: string[] = []

  number(name: string): number {
    const known = this.numbers.get(name)
    if (known !== undefined) return known
    this.numbers.set(name, this.names.length)
    return this.names.push(name) - 1
  }

  known(name: string): number | undefined {
    return this.numbers.get(name)
  }

  name(number: number): string {
    return this.names[number] ?? ''
  }
}

const width = 4

/** Pairs of the owners of fields and what they name, as numbers: an export may have millions. */
class Pairs {
  private numbers = new Float64Array(width * 1024)
  private count = 0
  private readonly latest = new Map<number, number>()

  add(owner: number, field: number, target: number, position: number): void {
    if (width * (this.count + 1) > this.numbers.length) {
      const more = new Float64Array(2 * this.numbers.length)
      more.set(this.numbers)
      this.numbers = more
    }
    this.numbers.set([this.latest.get(owner) ?? -1, field, target, position], width * this.count)
    this.latest.set(owner, this.count++)
  }

  /** Returns the targets of a field of an owner, by position, and those of one position as they were added. */
  of(owner: number, field: number): number[] {
    const found: { target: number; position: number }[] = []
    for (let at = this.latest.get(owner) ?? -1; at >= 0; ) {
      const [next = -1, own, target = 0, position = 0] = this.numbers.subarray(width * at, width * (at + 1))
      if (own === field) found.push({ target, position })
      at = next
    }
    return found
      .reverse()
      .sort((a, b) => a.position - b.position)
      .map(({ target }) => target)
  }
}

/** The targets of relations and media fields, in their order. */
export class StrapiLinks {
  private readonly rows: StrapiRows
  /** Components that have links. */
  private readonly components = new Names()
  private readonly fields = new Names()
  private readonly files = new Names()
  /** By the numbers of rows, or behind them of components. Targets are numbers of rows, or of files. */
  private readonly owned = new Pairs()
  /** By the numbers of documents in a locale: the rows that name them. */
  private readonly naming = new Pairs()
  private readonly documents = new Names()

  constructor(links: Iterable<Link>, { rows }: Pick<StrapiDocuments, 'rows'>) {
    this.rows = rows
    for (const link of links)
      if (link.left.type === fileType) this.addFile(link)
      else if (link.left.field && link.left.field !== 'localizations') this.addRelation(link, link.left.field)
  }

  private addFile({ left, right: { type, ref, field, pos } }: Link): void {
    const owner = left.field === 'related' && field ? this.owner(type, ref) : undefined
    if (owner !== undefined)
      this.owned.add(owner, this.fields.number(field ?? ''), this.files.number(left.ref), pos ?? 0)
  }

  private addRelation({ kind, left, right }: Link, field: string): void {
    const { rows } = this
    const target = rows.number(right.type, right.ref)
    if (target === undefined) return
    const isMorph = kind === 'relation.morph'
    const owner = this.owner(left.type, left.ref)
    if (owner === undefined) return
    this.owned.add(owner, this.fields.number(field), target, (isMorph ? right.pos : left.pos) ?? 0)
    // The owning side says which pairs there are, so that both sides have the same.
    const name = right.field ?? (isMorph ? morphField(left.type, field) : undefined)
    if (owner < rows.count && name !== undefined) {
      const document = this.documents.number(documentIn(rows.key(target), rows.locale(target)))
      this.naming.add(document, this.fields.number(name), owner, (isMorph ? 0 : right.pos) ?? 0)
    }
  }

  /** Undefined for rows of documents that are not taken over, such as the drafts of published ones. */
  private owner(type: string, ref: string): number | undefined {
    const row = this.rows.number(type, ref)
    if (row === undefined) return this.rows.count + this.components.number(documentIn(type, ref))
    return this.rows.isTaken(row) ? row : undefined
  }

  private targets(type: string, id: string, field: string): number[] {
    const row = this.rows.number(type, id)
    const component = row === undefined ? this.components.known(documentIn(type, id)) : undefined
    const owner = row ?? (component === undefined ? undefined : this.rows.count + component)
    const name = this.fields.known(field)
    return owner === undefined || name === undefined ? [] : this.owned.of(owner, name)
  }

  /** Keys of the documents that a relation of the row or component names. */
  ownedBy(type: string, id: string, field: string): string[] {
    return distinct(this.targets(type, id, field), row => this.rows.key(row))
  }

  filesOf(type: string, id: string, field: string): string[] {
    return distinct(this.targets(type, id, field), file => this.files.name(file))
  }

  /** Keys of the documents that name a document in a relation of which it has the other side. */
  namedBy(key: string, locale: string, field: string, { target, morphBy }: Attribute): string[] {
    const document = this.documents.known(documentIn(key, locale))
    if (document === undefined) return []
    const names = [field, ...(target && morphBy ? [morphField(target, morphBy)] : [])]
    const found = names.flatMap(name => {
      const number = this.fields.known(name)
      return number === undefined ? [] : this.naming.of(document, number)
    })
    return distinct(found, row => this.rows.key(row))
  }
}

const documentIn = (...parts: readonly [string, string]): string => JSON.stringify(parts)

const distinct = (numbers: readonly number[], nameOf: (number: number) => string): string[] => [
  ...new Set(numbers.map(nameOf)),
]
