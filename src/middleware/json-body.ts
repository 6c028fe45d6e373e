import { createMiddleware } from 'hono/factory'
import { invalid, malformed, unsupported } from '../errors.js'
import { atOnce, type Pieces, Turns } from '../services/turns.js'
import type { Env } from './context.js'
import { bodyText, refuseBadText } from './request-body.js'

/** Deepest nesting of arrays and objects. */
const maxDepth = 64
/** After so many brackets, names and values others may have their turn. */
const perPiece = 2000

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

  /** A string literal, which is the name of a member when a colon follows, after whatever space. */
  string(text: string, start: number, end: number): void {
    const names = this.open.at(-1)
    if (!names || !isBeforeColon(text, end)) return
    const name = nameOf(text.slice(start, end))
    if (name === '__proto__') throw invalid('__proto__', 'is not allowed')
    if (names.has(name)) throw invalid(name, 'is given twice')
    names.add(name)
  }
}

/**
 * Refuses what JSON.parse would accept and we do not: deep nesting, a member named twice, `__proto__`.
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

function refuseBadValue(member: string, value: unknown): void {
  if (typeof value === 'string') refuseBadText(member, value)
  if (typeof value === 'number' && !Number.isFinite(value))
    throw invalid(member, 'is a number beyond those that there are')
}

/** Refuses text that not every engine can hold and numbers that are none any more, naming the member. */
function* refuseBadValues(body: unknown): Pieces<void> {
  const stack: [path: string, value: unknown][] = [['', body]]
  let seen = 0
  for (let item = stack.pop(); item; item = stack.pop()) {
    if (++seen % perPiece === 0) yield
    const [path, value] = item
    refuseBadValue(path || 'body', value)
    if (typeof value !== 'object' || value === null) continue
    for (const [name, inner] of Object.entries(value)) {
      if (name.includes('\0') || !name.isWellFormed()) throw invalid(path || 'body', 'has a bad member name')
      stack.push([path === '' ? name : `${path}.${name}`, inner])
    }
  }
}

/** @throws 400 when it is not JSON, or such that readers understand it differently */
function* parsed(text: string): Pieces<unknown> {
  yield* refuseTraps(text)
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw malformed('the body is not JSON')
  }
  if (/\\u(?:0000|d[89a-f])/i.test(text) || /\d[eE]\+?\d{3}|(?<!\d)\d{309}/.test(text))
    yield* refuseBadValues(body)
  return body
}

/** A short text, such as a member of a form. @throws 400 as for a body */
export const parseJson = (text: string): unknown => atOnce(parsed(text))

/**
 * Reads the body once, as strictly as every endpoint wants it, and leaves it where the validator looks for it.
 * @throws 415 unless it is plain UTF-8 JSON, 413 over the limit, 400 when malformed
 */
export const jsonBody = (maxBytes: number) =>
  createMiddleware<Env>(async (c, next) => {
    const type = c.req.header('content-type') ?? ''
    if (!/^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(type))
      throw unsupported('the body must be application/json in UTF-8')
    const text = await bodyText(c, maxBytes)
    const body = await new Turns().run(parsed(text))
    c.req.bodyCache.json = Promise.resolve(body)
    // Hono's own writes what is there as a text and parses that, for everybody who asks.
    c.req.json = async <T>() => body as T
    await next()
  })
