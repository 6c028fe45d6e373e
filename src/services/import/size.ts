import type { ImportedValues, Size } from './site.js'

export type { Size }

export const noSize: Size = { words: 0, pictures: 0, links: 0 }

export const sumOf = (sizes: Iterable<Size>): Size => {
  let [words, pictures, links] = [0, 0, 0]
  for (const size of sizes) {
    words += size.words
    pictures += size.pictures
    links += size.links
  }
  return { words, pictures, links }
}

/** A time is written in many ways, and none of them is a word. */
const time = /^\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?$/
const word = /[\p{L}\p{M}\p{N}]+/gu

/** Character references of letters are letters, all others end a word. */
const withoutReferences = (text: string): string =>
  text.includes('&')
    ? text
        .replace(/&#(\d{1,7}|x[0-9a-f]{1,6});/gi, (_, code: string) => {
          const point = /^x/i.test(code) ? Number.parseInt(code.slice(1), 16) : Number(code)
          return point <= 0x10ffff ? String.fromCodePoint(point) : ' '
        })
        .replace(/&([a-z])(?:acute|grave|circ|uml|tilde|cedil|ring|slash|caron);/gi, '$1')
        .replace(/&[a-z]{2,8};/gi, ' ')
    : text

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0

/** Its quoted attributes may have a `>` in them. Bounded, because a regular expression has a stack. */
const tag = /<\/?[a-z](?:"[^"]*"|'[^']*'|[^"'>]){0,4000}>/gi

/** The size of a text, in which there may be HTML. */
export function sizeOfText(text: string): Size {
  if (time.test(text)) return noSize
  const isMarked = text.includes('<')
  // Without comments, which may have marks in them.
  const shown = isMarked ? text.replace(/<!--[\s\S]*?-->/g, ' ') : text
  const plain = isMarked ? shown.replace(tag, ' ') : shown
  return {
    words: countOf(withoutReferences(plain), word),
    pictures: isMarked ? countOf(shown, /<img\b/gi) : 0,
    links: isMarked ? countOf(shown, /<a\s[^>]*\bhref\b/gi) : 0,
  }
}

/** Deeper values are not counted. */
const maxDepth = 500

type Members = Readonly<Record<string, unknown>>

/** A node of a document of Contentful. */
function ofContentful(nodeType: string, { content, value }: Members, depth: number): Size {
  const isFile = nodeType.startsWith('embedded-asset')
  const isLink = /hyperlink$|^embedded-entry/.test(nodeType)
  const own = { words: 0, pictures: isFile ? 1 : 0, links: isLink ? 1 : 0 }
  return sumOf([sizeOfJson(content, depth), sizeOfJson(value, depth), own])
}

/** Nodes of rich text whose other members hold settings, and not words of an author. */
function ofNode(node: Members, depth: number): Size | undefined {
  const { nodeType, _type, type } = node
  if (typeof nodeType === 'string') return ofContentful(nodeType, node, depth)
  if (_type === 'image' || _type === 'file')
    return { ...noSize, pictures: 'asset' in node || '_sanityAsset' in node ? 1 : 0 }
  if (_type === 'block') {
    const marks = Array.isArray(node.markDefs) ? node.markDefs : []
    return sumOf([sizeOfJson(node.children, depth), { ...noSize, links: marks.filter(isLinkMark).length }])
  }
  // Its marks are keys, not words.
  if (_type === 'span') return sizeOfJson(node.text, depth)
  if (type === 'image' && typeof node.image === 'object') return { ...noSize, pictures: 1 }
  if (type === 'link' && Array.isArray(node.children))
    return sumOf([sizeOfJson(node.children, depth), { ...noSize, links: 1 }])
  if (type === 'text' && typeof node.text === 'string') return sizeOfText(node.text)
  if (typeof type === 'string' && Array.isArray(node.children)) return sizeOfJson(node.children, depth)
  return undefined
}

const isLinkMark = (mark: unknown): boolean =>
  typeof mark === 'object' && mark !== null && ['href', 'url', 'reference', '_ref'].some(name => name in mark)

/** Members that are names and references, and no content. */
const isOfSystem = (name: string): boolean => name.startsWith('_') || name === 'sys'

/** The size of a value of any system as JSON: of its texts, its rich texts and what they name. */
export function sizeOfJson(value: unknown, depth = 0): Size {
  if (typeof value === 'string') return sizeOfText(value)
  if (typeof value !== 'object' || value === null || depth > maxDepth) return noSize
  if (Array.isArray(value)) return sumOf(value.map(one => sizeOfJson(one, depth + 1)))
  const members = value as Members
  const { sys } = members as { sys?: { linkType?: unknown } }
  if (typeof sys === 'object' && sys?.linkType === 'Asset') return { ...noSize, pictures: 1 }
  return (
    ofNode(members, depth + 1) ??
    sumOf(
      Object.entries(members).map(([name, member]) =>
        isOfSystem(name) ? noSize : sizeOfJson(member, depth + 1),
      ),
    )
  )
}

/** The size of values that a reader has made. */
export const sizeOfValues = (values: ImportedValues): Size =>
  sumOf(
    Object.values(values).map(value => {
      if ('html' in value) return sizeOfText(value.html)
      if ('files' in value) return { ...noSize, pictures: value.files.length }
      return 'value' in value ? sizeOfJson(value.value) : noSize
    }),
  )
