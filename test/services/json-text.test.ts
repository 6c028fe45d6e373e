import { expect, it } from 'vitest'
import { countValues, ValueBudget } from '../../src/services/json-text.js'

it.each([
  ['1', 1],
  ['[]', 1],
  ['[ \n]', 1],
  ['[1]', 2],
  ['[[],[],[]]', 4],
  ['[[[[]]]]', 4],
  ['{}', 1],
  ['{"a":1,"b":{}}', 3],
  ['{"a":[1,2,{"b":"c"}]}', 6],
  ['"[1,2,3]"', 1],
  ['["\\"",","]', 3],
  ['["\\\\",1]', 3],
  ['{ "a,b" : [ "x" , "y" ] }', 4],
  // What is no JSON is counted as well, for nothing is known of it yet.
  ['', 1],
  ['[1,', 3],
  ['"a', 1],
])('counts the values of %j: %i', (text, count) => {
  expect(countValues(text, 100)).toBe(count)
})

it('stops counting when they are too many', () => {
  expect(countValues('[1,2,3,4,5,6,7,8,9]', 4)).toBe(5)
})

it('counts texts that come together as one', () => {
  const budget = new ValueBudget()
  const half = `[${'1,'.repeat(59_998)}1]`
  budget.take(half)
  budget.take(half)
  expect(() => budget.take('1')).toThrow('the body has more than 120000 values')
})
