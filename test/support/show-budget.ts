import { allowed, type Budget, spent } from './budget.js'

// Prints the budget, the current counts, and the difference.
const [before, after] = [allowed(), spent()]

function rows(part: keyof Budget): [string, number, number][] {
  const names = [...new Set([...Object.keys(before[part]), ...Object.keys(after[part])])]
  return names.map(name => [name, before[part][name] ?? 0, after[part][name] ?? 0])
}
const lines = rows('lines')
const total = (column: 1 | 2) => lines.reduce((sum, row) => sum + row[column], 0)

const line = (name: string, was: string | number, is: string | number, change: string) =>
  `${name.padEnd(28)}${String(was).padStart(8)}${String(is).padStart(8)}${change.padStart(8)}`
const text = [
  line('', 'budget', 'now', ''),
  ...[...rows('counts'), ...lines, ['lines of src', total(1), total(2)] as const].map(([name, was, is]) =>
    line(name, was, is, was === is ? '' : `${is > was ? '+' : ''}${is - was}`),
  ),
].join('\n')
process.stdout.write(`${text}\n`)
