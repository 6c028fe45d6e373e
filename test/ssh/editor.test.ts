import { expect, it } from 'vitest'
import { editorView, wholeText } from '../../src/ssh/screen/editor.js'
import { Grid } from '../../src/ssh/screen/grid.js'
import { Keys } from '../../src/ssh/screen/keys.js'
import { lineOf, lineText, typed } from '../../src/ssh/screen/line.js'
import type { Shell } from '../../src/ssh/screen/view.js'
import { breaks, wrapped } from '../../src/ssh/screen/wrap.js'

// biome-ignore lint/suspicious/noExplicitAny: a shell for any view
const shell = { back: () => undefined } as Shell<any>

/** An editor after some bytes, on a screen of this size. */
function edited(
  text: string,
  bytes: string,
  [columns, rows] = [20, 6],
  complain: (sentence: string) => void = () => undefined,
) {
  let kept: string | undefined
  const view = editorView('Body', text, given => {
    kept = given
  })
  const grid = new Grid(columns, rows)
  let state = view.start
  const draw = () => view.draw(grid.clear(), state)
  draw()
  const keys = new Keys(key => {
    state = view.update(state, key, { ...shell, complain })
    draw()
  })
  keys.feed(Buffer.from(bytes))
  return { text: wholeText(state), screen: grid.text(), cursor: grid.cursor, kept: () => kept }
}

it('edits by characters as people count them', () => {
  const after = (text: string, bytes: string) => {
    let line = lineOf(text)
    const keys = new Keys(key => {
      line = typed(line, key) ?? line
    })
    keys.feed(Buffer.from(bytes))
    return lineText(line)
  }
  expect(after('ae\u0301', '\x7f')).toBe('a')
  expect(after('👩‍👩‍👧b', '\x1b[D\x7f')).toBe('b')
  expect(after('one two', '\x17')).toBe('one ')
  expect(after('one two', '\x01\x1b[3~')).toBe('ne two')
  expect(after('e', '\u0301\x7f')).toBe('')
  expect(after('', '\x1b[200~two\nlines\x1b[201~')).toBe('two lines')
})

it('breaks lines where there is a space', () => {
  expect(wrapped('one two three', 8)).toEqual(['one two', 'three'])
  expect(wrapped('onetwothree', 4)).toEqual(['onet', 'woth', 'ree'])
  expect(wrapped('日本語日本', 5)).toEqual(['日本', '語日', '本'])
  expect(breaks(['a'], 1)).toEqual([0])
})

it('writes lines, joins them and takes steps back', () => {
  expect(edited('one\ntwo', '\r-').text).toBe('\n-one\ntwo')
  expect(edited('one\ntwo', '\x1b[B\x7f').text).toBe('onetwo')
  expect(edited('one\ntwo', '\x1b[F\x1b[3~').text).toBe('onetwo')
  expect(edited('one', 'ab\x1a\x19').text).toBe('abone')
  expect(edited('one', '\x1b[200~a\nb\nc\x1b[201~').text).toBe('a\nb\ncone')
  expect(edited('one\ntwo', '\x0b\x0b').text).toBe('two')
})

it('goes up and down by the rows that are seen', () => {
  const text = 'the quick brown fox jumps over the dog\nend'
  const { screen, cursor } = edited(text, '\x1b[B')
  expect(screen).toBe('the quick brown\nfox jumps over the\ndog\nend\n~\n~')
  expect(cursor).toEqual([0, 1])
  expect(edited(text, '\x1b[B\x1b[B\x1b[B').cursor).toEqual([0, 3])
  expect(edited(text, '\x1b[B\x1b[B\x1b[B\x1b[A').cursor).toEqual([0, 2])
})

it('keeps the cursor on the screen of a long text', () => {
  const lines = Array.from({ length: 500 }, (_, i) => `line ${i}`).join('\n')
  const { screen, cursor } = edited(lines, '\x1b[1;5F')
  expect(screen).toContain('line 499')
  expect(cursor?.[1]).toBeLessThan(6)
})

it('gives the text to its form when it is left', () => {
  expect(edited('one', '!\x13').kept()).toBe('!one')
})

it('T34: takes back words and runs, not characters', () => {
  expect(edited('one', 'abc\x1a').text).toBe('one')
  expect(edited('', 'two words here\x1a').text).toBe('two words ')
  expect(edited('', 'two words here\x1a\x1a').text).toBe('two ')
  expect(edited('', 'two words here\x1a\x1a\x19').text).toBe('two words ')
  // Deletions in a row are one step, and a move between two edits parts them.
  expect(edited('', 'abc\x7f\x7f\x1a').text).toBe('abc')
  expect(edited('', 'ab\x1b[Dc\x1a').text).toBe('ab')
  expect(edited('', 'ab\rcd\x1a\x1a').text).toBe('ab')
})

it('T34: finds a text in any case from the cursor on, and goes to a line', () => {
  const text = 'one\ntwo (Straße)\nthree two'
  expect(edited(text, '\x06TWO\r-').text).toBe('one\n-two (Straße)\nthree two')
  // The same again, past the end, and a text that would mean something in a pattern.
  expect(edited(text, '\x06two\r\x06\r-').text).toBe('one\ntwo (Straße)\nthree -two')
  expect(edited(text, '\x06two\r\x06\r\x06\r-').text).toBe('one\n-two (Straße)\nthree two')
  expect(edited(text, '\x06(stra\r-').text).toBe('one\ntwo -(Straße)\nthree two')
  expect(edited(text, '\x073\r-').text).toBe('one\ntwo (Straße)\n-three two')
  expect(edited(text, '\x0799\r-').text).toBe('one\ntwo (Straße)\n-three two')
  const said: string[] = []
  const complain = (sentence: string) => said.push(sentence)
  expect(edited(text, '\x06four\r\x07x\r\x070\r-', [20, 6], complain).text).toBe(`-${text}`)
  expect(said).toEqual([
    'No results for “four”.',
    'Type the number of a line, from 1 to 3.',
    'Type the number of a line, from 1 to 3.',
  ])
  expect(edited(text, '\x06two').screen).toContain('Search two')
  // Leaving the question leaves the text as it is.
  const left = edited(text, '\x06two')
  expect(left.kept()).toBeUndefined()
})
