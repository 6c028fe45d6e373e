import { createMiddleware } from 'hono/factory'
import { invalid, malformed, unsupported } from '../errors.js'
import type { Env } from './context.js'
import { bodyText, refuseBadText } from './request-body.js'

/** Deepest nesting of arrays and objects. */
const maxDepth = 64

/** The end of the string literal that begins at `start`. */
function stringEnd(text: string, start: number): number {
  for (let end = start; ; ) {
    end = text.indexOf('"', end + 1)
    if (end < 0) return text.length
    let slashes = 0
    while (text[end - 1 - slashes] === '\\') slashes++
    if (slashes % 2 === 0) return end
  }
}

/** The names of the objects that are open at a place in the text; an open array has none. */
class OpenBrackets {
  private readonly open: (Set<string> | undefined)[] = []

  begin(bracket: string): void {
    this.open.push(bracket === '{' ? new Set() : undefined)
    if (this.open.length > maxDepth) throw malformed(`the body is nested deeper than ${maxDepth} levels`)
  }

  end(): void {
    this.open.pop()
  }

  /** A string literal, which is the name of a member when a colon follows. */
  string(literal: string, after: string): void {
    const names = this.open.at(-1)
    if (!names || !/^\s*:/.test(after)) return
    const name = nameOf(literal)
    if (name === '__proto__') throw invalid('__proto__', 'is not allowed')
    if (names.has(name)) throw invalid(name, 'is given twice')
    names.add(name)
  }
}

/**
 * Refuses what JSON.parse would accept and we do not: deep nesting, a member named twice, `__proto__`.
 * One pass over the text, before anything is built from it.
 */
function refuseTraps(text: string): void {
  const brackets = new OpenBrackets()
  const token = /["{}[\]]/g
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const [found] = match
    if (found === '{' || found === '[') brackets.begin(found)
    else if (found === '"') {
      const end = stringEnd(text, match.index)
      token.lastIndex = end + 1
      brackets.string(text.slice(match.index, end + 1), text.slice(end + 1, end + 20))
    } else brackets.end()
  }
}

function nameOf(literal: string): string {
  if (!literal.includes('\\')) return literal.slice(1, -1)
  try {
    return String(JSON.parse(literal))
  } catch {
    return literal
  }
}

/** Refuses text that not every engine can hold, naming the member. */
function refuseBadTexts(body: unknown): void {
  const stack: [path: string, value: unknown][] = [['', body]]
  for (let item = stack.pop(); item; item = stack.pop()) {
    const [path, value] = item
    if (typeof value === 'string') refuseBadText(path || 'body', value)
    else if (typeof value === 'object' && value !== null)
      for (const [name, inner] of Object.entries(value)) {
        if (name.includes('\0') || !name.isWellFormed())
          throw invalid(path || 'body', 'has a bad member name')
        stack.push([path === '' ? name : `${path}.${name}`, inner])
      }
  }
}

/** @throws 400 when it is not JSON, or such that readers understand it differently */
export function parseJson(text: string): unknown {
  refuseTraps(text)
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw malformed('the body is not JSON')
  }
  if (/\\u(?:0000|d[89a-f])/i.test(text)) refuseBadTexts(body)
  return body
}

/**
 * Reads the body once, as strictly as every endpoint wants it, and leaves it where the validator looks for it.
 * @throws 415 unless it is plain UTF-8 JSON, 413 over the limit, 400 when malformed
 */
export const jsonBody = createMiddleware<Env>(async (c, next) => {
  const type = c.req.header('content-type') ?? ''
  if (!/^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(type))
    throw unsupported('the body must be application/json in UTF-8')
  c.req.bodyCache.json = Promise.resolve(parseJson(await bodyText(c)))
  await next()
})
