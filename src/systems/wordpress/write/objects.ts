import { type FormatContext, valuesIn } from '../../../services/delivery/formats/format.js'
import { type Members, membersOf } from '../../../services/delivery/formats/json-text.js'
import { referenceTo } from '../../../services/delivery/formats/native.js'
import { typedValue } from '../../../services/delivery/formats/typed-value.js'
import { safeHtml } from '../../../services/delivery/rich-text/html.js'
import type { ContentTree, LinkedEntry, Node, NodeValue } from '../../../services/delivery/tree.js'
import type { MediaRecord } from '../../../services/media/record.js'
import { atOnce } from '../../../turns.js'
import { type PartName, partNames, type TypeMapping } from '../../mapping.js'
import { escapeHtml } from '../../marks.js'
import { attachment, isImage, mediaOf } from './media.js'
import { TreeTexts } from './texts.js'

type Route = ContentTree['route']

/** The objects of the REST API of WordPress, version 2, as its lists have them. */

/** The parts that writing objects needs. */
export interface WordpressWriting {
  readonly context: FormatContext
  readonly types: readonly TypeMapping[]
  readonly api: string
}

/** The taxonomies of WordPress, by the parts that stand for them. */
export const taxonomies = { categories: 'category', tags: 'post_tag' } as const
export type TaxonomyPart = keyof typeof taxonomies

/** The values of an entry that stand for parts of a post, or of its terms and author. */
export type PostParts = Partial<Record<PartName, NodeValue>>

/** @param values those that a reader sees */
export function partsIn(values: readonly NodeValue[], type: TypeMapping | undefined): PostParts {
  const parts: PostParts = {}
  for (const part of partNames) {
    const name = type?.parts[part]?.name
    const value = name === undefined ? undefined : values.find(({ field }) => field.name === name)
    if (value) parts[part] = value
  }
  return parts
}

function partsOf(node: Node, values: readonly NodeValue[], { types }: WordpressWriting): PostParts {
  const { datatype_id } = node.datatype
  return partsIn(
    values,
    types.find(({ datatype }) => datatype.datatype_id === datatype_id),
  )
}

function descriptionOf({ excerpt }: PostParts, { rich }: FormatContext): string {
  const text = excerpt?.value.field_value ?? ''
  if (excerpt?.field.field_type !== 'richtext' || text === '') return escapeHtml(text)
  return `${rich?.get(excerpt.value) ?? safeHtml(text)}\n`
}

/** Entries of other trees that a value names, in its order. */
export function linkedIn(value: NodeValue | undefined, { linked }: FormatContext): LinkedEntry[] {
  const typed = value && typedValue(value)
  return typed?.kind === 'relation' ? typed.ids.flatMap(id => linked.get(id) ?? []) : []
}

export function pictureIn({ picture }: PostParts, context: FormatContext): MediaRecord | undefined {
  const typed = picture && typedValue(picture)
  return typed?.kind === 'media' ? mediaOf(typed.ids, context).find(isImage) : undefined
}

const link = (href: string) => [{ href }]
export const curies = [{ name: 'wp', href: 'https://api.w.org/{rel}', templated: true }]

/** The last part of a path, by which WordPress knows an entry. */
const lastOf = (slug: string): string => slug.split('/').at(-1) || 'home'

/** Slug, title and link of an entry. @param values those that a reader sees */
export function namesOf(node: Node, route: Route, context: FormatContext, values: NodeValue[]) {
  const { slug, title } = referenceTo(node, route, context, values)
  return {
    slug: slug === null ? String(node.entry.numeric_id) : lastOf(slug),
    title: escapeHtml(title ?? node.datatype.label),
    link: `${context.origin}${route ? encodeURI(route.slug) : `/?p=${node.entry.numeric_id}`}`,
  }
}

/** The relation of a term to the one above it. */
export const parentField = 'parent'

function parentOf(values: readonly NodeValue[], context: FormatContext): number {
  const value = values.find(({ field }) => field.name === parentField)
  return linkedIn(value, context)[0]?.node.entry.numeric_id ?? 0
}

/** An entry that posts are filed under. */
export function wordpressTerm(
  { node, route }: { node: Node; route: Route },
  part: TaxonomyPart,
  writing: WordpressWriting,
  count?: number,
): Members {
  const { api, context } = writing
  const values = valuesIn(node, context)
  const { slug, title, link: address } = namesOf(node, route, context, values)
  const id = node.entry.numeric_id
  const described =
    count === undefined ? {} : { count, description: descriptionOf(partsOf(node, values, writing), context) }
  return {
    ...membersOf({ id, ...described, link: address, name: title, slug, taxonomy: taxonomies[part] }),
    ...(count === undefined ? {} : membersOf({ parent: parentOf(values, context), meta: [] })),
    acf: atOnce(new TreeTexts(node, context).acf(values)),
    _links: JSON.stringify({
      self: link(`${api}/${part}/${id}`),
      collection: link(`${api}/${part}`),
      about: link(`${api}/taxonomies/${taxonomies[part]}`),
      'wp:post_type': link(`${api}/posts?${part}=${id}`),
      curies,
    }),
  }
}

/** An entry that is the author of posts. */
export function wordpressUser(
  { node, route }: { node: Node; route: Route },
  writing: WordpressWriting,
): Members {
  const { api, context } = writing
  const values = valuesIn(node, context)
  const parts = partsOf(node, values, writing)
  const { slug, title, link: address } = namesOf(node, route, context, values)
  const url = pictureIn(parts, context)?.url
  const id = node.entry.numeric_id
  const description = descriptionOf(parts, context)
  const avatar_urls = url === undefined ? {} : { 24: url, 48: url, 96: url }
  return {
    ...membersOf({ id, name: title, url: '', description, link: address, slug, avatar_urls, meta: [] }),
    acf: atOnce(new TreeTexts(node, context).acf(values)),
    _links: JSON.stringify({ self: link(`${api}/users/${id}`), collection: link(`${api}/users`) }),
  }
}

/** A media item. */
export const wordpressMedia = (media: MediaRecord, origin: string, api: string): Members =>
  membersOf({
    ...attachment(media, { origin }),
    _links: {
      self: link(`${api}/media/${media.numeric_id}`),
      collection: link(`${api}/media`),
      about: link(`${api}/types/attachment`),
    },
  })
