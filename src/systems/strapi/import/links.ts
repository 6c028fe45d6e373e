import { rowOf, type StrapiDocuments } from './documents.js'
import type { Attribute, Link } from './export.js'

interface Pair {
  readonly position: number
  readonly key: string
}

const fileType = 'plugin::upload.file'
const placeOf = (...parts: readonly string[]): string => JSON.stringify(parts)
/** The key of a relation to any type, whose other side has no field for it. */
const morphField = (type: string, field: string): string => `${type} ${field}`

/** The targets of relations and media fields, in their order. */
export class StrapiLinks {
  private readonly pairs = new Map<string, Pair[]>()

  constructor(
    links: Iterable<Link>,
    private readonly documents: StrapiDocuments,
  ) {
    for (const link of links)
      if (link.left.type === fileType) this.addFile(link)
      else if (link.left.field && link.left.field !== 'localizations') this.addRelation(link, link.left.field)
    for (const list of this.pairs.values()) list.sort((a, b) => a.position - b.position)
  }

  private add(place: string, key: string, position: number | null | undefined): void {
    const pair = { key, position: position ?? 0 }
    const list = this.pairs.get(place)
    if (list) list.push(pair)
    else this.pairs.set(place, [pair])
  }

  private addFile({ left, right }: Link): void {
    if (left.field === 'related' && right.field && this.isUsed(right))
      this.add(placeOf(right.type, right.ref, right.field), left.ref, right.pos)
  }

  private addRelation({ kind, left, right }: Link, field: string): void {
    const { rows, taken } = this.documents
    const target = rows.get(rowOf(right.type, right.ref))
    if (!target) return
    const isMorph = kind === 'relation.morph'
    if (this.isUsed(left))
      this.add(placeOf(left.type, left.ref, field), target.key, isMorph ? right.pos : left.pos)
    // The owning side says which pairs there are, so that both sides have the same.
    const row = rowOf(left.type, left.ref)
    const source = taken.has(row) ? rows.get(row) : undefined
    const name = right.field ?? (isMorph ? morphField(left.type, field) : undefined)
    if (source && name !== undefined)
      this.add(placeOf(target.key, target.locale, name), source.key, isMorph ? 0 : right.pos)
  }

  /** False for rows of documents that are not taken over, such as the drafts of published ones. */
  private isUsed({ type, ref }: Link['left']): boolean {
    const { rows, taken } = this.documents
    const row = rowOf(type, ref)
    return taken.has(row) || !rows.has(row)
  }

  private keysAt(...places: readonly string[]): string[] {
    return [...new Set(places.flatMap(place => this.pairs.get(place) ?? []).map(({ key }) => key))]
  }

  /** Keys of files, or of documents for a relation that the row or component owns. */
  ownedBy(type: string, id: string, field: string): string[] {
    return this.keysAt(placeOf(type, id, field))
  }

  naming(key: string, locale: string, field: string, { target, morphBy }: Attribute): string[] {
    const morph = target && morphBy ? [placeOf(key, locale, morphField(target, morphBy))] : []
    return this.keysAt(placeOf(key, locale, field), ...morph)
  }
}
