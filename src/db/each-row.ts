/**
 * Stands in a condition before all others. Engines that can end statements between rows look at the clock for each row
 * of the column. For the others it is a comment.
 */
export const eachRow = {
  of: (column: string): string => `/* each ${column} */`,
  pattern: /\/\* each (\S+) \*\//g,
}
