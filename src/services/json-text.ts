import { invalid, malformed, tooLarge } from '../errors.js'
import { limits } from '../limits.js'
import { textProblem } from '../request-paths.js'
import { atOnce, type Pieces } from '../turns.js'

const maxDepth = limits.requests.jsonLevels
/** Most values in a text; each list, object and member counts as one: 100,000 ids, and room for the values around. */
const maxValues = limits.requests.jsonValues
/** Most objects among them: a schema takes longer for one than for any other value. */
const maxObjects = limits.requests.jsonObjects
/** Most different names of members: an object of many is what a parser takes longest for. */
const maxNames = limits.requests.jsonNames
const perPiece = 2000

function stringEnd(text: string, start: number): number {
  for (let end = start; ; ) {
    end = text.indexOf('"', end + 1)
    if (end < 0) return text.length
    let slashes = 0
    while (text[end - 1 - slashes] === '\\') slashes++
    if (slashes % 2 === 0) return end
  }
}

const [quote, comma, list, listEnd, object, objectEnd] = [...'",[]{}'].map(mark => mark.charCodeAt(0))

/** How many values a JSON text has, which need not be JSON: one pass that makes nothing and ends when they are too many. */
export function countValues(text: string, most: number): number {
  let values = 1
  let isOpened = false
  for (let i = 0; i < text.length && values <= most; i++) {
    const code = text.charCodeAt(i)
    if (code <= 32) continue
    if (isOpened && code !== listEnd && code !== objectEnd) values++
    isOpened = code === list || code === object
    if (code === comma) values++
    else if (code === quote) i = stringEnd(text, i)
  }
  return values
}

/** Returns why a text is too large to parse, as the end of a sentence. It does not check that the text is JSON. */
export const sizeProblem = (text: string): string | undefined =>
  countValues(text, maxValues) > maxValues ? `has more than ${maxValues} values` : undefined

/** Texts that come together, such as members of a form, and have as many values together as one may have. */
export class ValueBudget {
  private left = maxValues

  /** @throws 413 when there are too many with this text */
  take(text: string): void {
    this.left -= countValues(text, this.left)
    if (this.left < 0) throw tooLarge(`the body has more than ${maxValues} values`)
  }
}

/** The member names of the objects that are open at a place in the text; an open array has undefined. */
class OpenBrackets {
  private readonly open: (Set<string> | undefined)[] = []
  private readonly different = new Set<string>()
  private objects = 0

  begin(bracket: string): void {
    if (bracket === '{' && ++this.objects > maxObjects)
      throw tooLarge(`the body has more than ${maxObjects} objects`)
    this.open.push(bracket === '{' ? new Set() : undefined)
    if (this.open.length > maxDepth) throw malformed(`the body is nested deeper than ${maxDepth} levels`)
  }

  end(): void {
    this.open.pop()
  }

  /** A string literal, which is the name of a member when a colon follows, after whatever space. */
  string(text: string, start: number, end: number): void {
    const names = this.open.at(-1)
    if (!names || !isBeforeColon(text, end)) return
    const name = nameOf(text.slice(start, end))
    if (name === '__proto__') throw invalid('__proto__', 'is not allowed')
    if (names.has(name)) throw invalid(name, 'is given twice')
    names.add(name)
    this.different.add(name)
    if (this.different.size > maxNames) throw tooLarge(`the body has more than ${maxNames} different names`)
  }
}

/**
 * Refuses what JSON.parse would accept and we do not: deep nesting, too many objects or names, one given twice, `__proto__`.
 * One pass over the text, before anything is built from it.
 */
function* refuseTraps(text: string): Pieces<void> {
  const brackets = new OpenBrackets()
  const token = /["{}[\]]/g
  let seen = 0
  for (let match = token.exec(text); match; match = token.exec(text)) {
    if (++seen % perPiece === 0) yield
    const [found] = match
    if (found === '{' || found === '[') brackets.begin(found)
    else if (found === '"') {
      const end = stringEnd(text, match.index)
      token.lastIndex = end + 1
      brackets.string(text, match.index, end + 1)
    } else brackets.end()
  }
}

function isBeforeColon(text: string, at: number): boolean {
  const colon = /[ \t\n\r]*:/y
  colon.lastIndex = at
  return colon.test(text)
}

function nameOf(literal: string): string {
  if (!literal.includes('\\')) return literal.slice(1, -1)
  try {
    return String(JSON.parse(literal))
  } catch {
    return literal
  }
}

/** @throws 400 for text that not every engine can hold */
export function refuseBadText(member: string, text: string): void {
  const problem = textProblem(text)
  if (problem) throw invalid(member, problem)
}

function refuseBadValue(member: string, value: unknown): void {
  if (typeof value === 'string') refuseBadText(member, value)
  if (typeof value === 'number' && !Number.isFinite(value)) throw invalid(member, 'is a number out of range')
}

/** Refuses text that not every engine can hold and numbers that parsing has made infinite, naming the member. */
function* refuseBadValues(body: unknown): Pieces<void> {
  const stack: [path: string, value: unknown][] = [['', body]]
  let seen = 0
  for (let item = stack.pop(); item; item = stack.pop()) {
    if (++seen % perPiece === 0) yield
    const [path, value] = item
    refuseBadValue(path || 'body', value)
    if (typeof value !== 'object' || value === null) continue
    for (const [name, inner] of Object.entries(value)) {
      if (name.includes('\0') || !name.isWellFormed())
        throw invalid(path || 'body', 'has an invalid member name')
      stack.push([path === '' ? name : `${path}.${name}`, inner])
    }
  }
}

/** @throws 413 when it has too many values, objects or names, 400 when it is not JSON, or such that readers understand it differently */
export function* parsedJson(text: string, budget = new ValueBudget()): Pieces<unknown> {
  budget.take(text)
  yield* refuseTraps(text)
  yield
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw malformed('the body is not JSON')
  }
  yield
  if (/\\u(?:0000|d[89a-f])/i.test(text) || /\d[eE]\+?\d{3}|(?<!\d)\d{309}/.test(text))
    yield* refuseBadValues(body)
  return body
}

/** A text of something else than a body, such as a member of a form. @throws 413 and 400 as for a body */
export const parseJson = (text: string, budget?: ValueBudget): unknown => atOnce(parsedJson(text, budget))
