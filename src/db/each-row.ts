/**
 * Stands in a condition before all others: where statements can be ended between rows, the engine looks at the clock for
 * each row that the column is of. To others it is a comment.
 */
export const eachRow = {
  of: (column: string): string => `/* each ${column} */`,
  pattern: /\/\* each (\S+) \*\//g,
}
