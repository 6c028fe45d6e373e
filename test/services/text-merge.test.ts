import { describe, expect, it } from 'vitest'
import { mergedText } from '../../src/services/content/text-merge.js'
import { amount } from '../support/effort.js'
import { chooser } from '../support/random.js'

const lines = (text: string) => text.replaceAll(' ', '\n')

describe('merging what two people have made of a text', () => {
  it.each([
    ['different lines', 'a b c', 'A b c', 'a b C', 'A b C'],
    ['an added and a removed line', 'a b c d', 'a b c d e', 'b c d', 'b c d e'],
    ['the same change of both', 'a b c', 'A b c', 'A b c', 'A b c'],
    ['the same change, and another one', 'a b c d', 'A b c d', 'A b c D', 'A b c D'],
    ['a text that only one has changed', 'a b', 'a b', 'a B', 'a B'],
    ['the same line', 'a b c', 'a B c', 'a X c', undefined],
    ['adjoining lines', 'a b c', 'A b c', 'a B c', undefined],
    ['lines added at the same place', 'a', 'a b', 'a c', undefined],
    ['a line of which one has written, and the other has removed', 'a b c', 'a B c', 'a c', undefined],
  ])('%s', (_what, base, mine, theirs, merged) => {
    const given = [base, mine, theirs].map(lines) as [string, string, string]
    expect(mergedText(...given, false)).toBe(merged && lines(merged))
  })

  it.each([
    [
      'paragraphs',
      '<p>a</p><p>b</p><p>c</p>',
      '<p>A</p><p>b</p><p>c</p>',
      '<p>a</p><p>b</p><p>C</p>',
      '<p>A</p><p>b</p><p>C</p>',
    ],
    [
      'a whole list is one part',
      '<ul><li>a</li><li>b</li><li>c</li></ul>',
      '<ul><li>A</li><li>b</li><li>c</li></ul>',
      '<ul><li>a</li><li>b</li><li>C</li></ul>',
      undefined,
    ],
    [
      'pictures and breaks have no end',
      '<p>a<br>b</p><img src="x"><p>c</p><p>d</p>',
      '<p>A<br>b</p><img src="x"><p>c</p><p>d</p>',
      '<p>a<br>b</p><img src="x"><p>c</p><p>D</p>',
      '<p>A<br>b</p><img src="x"><p>c</p><p>D</p>',
    ],
    ['tags in disorder', '</p>a<p>b', '</p>A<p>b', '</p>a<p>B', undefined],
  ])('rich text: %s', (_what, base, mine, theirs, merged) => {
    expect(mergedText(base, mine, theirs, true)).toBe(merged)
  })

  it('any texts: it is the same from both sides, and has all of one where the other has changed nothing', () => {
    const { below, one } = chooser(7)
    const text = () => Array.from({ length: below(8) }, () => one(['a', 'b', 'c'])).join('\n')
    for (let i = 0; i < amount(500, 20_000); i++) {
      const [base, mine, theirs] = [text(), text(), text()]
      expect(mergedText(base, mine, theirs, false)).toBe(mergedText(base, theirs, mine, false))
      expect(mergedText(base, mine, base, false)).toBe(mine)
      expect(mergedText(base, mine, mine, false)).toBe(mine)
    }
  })

  it('too many differences are no merge', () => {
    const many = (word: string) => Array.from({ length: 3000 }, (_, i) => `${word} ${i * 7}`).join('\n')
    expect(mergedText(many('a'), many('b'), `${many('a')}\nend`, false)).toBeUndefined()
  })
})
