import { expect, it } from 'vitest'
import { clusters, graphemes, widthOf } from '../../src/ssh/screen/clusters.js'
import { Grid } from '../../src/ssh/screen/grid.js'
import { sequenceOf } from '../../src/ssh/screen/style.js'
import { amount } from '../support/effort.js'
import { chooser } from '../support/random.js'
import { TerminalModel } from '../support/terminal-model.js'

const pieces = [
  'a',
  'Zeile',
  ' ',
  '日本',
  '語',
  'e\u0301',
  '👩‍👩‍👧',
  '🇩🇪',
  '한',
  '\u0301',
  '\t',
  '\x1b[2J',
  '\u202e',
  'ß',
  '–',
  '\ud800',
]

const addresses = [
  'https://example.com/',
  'https://example.com/日本?a=;b',
  'mailto:a@example.com',
  'no address',
]

it('makes the screen of the client the same as the drawn one', () => {
  const { below: pick, one } = chooser(17)
  for (let round = 0; round < amount(40, 1000); round++) {
    const [columns, rows] = [1 + pick(30), 1 + pick(8)]
    const grid = new Grid(columns, rows)
    grid.hasLinks = true
    const model = new TerminalModel(columns, rows)
    for (let frame = 0; frame < 12; frame++) {
      const area = grid.clear()
      if (pick(3) === 0) area.box(pick(4), pick(2), pick(columns + 3), pick(rows + 2), '日本語')
      for (let i = 0; i < pick(9); i++) {
        const text = Array.from({ length: pick(6) }, () => one(pieces)).join('')
        const [x, y] = [pick(columns + 2) - 1, pick(rows + 2) - 1]
        const width = area.put(x, y, text, pick(16) + 16 * pick(4), pick(columns + 3))
        if (pick(2) === 0) area.link(x, y, width + pick(3), one(addresses))
      }
      if (pick(2)) area.cursor(pick(columns), pick(rows))
      model.feed(grid.diff())
      expect(model.text()).toBe(grid.text())
      for (let y = 0; y < rows; y++)
        for (let x = 0; x < columns; x++) {
          const cell = y * columns + x
          if (model.cells[cell] === '') continue
          expect([x, y, model.links[cell]]).toEqual([x, y, grid.linkAt(x, y) ?? ''])
          const sequence = sequenceOf(grid.styleAt(x, y)).slice(2, -1).replace(/^0;/, '')
          // A blank looks the same in every colour, and is erased rather than written.
          const isBlank = model.cells[cell] === ' ' && !/[47]/.test(sequence.replace(/;?3\d/, ''))
          if (isBlank) expect(model.styles[cell]).not.toMatch(/(^|;)[47](;|$)/)
          else expect([x, y, model.styles[cell]]).toEqual([x, y, sequence])
        }
      expect(model.cursorShown).toBe(grid.cursor !== undefined)
      if (grid.cursor) expect([model.x, model.y]).toEqual([...grid.cursor])
      expect(grid.diff()).toBe('')
    }
  }
})

it('writes only what has changed', () => {
  const grid = new Grid(80, 24)
  grid.clear().put(0, 0, 'Hello')
  grid.diff()
  grid.clear().put(0, 0, 'Hallo')
  expect(grid.diff()).toBe('\x1b[?2026h\x1b[?25l\x1b[1;2H\x1b[0ma\x1b[0m\x1b[?25l\x1b[?2026l')
})

it('shows what would steer a terminal', () => {
  const shown = (text: string) => [...clusters(text)].map(cluster => cluster.text).join('')
  expect(shown('\x1b[2J\x07\x9b31m\x7f\r\n\t')).toBe('␛[2J␇\ufffd31m␡␊␉')
  expect(shown('a\u202eb\u2066c\u200bd\ufeff')).toBe('a\ufffdb\ufffdc\ufffdd\ufffd')
  expect(shown(`a${'\u0301'.repeat(60)}`)).toBe('\ufffd')
  for (let code = 0; code < 0xa0; code++) {
    const [cluster] = clusters(String.fromCharCode(code))
    expect(cluster?.text).not.toMatch(/[\p{Cc}]/u)
    expect(cluster?.width).toBe(1)
  }
})

it('cuts at characters, and says that there is more', () => {
  const grid = new Grid(10, 1)
  const cut = (text: string, width: number) => {
    grid.clear().put(0, 0, text, 0, width)
    return grid.text()
  }
  expect(cut('Hello world', 8)).toBe('Hello w…')
  expect(cut('日本語日本語', 5)).toBe('日本…')
  expect(cut('日本語', 6)).toBe('日本語')
  expect(cut('日本語', 4)).toBe('日…')
  expect(cut('日', 1)).toBe('')
})

it('draws with ASCII where the client has nothing else', () => {
  const grid = new Grid(12, 3)
  grid.isAscii = true
  const area = grid.clear()
  area.box(0, 0, 12, 3)
  area.put(1, 1, '● é日 …', 0)
  expect(grid.text()).toBe('+----------+\n|* ?? .    |\n+----------+')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what is sent
  expect(grid.diff()).toMatch(/^[\x1b -~]*$/)
})

it('counts characters as people do', () => {
  expect(graphemes('e\u0301👩‍👩‍👧a')).toEqual(['e\u0301', '👩‍👩‍👧', 'a'])
  expect(widthOf('e\u0301👩‍👩‍👧a日')).toBe(6)
})
