import type { MediaRecord } from '../../media/record.js'
import { atOnce } from '../../turns.js'
import type { PartName, TypeMapping } from '../compat/mapping.js'
import { safeHtml } from '../rich-text/index.js'
import type { ContentTree, LinkedEntry, Node, NodeValue } from '../tree.js'
import { type FormatContext, valuesIn } from './format.js'
import { referenceTo } from './native.js'
import { changedAt, typedValue } from './typed-value.js'
import { acfOf, attachment, escapeHtml, isImage, paragraphsOf, stateOf, withoutZone } from './wordpress.js'

type Written = Record<string, unknown>
type Route = ContentTree['route']

/** The objects of the REST API of WordPress, version 2, as its lists have them. */

/** What objects are written with. */
export interface WordpressWriting {
  readonly context: FormatContext
  readonly types: readonly TypeMapping[]
  /** The address of `wp/v2`. */
  readonly api: string
}

/** What an object is to WordPress. */
export const taxonomies = { categories: 'category', tags: 'post_tag' } as const
export type TaxonomyPart = keyof typeof taxonomies

const valueNamed = (node: Node, name: string | undefined, context: FormatContext): NodeValue | undefined =>
  name === undefined ? undefined : valuesIn(node, context).find(({ field }) => field.name === name)

const mappingFor = ({ types }: WordpressWriting, node: Node): TypeMapping | undefined =>
  types.find(({ datatype }) => datatype.datatype_id === node.datatype.datatype_id)

const partOf = (writing: WordpressWriting, node: Node, part: PartName): NodeValue | undefined =>
  valueNamed(node, mappingFor(writing, node)?.parts[part]?.name, writing.context)

function htmlOf(value: NodeValue | undefined, { rich }: FormatContext): string {
  const text = value?.value.field_value ?? ''
  if (!value || text === '') return ''
  if (value.field.field_type === 'richtext') return `${rich?.get(value.value) ?? safeHtml(text)}\n`
  return `<p>${escapeHtml(text).replaceAll(/\r?\n/g, '<br />\n')}</p>\n`
}

/** What describes a term or an author, which is no paragraph. */
function descriptionOf(value: NodeValue | undefined, { context }: WordpressWriting): string {
  if (value?.field.field_type === 'richtext') return htmlOf(value, context)
  return escapeHtml(value?.value.field_value ?? '')
}

const excerptWords = 55
/** In HTML that we have written attributes are in double quotes, and have none inside. */
const tags = /<(?:[^"<>]|"[^"]*")*>/g
const withinWords = /^<\/?(?:a|b|code|del|em|i|ins|mark|s|small|span|strike|strong|sub|sup|u)[ >]/

/** The first words of what a post says, without marks: its excerpt where it has none of its own. */
function beginningOf(paragraphs: readonly string[]): string {
  const words: string[] = []
  for (const html of paragraphs) {
    if (words.length > excerptWords) break
    const text = html.replaceAll(tags, tag => (withinWords.test(tag) ? '' : ' ')).trim()
    if (text !== '') words.push(...text.split(/\s+/, excerptWords + 1))
  }
  if (words.length === 0) return ''
  const more = words.length > excerptWords ? ' [&hellip;]' : ''
  return `<p>${words.slice(0, excerptWords).join(' ')}${more}</p>\n`
}

/** Entries of other trees that a part names, in its order. */
function linkedIn(writing: WordpressWriting, node: Node, part: PartName): LinkedEntry[] {
  const value = partOf(writing, node, part)
  const typed = value && typedValue(value)
  return typed?.kind === 'relation' ? typed.ids.flatMap(id => writing.context.linked.get(id) ?? []) : []
}

function pictureIn(writing: WordpressWriting, node: Node): MediaRecord | undefined {
  const value = partOf(writing, node, 'picture')
  const typed = value && typedValue(value)
  const found = typed?.kind === 'media' ? typed.ids.flatMap(id => writing.context.media.get(id) ?? []) : []
  return found.find(isImage)
}

const link = (href: string) => [{ href }]
const embeddable = (href: string) => [{ embeddable: true, href }]
const curies = [{ name: 'wp', href: 'https://api.w.org/{rel}', templated: true }]

/** The last part of a path, by which WordPress knows an entry. */
const lastOf = (slug: string): string => slug.split('/').at(-1) || 'home'

const namesOf = (node: Node, route: Route, { context }: WordpressWriting) => {
  const { slug, title } = referenceTo(node, route, context)
  return {
    slug: slug === null ? String(node.entry.numeric_id) : lastOf(slug),
    title: escapeHtml(title ?? node.datatype.label),
    link: `${context.origin}${route ? encodeURI(route.slug) : `/?p=${node.entry.numeric_id}`}`,
  }
}

/** An entry that posts are filed under. */
export function wordpressTerm(
  { node, route }: { node: Node; route: Route },
  part: TaxonomyPart,
  writing: WordpressWriting,
  count?: number,
): Written {
  const { api, context } = writing
  const { slug, title, link: address } = namesOf(node, route, writing)
  const id = node.entry.numeric_id
  return {
    id,
    ...(count === undefined
      ? {}
      : { count, description: descriptionOf(partOf(writing, node, 'excerpt'), writing) }),
    link: address,
    name: title,
    slug,
    taxonomy: taxonomies[part],
    ...(count === undefined ? {} : { parent: 0, meta: [] }),
    acf: JSON.parse(atOnce(acfOf(node, context))),
    _links: {
      self: link(`${api}/${part}/${id}`),
      collection: link(`${api}/${part}`),
      about: link(`${api}/taxonomies/${taxonomies[part]}`),
      'wp:post_type': link(`${api}/posts?${part}=${id}`),
      curies,
    },
  }
}

/** An entry that is the author of posts. */
export function wordpressUser(
  { node, route }: { node: Node; route: Route },
  writing: WordpressWriting,
): Written {
  const { api, context } = writing
  const { slug, title, link: address } = namesOf(node, route, writing)
  const url = pictureIn(writing, node)?.url
  const id = node.entry.numeric_id
  return {
    id,
    name: title,
    url: '',
    description: descriptionOf(partOf(writing, node, 'excerpt'), writing),
    link: address,
    slug,
    avatar_urls: url === undefined ? {} : { 24: url, 48: url, 96: url },
    meta: [],
    acf: JSON.parse(atOnce(acfOf(node, context))),
    _links: { self: link(`${api}/users/${id}`), collection: link(`${api}/users`) },
  }
}

/** A media item. */
export const wordpressMedia = (media: MediaRecord, origin: string, api: string): Written => ({
  ...attachment(media, { origin }),
  _links: {
    self: link(`${api}/media/${media.numeric_id}`),
    collection: link(`${api}/media`),
    about: link(`${api}/types/attachment`),
  },
})

interface Related {
  readonly author: LinkedEntry | undefined
  readonly categories: readonly LinkedEntry[]
  readonly tags: readonly LinkedEntry[]
  readonly picture: MediaRecord | undefined
}

function embeddedOf(
  related: Related,
  writing: WordpressWriting,
  wanted: true | ReadonlySet<string>,
): Written {
  const { context, api } = writing
  const { author, picture, categories, tags } = related
  const embedded: Written = {
    ...(author ? { author: [wordpressUser(author, writing)] } : {}),
    ...(picture ? { 'wp:featuredmedia': [wordpressMedia(picture, context.origin, api)] } : {}),
    'wp:term': [
      categories.map(one => wordpressTerm(one, 'categories', writing)),
      tags.map(one => wordpressTerm(one, 'tags', writing)),
    ],
  }
  if (wanted === true) return embedded
  return Object.fromEntries(Object.entries(embedded).filter(([name]) => wanted.has(name)))
}

function linksOf(
  { id, base, name, parent }: { id: number; base: string; name: string; parent: number },
  { author, picture }: Related,
  { api }: WordpressWriting,
): Written {
  return {
    self: link(`${api}/${base}/${id}`),
    collection: link(`${api}/${base}`),
    about: link(`${api}/types/${name}`),
    ...(author ? { author: embeddable(`${api}/users/${author.node.entry.numeric_id}`) } : {}),
    ...(parent === 0 ? {} : { up: embeddable(`${api}/${base}/${parent}`) }),
    ...(picture ? { 'wp:featuredmedia': embeddable(`${api}/media/${picture.numeric_id}`) } : {}),
    'wp:attachment': link(`${api}/media?parent=${id}`),
    'wp:term': Object.entries(taxonomies).map(([part, taxonomy]) => ({
      taxonomy,
      embeddable: true,
      href: `${api}/${part}?post=${id}`,
    })),
    curies,
  }
}

const numberOf = ({ node }: LinkedEntry): number => node.entry.numeric_id

/** A post, page or entry of an own post type. */
export function wordpressPost(
  { route, root }: ContentTree,
  type: TypeMapping,
  writing: WordpressWriting,
  { parent, embed }: { readonly parent: number; readonly embed: false | true | ReadonlySet<string> },
): Written {
  const { context } = writing
  const { entry } = root
  const id = entry.numeric_id
  const { slug, title, link: address } = namesOf(root, route, writing)
  const excerpt = partOf(writing, root, 'excerpt')
  const paragraphs = atOnce(paragraphsOf(root, context, ({ value }) => value === excerpt?.value))
  const { status, since } = stateOf(entry)
  const [date, modified] = [withoutZone(since), withoutZone(changedAt(root))]
  const related: Related = {
    author: linkedIn(writing, root, 'author')[0],
    categories: linkedIn(writing, root, 'categories'),
    tags: linkedIn(writing, root, 'tags'),
    picture: pictureIn(writing, root),
  }
  const isPage = type.wordpress === 'pages'
  return {
    ...{ id, date, date_gmt: date, guid: { rendered: `${context.origin}/?p=${id}` } },
    ...{ modified, modified_gmt: modified, slug, status, type: type.datatype.name, link: address },
    title: { rendered: title },
    content: { rendered: paragraphs.join(''), protected: false },
    excerpt: { rendered: htmlOf(excerpt, context) || beginningOf(paragraphs), protected: false },
    author: related.author ? numberOf(related.author) : 0,
    featured_media: related.picture?.numeric_id ?? 0,
    ...(type.wordpress === 'posts' ? {} : { parent, menu_order: entry.sort_order }),
    ...{ comment_status: 'closed', ping_status: 'closed', template: '', meta: {} },
    ...(type.wordpress === 'posts' ? { sticky: false, format: 'standard' } : {}),
    ...(isPage ? {} : { categories: related.categories.map(numberOf), tags: related.tags.map(numberOf) }),
    acf: JSON.parse(atOnce(acfOf(root, context))),
    _links: linksOf({ id, base: type.wordpress, name: type.datatype.name, parent }, related, writing),
    ...(embed === false ? {} : { _embedded: embeddedOf(related, writing, embed) }),
  }
}
