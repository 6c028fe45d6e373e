import { describe, expect, it } from 'vitest'
import { type Piece, wordDiffs } from '../../src/services/content/word-diff.js'
import { amount } from '../support/effort.js'
import { chooser } from '../support/random.js'

const wordDiff = async (before: string, after: string): Promise<Piece[]> =>
  (await wordDiffs([[before, after]]))[0] ?? []
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
  ] as const)('is by words: %j and %j', async (before, after, wanted) => {
    expect((await wordDiff(before, after)).map(({ kind, text }) => [kind, text])).toEqual(wanted)
  })

  it('loses no character of either, and says the same of both where they are the same', async () => {
    const { below, one } = chooser(7)
    const parts = ['a', 'b', 'word', ' ', '\n', '<b>', '</b>', '.', '🙂', 'é', '\ud800', '<']
    const text = (n: number) => Array.from({ length: below(n) }, () => one(parts)).join('')
    for (let i = 0; i < amount(2000, 50_000); i++) {
      const [before, after] = [text(12), text(12)]
      const pieces = await wordDiff(before, after)
      expect([without('added', pieces), without('removed', pieces)]).toEqual([before, after])
      expect((await wordDiff(before, before)).every(({ kind }) => kind === 'same')).toBe(true)
    }
  })

  it('has as few words as can be', async () => {
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
      const pieces = await wordDiff(a?.join('') ?? '', b?.join('') ?? '')
      const same = pieces.filter(({ kind }) => kind === 'same')
      const count = same.flatMap(({ text }) => text.match(/<w\d>/g) ?? []).length
      expect(count).toBe(longest(a ?? [], b ?? []))
    }
  })

  it('of long texts that have nothing in common is one that goes and one that comes', async () => {
    const [before, after] = ['x ', 'y '].map(word => word.repeat(50_000).trimEnd())
    expect((await wordDiff(before ?? '', after ?? '')).map(({ kind }) => kind)).toEqual(['removed', 'added'])
  })

  it.each([
    ['a long word', 'x'.repeat(5000), 'y'],
    ['a tag', `<a title="${'x '.repeat(20)}`, '">'],
    ['half of a pair', `${'a '.repeat(50)}\ud83d`, '\ude42'],
    ['a tag that never ends', `a <b ${'c '.repeat(2000)}`, '!'],
  ])('is whole where texts begin to differ within %s', async (_, common, rest) => {
    for (const other of ['', ' ', 'z', '<', '>', '🙂'])
      for (const [before, after] of [
        [common + rest, common + other + rest],
        [rest + common, other + rest + common],
      ] as const) {
        const pieces = await wordDiff(before, after)
        expect([without('added', pieces), without('removed', pieces)]).toEqual([before, after])
      }
  })

  it('of one word in a long text is that word', async () => {
    const text = (word: string) =>
      `${'<p>many words </p>'.repeat(50_000)}${word}${' and many more'.repeat(50_000)}`
    const pieces = await wordDiff(text('old'), text('new'))
    expect(pieces.slice(1, -1)).toEqual([
      { kind: 'removed', text: 'old' },
      { kind: 'added', text: 'new' },
    ])
  })

  it('of the texts of one page is made in turns, and of more than it may take the rest is replaced as a whole', async () => {
    const text = (word: string) =>
      Array.from({ length: 100_000 }, (_, i) => `${word}${i % 50} same`).join(' ')
    const texts = Array.from({ length: 8 }, () => [text('a'), text('b')] as const)
    let turns = 0
    let isDone = false
    const count = () => {
      turns++
      if (!isDone) setImmediate(count)
    }
    setImmediate(count)
    const found = await wordDiffs(texts)
    isDone = true
    expect(turns).toBeGreaterThan(10)
    expect(found.at(-1)?.map(({ kind }) => kind)).toEqual(['removed', 'added', 'same'])
    const short = ['one two three four', '1 two three 4'] as const
    expect(await wordDiff(...short)).toHaveLength(5)
    expect((await wordDiffs([...texts, short])).at(-1)).toEqual([
      { kind: 'removed', text: short[0] },
      { kind: 'added', text: short[1] },
    ])
  })
})
