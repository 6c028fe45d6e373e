import { expect, it } from 'vitest'
import { Answers } from '../../src/services/delivery/answers.js'
import { EntryTexts } from '../../src/services/delivery/query/entry-texts.js'

const first = { schema: 1, content: 0, shown: 1 }

/** A memory with what it had written. */
function texts(maxBytes = 1_000_000) {
  const memory = new EntryTexts(
    new Answers({ onCommit: () => undefined, foreign: { onCommits: () => undefined } }, maxBytes),
    'entry',
  )
  const wrote: string[][] = []
  let state = 'a'
  const ask = (ids: string, versions = first, shape = '') =>
    memory.written(versions, shape, [...ids], async some => {
      wrote.push([...some])
      return some
        .filter(id => id !== '-')
        .map(id => ({ id, json: `${id}${state}`, isSmall: id !== id.toUpperCase() }))
    })
  const changed = (to: string) => {
    state = to
  }
  return { ask, changed, wrote }
}

it('writes an entry once, in the order that is asked for', async () => {
  const { ask, wrote } = texts()
  expect(await ask('xyz')).toEqual(['xa', 'ya', 'za'])
  expect(await ask('zwx')).toEqual(['za', 'wa', 'xa'])
  expect(await ask('w')).toEqual(['wa'])
  expect(wrote).toEqual([['x', 'y', 'z'], ['w']])
})

it('leaves out what is not seen, and asks for it again', async () => {
  const { ask, wrote } = texts()
  expect(await ask('x-y')).toEqual(['xa', 'ya'])
  expect(await ask('y-x')).toEqual(['ya', 'xa'])
  expect(wrote).toEqual([['x', '-', 'y'], ['-']])
})

it('asks where nothing was found too, for what is refused about the query', async () => {
  const { ask, wrote } = texts()
  expect(await ask('')).toEqual([])
  expect(wrote).toEqual([[]])
})

it.each([
  { schema: 2, content: 0, shown: 1 },
  { schema: 1, content: 0, shown: 2 },
])('forgets everything after a change: %o', async later => {
  const { ask, changed } = texts()
  await ask('xy')
  changed('b')
  expect(await ask('x', later)).toEqual(['xb'])
  // Who began before the change gets nothing of what came after it, and leaves nothing behind.
  changed('c')
  expect(await ask('xy', first)).toEqual(['xc', 'ya'])
  changed('d')
  expect(await ask('xy', later)).toEqual(['xb', 'yd'])
})

it('has a text of its own for each shape', async () => {
  const { ask, wrote } = texts()
  await ask('x', first, '1')
  await ask('x', first, '2')
  await ask('x', first, '1')
  expect(wrote).toEqual([['x'], ['x']])
})

it('writes everything again with an entry that is large, so that all of them are counted', async () => {
  const { ask, wrote } = texts()
  await ask('xy')
  expect(await ask('xLy')).toEqual(['xa', 'La', 'ya'])
  expect(wrote).toEqual([['x', 'y'], ['L'], ['x', 'L', 'y']])
})

it('keeps no more than it may', async () => {
  const none = texts(0)
  await none.ask('x')
  await none.ask('x')
  expect(none.wrote).toEqual([['x'], ['x']])
  const few = texts(1000)
  await few.ask('abcdefgh')
  await few.ask('h')
  await few.ask('a')
  expect(few.wrote).toEqual([[...'abcdefgh'], ['a']])
})
