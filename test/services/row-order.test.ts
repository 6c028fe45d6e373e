import { expect, it } from 'vitest'
import { type KeyedEntry, orderOf } from '../../src/services/delivery/query/row-order.js'
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

/** The order in other words: by the bytes of UTF-8, with what is missing behind everything. */
function isBefore(a: KeyedEntry, b: KeyedEntry, descending: readonly boolean[]): boolean {
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

it('rows are in the order of their keys, as databases have it', () => {
  const { below, one } = chooser(660)
  for (let round = 0; round < 60; round++) {
    const descending = Array.from({ length: 1 + below(3) }, () => below(2) === 0)
    const rows = Array.from({ length: below(80) }, (_, i) => ({
      id: `id-${String((i * 37) % 97).padStart(2, '0')}`,
      keys: descending.map((_, n) => one<string | number | null>(n % 2 === 0 ? texts : numbers)),
    }))
    const expected = rows
      .map(row => ({ row, place: rows.filter(other => isBefore(other, row, descending)).length }))
      .sort((a, b) => a.place - b.place)
      .map(({ row }) => row)
    expect(rows.toSorted(orderOf(descending))).toEqual(expected)
  }
})
