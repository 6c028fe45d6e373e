import { isUlid } from '../../../ids.js'
import { Turns } from '../../turns.js'
import { nobody } from '../documents.js'
import { sanityDocument } from '../formats/sanity.js'
import { assetName } from '../formats/sanity-media.js'
import type { EntryValue } from '../query/entry-texts.js'
import { idsIn, mediaIdsIn } from '../query/query-rows.js'
import { portableTextOf } from '../rich-text/index.js'
import { walk } from '../tree.js'
import type { CompatSite } from './compat.js'
import { QueryError } from './groq/syntax.js'
import { sizeOf } from './groq/values.js'
import { assetDocument, assetId, type SanityPlace } from './sanity-assets.js'
import { draftsAmong } from './sanity-drafts.js'
import { isWantedRich } from './sanity-wanted.js'

/** Levels of children in a document. */
const childLevels = 10
/** Entries that all documents of one answer have in them. */
const mostEntries = 10_000

/** A document as it is remembered. */
interface Remembered {
  readonly id: string
  readonly document: Readonly<Record<string, unknown>>
  /** The entries and media that it names and the audience sees. */
  readonly referred: readonly string[]
  /** How many entries it is made of. */
  readonly entries: number
}

/** Documents of one answer by their ids, as Sanity shows them, and what they refer to. */
export class SanityDocuments {
  private readonly loaded = new Map<string, unknown>()
  /** What documents that were read refer to: who may read them may read that too. */
  private readonly referred = new Set<string>()
  private entries = 0
  private readonly locale: string

  /** @param wanted members of documents that are made; undefined for all */
  constructor(
    private readonly site: CompatSite,
    private readonly place: SanityPlace,
    private readonly query: string,
    private readonly wanted: ReadonlySet<string> | undefined,
  ) {
    this.locale = site.documents.localeNamed(place.dataset)
  }

  async load(references: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
    const found = new Map<string, unknown>()
    const ids = references.filter(isUlid)
    const unknown = ids.filter(id => !this.referred.has(id) && !this.loaded.has(id))
    const open = new Set(ids.filter(id => !unknown.includes(id)))
    const { documents } = this.site
    for (const { content_data_id, datatype_id } of await documents.records(unknown))
      if (await this.site.sees(documents.schema.datatypes.get(datatype_id))) open.add(content_data_id)
    for (const [id, document] of await this.of([...open])) found.set(id, document)
    for (const [reference, asset] of await this.assets(references)) found.set(reference, asset)
    return found
  }

  private async assets(references: readonly string[]): Promise<Map<string, unknown>> {
    const found = new Map<string, unknown>()
    const idOf = new Map(references.flatMap(one => (assetId(one) ? [[one, assetId(one) ?? nobody]] : [])))
    if (idOf.size === 0) return found
    const media = await this.site.documents.media([...new Set(idOf.values())])
    for (const [reference, id] of idOf) {
      const item = media.get(id)
      const isSeen = item && (this.referred.has(id) || (await this.site.seesMedia(id)))
      if (isSeen && assetName(item).id === reference)
        found.set(reference, assetDocument(item, this.place.images))
    }
    return found
  }

  /** Documents by their ids, each read once. */
  async of(ids: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
    const missing = [...new Set(ids)].filter(id => !this.loaded.has(id))
    if (missing.length > 0) await this.loadAll(missing)
    return this.loaded
  }

  private async loadAll(ids: readonly string[]): Promise<void> {
    const { wanted, locale, place } = this
    const shape = ['sanity', locale, place.images, wanted ? [...wanted].sort() : null]
    const make = (some: readonly string[]) => this.made(some)
    const made = await this.site.documents.made(ids, JSON.stringify(shape), make)
    for (const { id, document, referred, entries } of made) {
      this.entries += entries
      for (const one of referred) this.referred.add(one)
      this.loaded.set(id, document)
    }
    if (this.entries > mostEntries)
      throw new QueryError(
        `the answer would have more than ${mostEntries} entries; ask for less`,
        this.query,
        0,
        this.query.length,
      )
  }

  private async made(ids: readonly string[]): Promise<EntryValue<Remembered>[]> {
    const { site, wanted } = this
    const childrenNames = [...site.childrenNames.values()]
    const needsChildren = !wanted || wanted.has('_rev') || childrenNames.some(name => wanted.has(name))
    const hasRich = !wanted || [...site.documents.schema.fields.values()].some(isWantedRich(wanted))
    const shown = await site.documents.shown(ids, {
      locale: this.locale,
      children: needsChildren ? childLevels : 0,
      expand: [],
      writeRich: hasRich || needsChildren ? portableTextOf : undefined,
    })
    const { trees } = shown
    const context = { ...shown.context, childrenNames: site.childrenNames }
    const seen = await site.documents.seen(idsIn(trees.flatMap(({ root }) => [...walk(root)])))
    const isSeen = (id: string) => seen.has(id)
    const drafts = await draftsAmong(site, trees, wanted)
    const made: EntryValue<Remembered>[] = []
    const turns = new Turns()
    for (const tree of trees) {
      if (turns.isOver) await turns.next()
      const { content_data_id: id } = tree.root.entry
      const nodes = [...walk(tree.root)]
      const document = sanityDocument(tree, context, { wanted, isSeen, isDraft: drafts.has(id) })
      const referred = [...mediaIdsIn(nodes), ...idsIn(nodes).filter(isSeen)]
      const value = { id, document, referred, entries: nodes.length }
      made.push({ id, value, characters: sizeOf(document), isSmall: shown.small.has(id) })
    }
    return made
  }
}
