import { groqLimits } from '../../../computing/groq-protocol.js'
import { pendingAmong } from '../../../services/content/public-state.js'
import type { CompatSite } from '../../../services/delivery/compat/compat.js'
import type { EntryValue } from '../../../services/delivery/query/entry-texts.js'
import { idsIn, mediaIdsIn } from '../../../services/delivery/query/query-rows.js'
import { type ContentTree, walk } from '../../../services/delivery/tree.js'
import { Turns } from '../../../turns.js'
import { isWantedRich } from '../find/wanted.js'
import { QueryError } from '../groq/query.js'
import { assetIn, inSanityIds, type OwnRecord, ownRecords, sanityIds } from '../names.js'
import { portableTextOf } from '../rich-text.js'
import { assetId, assetName, type SanityPlace } from './media.js'
import { sanityDocument } from './page.js'

const childLevels = 10
const mostEntries = 10_000

interface Remembered {
  readonly id: string
  readonly name: string
  readonly json: string
  readonly referred: readonly string[]
  readonly references: readonly (readonly [attribute: string, reference: string])[]
  readonly entries: number
}

function* referencesIn(value: unknown, attribute: string): Generator<readonly [string, string]> {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) for (const one of value) yield* referencesIn(one, attribute)
  else
    for (const [name, inner] of Object.entries(value))
      if (name === '_ref' && typeof inner === 'string') yield [attribute, inner]
      else yield* referencesIn(inner, name)
}

/**
 * The ids of documents that are drafts to a client: unpublished ones, and published ones with unpublished changes.
 * The public sees none of them.
 * @param wanted members that are shown; undefined for all
 */
async function draftsAmong(
  { audience, documents: { read, space } }: CompatSite,
  trees: readonly ContentTree[],
  wanted: ReadonlySet<string> | undefined,
): Promise<ReadonlySet<string>> {
  if (audience === 'public' || (wanted && !wanted.has('_originalId'))) return new Set()
  const entries = trees.map(({ root }) => root.entry)
  const ids = entries.map(({ content_data_id }) => content_data_id)
  const waiting = await pendingAmong(read, space, ids)
  const unpublished = entries.filter(({ status }) => status !== 'published')
  return new Set([...waiting, ...unpublished.map(({ content_data_id }) => content_data_id)])
}

/** Documents of one answer by their ids, as Sanity shows them, and the targets of their references. */
export class SanityDocuments {
  readonly known = new Map<string, string | null>()
  private readonly made = new Map<string, Remembered>()
  /** The targets of documents that were read: callers who may read those may read the targets too. */
  private readonly referred = new Set<string>()
  private entries = 0
  private characters = 0
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

  private refuse(message: string): never {
    throw new QueryError(message, this.query)
  }

  /**
   * Reads the targets of references, as far as the caller may read them: targets of documents that were read, and
   * documents that the caller may list.
   */
  async load(references: readonly string[]): Promise<void> {
    if (references.length > groqLimits.documents)
      this.refuse(`follows more than ${groqLimits.documents} references at once: narrow the request`)
    const own = await ownRecords(this.site, references)
    const ids = [...own.values()].flatMap(({ entry }) => entry ?? [])
    const unknown = ids.filter(id => !this.referred.has(id) && !this.made.has(id))
    const open = new Set(ids.filter(id => !unknown.includes(id)))
    const { documents } = this.site
    for (const { content_data_id, datatype_id } of await documents.records(unknown))
      if (await this.site.sees(documents.schema.datatypes.get(datatype_id))) open.add(content_data_id)
    await this.of([...open])
    await this.loadAssets(own)
    for (const [reference, { entry = '' }] of own) {
      const made = this.made.get(entry)
      if (made && !this.known.has(reference)) this.known.set(reference, made.json)
    }
    for (const reference of references) if (!this.known.has(reference)) this.known.set(reference, null)
  }

  /** Reads the targets of attributes with these names before the evaluation needs them, and their own targets. */
  async follow(names: ReadonlySet<string>, levels: number): Promise<void> {
    if (names.size === 0) return
    const seen = new Set<string>()
    for (let level = 0; level < Math.min(levels, groqLimits.levels); level++) {
      const fresh = [...this.made.values()].filter(({ id }) => !seen.has(id))
      for (const { id } of fresh) seen.add(id)
      const named = fresh.flatMap(({ references }) =>
        references.flatMap(([name, reference]) => (names.has(name) ? reference : [])),
      )
      const missing = [...new Set(named)].filter(reference => !this.known.has(reference))
      if (missing.length === 0) return
      await this.load(missing)
    }
  }

  private async loadAssets(own: ReadonlyMap<string, OwnRecord>): Promise<void> {
    const idOf = [...own].flatMap(([reference, { media: id }]) => (id ? [[reference, id] as const] : []))
    if (idOf.length === 0) return
    const wanted = new Set(idOf.map(([, id]) => id))
    const media = await this.site.documents.media([...wanted])
    const ids = await sanityIds(this.site, { media: media.keys() })
    for (const [reference, id] of idOf) {
      const item = media.get(id)
      const isSeen = item && (this.referred.has(id) || (await this.site.seesMedia(id)))
      const isNamed = item && (assetName(item).id === reference || assetId(reference) === undefined)
      if (isSeen && isNamed) this.keep(reference, JSON.stringify(assetIn(item, this.place.images, ids)))
    }
  }

  namesOf(ids: readonly string[]): string[] {
    return ids.flatMap(id => this.made.get(id)?.name ?? [])
  }

  private keep(reference: string, json: string): void {
    this.known.set(reference, json)
    this.characters += json.length
    if (this.characters > groqLimits.read)
      this.refuse(`reads documents of more than ${groqLimits.read} characters: narrow the request`)
  }

  async of(ids: readonly string[]): Promise<void> {
    const missing = [...new Set(ids)].filter(id => !this.made.has(id))
    if (missing.length > 0) await this.loadAll(missing)
  }

  private async loadAll(ids: readonly string[]): Promise<void> {
    const { wanted, locale, place } = this
    const shape = ['sanity', locale, place.images, wanted ? [...wanted].sort() : null]
    const write = (some: readonly string[]) => this.written(some)
    for (const one of await this.site.documents.made(ids, JSON.stringify(shape), write)) {
      this.entries += one.entries
      if (this.entries > mostEntries)
        this.refuse(`the response would have more than ${mostEntries} entries: narrow the request`)
      for (const id of one.referred) this.referred.add(id)
      this.made.set(one.id, one)
      this.keep(one.name, one.json)
    }
  }

  private async written(ids: readonly string[]): Promise<EntryValue<Remembered>[]> {
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
    const { typeNames, weak } = site
    const context = { ...shown.context, childrenNames: site.childrenNames, typeNames, weak }
    const seen = await site.documents.seen(idsIn(trees.flatMap(({ root }) => [...walk(root)])))
    const isSeen = (id: string) => seen.has(id)
    const drafts = await draftsAmong(site, trees, wanted)
    const made: EntryValue<Remembered>[] = []
    const turns = new Turns()
    const entryIds = trees.map(({ root }) => root.entry.content_data_id)
    const names = await sanityIds(site, { entries: entryIds })
    const documents: Record<string, unknown>[] = []
    for (const tree of trees) {
      if (turns.isOver) await turns.next()
      const { content_data_id: id } = tree.root.entry
      const [isDraft, isImported] = [drafts.has(id), names.has(id)]
      documents.push(sanityDocument(tree, context, { wanted, isSeen, isDraft, isImported }))
    }
    // Those in JSON too, as long as they have our ids.
    const assets = documents.map(one => [...referencesIn(one, '')].flatMap(([, name]) => assetId(name) ?? []))
    await inSanityIds(site, documents, entryIds)
    for (const [i, tree] of trees.entries()) {
      if (turns.isOver) await turns.next()
      const { content_data_id: id } = tree.root.entry
      const nodes = [...walk(tree.root)]
      const document = documents[i] ?? {}
      const referred = [...mediaIdsIn(nodes), ...idsIn(nodes).filter(isSeen), ...(assets[i] ?? [])]
      const json = JSON.stringify(document)
      const references = [...referencesIn(document, '')]
      const name = names.get(id) ?? id
      const value = { id, name, json, referred, references, entries: nodes.length }
      made.push({ id, value, characters: json.length, isSmall: shown.small.has(id) })
    }
    return made
  }
}
