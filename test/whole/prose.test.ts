import { describe, expect, it } from 'vitest'
import { proseProblems } from '../support/prose.js'

describe('the prose linter', () => {
  it.each([
    ['The list is none.', 'use "no X"'],
    ['The value is other now.', 'use "different"'],
    ['The editor is told.', 'say who reports'],
    ['No page is called so.', 'use "with this name"'],
    ['What is no id is refused.', 'use "is not a"'],
    ['A page that there is not.', 'use "existing"'],
    ['A message for who asks.', 'name the person'],
    ['The children go along.', 'use "is included"'],
    ['A list is so many entries.', 'give the number'],
    ['The page is what it was.', 'use "unchanged"'],
    ['Nobody is told.', 'say who'],
    ['The log tells of it.', 'use "reports"'],
    ['An editor takes back the page.', 'use "unpublish"'],
    ['Publishing shows what waits.', 'use "unpublished changes"'],
    ['Errors are written thereby.', 'use plain words'],
    ['The the page.', 'is repeated'],
    [`One ${'word more '.repeat(15)}ends.`, 'split the sentence'],
  ])('%s', (sentence, advice) => {
    expect(proseProblems(sentence).join('\n')).toContain(advice)
  })

  it('reads over code, tables and addresses, and says where a problem is', () => {
    const page = ['# Title', '', 'Use `is none`.', '```', 'it is none', '```', '| is none |', 'It is none.']
    expect(proseProblems(page.join('\n'))).toEqual(['8:4 "is none" use "no X", "not" or "without"'])
  })

  it('does not count words in parentheses, and ends a sentence at a list item', () => {
    expect(proseProblems(`One ${'word more '.repeat(10)}(${'an aside '.repeat(10)}) ends.`)).toEqual([])
    expect(proseProblems(Array(6).fill('- one two three four five six seven').join('\n'))).toEqual([])
  })
})
