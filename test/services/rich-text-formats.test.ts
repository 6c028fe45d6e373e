import { describe, expect, it } from 'vitest'
import { formattedText, withFormats } from '../../src/services/content/rich-text/formatted.js'
import { wordDiffs } from '../../src/services/content/word-diff.js'

/** The pieces of a difference as text: `+added+`, `-removed-`, and changed formats behind the words. */
async function difference(before: string, after: string): Promise<string> {
  const [was, is] = [formattedText(before), formattedText(after)]
  if (!was || !is) return 'too large'
  const [pieces = []] = await wordDiffs([[was.text, is.text]])
  const found = withFormats(pieces, was, is)
  const textOf = (kind: 'added' | 'removed') =>
    found
      .filter(piece => piece.kind !== kind)
      .map(({ text }) => text)
      .join('')
  expect([textOf('added'), textOf('removed')]).toEqual([was.text, is.text])
  const words = (sign: string, formats: readonly object[]) =>
    formats.map(format => `${sign}${Object.values(format).join(' ')}`)
  return found
    .map(({ kind, text, gained, lost }) => {
      const marks = [...words('+', gained), ...words('-', lost)].join(', ')
      const mark = kind === 'added' ? '+' : '-'
      return kind === 'same' ? text + (marks && `{${marks}}`) : mark + text + mark
    })
    .join('')
}

describe('a difference of rich text', () => {
  it.each([
    ['<p>one two</p>', '<p>one three</p>', 'one -two-+three+'],
    ['<p>one two</p>', '<p>one <strong>two</strong></p>', 'one two{+bold}'],
    ['<p><b>one two</b></p>', '<p><strong>one two</strong></p>', 'one two'],
    ['<p>Title</p><p>x</p>', '<h2>Title</h2><p>x</p>', 'Title{+heading 2}\nx'],
    ['<h2>Title</h2>', '<h3>Title</h3>', 'Title{+heading 3, -heading 2}'],
    ['<p>a b</p>', '<p>a <a href="https://x.example/">b</a></p>', 'a b{+link https://x.example/}'],
    ['<p><a href="/a">b</a></p>', '<p><a href="/c">b</a></p>', 'b{+link /c, -link /a}'],
    [
      '<ul><li>a</li><li>b</li></ul>',
      '<ol><li>a</li><li>b</li></ol>',
      'a{+numbered list, -list}\nb{+numbered list, -list}',
    ],
    ['<p>a b</p>', '<p>a</p><p>b</p>', 'a- -+\n+b'],
    ['<p>a<br>b</p>', '<p>a</p><p>b</p>', 'a\nb'],
    ['<p>a &amp; &lt;b&gt;</p>', '<p>a &amp; <em>&lt;b&gt;</em></p>', 'a & <b>{+italic}'],
    ['<p>x</p>', '<p>x</p><p><img src="/m/1.png" alt="A boat"></p>', 'x+\n[A boat]+'],
    ['<pre><code>a\n  b</code></pre>', '<pre><code>a\n   b</code></pre>', 'a-\n  -+\n   +b'],
    [
      '<table><tbody><tr><td>a</td><td>b</td></tr></tbody></table>',
      '<table><tbody><tr><td>a</td><td>c</td></tr></tbody></table>',
      'a | -b-+c+ | ',
    ],
    ['', '<p>new</p>', '+new+'],
    ['<p>old</p>', '', '-old-'],
    ['plain', '<p>plain</p>', 'plain'],
    ['<p>🧀 é</p>', '<p>🧀 <u>é</u></p>', '🧀 é{+underline}'],
    ['<p>a</p>\n\n<p>b</p>', '<p>a</p><p>b</p>', 'a\nb'],
    ['<script>x</script><p onclick="y">a</p>', '<p>a</p>', 'a'],
  ])('of %s and %s', async (before, after, wanted) => {
    expect(await difference(before, after)).toBe(wanted)
  })

  it('is not read from a text beyond the bounds of rich text', async () => {
    expect(await difference('<p>a</p>', `<p>${'x'.repeat(600_000)}</p>`)).toBe('too large')
    expect(await difference('<p>a</p>', '<b>'.repeat(20_000))).toBe('too large')
  })

  it('is that of all its words for random changes', async () => {
    let seed = 7
    const pick = <T>(list: readonly T[]): T => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
      return list[seed % list.length] as T
    }
    const inline = () => {
      const word = pick(['one', 'two', 'drei ', '&amp;', ' ', '🧀'])
      return pick([word, word, `<b>${word}</b>`, `<i><b>${word}</b></i>`, `<a href="/${word}">x</a>`, '<br>'])
    }
    const block = () => {
      const text = Array.from({ length: 5 }, inline).join('')
      return pick([`<p>${text}</p>`, `<h2>${text}</h2>`, `<ul><li>${text}</li></ul>`, text])
    }
    for (let n = 0; n < 200; n++) {
      const blocks = Array.from({ length: 4 }, block)
      const changed = blocks.map(one => pick([one, one, block(), '']))
      expect(await difference(blocks.join(''), changed.join(''))).not.toContain('undefined')
    }
  })
})

it('the items of lists can have marks, with their numbers and their depth', () => {
  const linesOf = (html: string) => formattedText(html, true)?.text.split('\n')
  expect(
    linesOf(
      '<p>a</p><ul><li>one</li><li> two<ol start="3"><li><p>three</p><p>more</p></li><li>four</li></ol></li></ul><p>b</p>',
    ),
  ).toEqual(['a', '• one', '• two', '  3. three', 'more', '  4. four', 'b'])
  expect(linesOf('<ul><li></li><li>x</li></ul>')).toEqual(['• ', '• x'])
  expect(formattedText('<ul><li>one</li></ul>')?.text).toBe('one')
})
