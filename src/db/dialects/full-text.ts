import type { FullText, Term, Terms } from '../full-text.js'

/**
 * The full text of the three engines. Words come as ASCII letters and digits of 3 to 84 characters that are no stop
 * words, so no engine cuts, leaves out or changes one (D-611).
 */

const joined = (terms: Terms, write: (term: Term) => string, or: string, and: string, begin = '') =>
  terms.map(group => `${begin}(${group.map(write).join(or)})`).join(and)

/** FTS5 over the table itself: triggers keep it, so that the table is written as any other. */
export const sqliteFullText: FullText = {
  index(table, key, column) {
    const found = `${table}_fts`
    const put = `insert into ${found} (rowid, ${column}) values (new.${key}, new.${column})`
    const take = `insert into ${found} (${found}, rowid, ${column}) values ('delete', old.${key}, old.${column})`
    return [
      // The prefixes are two letters of a word without a locale, and of one with a locale of two letters.
      `create virtual table if not exists ${found} using fts5(${column}, content='${table}', content_rowid='${key}', tokenize='ascii', prefix='4 6')`,
      `create trigger if not exists ${found}_insert after insert on ${table} begin ${put}; end`,
      `create trigger if not exists ${found}_delete after delete on ${table} begin ${take}; end`,
      `create trigger if not exists ${found}_update after update on ${table} begin ${take}; ${put}; end`,
    ]
  },
  matching: (table, key) => ({
    from: `${table}_fts as f cross join ${table} as s on s.${key} = f.rowid`,
    counted: `${table}_fts as f`,
    where: `f.${table}_fts match ?`,
    order: 'f.rowid desc',
  }),
  expression: terms =>
    joined(terms, ({ word, isPrefix }) => (isPrefix ? `"${word}" *` : `"${word}"`), ' OR ', ' AND '),
}

/** So many of the newest rows show how frequent a word is, and have enough of a very frequent one. */
const sampleRows = 2000
/** In this share of the sample a word is so frequent that the newest rows are read until enough have it. */
const frequentRows = 40
/** Twice as many as have a thousand rows with a word of that share. */
const newestRows = 100_000

/**
 * The newest rows that match, one after the other if the words are frequent, else by the index. Which it is depends on the
 * newest rows, not on statistics: those know nothing of words that come together.
 */
function newestByPostgres(
  table: string,
  key: string,
  where: string,
  columns: readonly string[],
  most: number,
) {
  const shown = [...columns, `s.${key} as place`].join(', ')
  const among = (rows: number, when: string) =>
    `select ${shown} from (select * from ${table} order by ${key} desc limit ${rows}) as s where ${where}${when} order by s.${key} desc limit ${most}`
  const [inSample, inNewest] = ['sample', 'newest'].map(name => `(select count(*) from ${name})`)
  const isFrequent = ` and ${inSample} between ${frequentRows} and ${most - 1}`
  const byIndex = `select ${shown} from ${table} as s where ${where} and ${inSample} < ${most} and ${inNewest} < ${most} order by s.${key} + 0 desc limit ${most}`
  const sql = `with sample as materialized (${among(sampleRows, '')}), newest as materialized (${among(newestRows, isFrequent)})
    select * from sample where ${inSample} >= ${most}
    union all select * from newest where ${inNewest} >= ${most}
    union all (${byIndex})`
  return { sql, places: 3 }
}

const vectorOf = (column: string) => `array_to_tsvector(string_to_array(${column}, ' '))`

/** The words are made lexemes as they are, past every parser and dictionary. */
export const postgresFullText: FullText = {
  index: (table, _key, column) => [
    `create index if not exists ${table}_${column}_fulltext on ${table} using gin ((${vectorOf(column)}))`,
  ],
  matching(table, key, column) {
    const where = `${vectorOf(`s.${column}`)} @@ cast(? as tsquery)`
    return {
      from: `${table} as s`,
      counted: `${table} as s`,
      where,
      // No order that an index has: the server would read all rows in it until enough are found.
      order: `s.${key} + 0 desc`,
      newest: (columns, most) => newestByPostgres(table, key, where, columns, most),
    }
  },
  expression: terms => joined(terms, ({ word, isPrefix }) => (isPrefix ? `${word}:*` : word), ' | ', ' & '),
}

export const mysqlFullText: FullText = {
  index: (table, _key, column) => [
    `create fulltext index ${table}_${column}_fulltext on ${table} (${column})`,
  ],
  matching: (table, key, column) => ({
    from: `${table} as s`,
    counted: `${table} as s`,
    where: `match (s.${column}) against (? in boolean mode)`,
    order: `s.${key} desc`,
  }),
  expression: terms => joined(terms, ({ word, isPrefix }) => (isPrefix ? `${word}*` : word), ' ', ' ', '+'),
}
