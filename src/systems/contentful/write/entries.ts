import type { CompatSite } from '../../../services/delivery/compat/compat.js'
import type { Paths } from '../../../services/delivery/expand.js'
import { everyLocale } from '../../../services/delivery/format-context.js'
import type { FormatContext } from '../../../services/delivery/formats/format.js'
import type { EntryText } from '../../../services/delivery/query/entry-texts.js'
import { idsIn, mediaIdsIn } from '../../../services/delivery/query/query-rows.js'
import type { ShownDocuments } from '../../../services/delivery/shown-documents.js'
import { type ContentTree, type LinkedEntry, type Node, walk } from '../../../services/delivery/tree.js'
import type { MediaRecord } from '../../../services/media/record.js'
import { Turns } from '../../../turns.js'
import { entriesLinked } from '../entry-links.js'
import { contentfulIds, renamed } from '../names.js'
import { contentfulOf } from '../rich-text.js'
import { assetOf, entryOf } from './page.js'

/** How entries are shown. */
export interface ContentfulShown {
  readonly include: number
  readonly select: ReadonlySet<string> | undefined
  readonly locale: string
  readonly images: string
}

interface WrittenEntries {
  readonly items: readonly string[]
  readonly includes: { readonly Entry: readonly string[]; readonly Asset: readonly string[] }
}

const relationLevels = 3
const mostIncluded = 20

/** Without locales there is the one that they would begin with. */
export const onlyLocale = 'en'

/** The requested locale. Without locales the only one is `en`, in any region; all locales at once mean that one too. */
export function localeIn({ documents }: CompatSite, asked: string): string {
  if (documents.isLocalized) return asked
  return asked === everyLocale || new RegExp(`^${onlyLocale}(?:-|$)`, 'i').test(asked) ? '' : asked
}

/** With all locales at once. */
export const inAllLocales = (context: FormatContext): FormatContext =>
  context.all ? context : { ...context, all: { codes: new Set<string>(), standard: onlyLocale } }

export const plainContext = ({ documents }: CompatSite): FormatContext => ({
  ...{ locale: '', chain: [], stored: undefined, linked: new Map(), media: new Map() },
  origin: documents.origin,
})

function pathsOf({ documents: { schema } }: CompatSite, levels: number): Paths {
  const relations = [...schema.fields.values()].filter(({ field_type }) => field_type === 'relation')
  const names = [...new Set(relations.map(({ name }) => name))]
  let paths: string[][] = names.map(name => [name])
  // Any relation may follow any other: many names would give more paths than a request can follow.
  for (let level = 1; level < levels && paths.length * names.length <= 400; level++)
    paths = paths.flatMap(path => names.map(name => [...path, name]))
  return paths
}

/** An entry with title and slug of its route, where it has no such fields. */
export function withRoute(
  { route, root }: Pick<ContentTree, 'route' | 'root'>,
  context: FormatContext,
  ids: ReadonlySet<string>,
) {
  const entry = entryOf(root, undefined, context, ids)
  if (!route) return entry
  const own = { title: route.title, slug: route.slug.slice(1) || '/' }
  const { all: locales } = context
  const texts = locales
    ? Object.fromEntries(Object.entries(own).map(([name, text]) => [name, { [locales.standard]: text }]))
    : own
  return { ...entry, fields: { ...texts, ...entry.fields } }
}

function selected<T extends { fields: Record<string, unknown> }>(
  entry: T,
  { select }: Pick<ContentfulShown, 'select'>,
): T {
  if (!select || select.has('fields')) return entry
  const fields = Object.entries(entry.fields).filter(([name]) => select.has(`fields.${name}`))
  return { ...entry, fields: Object.fromEntries(fields) }
}

/** A picture that has variants is under an address that chooses among them, by the parameters of Contentful. */
export function contentfulAssetOf(media: MediaRecord, context: FormatContext, images: string) {
  const url = `${images}/${media.media_id}/${encodeURIComponent(media.name)}`
  return assetOf(media.variants.length > 0 ? { ...media, url } : media, context)
}

/** How something stands in the text of an entry: as itself, below it, named by a relation, or as a picture. */
type Kind = 'I' | 'B' | 'L' | 'A'
const idLength = 26

/** A line of an entry's text. JSON has no line breaks. */
const lineOf = (kind: Kind, id: string, json: string): string => kind + id + json

function linkedFrom(
  nodes: readonly Node[],
  linked: FormatContext['linked'],
  levels: number,
): Map<string, LinkedEntry> {
  const found = new Map<string, LinkedEntry>()
  let level = nodes
  for (let n = 0; n < levels && level.length > 0; n++) {
    const named = idsIn(level).flatMap(id => {
      const one = found.has(id) ? undefined : linked.get(id)
      return one ? [[id, one] as const] : []
    })
    for (const [id, one] of named) found.set(id, one)
    level = named.map(([, { node }]) => node)
  }
  return found
}

const namedInTexts = (nodes: readonly Node[]): string[] => [
  ...new Set(
    nodes.flatMap(({ values }) =>
      values.flatMap(({ field, value }) =>
        field.field_type === 'richtext' ? entriesLinked(value.field_value) : [],
      ),
    ),
  ),
]

class EntryLines {
  private readonly shared = new Map<string, string>()

  /**
   * @param seen the entries that links may name: all that the audience sees, also what is too far away to be included
   * @param inTexts the lines of what rich texts name, by ids
   */
  constructor(
    private readonly context: FormatContext,
    private readonly seen: ReadonlySet<string>,
    private readonly images: string,
    private readonly inTexts: ReadonlyMap<string, readonly string[]> = new Map(),
    private readonly ids: ReadonlyMap<string, string> = new Map(),
  ) {}

  private jsonOf(value: unknown): string {
    return JSON.stringify(renamed(value, this.ids))
  }

  named(tree: ContentTree): string[] {
    const { root } = tree
    const json = this.jsonOf(withRoute(tree, this.context, this.seen))
    return [lineOf('L', root.entry.content_data_id, json), ...this.includesOf(root, 1)]
  }

  of(tree: ContentTree, request: ContentfulShown): string {
    return this.jsonOf(selected(withRoute(tree, this.context, this.seen), request))
  }

  includesOf(root: Node, levels: number): string[] {
    const { context, seen, images } = this
    const [, ...below] = walk(root)
    const linked = linkedFrom([root, ...below], context.linked, levels)
    const every = [root, ...below, ...[...linked.values()].map(({ node }) => node)]
    return [
      ...below.map(node => {
        const json = this.jsonOf(withRoute({ route: undefined, root: node }, context, seen))
        return lineOf('B', node.entry.content_data_id, json)
      }),
      ...[...linked].map(([id, { node, route }]) =>
        this.once('L', id, () => withRoute({ route, root: node }, context, seen)),
      ),
      ...mediaIdsIn(every).flatMap(id => {
        const media = context.media.get(id)
        return media ? this.once('A', id, () => contentfulAssetOf(media, context, images)) : []
      }),
      ...namedInTexts(every).flatMap(id => this.inTexts.get(id) ?? []),
    ]
  }

  private once(kind: Kind, id: string, made: () => unknown): string {
    const known = this.shared.get(id)
    if (known !== undefined) return known
    const line = lineOf(kind, id, this.jsonOf(made()))
    this.shared.set(id, line)
    return line
  }
}

const nodesIn = ({ trees, context }: ShownDocuments): Node[] => [
  ...trees.flatMap(({ root }) => [...walk(root)]),
  ...[...context.linked.values()].map(({ node }) => node),
]

/** Makes the lines for a read. @param inTexts as `EntryLines` takes it */
async function linesFor(
  site: CompatSite,
  shown: ShownDocuments,
  { locale, images }: ContentfulShown,
  inTexts?: ReadonlyMap<string, readonly string[]>,
): Promise<EntryLines> {
  const { childrenNames, typeNames } = site
  const named = { ...shown.context, childrenNames, typeNames }
  const context = locale === everyLocale ? inAllLocales(named) : named
  const { linked } = context
  const further = idsIn(nodesIn(shown)).filter(id => !linked.has(id))
  const seen = new Set([...linked.keys(), ...(await site.documents.seen(further))])
  const nodes = nodesIn(shown)
  const ids = await contentfulIds(site, {
    entries: [...nodes.map(({ entry }) => entry.content_data_id), ...seen, ...namedInTexts(nodes)],
    media: context.media.keys(),
  })
  return new EntryLines(context, seen, images, inTexts, ids)
}

/** Entries, each with the entries and assets that it includes: its text does not depend on the rest of the list. */
async function textsOf(
  site: CompatSite,
  ids: readonly string[],
  request: ContentfulShown,
): Promise<EntryText[]> {
  const { include, locale } = request
  const expand = include === 0 ? [] : pathsOf(site, Math.min(include, relationLevels))
  const how = { locale: localeIn(site, locale), writeRich: contentfulOf }
  const shown = await site.documents.shown(ids, { ...how, children: Math.max(1, include), expand })
  const named = include > 0 ? namedInTexts(nodesIn(shown)) : []
  const inTexts = new Map<string, string[]>()
  if (named.length > 0) {
    const others = await site.documents.shown(named, { ...how, children: 1, expand: pathsOf(site, 1) })
    const lines = await linesFor(site, others, request)
    for (const tree of others.trees) inTexts.set(tree.root.entry.content_data_id, lines.named(tree))
  }
  const lines = await linesFor(site, shown, request, inTexts)
  const texts: EntryText[] = []
  const turns = new Turns()
  for (const tree of shown.trees) {
    if (turns.isOver) await turns.next()
    const id = tree.root.entry.content_data_id
    const includes = include === 0 ? [] : lines.includesOf(tree.root, expand[0]?.length ?? 0)
    const json = [lineOf('I', id, lines.of(tree, request)), ...includes].join('\n')
    texts.push({ id, json, isSmall: shown.small.has(id) && includes.length <= mostIncluded })
  }
  return texts
}

/** Merges the texts of entries into one list: items are not included again, and shared entries are included once. */
function merged(texts: readonly string[]): WrittenEntries {
  const items = new Map<string, string>()
  const entries = new Map<string, string>()
  const assets = new Map<string, string>()
  for (const text of texts)
    for (const line of text.split('\n')) {
      const kind = line.charAt(0)
      const id = line.slice(1, 1 + idLength)
      const json = line.slice(1 + idLength)
      if (kind === 'I') items.set(id, json)
      else if (kind === 'A') assets.set(id, json)
      // Below its parent an entry has its own children.
      else if (kind === 'B' || !entries.has(id)) entries.set(id, json)
    }
  return {
    items: [...items.values()],
    includes: {
      Entry: [...entries].flatMap(([id, json]) => (items.has(id) ? [] : [json])),
      Asset: [...assets.values()],
    },
  }
}

/** Entries in the order of their ids, with the entries and assets that they include. */
export async function writtenEntries(
  site: CompatSite,
  ids: readonly string[],
  request: ContentfulShown,
): Promise<WrittenEntries> {
  const write = (some: readonly string[]) => textsOf(site, some, request)
  const { include, select, locale, images } = request
  const shown = [locale === everyLocale, localeIn(site, locale)]
  const shape = ['contentful', include, select ? [...select].sort() : null, shown, images]
  return merged(await site.documents.written(ids, JSON.stringify(shape), write))
}
