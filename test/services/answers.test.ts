import { expect, it } from 'vitest'
import type { ForeignCommits } from '../../src/db/foreign-commits.js'
import type { Commit } from '../../src/db/writer.js'
import { Answers, bookTag, treeTag } from '../../src/services/delivery/answers.js'

const mebibyte = 2 ** 20

/** A memory, and commits that it hears of. */
function memory(maxBytes: number) {
  let listener: (commit: Commit) => void = () => undefined
  let foreign: (commits: ForeignCommits) => void = () => undefined
  const answers = new Answers(
    {
      onCommit: given => {
        listener = given
      },
      foreign: {
        onCommits: given => {
          foreign = given
        },
      },
    },
    maxBytes,
  )
  const commit = (given: Partial<Commit>) =>
    listener({
      tables: new Set(),
      trees: new Set(),
      shown: new Set(),
      isPublic: false,
      allPages: false,
      deliveries: 0,
      ...given,
    })
  return { answers, commit, foreign: (commits: ForeignCommits) => foreign(commits) }
}

it('keeps no more than its bound, whatever kinds fill it', () => {
  const { answers } = memory(mebibyte)
  const kinds = ['', 'query ', 'list ', 'compat ', 'entry '].map(kind => answers.of<string>(kind))
  for (let n = 0; n < 2000; n++)
    kinds[n % kinds.length]?.set(`${n}`, `${n}`, 5000, [treeTag('public', `${n % 7}`), bookTag('public')])
  expect(answers.bytes).toBeLessThanOrEqual(mebibyte)
  expect(answers.bytes).toBeGreaterThan(mebibyte * 0.9)
  // What was asked for last stays.
  expect(kinds[1999 % 5]?.get('1999')).toBe('1999')
  expect(kinds[0]?.get('0')).toBe(undefined)
})

it('does not keep what is larger than its bound, and nothing without one', () => {
  const { answers } = memory(1000)
  const pages = answers.of<string>('page')
  pages.set('a', 'a', 100, [])
  pages.set('a', 'larger', 2000, [])
  expect(pages.get('a')).toBe(undefined)
  const { answers: none } = memory(0)
  none.of<string>('page').set('a', 'a', 0, [])
  expect([none.of('page').get('a'), none.bytes]).toEqual([undefined, 0])
})

it('does not take the key of one kind for that of another', () => {
  const { answers } = memory(mebibyte)
  answers.of<string>('').set('x', 'page', 1, [])
  expect(answers.of<string>('query ').get('x')).toBe(undefined)
})

it('drops what a commit changes, and nothing of the public for what it cannot see', () => {
  const kept = (given: Partial<Commit>) => {
    const { answers, commit } = memory(mebibyte)
    const pages = answers.of<string>('page')
    const tags = {
      'public one': [treeTag('public', 'one')],
      'public linked': [treeTag('public', 'two'), bookTag('public')],
      'working one': [treeTag('working', 'one')],
      'working linked': [treeTag('working', 'two'), bookTag('working')],
    }
    for (const [key, of] of Object.entries(tags)) pages.set(key, key, 1, of)
    commit(given)
    return Object.keys(tags).filter(key => pages.get(key) !== undefined)
  }
  const [one, all] = [new Set(['one']), ['public one', 'public linked', 'working one', 'working linked']]
  expect(kept({})).toEqual(all)
  expect(kept({ trees: one })).toEqual(['public one', 'public linked'])
  expect(kept({ trees: one, shown: one, isPublic: true })).toEqual([])
  expect(kept({ isPublic: true })).toEqual(['public one', 'working one', 'working linked'])
  expect(kept({ allPages: true, isPublic: true })).toEqual([])
})

it('drops what another process changes', () => {
  const { answers, foreign } = memory(mebibyte)
  const pages = answers.of<string>('page')
  pages.set('a', 'a', 1, [treeTag('public', 'one')])
  pages.set('b', 'b', 1, [treeTag('public', 'two')])
  const one = new Set(['one'])
  foreign({ trees: one, shown: one, isPublic: true, allPages: false })
  expect([pages.get('a'), pages.get('b')]).toEqual([undefined, 'b'])
})

it('forgets what an item depended on with the item', () => {
  const { answers, commit } = memory(mebibyte)
  const pages = answers.of<string>('page')
  pages.set('a', 'first', 1, [treeTag('public', 'one')])
  pages.set('a', 'second', 1, [treeTag('public', 'two')])
  commit({ shown: new Set(['one']), isPublic: true })
  expect(pages.get('a')).toBe('second')
  commit({ shown: new Set(['two']), isPublic: true })
  expect(pages.get('a')).toBe(undefined)
})
