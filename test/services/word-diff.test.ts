import { describe, expect, it } from 'vitest'
import { type Piece, wordDiff } from '../../src/services/content/word-diff.js'
import { amount } from '../support/effort.js'
import { chooser } from '../support/random.js'

const without = (kind: Piece['kind'], pieces: readonly Piece[]) =>
  pieces
    .filter(one => one.kind !== kind)
    .map(({ text }) => text)
    .join('')

describe('the difference of two texts', () => {
  it.each([
    ['', '', []],
    ['a', '', [['removed', 'a']]],
    ['', 'a b', [['added', 'a b']]],
    [
      'The old house stands.',
      'The new house stands.',
      [
        ['same', 'The '],
        ['removed', 'old'],
        ['added', 'new'],
        ['same', ' house stands.'],
      ],
    ],
    [
      '<p>Straße</p>',
      '<p><b>Straße</b></p>',
      [
        ['same', '<p>'],
        ['added', '<b>'],
        ['same', 'Straße'],
        ['added', '</b>'],
        ['same', '</p>'],
      ],
    ],
  ] as const)('is by words: %j and %j', (before, after, wanted) => {
    expect(wordDiff(before, after).map(({ kind, text }) => [kind, text])).toEqual(wanted)
  })

  it('loses no character of either, and says the same of both where they are the same', () => {
    const { below, one } = chooser(7)
    const parts = ['a', 'b', 'word', ' ', '\n', '<b>', '</b>', '.', '🙂', 'é', '\ud800', '<']
    const text = (n: number) => Array.from({ length: below(n) }, () => one(parts)).join('')
    for (let i = 0; i < amount(2000, 50_000); i++) {
      const [before, after] = [text(12), text(12)]
      const pieces = wordDiff(before, after)
      expect([without('added', pieces), without('removed', pieces)]).toEqual([before, after])
      expect(wordDiff(before, before).every(({ kind }) => kind === 'same')).toBe(true)
    }
  })

  it('has as few words as can be', () => {
    const { below } = chooser(11)
    const words = (n: number) => Array.from({ length: below(n) }, () => `w${below(3)}`)
    /** The longest list of words that both have, by the plain way of looking at all of them. */
    const longest = (a: readonly string[], b: readonly string[]): number => {
      const row = new Array<number>(b.length + 1).fill(0)
      for (const x of a) {
        let corner = 0
        for (const [i, y] of b.entries()) {
          const above = row[i + 1] ?? 0
          row[i + 1] = x === y ? corner + 1 : Math.max(above, row[i] ?? 0)
          corner = above
        }
      }
      return row.at(-1) ?? 0
    }
    for (let i = 0; i < amount(500, 10_000); i++) {
      const [a, b] = [words(9), words(9)].map(list => list.map(word => `<${word}>`))
      const same = wordDiff(a?.join('') ?? '', b?.join('') ?? '').filter(({ kind }) => kind === 'same')
      const count = same.flatMap(({ text }) => text.match(/<w\d>/g) ?? []).length
      expect(count).toBe(longest(a ?? [], b ?? []))
    }
  })

  it('of long texts that have nothing in common is one that goes and one that comes', () => {
    const [before, after] = ['x ', 'y '].map(word => word.repeat(50_000).trimEnd())
    expect(wordDiff(before ?? '', after ?? '').map(({ kind }) => kind)).toEqual(['removed', 'added'])
  })
})
