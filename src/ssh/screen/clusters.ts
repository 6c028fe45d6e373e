import { LRUCache } from 'lru-cache'
import stringWidth from 'string-width'

/** One character as a person sees it, and its width in cells. */
export interface Cluster {
  readonly text: string
  readonly width: 1 | 2
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
/** Longer clusters are stacks of marks, which reach into other lines. */
const maxLength = 16
const sizeCalculation = (_: unknown, text: string): number => text.length
const widths = new LRUCache<string, Cluster>({ maxSize: 20_000, maxEntrySize: maxLength, sizeCalculation })
const plain = /^[\x20-\x7e]*$/
const replacement: Cluster = { text: '\ufffd', width: 1 }

const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u
/** Joiners and tags are parts of emoji and of scripts; alone they have no meaning. */
const joining = /[\u200c\u200d]|[\u{e0020}-\u{e007f}]/gu

const pictureOf = (code: number): Cluster => ({
  text: code === 0x7f ? '\u2421' : String.fromCharCode(0x2400 + code),
  width: 1,
})

function measured(text: string): Cluster {
  const code = text.charCodeAt(0)
  if (text === '\r\n') return pictureOf(0x0a)
  if (text.length === 1 && (code < 0x20 || code === 0x7f)) return pictureOf(code)
  if (text.length > maxLength || unseen.test(text.replace(joining, ''))) return replacement
  const width = stringWidth(text)
  if (width === 0) return replacement
  return { text, width: width > 1 ? 2 : 1 }
}

function clusterOf(text: string): Cluster {
  const measuredBefore = widths.get(text)
  if (measuredBefore) return measuredBefore
  const cluster = measured(text)
  widths.set(text, cluster)
  return cluster
}

/** Splits a text into the parts that the cursor steps over, as they were written. */
export const graphemes = (text: string): string[] =>
  plain.test(text) ? [...text] : [...segmenter.segment(text)].map(({ segment }) => segment)

/** Splitting texts is most of the cost of a frame, and most texts repeat in the next one. */
const known = new LRUCache<string, readonly Cluster[]>({
  maxSize: 100_000,
  maxEntrySize: 200,
  sizeCalculation,
})

/** Returns a text as cells show it: nothing in it can steer a terminal, and characters that could are visible. */
export function clusters(text: string): readonly Cluster[] {
  if (plain.test(text)) return [...text].map(character => ({ text: character, width: 1 }))
  const found = known.get(text) ?? [...segmenter.segment(text)].map(({ segment }) => clusterOf(segment))
  known.set(text, found)
  return found
}

/** Returns the width of a text in cells. */
export function widthOf(text: string): number {
  if (plain.test(text)) return text.length
  let width = 0
  for (const cluster of clusters(text)) width += cluster.width
  return width
}
