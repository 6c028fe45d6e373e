import type { MediaRecord } from '../../media/record.js'
import type { Pieces } from '../../turns.js'
import { htmlOf, safeHtml } from '../rich-text/index.js'
import { type Node, type NodeValue, nestedJson, walk } from '../tree.js'
import { addByName, childrenKey, type FormatContext, valuesIn, whole } from './format.js'
import { changedAt, typedValue } from './typed-value.js'

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#039;',
}
/** The users of this format insert its texts as HTML. */
export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, found => escapes[found] ?? found)

/** UTC without a zone, in whole seconds. */
export const withoutZone = (time: string): string => time.slice(0, 19)

const shownTypes = new Set(['text', 'textarea'])

/**
 * The texts of the whole tree in their order, one paragraph each.
 * @param isLeftOut values that stand elsewhere
 */
export function* paragraphsOf(
  root: Node,
  context: FormatContext,
  isLeftOut: (value: NodeValue) => boolean = () => false,
): Pieces<string[]> {
  const paragraphs: string[] = []
  for (const node of walk(root)) {
    yield
    for (const { field, value } of valuesIn(node, context))
      if (isLeftOut({ field, value })) continue
      else if (field.field_type === 'richtext' && value.field_value !== '')
        paragraphs.push(`${context.rich?.get(value) ?? safeHtml(value.field_value)}\n`)
      else if (shownTypes.has(field.field_type) && value.field_value !== '')
        paragraphs.push(`<p>${escapeHtml(value.field_value).replaceAll(/\r?\n/g, '<br />\n')}</p>\n`)
  }
  return paragraphs
}

const mediaOf = (ids: readonly string[], { media }: FormatContext): MediaRecord[] =>
  ids.flatMap(id => media.get(id) ?? [])

export const isImage = ({ mimetype }: MediaRecord) => mimetype.startsWith('image/')
const fileIn = (url: string) => url.slice(url.lastIndexOf('/') + 1)

/** A media object of the REST API; our presets are its sizes. */
export function attachment(media: MediaRecord, { origin }: Pick<FormatContext, 'origin'>) {
  const { numeric_id: id, mimetype, width, height } = media
  const date = withoutZone(media.date_created)
  const modified = withoutZone(media.date_modified)
  const caption = media.caption === '' ? '' : `<p>${escapeHtml(media.caption)}</p>\n`
  const description = media.description === '' ? '' : `<p>${escapeHtml(media.description)}</p>\n`
  const own = media.variants.filter(variant => variant.mimetype === mimetype)
  const size = (file: { width: number | null; height: number | null; mimetype: string; url: string }) => ({
    file: fileIn(file.url),
    width: file.width,
    height: file.height,
    mime_type: file.mimetype,
    source_url: file.url,
  })
  const sizes = Object.fromEntries(own.map(variant => [variant.name, size(variant)]))
  return {
    id,
    date,
    date_gmt: date,
    guid: { rendered: media.url },
    modified,
    modified_gmt: modified,
    slug: media.name.replace(/\.[^.]*$/, '').toLowerCase(),
    status: 'inherit',
    type: 'attachment',
    link: `${origin}/?attachment_id=${id}`,
    title: { rendered: escapeHtml(media.display_name || media.name) },
    author: 0,
    comment_status: 'closed',
    ping_status: 'closed',
    template: '',
    meta: {},
    description: { rendered: description },
    caption: { rendered: caption },
    alt_text: media.alt_text,
    media_type: isImage(media) ? 'image' : 'file',
    mime_type: mimetype,
    media_details: isImage(media)
      ? { width, height, file: media.name, filesize: media.size, sizes: { ...sizes, full: size(media) } }
      : { filesize: media.size },
    post: null,
    source_url: media.url,
  }
}

/** The first picture of the root's own fields. */
function featuredIn(root: Node, context: FormatContext): MediaRecord | undefined {
  for (const value of valuesIn(root, context)) {
    const typed = typedValue(value)
    if (typed.kind === 'media')
      for (const media of mediaOf(typed.ids, context)) if (isImage(media)) return media
  }
  return undefined
}

/** The number of an entry by its id: numbers are ids here, by which a client can ask for more. */
type NumberOf = (id: string) => number | undefined

function acfValue(value: NodeValue, context: FormatContext, numberOf: NumberOf): unknown {
  const typed = typedValue(value)
  if (typed.kind === 'plain') return typed.json
  if (typed.kind === 'rich') return context.rich?.get(value.value) ?? safeHtml(typed.html)
  if (typed.kind === 'empty') return value.field.field_type === 'boolean' ? false : ''
  const shown =
    typed.kind === 'relation'
      ? typed.ids.flatMap(id => numberOf(id) ?? [])
      : mediaOf(typed.ids, context).map(media => attachment(media, context))
  return typed.many ? shown : (shown[0] ?? false)
}

/** All fields and children as data, so that nothing is dropped. */
export function acfOf(root: Node, context: FormatContext): Pieces<string> {
  const inTree = new Map([...walk(root)].map(({ entry }) => [entry.content_data_id, entry.numeric_id]))
  const numberOf: NumberOf = id => inTree.get(id) ?? context.linked.get(id)?.node.entry.numeric_id
  return nestedJson(
    root,
    childrenKey,
    node => {
      const own = node === root ? {} : { type: node.datatype.name }
      return addByName(own, valuesIn(node, context), value => acfValue(value, context, numberOf))
    },
    node => node === root,
  )
}

/** The status, and the time that `date` means with it. */
export function stateOf({ status, published_at, publish_at, date_created }: Node['entry']) {
  if (status === 'published') return { status: 'publish', since: published_at ?? date_created }
  if (publish_at !== null) return { status: 'future', since: publish_at }
  return { status: 'draft', since: date_created }
}

/** One page object of the REST API, version 2. */
export const wordpress = whole(function* ({ route, root }, context) {
  const { entry, datatype } = root
  const slug = route?.slug ?? ''
  const isPost = datatype.name === 'post'
  const paragraphs = yield* paragraphsOf(root, context)
  const { status, since } = stateOf(entry)
  const date = withoutZone(since)
  const modified = withoutZone(changedAt(root))
  const featured = featuredIn(root, context)
  const page = {
    id: entry.numeric_id,
    date,
    date_gmt: date,
    guid: { rendered: `${context.origin}/?p=${entry.numeric_id}` },
    modified,
    modified_gmt: modified,
    slug: slug.split('/').at(-1) || 'home',
    status,
    type: isPost ? 'post' : 'page',
    link: `${context.origin}${encodeURI(slug)}`,
    title: { rendered: escapeHtml(route?.title ?? datatype.label) },
    content: { rendered: paragraphs.join(''), protected: false },
    excerpt: { rendered: paragraphs[0] ?? '', protected: false },
    author: 0,
    featured_media: featured?.numeric_id ?? 0,
    parent: 0,
    menu_order: entry.sort_order,
    comment_status: 'closed',
    ping_status: 'closed',
    template: '',
    meta: {},
    ...(isPost ? { sticky: false, format: 'standard', categories: [], tags: [] } : {}),
  }
  const self = { href: `${context.origin}/api/v1/page${encodeURI(slug)}?format=wordpress` }
  const links = JSON.stringify({
    self: [self],
    ...(featured ? { 'wp:featuredmedia': [{ embeddable: true, href: featured.url }] } : {}),
  })
  const acf = yield* acfOf(root, context)
  const embedded = featured
    ? `,"_embedded":${JSON.stringify({ 'wp:featuredmedia': [attachment(featured, context)] })}`
    : ''
  return `${JSON.stringify(page).slice(0, -1)},"acf":${acf},"_links":${links}${embedded}}`
}, htmlOf)
