import {
  addByName,
  childrenKey,
  type FormatContext,
  valuesIn,
} from '../../../services/delivery/formats/format.js'
import { type Members, objectOf, unquoted } from '../../../services/delivery/formats/json-text.js'
import { typedValue } from '../../../services/delivery/formats/typed-value.js'
import { safeHtml } from '../../../services/delivery/rich-text/html.js'
import { type Node, type NodeValue, nestedJson, walk } from '../../../services/delivery/tree.js'
import type { Pieces } from '../../../turns.js'
import { escapeHtml } from '../../marks.js'
import { attachment, mediaOf } from './media.js'

const shownTypes = new Set(['text', 'textarea'])
const lineBreaks = /\r?\n/g

/**
 * The texts of a tree as HTML and as data: one paragraph for each text, in the order of the entries, and all fields and
 * children, so that nothing is dropped.
 */
export class TreeTexts {
  readonly paragraphs: string[] = []
  content = ''
  excerpt = ''
  /** The numbers of entries: numbers are ids here, by which a client can ask for more. */
  private numbers: ReadonlyMap<string, number> | undefined

  /** @param leftOut a value that is an excerpt, and no paragraph */
  constructor(
    private readonly root: Node,
    private readonly context: FormatContext,
    private readonly leftOut?: NodeValue,
  ) {}

  /**
   * Fields and children as JSON; after it the paragraphs are there.
   * @param values those of the root that a reader sees
   */
  acf(values = valuesIn(this.root, this.context)): Pieces<string> {
    const { root, context } = this
    return nestedJson(
      root,
      childrenKey,
      node =>
        node === root
          ? this.fieldsOf(values, {})
          : this.fieldsOf(valuesIn(node, context), { type: JSON.stringify(node.datatype.name) }),
      node => node === root,
    )
  }

  private fieldsOf(values: readonly NodeValue[], own: Record<string, string>): string {
    return objectOf(addByName(own, values, value => this.json(value)) as Members)
  }

  private json(shown: NodeValue): string {
    const { field, value } = shown
    const text = value.field_value
    if (text === '') return acfJson(shown, this.context, this.numberOf)
    if (field.field_type === 'richtext') {
      const html = this.context.rich?.get(value) ?? safeHtml(text)
      const json = JSON.stringify(html)
      this.add(shown, `${html}\n`, `${json.slice(1, -1)}\\n`)
      return json
    }
    if (!shownTypes.has(field.field_type)) return acfJson(shown, this.context, this.numberOf)
    const json = JSON.stringify(text)
    const html = escapeHtml(text).replaceAll(lineBreaks, '<br />\n')
    this.add(shown, `<p>${html}</p>\n`, `<p>${html === text ? json.slice(1, -1) : unquoted(html)}</p>\\n`)
    return json
  }

  private add({ value }: NodeValue, html: string, json: string): void {
    if (value === this.leftOut?.value) {
      this.excerpt = json
      return
    }
    this.paragraphs.push(html)
    this.content += json
  }

  private readonly numberOf = (id: string): number | undefined => {
    this.numbers ??= new Map(
      [...walk(this.root)].map(({ entry }) => [entry.content_data_id, entry.numeric_id]),
    )
    return this.numbers.get(id) ?? this.context.linked.get(id)?.node.entry.numeric_id
  }
}

function acfJson(
  value: NodeValue,
  context: FormatContext,
  numberOf: (id: string) => number | undefined,
): string {
  const typed = typedValue(value)
  if (typed.kind === 'plain') return JSON.stringify(typed.json)
  if (typed.kind === 'empty') return value.field.field_type === 'boolean' ? 'false' : '""'
  if (typed.kind === 'rich') return JSON.stringify(safeHtml(typed.html))
  const shown =
    typed.kind === 'relation'
      ? typed.ids.flatMap(id => numberOf(id) ?? [])
      : mediaOf(typed.ids, context).map(media => JSON.stringify(attachment(media, context)))
  return typed.many ? `[${shown.join(',')}]` : String(shown[0] ?? false)
}
