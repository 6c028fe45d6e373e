import { expect, it } from 'vitest'
import { inverse } from '../../src/ssh/screen/style.js'
import { differenceRows } from '../../src/ssh/screens/difference.js'

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
