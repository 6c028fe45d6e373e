import { type Node, nestedJson, walk } from '../content-tree.js'
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
const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, found => escapes[found] ?? found)

/** UTC without a zone, in whole seconds. */
const withoutZone = (time: string): string => time.slice(0, 19)

const shownTypes = new Set(['text', 'textarea'])

/** The texts of the whole tree in their order, one paragraph each. */
function paragraphsOf(root: Node, context: FormatContext): string[] {
  const paragraphs: string[] = []
  for (const node of walk(root))
    for (const { field, value } of valuesIn(node, context))
      if (field.field_type === 'richtext' && value.field_value !== '')
        paragraphs.push(`${context.richText?.safeHtml(value.field_value) ?? ''}\n`)
      else if (shownTypes.has(field.field_type) && value.field_value !== '')
        paragraphs.push(`<p>${escapeHtml(value.field_value).replaceAll(/\r?\n/g, '<br />\n')}</p>\n`)
  return paragraphs
}

/** All fields and children as data, so that nothing is dropped. */
function acfOf(root: Node, context: FormatContext): string {
  const inTree = new Map([...walk(root)].map(({ entry }) => [entry.content_data_id, entry.numeric_id]))
  // Ids are numbers here, by which a client can ask for more.
  const numberOf = (id: string) => inTree.get(id) ?? context.linked.get(id)?.node.entry.numeric_id
  return nestedJson(
    root,
    childrenKey,
    node => {
      const own = node === root ? {} : { type: node.datatype.name }
      return addByName(own, valuesIn(node, context), value => {
        const typed = typedValue(value)
        if (typed.kind === 'plain') return typed.json
        if (typed.kind === 'rich') return context.richText?.safeHtml(typed.html) ?? ''
        if (typed.kind === 'empty') return value.field.field_type === 'boolean' ? false : ''
        const ids = typed.kind === 'relation' ? typed.ids.flatMap(id => numberOf(id) ?? []) : typed.ids
        return typed.many ? ids : (ids[0] ?? false)
      })
    },
    node => node === root,
  )
}

/** The status, and the time that `date` means with it. */
function stateOf({ status, published_at, publish_at, date_created }: Node['entry']) {
  if (status === 'published') return { status: 'publish', since: published_at ?? date_created }
  if (publish_at !== null) return { status: 'future', since: publish_at }
  return { status: 'draft', since: date_created }
}

/** One page object of the REST API, version 2. */
export const wordpress = whole(({ route, root }, context) => {
  const { entry, datatype } = root
  const slug = route?.slug ?? ''
  const isPost = datatype.name === 'post'
  const paragraphs = paragraphsOf(root, context)
  const { status, since } = stateOf(entry)
  const date = withoutZone(since)
  const modified = withoutZone(changedAt(root))
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
    featured_media: 0,
    parent: 0,
    menu_order: entry.sort_order,
    comment_status: 'closed',
    ping_status: 'closed',
    template: '',
    meta: {},
    ...(isPost ? { sticky: false, format: 'standard', categories: [], tags: [] } : {}),
  }
  const self = { href: `${context.origin}/api/v1/page${encodeURI(slug)}?format=wordpress` }
  const links = JSON.stringify({ self: [self] })
  return `${JSON.stringify(page).slice(0, -1)},"acf":${acfOf(root, context)},"_links":${links}}`
})
