import type { z } from 'zod'
import { meantHint } from '../nearest-name.js'

/** The sentences for members that a schema refuses without words of its own. */

type Issue = z.core.$ZodRawIssue

const kinds: Readonly<Record<string, string>> = {
  string: 'must be text',
  number: 'must be a number',
  int: 'must be a whole number',
  boolean: 'must be true or false',
  array: 'must be an array',
  object: 'must be an object',
  record: 'must be an object',
}

const formats: Readonly<Record<string, string>> = {
  datetime: 'must be a time such as 2026-12-31T00:00:00Z',
  date: 'must be a day such as 2026-12-31',
  email: 'must be an e-mail address',
  url: 'must be an address such as https://www.example.com/',
}

function limitWords(origin: string, limit: unknown, bound: 'least' | 'most'): string {
  if (origin === 'string') return `must have at ${bound} ${limit} ${limit === 1 ? 'character' : 'characters'}`
  return origin === 'array' || origin === 'set'
    ? `must have at ${bound} ${limit} ${limit === 1 ? 'item' : 'items'}`
    : `must be at ${bound} ${limit}`
}

function oneOf(values: readonly unknown[], input: unknown): string {
  const known = values.map(String)
  if (known.length === 1) return `must be ${known[0]}`
  const hint = typeof input === 'string' ? meantHint(input, known) : ''
  return `must be one of ${known.join(', ')}${hint}`
}

/** The sentence about an issue; undefined where zod's own says more. */
export function sentenceOf(issue: Issue): string | undefined {
  // Nothing was given at all.
  if (issue.input === undefined) return 'is required'
  switch (issue.code) {
    case 'invalid_type':
      return kinds[issue.expected]
    case 'invalid_value':
      return oneOf(issue.values, issue.input)
    case 'too_small':
      return issue.inclusive === false ? undefined : limitWords(issue.origin, issue.minimum, 'least')
    case 'too_big':
      return issue.inclusive === false ? undefined : limitWords(issue.origin, issue.maximum, 'most')
    case 'invalid_format':
      return formats[issue.format]
    default:
      return undefined
  }
}
