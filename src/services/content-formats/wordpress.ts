import { type Node, nestedJson, walk } from '../content-tree.js'
import { addByName, childrenKey, type Format, type FormatContext, valuesIn } from './format.js'
import { isReferences, typedValue } from './typed-value.js'

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#039;',
}
/** The users of this format insert its texts as HTML. */
const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, found => escapes[found] ?? found)

/** UTC without a zone, in whole seconds. */
const withoutZone = (time: string): string => time.slice(0, 19)

const shownTypes = new Set(['text', 'textarea', 'richtext'])

/** The texts of the whole tree in their order, one paragraph each. */
function rendered(root: Node, locale: string): string {
  const paragraphs: string[] = []
  for (const node of walk(root))
    for (const { field, value } of valuesIn(node, locale))
      if (shownTypes.has(field.field_type) && value.field_value !== '')
        paragraphs.push(`<p>${escapeHtml(value.field_value)}</p>\n`)
  return paragraphs.join('')
}

/** All fields and children as data, so that nothing is dropped. */
const acfOf = (root: Node, { locale }: FormatContext): string =>
  nestedJson(
    root,
    childrenKey,
    node => {
      const own = node === root ? {} : { type: node.datatype.name }
      return addByName(own, valuesIn(node, locale), value => {
        const typed = typedValue(value)
        if (isReferences(typed)) return typed.many ? typed.ids : (typed.ids[0] ?? '')
        return typed ?? ''
      })
    },
    node => node === root,
  )

/** One page object of the REST API, version 2. */
export const wordpress: Format = ({ route, root }, context) => {
  const { entry, datatype } = root
  const slug = route?.slug ?? ''
  const last = slug.split('/').at(-1) || 'home'
  const content = rendered(root, context.locale)
  const date = withoutZone(entry.published_at ?? entry.date_created)
  const modified = withoutZone(entry.date_modified)
  const page = {
    id: entry.numeric_id,
    date,
    date_gmt: date,
    guid: { rendered: `${context.origin}/?p=${entry.numeric_id}` },
    modified,
    modified_gmt: modified,
    slug: last,
    status: entry.status === 'published' ? 'publish' : 'draft',
    type: datatype.name === 'post' ? 'post' : 'page',
    link: `${context.origin}${encodeURI(slug)}`,
    title: { rendered: escapeHtml(route?.title ?? datatype.label) },
    content: { rendered: content, protected: false },
    excerpt: { rendered: content.slice(0, content.indexOf('\n') + 1), protected: false },
    author: 0,
    featured_media: 0,
    parent: 0,
    menu_order: entry.sort_order,
    comment_status: 'closed',
    ping_status: 'closed',
    template: '',
    meta: {},
  }
  return `${JSON.stringify(page).slice(0, -1)},"acf":${acfOf(root, context)},"_links":{}}`
}
