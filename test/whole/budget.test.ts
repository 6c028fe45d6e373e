import { expect, it } from 'vitest'
import { allowed, spent } from '../support/budget.js'

const [budget, now] = [allowed(), spent()]

it('there are as many tables, settings, caches, counters and tasks as the budget says', () => {
  expect(now.counts).toEqual(budget.counts)
  // A name that the code no longer has would count nothing.
  expect(Object.entries(now.counts).filter(([, n]) => n === 0)).toEqual([])
})

it('no folder has more lines than the budget says', () => {
  const over = Object.entries(now.lines).filter(([folder, lines]) => lines > (budget.lines[folder] ?? 0))
  expect(
    over.map(([folder, lines]) => `${folder}: ${lines}, allowed are ${budget.lines[folder] ?? 0}`),
  ).toEqual([])
  expect(Object.keys(budget.lines).filter(folder => now.lines[folder] === undefined)).toEqual([])
})
