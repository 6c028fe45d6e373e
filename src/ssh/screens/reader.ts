import { type Entry, modelOf, valuesOf } from '../../resources/entries.js'
import { type Node, stateWord, treeOf } from '../../resources/trees.js'
import { formattedText } from '../../services/content/rich-text/formatted.js'
import { english } from '../../texts/language.js'
import { t } from '../../texts/terminal.js'
import type { Area } from '../screen/grid.js'
import { bold, dim, plain } from '../screen/style.js'
import type { Shell } from '../screen/view.js'
import { wrapped } from '../screen/wrap.js'
import type { Session } from '../session.js'
import { stateCell, timeWord } from './words.js'

/** The values of an entry as they are read: rich text without its tags. */
export interface Reading {
  readonly id: string
  readonly values: readonly { readonly label: string; readonly value: string }[]
}

const reads = 'content:update'

export async function readingOf(session: Session, entry: Entry): Promise<Reading> {
  const { fieldsOf } = await modelOf(session)
  const stored = await valuesOf(entry.content_data_id, session)
  const values = (fieldsOf.get(entry.datatype_id) ?? []).flatMap(({ field_id, label, field_type }) =>
    stored
      .filter(row => row.field_id === field_id)
      .map(({ locale, field_value }) => ({
        label: [label, locale].filter(Boolean).join(' '),
        value: field_type === 'richtext' ? (formattedText(field_value)?.text ?? field_value) : field_value,
      })),
  )
  return { id: entry.content_data_id, values }
}

/** Draws values under their labels. @returns the first free row */
export function drawReading(area: Area, from: number, { values }: Reading): number {
  const most = Math.max(3, Math.floor(area.height / 4))
  let y = from
  for (const { label, value } of values) {
    area.put(0, y++, label, dim)
    for (const row of wrapped(value || '–', area.width - 2, most)) area.put(2, y++, row)
  }
  return y
}

/** The first of the columns beside a list of pages, and the rows that the tree below gets at least. */
const [pageFrom, treeRows] = [120, 8]

interface Page {
  readonly reading: Reading
  readonly nodes: readonly Node[]
}

/** The part beside a list of pages in a wide window: the values of the marked page, and its tree. */
export function pageReader<P extends { readonly root: Entry | undefined; readonly title: string }>(
  session: Session,
) {
  let wanted: string | undefined
  let page: Page | undefined
  // It is not known before the first frame.
  let isSeen = true
  return {
    besideFrom: pageFrom,
    seen(isBeside: boolean) {
      isSeen = isBeside
    },
    marked<S>({ root }: P, shell: Shell<S>) {
      wanted = root?.content_data_id
      if (root === undefined || !isSeen) return
      shell.work(reads, async () => {
        // The mark may have moved on.
        if (wanted !== root.content_data_id) return
        const reading = await readingOf(session, root)
        const { nodes } = await treeOf(root, await modelOf(session), session)
        page = { reading, nodes }
      })
    },
    beside(area: Area, { root, title }: P) {
      area.put(0, 0, title, bold)
      if (root === undefined || page?.reading.id !== root.content_data_id) return
      const [first, ...nodes] = page.nodes
      if (first) {
        const state = stateCell(first.state.kind, stateWord(first.state, english))
        const at = area.put(0, 1, state.text, state.style)
        area.put(at + 2, 1, `${first.type} · ${timeWord(root.date_modified, session)}`, dim)
      }
      const height =
        nodes.length > 0 ? Math.max(4, area.height - Math.min(treeRows, nodes.length + 2)) : area.height
      const y = drawReading(area.part(0, 0, area.width, height), 3, page.reading)
      drawTree(area, Math.min(y, height) + 1, nodes)
    },
  }
}

function drawTree(area: Area, from: number, nodes: readonly Node[]): void {
  if (nodes.length === 0) return
  area.put(0, from, t('Under it'), dim)
  const rows = area.height - from - 1
  for (const [i, { level, title, state, type }] of nodes.slice(0, rows).entries()) {
    const { text } = stateCell(state.kind, title)
    const x = 2 * (level - 1)
    const isLast = i === rows - 1 && nodes.length > rows
    const words = isLast ? t('… {n} more', { n: nodes.length - i }) : text
    area.put(x, from + 1 + i, words, isLast ? dim : plain, area.width - x - 16)
    if (!isLast) area.put(area.width - 15, from + 1 + i, type, dim, 15)
  }
}
