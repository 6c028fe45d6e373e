import { expect, it } from 'vitest'
import { TextDifference, withPieces } from '../../src/panel/text-difference.js'
import { english } from '../../src/texts/language.js'

const shown = async (differences: readonly { before: string; after: string }[]) =>
  (await withPieces(differences)).map(of => `${TextDifference({ view: english, of })}`)

it('shows what is around a change in a long text, and not the whole of it', async () => {
  const text = (word: string) => `${'before '.repeat(100_000)}${word}${' after'.repeat(100_000)}`
  const [html = ''] = await shown([{ before: text('old'), after: text('new') }])
  expect(html).toContain('before <del>old</del><ins>new</ins> after')
  expect(html.length).toBeLessThan(5000)
})

it('says of what is replaced as a whole how long it is, once a page shows as much as it may', async () => {
  const differences = Array.from({ length: 8 }, () => ({
    before: 'a '.repeat(450_000),
    after: 'b '.repeat(450_000),
  }))
  const all = await shown([{ before: 'one', after: 'two' }, ...differences])
  expect(all[0]).toBe('<del>one</del><ins>two</ins>')
  expect(new Set(all.slice(1))).toEqual(
    new Set(['<em>Completely replaced: 900,000 characters before, 900,000 after.</em>']),
  )
})
