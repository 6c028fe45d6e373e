import { parseRichText } from '../../services/content/rich-text/parse.js'
import { blockData, type Element, isSafe, type Root } from '../../services/content/rich-text/rules.js'
import { parseJson } from '../../services/json-text.js'
import type { MediaById } from '../../services/media/record.js'
import { atOnce, type Pieces } from '../../turns.js'
import {
  blocksOf,
  cellsOf,
  isBlank,
  isElement,
  nodeText,
  paragraphOf,
  picturesIn,
  runsOf,
  wrapsBlocks,
} from '../blocks.js'
import { isObject } from '../imports.js'
import { namesIn } from '../marks.js'
import { assetOf } from './write/media.js'

/** The JSON that somebody may have typed, within the bounds of a body: writers go into it by recursion. */
const jsonIn = (text: string): unknown => {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** The object that a text is as JSON; undefined for anything else, which somebody may have typed. */
function objectIn(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  const value = text === undefined ? undefined : jsonIn(text)
  return isObject(value) ? value : undefined
}

interface BlockKind {
  readonly style?: string
  readonly listItem?: 'bullet' | 'number'
  readonly level?: number
}

class PortableBlocks {
  readonly blocks: unknown[] = []

  constructor(
    private readonly key: string,
    private readonly media: MediaById,
  ) {}

  *visit(element: Element, kind: BlockKind): Pieces<void> {
    yield
    const { tagName, properties } = element
    const own = objectIn(properties[blockData])
    if (tagName === 'div' && own && typeof own._type === 'string') this.blocks.push(this.keyed(own))
    else if (tagName === 'pre' && own && typeof own._type === 'string')
      this.blocks.push(this.keyed({ ...own, code: nodeText(element) }))
    else if (tagName === 'ul' || tagName === 'ol') yield* this.list(element, kind)
    else if (tagName === 'blockquote') yield* this.inside(element, { ...kind, style: 'blockquote' })
    else if (/^h[1-6]$/.test(tagName)) this.add(element, { ...kind, style: tagName })
    else if (tagName === 'table') yield* this.table(element, kind)
    else if (tagName === 'hr') return
    else if (wrapsBlocks(element))
      for (const block of blocksOf(element.children)) yield* this.visit(block, kind)
    else this.add(element, kind)
  }

  private *list(element: Element, kind: BlockKind): Pieces<void> {
    const level = (kind.level ?? 0) + 1
    const listItem = element.tagName === 'ul' ? 'bullet' : 'number'
    for (const item of element.children.filter(isElement))
      yield* this.inside(item, { ...kind, listItem, level })
  }

  private *inside(element: Element, kind: BlockKind): Pieces<void> {
    for (const block of blocksOf(element.children)) {
      yield
      if (block.tagName === 'p') this.add(block, kind)
      else yield* this.visit(block, kind)
    }
  }

  private *table(element: Element, kind: BlockKind): Pieces<void> {
    for (const row of cellsOf(element)) {
      yield
      this.add(paragraphOf(row.map(nodeText).join(' | ')), kind)
    }
  }

  /** A block, and behind it the pictures that stand in it. */
  private add(element: Element, kind: BlockKind): void {
    const pictures = picturesIn(element, this.media)
    if (pictures.length === 0 || !isBlank(element)) this.addText(element, kind)
    for (const { media, alt, own } of pictures)
      this.blocks.push(this.keyed({ ...assetOf(media), ...(alt === '' ? {} : { alt }), ...objectIn(own) }))
  }

  private keyed(block: Readonly<Record<string, unknown>>) {
    return { _key: `${this.key}-${this.blocks.length}`, ...block }
  }

  private addText(element: Element, kind: BlockKind): void {
    const _key = `${this.key}-${this.blocks.length}`
    const runs = runsOf(element.children, element.tagName === 'pre', true)
    const marks = new OwnMarks(_key)
    const children = runs.map(({ text, marks: plain, href, own, isOwnLink, object }, i) => {
      const key = `${_key}-${i}`
      if (object !== undefined) return { _key: key, ...objectIn(object) }
      return {
        ...{ _type: 'span', _key: key, text },
        marks: [...namesIn('sanity', plain), ...marks.of(own, isOwnLink ? undefined : href)],
      }
    })
    this.blocks.push({
      ...{ _type: 'block', _key, style: 'normal' },
      ...kind,
      ...objectIn(element.properties[blockData]),
      markDefs: marks.definitions,
      children: children.length > 0 ? children : [{ _type: 'span', _key: `${_key}-0`, text: '', marks: [] }],
    })
  }
}

/** No address of an annotation runs anything. */
const isHarmless = ({ href, url }: Readonly<Record<string, unknown>>): boolean =>
  [href, url].every(one => typeof one !== 'string' || isSafe('href', one))

/** The annotations of a block, each once, by what they are. */
class OwnMarks {
  private readonly known = new Map<string, Readonly<Record<string, unknown>>>()

  constructor(private readonly key: string) {}

  get definitions(): unknown[] {
    return [...this.known.values()]
  }

  /** The names of marks, and the keys of annotations. A link is one unless it has been kept as something else. */
  of(own: readonly string[], href: string | undefined): string[] {
    const found = own.flatMap(json => {
      const value = jsonIn(json)
      if (typeof value === 'string') return value
      const object = objectIn(json)
      return object && typeof object._type === 'string' && isHarmless(object) ? this.keyOf(json, object) : []
    })
    return href === undefined ? found : [...found, this.keyOf(href, { _type: 'link', href })]
  }

  private keyOf(what: string, definition: Readonly<Record<string, unknown>>): string {
    const known = this.known.get(what) ?? {
      ...{ _type: definition._type, _key: `${this.key}-l${this.known.size}` },
      ...definition,
    }
    this.known.set(what, known)
    return String(known._key)
  }
}

/** Portable Text: an array of blocks whose keys are the same on every read. */
export function* portableTextOf({ children }: Root, key: string, media: MediaById): Pieces<unknown[]> {
  const portable = new PortableBlocks(key, media)
  for (const block of blocksOf(children)) yield* portable.visit(block, {})
  return portable.blocks
}
export const toPortableText = (html: string, key: string, media: MediaById = new Map()): unknown[] =>
  atOnce(portableTextOf(parseRichText(html).root, key, media))
