import { type FormatContext, valuesIn, whole } from '../../../services/delivery/formats/format.js'
import { changedAt, typedValue } from '../../../services/delivery/formats/typed-value.js'
import { htmlOf } from '../../../services/delivery/rich-text/html.js'
import type { Node } from '../../../services/delivery/tree.js'
import type { MediaRecord } from '../../../services/media/record.js'
import { escapeHtml } from '../../marks.js'
import { withoutZone } from '../zone.js'
import { attachment, isImage, mediaOf } from './media.js'
import { TreeTexts } from './texts.js'

function featuredIn(root: Node, context: FormatContext): MediaRecord | undefined {
  for (const value of valuesIn(root, context)) {
    const typed = typedValue(value)
    if (typed.kind === 'media')
      for (const media of mediaOf(typed.ids, context)) if (isImage(media)) return media
  }
  return undefined
}

/** The status, and the time that `date` means with it. */
export function stateOf({ status, published_at, publish_at, date_created }: Node['entry']) {
  if (status === 'published') return { status: 'publish', since: published_at ?? date_created }
  if (publish_at !== null) return { status: 'future', since: publish_at }
  return { status: 'draft', since: date_created }
}

const membersOf = (object: object): string => JSON.stringify(object).slice(1, -1)

/** One page object of the REST API, version 2. */
export const wordpress = whole(function* ({ route, root }, context) {
  const { entry, datatype } = root
  const slug = route?.slug ?? ''
  const isPost = datatype.name === 'post'
  const texts = new TreeTexts(root, context)
  const acf = yield* texts.acf()
  const { status, since } = stateOf(entry)
  const date = withoutZone(since)
  const modified = withoutZone(changedAt(root))
  const featured = featuredIn(root, context)
  const before = {
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
  }
  const content = `{"rendered":"${texts.content}","protected":false}`
  const after = {
    excerpt: { rendered: texts.paragraphs[0] ?? '', protected: false },
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
  const embedded = featured
    ? `,"_embedded":${JSON.stringify({ 'wp:featuredmedia': [attachment(featured, context)] })}`
    : ''
  const page = `{${membersOf(before)},"content":${content},${membersOf(after)}`
  return `${page},"acf":${acf},"_links":${links}${embedded}}`
}, htmlOf)
