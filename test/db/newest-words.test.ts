import { expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { searchCandidates } from '../../src/db/queries/search.js'
import { tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'

const { db } = await testApp()
const most = 1000
const count = 6000
/** Each word is in every so many entries. */
const every = { all: 1, often: 3, some: 10, few: 100, one: count, old: 1 }

const rows = Array.from({ length: count }, (_, i) => {
  const words = Object.entries(every).flatMap(([word, n]) =>
    word === 'old' ? (i < 2500 ? [word] : []) : i % n === 0 ? [word] : [],
  )
  const content_data_id = String(i).padStart(26, '0')
  return {
    document_id: i + 1,
    content_data_id,
    word_count: words.length,
    title_words: '',
    words: words.join(' '),
  }
})
await db.write(systemActor, async tx => {
  for (let i = 0; i < count; i += 1000)
    await tx.insertAllInternal(tables.publicSearch, rows.slice(i, i + 1000))
})

it.each([
  ['all'],
  ['often'],
  ['some'],
  ['few'],
  ['one'],
  ['old'],
  ['nothing'],
  ['all', 'often'],
  ['some', 'old'],
])('finds the newest %s %s, the newest first', async (...words) => {
  const terms = words.map(word => [{ word, isPrefix: false }])
  const found = await db.query(searchCandidates(tables, most), { words: db.wordsFor(terms) })
  const expected = rows.filter(row => words.every(word => row.words.split(' ').includes(word)))
  expect(found.map(({ id }) => id)).toEqual(
    expected
      .map(({ content_data_id }) => content_data_id)
      .toReversed()
      .slice(0, most),
  )
})
