import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

it('names a rule, a place and tests that exist for every hole', () => {
  const [, table = ''] = readFileSync('docs/security.md', 'utf8').split('## Holes and what closes them')
  const rows = table.split('\n').filter(line => line.startsWith('| ') && !line.startsWith('| Mechanism'))
  expect(rows.length).toBeGreaterThan(30)
  for (const row of rows) {
    const [, , , places = '', tests = ''] = row.split(/ ?\| ?/)
    const files = (cell: string) =>
      [...cell.matchAll(/`((?:src|test)\/[\w./-]+)`/g)].map(([, file = '']) => file)
    const named = [files(places), files(tests)]
    expect([row, ...named.map(({ length }) => length > 0)]).toEqual([row, true, true])
    expect([row, named.flat().filter(file => !existsSync(file))]).toEqual([row, []])
  }
})
