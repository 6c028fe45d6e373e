import { expect, it } from 'vitest'
import { type Known, valuesOf } from '../../src/services/import/values.js'

const known: Known = {
  entry: key => (key === 'gone' ? undefined : `ID-${key}`),
  path: key => (key === 'a b' ? '/page' : undefined),
  file: () => undefined,
  missing: () => undefined,
}
const stored = (html: string) => valuesOf({ body: { html } }, new Map(), known).body

it('names entries in rich text by their pages, or by their ids behind a mark', () => {
  expect(stored('<a href="import:entry:a%20b">x</a>')).toBe('<a href="/page">x</a>')
  expect(stored('<a href="import:entry:c">x</a>')).toBe('<a>x</a>')
  for (const mark of ['#', '#inline-', '#block-'])
    expect(stored(`<a href="${mark}import:entry:a%20b">x</a>`)).toBe(`<a href="${mark}ID-a b">x</a>`)
  expect(stored('<a href="#block-import:entry:gone">x</a>')).toBe('<a>x</a>')
})
