import { titlesById } from '../../resources/entries.js'
import type { SearchResult } from '../../services/delivery/search/results.js'
import { t } from '../../texts/terminal.js'
import type { Area } from '../screen/grid.js'
import type { Key } from '../screen/keys.js'
import { drawLine, type Line, lineOf, lineText, typed } from '../screen/line.js'
import { bold, dim, inverse, plain } from '../screen/style.js'
import type { AnyView, Shell, View } from '../screen/view.js'
import type { Session } from '../session.js'
import { entryScreen } from './entry.js'

interface SearchState {
  readonly line: Line
  readonly looked: string | undefined
  readonly found: readonly SearchResult[]
  readonly names: ReadonlyMap<string, string>
  readonly at: number
}

const limit = 50

function look(session: Session, shell: Shell<SearchState>, text: string): void {
  shell.work('content:read', async () => {
    const { results } = await session.services.space.search.find('reader', { words: text, limit })
    // Titles of entries without a page are for users who work on content.
    const ids = results.map(({ id }) => id)
    const names = session.can('content:update') ? await titlesById(ids, session) : new Map()
    return state => ({ ...state, found: results, names, looked: text, at: 0 })
  })
}

function update(session: Session, state: SearchState, key: Key, shell: Shell<SearchState>): SearchState {
  if (key.type === 'key') {
    const text = lineText(state.line)
    const found = state.found[state.at]
    if (key.key === 'enter' && text !== state.looked) {
      if (text.trim() !== '') look(session, shell, text)
      return state
    }
    if (key.key === 'enter' && found && session.can('content:update'))
      shell.open(entryScreen(session, found.id))
    const step = { up: -1, down: 1, pageup: -5, pagedown: 5 }[key.key]
    if (step !== undefined)
      return { ...state, at: Math.max(0, Math.min(state.found.length - 1, state.at + step)) }
  }
  if (key.type === 'click') {
    const at = state.found.findIndex(({ id }) => id === key.spot)
    if (at === state.at && session.can('content:update')) shell.open(entryScreen(session, key.spot))
    return at < 0 ? state : { ...state, at }
  }
  const line = typed(state.line, key)
  return line ? { ...state, line } : state
}

function drawHighlight(area: Area, y: number, parts: SearchResult['highlights'][number]['parts']): void {
  let x = 4
  for (const { text, isFound } of parts) x += area.put(x, y, text, isFound ? bold : dim)
}

function draw(area: Area, { line, looked, found, names, at }: SearchState): void {
  area.put(1, 0, t('Words'), bold)
  drawLine(area, { x: 8, y: 0, width: area.width - 10 }, line)
  if (looked === undefined)
    area.put(1, 2, t('Search in published content. The last word may be incomplete.'), dim)
  else if (found.length === 0) area.put(1, 2, t('No results for “{text}”.', { text: looked }), dim)
  const rows = Math.max(1, Math.floor((area.height - 2) / 2))
  const top = Math.max(0, Math.min(at - Math.floor(rows / 2), found.length - rows))
  for (const [i, one] of found.slice(top, top + rows).entries()) {
    const y = 2 + i * 2
    const style = top + i === at ? inverse : plain
    area.fill(0, y, area.width, 1, style)
    const title = names.get(one.id) ?? one.page?.title ?? one.id
    area.put(1, y, one.page ? `${title}  ${one.page.slug}` : title, style, area.width - 22)
    area.put(area.width - 20, y, one.type, style, 19)
    area.spot(0, y, area.width, 2, one.id)
    const [first] = one.highlights
    if (first) drawHighlight(area, y + 1, first.parts)
  }
}

/** A search for words in public texts. */
export function searchScreen(session: Session): AnyView {
  const view: View<SearchState> = {
    title: () => t('Search'),
    start: { line: lineOf(''), looked: undefined, found: [], names: new Map(), at: 0 },
    update: (state, key, shell) => update(session, state, key, shell),
    draw,
    hints: () => [
      { key: 'Enter', does: t('search, or open the selected result') },
      { key: '↑↓', does: t('move') },
      { key: 'Esc', does: t('back') },
    ],
  }
  return view
}
