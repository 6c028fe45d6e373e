import { stringify } from 'yaml'
import { parseRichText } from '../../../services/content/rich-text/parse.js'
import { isSafe } from '../../../services/content/rich-text/rules.js'
import { type FormatContext, valuesIn, whole } from '../../../services/delivery/formats/format.js'
import { referenceTo } from '../../../services/delivery/formats/native.js'
import { changedAt, typedValue } from '../../../services/delivery/formats/typed-value.js'
import { autolink, code, fenced, image, link } from '../../../services/delivery/rich-text/markdown.js'
import { type ContentTree, type Node, type NodeValue, walk } from '../../../services/delivery/tree.js'
import type { MediaRecord } from '../../../services/media/record.js'
import { atOnce, type Pieces } from '../../../turns.js'
import { type Block, Flow, heading, type Item, list, markdownOf } from './blocks.js'
import { inline, plainRun, runsOfLines } from './inline.js'

/** Longer JSON has lines of its own. */
const longestInline = 100
const deepest = 6

const oneLine = (text: string): string => inline([plainRun(text)], 'line')

/** The public address of a page; only its path where the configuration names no address of the site. */
const addressOf = ({ origin }: FormatContext, slug: string): string => origin + encodeURI(slug)

function frontMatter({ route, root }: ContentTree, context: FormatContext): string {
  const modified = [...walk(root)].reduce((newest, node) => {
    const at = changedAt(node)
    return at > newest ? at : newest
  }, '')
  const { status, published_at } = root.entry
  const members = {
    title: route?.title,
    url: addressOf(context, route?.slug ?? ''),
    ...(context.locale === '' ? {} : { locale: context.locale }),
    ...(status === 'published' ? {} : { status }),
    ...(published_at === null ? {} : { published: published_at }),
    modified,
  }
  // Strings in quotes, for readers of older YAML take others for dates.
  return `---\n${stringify(members, { lineWidth: 0, defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' })}---\n\n`
}

class PageText {
  private readonly flow = new Flow()
  private items: Item[] = []
  private inTree: ReadonlyMap<string, Node> | undefined

  constructor(
    private readonly tree: ContentTree,
    private readonly context: FormatContext,
  ) {}

  *write(): Pieces<string> {
    const { root } = this.tree
    const open = [{ node: root, level: 1 }]
    for (let next = open.pop(); next; next = open.pop()) {
      yield
      const { node, level } = next
      const below = yield* this.addEntry(node, level)
      for (const child of node.children.toReversed()) open.push({ node: child, level: below })
    }
    return `${this.flow.text}\n`
  }

  /** @returns the level of its children's headings */
  private *addEntry(node: Node, level: number): Pieces<number> {
    const values = valuesIn(node, this.context)
    const route = node === this.tree.root ? this.tree.route : undefined
    const { title } = referenceTo(node, route, this.context, values)
    const named = values.find(
      ({ field, value }) => field.field_type === 'text' && title !== null && value.field_value === title,
    )
    // Facts need a name to stand under, which prose does not.
    const hasFacts = values.some(({ field, value }) => isFact(field.field_type) && value.field_value !== '')
    const shown = title ?? (hasFacts ? node.datatype.label : '')
    const isHeaded = shown.trim() !== ''
    this.flow.add(heading(Math.min(level, deepest), oneLine(shown)))
    for (const value of values) {
      if (value === named || value.value.field_value === '') continue
      yield
      this.addValue(value)
    }
    this.closeFacts()
    return isHeaded ? level + 1 : level
  }

  private addValue(shown: NodeValue): void {
    const { field, value } = shown
    const typed = typedValue(shown)
    if (typed.kind === 'empty') return
    if (typed.kind === 'rich') {
      const known = this.context.rich?.get(value) as readonly Block[] | undefined
      this.prose(known ?? atOnce(markdownOf(parseRichText(typed.html).root, '', this.context.media)))
    } else if (field.field_type === 'textarea')
      this.prose([{ text: inline(runsOfLines(value.field_value), 'block') }])
    else if (typed.kind === 'media') this.media(field.label, typed.ids)
    else if (typed.kind === 'relation')
      this.fact(field.label, typed.ids.flatMap(id => this.entryLink(id) ?? []).join(', '))
    else if (field.field_type === 'json') this.json(field.label, value.field_value)
    else this.fact(field.label, this.plain(field.field_type, value.field_value))
  }

  private prose(blocks: readonly Block[]): void {
    this.closeFacts()
    for (const block of blocks) this.flow.add(block)
  }

  private fact(label: string, text: string): void {
    if (text !== '') this.items.push({ blocks: [{ text: `${oneLine(label)}: ${text}` }] })
  }

  private closeFacts(): void {
    if (this.items.length > 0) this.flow.add(list(this.items))
    this.items = []
  }

  private media(label: string, ids: readonly string[]): void {
    const found = ids.flatMap(id => this.context.media.get(id) ?? [])
    const files = found.filter(item => !isImage(item))
    this.fact(
      label,
      files.map(({ display_name, name, url }) => link(oneLine(display_name || name), url, 'line')).join(', '),
    )
    for (const { alt_text, caption, url } of found.filter(isImage))
      this.prose([
        { text: image(alt_text, url, 'line') },
        { text: caption === '' ? '' : inline(runsOfLines(caption), 'block') },
      ])
  }

  private json(label: string, text: string): void {
    if (text.length <= longestInline && !/[\r\n]/.test(text)) this.fact(label, code(text, 'line'))
    else this.items.push({ blocks: [{ text: `${oneLine(label)}:` }, { text: fenced(text, 'json') }] })
  }

  private plain(type: string, text: string): string {
    const one = text.trim()
    const target = type === 'email' ? `mailto:${one}` : one
    if ((type !== 'email' && type !== 'url') || !isSafe('href', target) || /\s/.test(one))
      return oneLine(text)
    return autolink(one, 'line') ?? link(oneLine(one), target, 'line')
  }

  /** An entry by its name: a link if it has a page. */
  private entryLink(id: string): string | undefined {
    this.inTree ??= new Map([...walk(this.tree.root)].map(node => [node.entry.content_data_id, node]))
    const linked = this.context.linked.get(id)
    const node = linked?.node ?? this.inTree.get(id)
    if (!node) return undefined
    const route = linked?.route ?? (node === this.tree.root ? this.tree.route : undefined)
    const { title } = referenceTo(node, route, this.context)
    const text = oneLine(title ?? '') || oneLine(node.datatype.label)
    return route ? link(text, addressOf(this.context, route.slug), 'line') : text
  }
}

const isImage = ({ mimetype }: MediaRecord): boolean => mimetype.startsWith('image/')
const isFact = (type: string): boolean => !['text', 'textarea', 'richtext', 'media'].includes(type)

/** A page as Markdown with front matter; a tree without an address has no front matter. */
export const markdown = whole(function* (tree, context) {
  const text = yield* new PageText(tree, context).write()
  return tree.route ? frontMatter(tree, context) + text : text
}, markdownOf)
