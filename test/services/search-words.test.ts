import { describe, expect, it } from 'vitest'
import { htmlOf } from '../../src/routes/search-text.js'
import { indexedWord, tagOf, wordsOf } from '../../src/services/content/search-words.js'
import { highlight } from '../../src/services/delivery/search/highlights.js'
import { atOnce } from '../../src/turns.js'
import { chooser } from '../support/random.js'

const words = (text: string, isAsked = false) => [...wordsOf(text, isAsked)].map(({ word }) => word)

describe('words', () => {
  it.each([
    ['Hello, World!', 'hello world'],
    ["don't l'Été", 'don t l ete'],
    ['e-mail snake_case 3.14', 'e mail snake case 3 14'],
    ['Größe GRÖSSE grosse', 'grosse grosse grosse'],
    ['Søren Łódź İstanbul ıssız Ægir þú', 'soren lodz istanbul issiz aegir thu'],
    ['ΣΊΣΥΦΟΣ σίσυφος', 'σισυφοσ σισυφοσ'],
    ['Йод ёлка', 'иод елка'],
    ['ﬁne ＡＢＣ ① m² ½ ℡ ㎏', 'fine abc 1 m2 1 2 tel kg'],
    ['soft\u00adhyphen zero\u200dwidth', 'softhyphen zerowidth'],
    ['مُحَمَّد שָׁלוֹם', 'محمد שלום'],
    ['हिन्दी 한국어', 'हिन्दी 한국어'],
    ['👍 a👍b ☃ 🏳️\u200d🌈', 'a b'],
    ['1️⃣ \u0301 \u064b', '1'],
    ['東京都 a東b', '東京 京都 都 a 東 b'],
    ['ｶﾞﾗｽ ガラス', 'ガラ ラス ス ガラ ラス ス'],
    ['ไทย', 'ไท ทย ย'],
    ['', ''],
    [' \n\t…— ', ''],
  ])('of %j are %j', (text, expected) => {
    expect(words(text).join(' ')).toBe(expected)
  })

  it('that are looked for have no last character alone where pairs are asked for', () => {
    expect(words('東京都', true)).toEqual(['東京', '京都'])
    expect(words('都', true)).toEqual(['都'])
  })

  it('say where they stand', () => {
    for (const text of ['a  Größe, b', '東京都 abc', 'x½y 👍z'])
      for (const { word, from, to } of wordsOf(text)) expect(words(text.slice(from, to))).toContain(word)
  })

  it('are written in ASCII that says which word it was, and how it begins', () => {
    const { below } = chooser(1)
    const known = new Map<string, string>()
    const random = () =>
      String.fromCodePoint(
        [97 + below(26), 0xe0 + below(1200), 0x590 + below(8000), 0x4e00 + below(9000), 0x20000 + below(999)][
          below(5)
        ] ?? 0,
      )
    for (let i = 0; i < 5000; i++) {
      const word = Array.from({ length: 1 + below(6) }, random).join('')
      const text = indexedWord(word)
      expect(text).toMatch(/^[a-z0-9]{1,60}$/)
      expect(known.get(text) ?? word).toBe(word)
      known.set(text, word)
      const characters = [...word]
      const beginning = characters.slice(0, below(characters.length + 1)).join('')
      expect(text.startsWith(indexedWord(beginning))).toBe(true)
    }
    const all = [...known].slice(0, 400)
    for (const [a, one] of all)
      for (const [b, other] of all)
        expect([one, other, a.startsWith(b)]).toEqual([one, other, one.startsWith(other)])
  })

  it('are as long as every engine takes, with the locale in front', () => {
    for (const locale of ['', 'de', 'de-AT', 'zh-Hant-TW', `${'abcdefgh-'.repeat(3)}abcdefgh`])
      for (const word of ['a', 'z'.repeat(200), '東京', '𠀀'.repeat(99)]) {
        const text = tagOf(locale) + indexedWord(word)
        expect(text).toMatch(/^k[a-z0-9]{2,83}$/)
      }
    const tags = ['', 'de', 'de-AT', 'de-at', 'deat', 'den', 'd-e', 'zh-Hant-TW', 'zh-Hans-TW'].map(tagOf)
    expect(new Set(tags).size).toBe(tags.length - 1)
  })
})

describe('a highlight', () => {
  const partsOf = (text: string, ...given: string[]) =>
    atOnce(
      highlight(
        text,
        given.map(word => ({ word: indexedWord(word.replace('*', '')), isPrefix: word.endsWith('*') })),
      ),
    )
  const asked = (text: string, ...given: string[]) => {
    const parts = partsOf(text, ...given)
    return parts && htmlOf(parts)
  }

  it.each([
    ['a <b>"Größe"</b>', 'grosse', 'a &lt;b&gt;&quot;<mark>Größe</mark>&quot;&lt;/b&gt;'],
    ["it's a & b", 'b', 'it&#39;s a &amp; <mark>b</mark>'],
    ['</mark><script>x', 'script', '&lt;/mark&gt;&lt;<mark>script</mark>&gt;x'],
    ['東京都民', '京都', '東<mark>京都</mark>民'],
    ['one oneself', 'one*', '<mark>one</mark> <mark>oneself</mark>'],
    [' \n one\t two  one \n', 'one', '<mark>one</mark> two <mark>one</mark>'],
    ['nothing', 'one', undefined],
  ])('of %j for %j is %j', (text, word, html) => {
    expect(asked(text, word)).toBe(html)
  })

  it('is plain text in parts, whoever shows it', () => {
    expect(partsOf('a  <b>&amp;</b> gear', 'b')).toEqual([
      { text: 'a <', isFound: false },
      { text: 'b', isFound: true },
      { text: '>&amp;</', isFound: false },
      { text: 'b', isFound: true },
      { text: '> gear', isFound: false },
    ])
  })

  it('is a piece around the first word, cut between characters', () => {
    for (const filler of ['word ', '👍', 'x', '東', '&'])
      for (const n of [0, 10, 61, 200]) {
        const html = asked(`${filler.repeat(n)} Gears ${filler.repeat(n)}`, 'gears') ?? ''
        expect(html).toContain('<mark>Gears</mark>')
        expect(html.isWellFormed()).toBe(true)
        expect(html.replaceAll('&amp;', '&').length).toBeLessThan(260)
        expect(html.replace(/<\/?mark>/g, '')).not.toMatch(/[<>"']/)
      }
  })
})
