import { type Entry, modelOf, valuesOf } from '../../resources/entries.js'
import { type Node, stateWord, treeOf } from '../../resources/trees.js'
import { entriesIn } from '../../resources/views/audit-subjects.js'
import { mediaById, mediaName } from '../../resources/views/search.js'
import { type Format, type FormattedText, formattedText } from '../../services/content/rich-text/formatted.js'
import { english } from '../../texts/language.js'
import { t } from '../../texts/terminal.js'
import { placeAddress, publicAddress } from '../addresses.js'
import { boxed } from '../screen/boxed.js'
import type { Area } from '../screen/grid.js'
import { isWebAddress } from '../screen/link.js'
import { putLine, type Span, wrappedSpans } from '../screen/page.js'
import { bold, dim, plain, underline } from '../screen/style.js'
import type { Shell } from '../screen/view.js'
import type { Session } from '../session.js'
import { stateCell, timeWord } from './words.js'

type Line = readonly Span[]

/** A field as it is read: rich text without its tags, with its formats. */
interface ReadValue {
  readonly label: string
  readonly lines: readonly Line[]
}

/** The values of an entry as they are read. */
export interface Reading {
  readonly id: string
  readonly values: readonly ReadValue[]
}

const reads = 'content:update'
/** The characters of a value that are kept: more than a window of 200 columns shows. */
const longest = 8000

/** The styles of formats, by the first word of their names. */
const styles: Readonly<Record<string, number>> = {
  ...{ bold, heading: bold, link: underline, underline },
  ...{ quote: dim, code: dim, caption: dim, strikethrough: dim },
}

const styleOf = ({ kind }: Format): number => styles[kind.split(' ', 1)[0] ?? ''] ?? plain

/** Returns the lines of a rich text with its formats. */
function richLines({ text, runs }: FormattedText, addressOf: (to: string) => string | undefined): Line[] {
  const lines: Span[][] = [[]]
  let from = 0
  for (const { end, formats } of runs) {
    if (from >= longest) break
    const kinds = [...formats.values()]
    const style = kinds.reduce((all, format) => all | styleOf(format), plain)
    const link = kinds.flatMap(format => (format.kind === 'link' ? (addressOf(format.to) ?? []) : [])).at(-1)
    for (const [i, part] of text.slice(from, Math.min(end, longest)).split('\n').entries()) {
      if (i > 0) lines.push([])
      if (part !== '') lines.at(-1)?.push({ text: part, style, ...(link === undefined ? {} : { link }) })
    }
    from = end
  }
  return lines
}

const plainLines = (text: string, link?: string): Line[] =>
  text
    .slice(0, longest)
    .split('\n')
    .map(line => [link === undefined ? { text: line } : { text: line, link }])

const id = /[0-7][0-9A-HJKMNP-TV-Z]{25}/g
/** The most names of files, and of entries, that are read for one entry. */
const mostNames = 100

const idsIn = (text: string): string[] => text.match(id) ?? []

type Names = ReadonlyMap<string, string>

/** Returns what the files and entries are called that values name, by their ids. */
async function namesIn(
  session: Session,
  values: readonly { readonly field_type: string; readonly field_value: string }[],
): Promise<Names> {
  const idsOf = (type: string) => [
    ...new Set(
      values.flatMap(({ field_type, field_value }) => (field_type === type ? idsIn(field_value) : [])),
    ),
  ]
  const files = session.can('media:read') ? await mediaById(idsOf('media').slice(0, mostNames), session) : []
  const entries = await entriesIn(idsOf('relation').slice(0, mostNames), session)
  return new Map([
    ...files.map(file => [file.media_id, mediaName(file)] as const),
    ...(entries?.titles ?? []),
  ])
}

function linesOf(session: Session, names: Names, fieldType: string, value: string): readonly Line[] {
  if (fieldType === 'media' || fieldType === 'relation')
    return plainLines(
      idsIn(value)
        .map(one => names.get(one) ?? one)
        .join(', ') || value,
    )
  const rich = fieldType === 'richtext' ? formattedText(value, true) : undefined
  if (rich) return richLines(rich, to => (to.startsWith('/') ? publicAddress(session, to) : to))
  if (fieldType === 'email') return plainLines(value, `mailto:${value}`)
  return plainLines(value, isWebAddress(value) ? value : undefined)
}

export async function readingOf(session: Session, entry: Entry): Promise<Reading> {
  const { fieldsOf } = await modelOf(session)
  const stored = await valuesOf(entry.content_data_id, session)
  const rows = (fieldsOf.get(entry.datatype_id) ?? []).flatMap(({ field_id, label, field_type }) =>
    stored
      .filter(row => row.field_id === field_id)
      .map(({ locale, field_value }) => ({ label, field_type, locale, field_value })),
  )
  const names = await namesIn(session, rows)
  const values = rows.map(({ label, field_type, locale, field_value }) => ({
    label: [label, locale].filter(Boolean).join(' '),
    lines: linesOf(session, names, field_type, field_value || '–'),
  }))
  return { id: entry.content_data_id, values }
}

interface LaidOut {
  readonly width: number
  readonly most: number
  readonly rows: readonly (readonly Line[])[]
}

/** Wrapping texts costs more than drawing them, and a reading is drawn with each key. */
const laidOut = new WeakMap<Reading, LaidOut>()

/** Puts characters of the same look together. */
function joined(line: Line): Line {
  const spans: Span[] = []
  for (const span of line) {
    const last = spans.at(-1)
    if (last && last.style === span.style && last.link === span.link)
      spans[spans.length - 1] = { ...last, text: last.text + span.text }
    else spans.push(span)
  }
  return spans
}

function rowsOf({ lines }: ReadValue, width: number, most: number): Line[] {
  const rows: Line[] = []
  for (const line of lines) {
    rows.push(...wrappedSpans(line, width).map(joined))
    if (rows.length > most) return [...rows.slice(0, most - 1), [...(rows[most - 1] ?? []), { text: '…' }]]
  }
  return rows
}

function layOut(reading: Reading, width: number, most: number): LaidOut['rows'] {
  const before = laidOut.get(reading)
  if (before?.width === width && before.most === most) return before.rows
  const rows = reading.values.map(value => rowsOf(value, width, most))
  laidOut.set(reading, { width, most, rows })
  return rows
}

/** Draws values under their labels. @returns the first free row */
export function drawReading(area: Area, from: number, reading: Reading): number {
  const most = Math.max(3, Math.floor(area.height / 4))
  const rows = layOut(reading, Math.max(1, area.width - 2), most)
  let y = from
  for (const [i, { label }] of reading.values.entries()) {
    area.put(0, y++, label, dim)
    for (const row of rows[i] ?? []) putLine(area, { x: 2, y: y++ }, row)
  }
  return y
}

/** Draws an address, as a hyperlink if it leads anywhere. */
export function putAddress(area: Area, y: number, text: string, link: string | undefined): void {
  const n = area.put(0, y, text, link === undefined ? plain : underline)
  if (link !== undefined) area.link(0, y, n, link)
}

/** The first of the columns with a tree and the values beside a list of pages. */
const pageFrom = 120

interface Page {
  readonly root: Entry
  readonly title: string
  readonly address: { readonly slug: string; readonly link: string | undefined } | undefined
  readonly reading: Reading
  readonly nodes: readonly Node[]
}

interface Place {
  readonly root: Entry | undefined
  readonly route: { readonly slug: string } | undefined
  readonly title: string
}

/**
 * The parts beside a list of pages in a wide window: the tree of the selected page, and its values. They are read when
 * the selection rests, and stay until the next ones are read.
 */
export function pageReader<P extends Place>(session: Session) {
  let page: Page | undefined
  // It is not known before the first frame.
  let isSeen = true
  let ask: () => void = () => undefined
  return {
    besideFrom: pageFrom,
    seen(isBeside: boolean) {
      const isNew = isBeside && !isSeen
      isSeen = isBeside
      // The window was too narrow when the page was selected.
      if (isNew) ask()
    },
    marked<S>(place: P, shell: Shell<S>) {
      ask = () =>
        shell.rest(reads, async signal => {
          page = await pageOf(session, place, signal, page)
          return state => state
        })
      if (isSeen) ask()
    },
    beside(area: Area) {
      const width = Math.max(24, Math.floor(area.width * 0.38))
      drawTree(boxed(area.part(0, 0, width, area.height), t('Tree')), page?.nodes ?? [])
      const values = boxed(area.part(width, 0, area.width - width, area.height), t('Preview'))
      if (page) drawPage(values, page, session)
    },
  }
}

/** Reads what is beside a place. @returns the earlier page if the selection moves on meanwhile */
async function pageOf(
  session: Session,
  { root, route, title }: Place,
  signal: AbortSignal,
  earlier: Page | undefined,
): Promise<Page | undefined> {
  if (root === undefined) return undefined
  const reading = await readingOf(session, root)
  if (signal.aborted) return earlier
  const { nodes } = await treeOf(root, await modelOf(session), session)
  if (signal.aborted) return earlier
  const address = route && { slug: route.slug, link: placeAddress(session, route.slug, root) }
  return { root, title, address, reading, nodes }
}

function drawPage(area: Area, { root, title, address, reading, nodes }: Page, session: Session): void {
  area.put(0, 0, title, bold)
  let y = 1
  if (address) putAddress(area, y++, address.slug, address.link)
  const [first] = nodes
  if (first) {
    const state = stateCell(first.state.kind, stateWord(first.state, english))
    const at = area.put(0, y, state.text, state.style)
    area.put(at + 2, y, `${first.type} · ${timeWord(root.date_modified, session)}`, dim)
    y++
  }
  drawReading(area, y + 1, reading)
}

const typeFrom = 40

function drawTree(area: Area, nodes: readonly Node[]): void {
  const hasTypes = area.width >= typeFrom
  for (const [y, { level, title, state, type }] of nodes.slice(0, area.height).entries()) {
    const { text } = stateCell(state.kind, title)
    const x = 2 * (level - 1)
    const isLast = y === area.height - 1 && nodes.length > area.height
    const words = isLast ? t('… {n} more', { n: nodes.length - y }) : text
    area.put(x, y, words, isLast ? dim : plain, area.width - x - (hasTypes ? 16 : 0))
    if (!isLast && hasTypes) area.put(area.width - 15, y, type, dim, 15)
  }
}
