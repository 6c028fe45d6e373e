import { expect, it } from 'vitest'
import {
  countOf,
  firstOf,
  leastOf,
  orderOf,
  type Row,
} from '../../src/services/delivery/query/query-pieces.js'
import { chooser } from '../support/random.js'

const texts = [
  'a',
  'A',
  'aa',
  'ä',
  '\u{e000}',
  '\ufffd',
  '😀',
  '😁',
  '\u{10000}',
  'a😀',
  'a\ufffd',
  'z',
  null,
]
const numbers = [-1, 0, 0.5, 2, 10, null]

async function* inPieces<T>(rows: readonly T[], size: number): AsyncGenerator<T[]> {
  for (let i = 0; i < rows.length; i += size) yield rows.slice(i, i + size)
}

/** The order in other words: by the bytes of UTF-8, with what is missing behind everything. */
function isBefore(a: Row, b: Row, descending: readonly boolean[]): boolean {
  const bytes = (text: unknown) => Buffer.from(String(text))
  for (const [i, down] of descending.entries()) {
    const [x, y] = [a.keys[i], b.keys[i]]
    if (x === y) continue
    if (x === null || y === null) return y === null
    const less = typeof x === 'number' ? x < Number(y) : Buffer.compare(bytes(x), bytes(y)) < 0
    return less !== down
  }
  return a.id < b.id !== (descending[0] ?? false)
}

it('rows that come in pieces are put together as one statement would have given them', async () => {
  const { below, one } = chooser(660)
  for (let round = 0; round < 60; round++) {
    const descending = Array.from({ length: 1 + below(3) }, () => below(2) === 0)
    const rows = Array.from({ length: below(80) }, (_, i) => ({
      id: `id-${String((i * 37) % 97).padStart(2, '0')}`,
      keys: descending.map((_, n) => one<string | number | null>(n % 2 === 0 ? texts : numbers)),
      passes: below(3) > 0,
    }))
    const passing = rows.filter(({ passes }) => passes)
    const [size, offset, limit] = [1 + below(30), below(20), 1 + below(20)]
    const { least, passed } = await leastOf(inPieces(rows, size), offset, limit, orderOf(descending))
    const expected = passing
      .map(row => ({ row, place: passing.filter(other => isBefore(other, row, descending)).length }))
      .sort((a, b) => a.place - b.place)
      .map(({ row }) => row)
    expect(least).toEqual(expected.slice(offset, offset + limit))
    expect(passed).toBe(passing.length)
    expect(await firstOf(inPieces(rows, size), offset, limit)).toEqual(passing.slice(offset, offset + limit))
    expect(await countOf(inPieces(rows, size))).toBe(passing.length)
  }
})

it('no more is asked for than is needed', async () => {
  let asked = 0
  async function* endless() {
    for (;;) {
      asked++
      yield Array.from({ length: 10 }, (_, i) => ({ id: `${asked}-${i}`, keys: [], passes: i % 2 === 0 }))
    }
  }
  expect(await firstOf(endless(), 3, 10)).toHaveLength(10)
  expect(asked).toBe(3)
})
