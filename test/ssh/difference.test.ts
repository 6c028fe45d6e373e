import { expect, it } from 'vitest'
import { differenceRows } from '../../src/ssh/screen/difference.js'
import { Grid } from '../../src/ssh/screen/grid.js'
import { pageView } from '../../src/ssh/screen/page.js'
import { inverse } from '../../src/ssh/screen/style.js'

const textOf = (rows: Awaited<ReturnType<typeof differenceRows>>) =>
  rows.map(({ text, spans }) => spans?.map(span => span.text).join('') ?? text)

it('T7: a changed word among 2,000 lines is marked, with two lines around it', async () => {
  const lines = Array.from({ length: 2000 }, (_, i) => `line ${i} of the text`)
  const after = lines.with(1000, 'line 1000 of a text')
  const rows = await differenceRows([{ label: 'Body', before: lines.join('\n'), after: after.join('\n') }])
  expect(textOf(rows)).toEqual([
    'Body',
    '… 998 equal lines',
    '  line 998 of the text',
    '  line 999 of the text',
    '- line 1000 of the text',
    '+ line 1000 of a text',
    '  line 1001 of the text',
    '  line 1002 of the text',
    '… 997 equal lines',
    '',
  ])
  const marked = rows.flatMap(({ spans = [] }) => spans.filter(({ style = 0 }) => style & inverse))
  expect(marked.map(({ text }) => text)).toEqual(['the', 'a'])
})

it('T7: added lines, removed lines and new texts are shown as such', async () => {
  const change = (before: string | null, after: string | null) =>
    differenceRows([{ label: 'Body', before, after }]).then(rows => textOf(rows).slice(1, -1))
  expect(await change('one\ntwo\nthree', 'one\nnew\ntwo\nthree')).toEqual([
    '  one',
    '+ new',
    '  two',
    '  three',
  ])
  expect(await change('one\ntwo\nthree', 'one\nthree')).toEqual(['  one', '- two', '  three'])
  expect(await change(null, 'one\ntwo')).toEqual(['+ one', '+ two'])
  expect(await change('one\ntwo', '')).toEqual(['- one', '- two'])
})

it('rich text is shown as it is read: words and changed formats, and no tags', async () => {
  const change = (before: string, after: string) =>
    differenceRows([{ label: 'Body', before, after, isRich: true }]).then(rows => textOf(rows).slice(1, -1))
  const before = '<h2>Prices</h2><p>From ten euros, see <a href="/old">here</a>.</p>'
  expect(await change(before, before.replace('ten', 'twelve'))).toEqual([
    '  Prices',
    '- From ten euros, see here.',
    '+ From twelve euros, see here.',
  ])
  expect(await change(before, before.replaceAll('h2', 'h3').replace('ten', '<strong>ten</strong>'))).toEqual([
    '- Prices',
    '+ Prices (Heading 3 added, Heading 2 removed)',
    '- From ten euros, see here.',
    '+ From ten (Bold added) euros, see here.',
  ])
  expect(await change(before, before.replace('From', '<span>From</span>'))).toEqual([
    'Only invisible markup has changed.',
  ])
  expect(await change('<p>one</p>', '<p>&lt;b&gt;one</p>')).toEqual(['- one', '+ <b>one'])
})

/** The rows of a page in a window of this width, after these keys. */
async function drawn(columns: number, changes: Parameters<typeof differenceRows>[0], ...keys: string[]) {
  const view = pageView('Changes', await differenceRows(changes))
  const grid = new Grid(columns, 8)
  let state = view.start
  const draw = () => {
    view.draw(grid.clear(), state)
    return grid
      .text()
      .split('\n')
      .map(row => row.trimEnd())
  }
  draw()
  for (const key of keys) {
    state = view.update(state, { type: 'key', key, text: '' }, {} as never)
    draw()
  }
  return draw()
}

it('from 120 columns on, the text before a change is beside the one after it', async () => {
  const change = [{ label: 'Body', before: 'one\ntwo\nthree\nfour', after: 'one\nTWO\nthree\nfour\nfive' }]
  const half = (text: string) => `   ${text}`.padEnd(59)
  const pair = (before: string, after: string) => `${half(before)}│${half(after)}`.trimEnd()
  const wide = await drawn(120, change)
  expect(wide.slice(0, 6)).toEqual([
    ' Body',
    pair('  one', '  one'),
    pair('- two', '+ TWO'),
    pair('  three', '  three'),
    pair('  four', '  four'),
    pair('', '+ five'),
  ])
  expect((await drawn(119, change)).slice(0, 5)).toEqual([
    ' Body',
    '     one',
    '   - two',
    '   + TWO',
    '     three',
  ])
  // Each key moves by one row of the window.
  const [first, second] = [
    await drawn(120, change, 'down', 'down'),
    await drawn(120, change, 'down', 'down', 'down'),
  ]
  expect([first[0], second[0]]).toEqual([pair('- two', '+ TWO'), pair('  three', '  three')])
  expect((await drawn(120, change, 'end'))[0]).toBe('')
  expect((await drawn(120, change, 'end', 'up'))[0]).toBe(pair('', '+ five'))
})

it('a long line takes several rows on its side alone', async () => {
  const rows = await drawn(120, [{ label: 'Body', before: 'short', after: 'word '.repeat(20) }])
  expect(rows[1]).toMatch(/^ {3}- short +│ {3}\+ word/)
  expect(rows[2]).toMatch(/^ +│ +word/)
})
