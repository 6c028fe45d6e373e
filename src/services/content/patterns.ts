import { LRUCache } from 'lru-cache'
import { RE2JS } from 're2js'
import { limits } from '../../limits.js'

/**
 * Patterns that editors of the model write, matched in a time that grows with the length of the value alone. JavaScript's
 * own expressions try again from each place, and one such pattern could stop the whole service.
 */

const maxPatternLength = limits.content.patternCharacters
/** Steps of the compiled pattern. Each may be taken at each character of a value. */
const maxProgramSize = 500
/** Steps times characters that one check may take: at most some 15 ms. */
const maxWork = 500_000

const compiled = new LRUCache<string, RE2JS>({ max: 200 })

/** @throws what the engine says of a pattern that it does not take */
function programOf(pattern: string): RE2JS {
  const known = compiled.get(pattern)
  if (known) return known
  const program = RE2JS.compile(pattern)
  compiled.set(pattern, program)
  return program
}

/** Why a pattern cannot be taken, or undefined. The syntax is that of RE2: no look-around and no references back. */
export function patternProblem(pattern: string): string | undefined {
  if (pattern === '') return 'must not be empty'
  if (pattern.length > maxPatternLength) return `must have at most ${maxPatternLength} characters`
  try {
    return programOf(pattern).programSize() > maxProgramSize ? 'is too complex' : undefined
  } catch (error) {
    return `must be a pattern in the syntax of RE2: ${error instanceof Error ? error.message : 'it cannot be read'}`
  }
}

/** Why a value does not fit a pattern that was taken, or undefined. The pattern may match anywhere in the value. */
export function mismatch(pattern: string, value: string): string | undefined {
  const program = programOf(pattern)
  const longest = Math.floor(maxWork / program.programSize())
  if (value.length > longest) return `must have at most ${longest} characters to be compared with its pattern`
  return program.test(value) ? undefined : `must match the pattern ${pattern}`
}
