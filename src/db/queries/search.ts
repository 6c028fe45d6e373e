import { bySpace, type ListQuery, type Query } from '../statements.js'
import type { ContentSpace } from '../tables.js'

/** Reads of the full text of what the public sees. */

interface Candidate {
  id: string
  wordCount: number
  titleWords: string
}

/** The newest entries that have all words, at most `most`. `words` comes from `wordsFor`. */
export const searchCandidates = bySpace(
  (space: ContentSpace, most: number): Query<'words', Candidate> => ({
    values: ['words'],
    build(knex, value, fullText) {
      const { from, where, order, newest } = fullText.matching(
        space.publicSearch.name,
        'document_id',
        'words',
      )
      const columns = ['s.content_data_id as id', 's.word_count as n', 's.title_words as title']
      if (newest) {
        const { sql, places } = newest(columns, most)
        const words = Array.from({ length: places }, () => value('words'))
        return knex
          .select('*')
          .from(knex.raw(`(${sql}) as found`, words) as unknown as string)
          .orderBy('place', 'desc')
      }
      return knex
        .select(columns)
        .from(knex.raw(from) as unknown as string)
        .whereRaw(where, [value('words')])
        .orderByRaw(order)
        .limit(most)
    },
    lists: rows =>
      rows.map(row => ({
        id: row[0] as string,
        wordCount: Number(row[1]),
        titleWords: row[2] as string,
      })),
  }),
)

/** How many entries have all words; at most one more than `most`. */
export const searchCount = bySpace(
  (space: ContentSpace, most: number): Query<'words', number> => ({
    values: ['words'],
    build(knex, value, fullText) {
      const { counted, where } = fullText.matching(space.publicSearch.name, 'document_id', 'words')
      return knex.count({ n: '*' }).from(
        knex
          .select(knex.raw('1 as one'))
          .from(knex.raw(counted) as unknown as string)
          .whereRaw(where, [value('words')])
          .limit(most + 1)
          .as('p'),
      )
    },
    rows: rows => rows.map(row => Number(row.n)),
  }),
)

interface SizedText {
  content_field_id: string
  content_data_id: string
  field_id: string
  locale: string
  bytes: number
}

/** Values of entries by their ids, without their texts. */
export const textSizes = bySpace(
  (space: ContentSpace): ListQuery<SizedText> => ({
    build: (knex, values) =>
      knex(space.publicValues.name)
        .select([
          'content_field_id',
          'content_data_id',
          'field_id',
          'locale',
          knex.raw('octet_length(field_value) as bytes'),
        ])
        .whereIn('content_data_id', values)
        .where('position', 0)
        .orderBy(['content_data_id', 'field_id', 'locale']),
    lists: rows =>
      rows.map(row => ({
        content_field_id: row[0] as string,
        content_data_id: row[1] as string,
        field_id: row[2] as string,
        locale: row[3] as string,
        bytes: Number(row[4]),
      })),
  }),
)

/** How texts of values begin, by the ids of the values. */
export const textBeginnings = bySpace(
  (space: ContentSpace, characters: number): ListQuery<{ id: string; text: string }> => ({
    build: (knex, values) =>
      knex(space.publicValues.name)
        .select(['content_field_id as id', knex.raw('substr(field_value, 1, ?) as text', [characters])])
        .whereIn('content_field_id', values)
        .orderBy('content_field_id'),
    lists: rows => rows.map(row => ({ id: row[0] as string, text: row[1] as string })),
  }),
)
