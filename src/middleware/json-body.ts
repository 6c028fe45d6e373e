import { createMiddleware } from 'hono/factory'
import { joined } from '../bytes.js'
import { HttpError, invalid, malformed, tooLarge, unsupported } from '../errors.js'
import type { Env } from './context.js'

/** Largest JSON body, in bytes. */
const bodyLimit = 5 * 2 ** 20
/** How long a body may take to come, in milliseconds. */
const bodyPatience = 60_000
/** Deepest nesting of arrays and objects. */
const depthLimit = 64

async function readLimited(request: Request): Promise<Uint8Array> {
  const announced = Number(request.headers.get('content-length') ?? 0)
  const refusal = () => tooLarge(`the body is larger than ${bodyLimit} bytes`)
  if (announced > bodyLimit) throw refusal()
  if (!request.body) return new Uint8Array()
  // With its length announced the body cannot be longer than that.
  if (announced > 0) return new Uint8Array(await request.arrayBuffer())
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of request.body as unknown as AsyncIterable<Uint8Array>) {
    length += piece.byteLength
    if (length > bodyLimit) throw refusal()
    pieces.push(piece)
  }
  return joined(pieces)
}

/** @throws 400 when the work has not ended in time; the connection is closed then */
async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    const refusal = new HttpError(400, 'malformed', 'the body came too slowly', undefined, {
      Connection: 'close',
    })
    timer = setTimeout(() => reject(refusal), bodyPatience)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

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

/**
 * Refuses what JSON.parse would accept and we do not: deep nesting, a member named twice, `__proto__`.
 * One pass over the text, before anything is built from it.
 */
function refuseTraps(text: string): void {
  const open: (Set<string> | undefined)[] = []
  const token = /["{}[\]]/g
  for (let match = token.exec(text); match; match = token.exec(text)) {
    switch (match[0]) {
      case '{':
      case '[':
        open.push(match[0] === '{' ? new Set() : undefined)
        if (open.length > depthLimit) throw malformed(`the body is nested deeper than ${depthLimit} levels`)
        break
      case '"': {
        const end = stringEnd(text, match.index)
        token.lastIndex = end + 1
        const names = open.at(-1)
        if (!names || !/^\s*:/.test(text.slice(end + 1, end + 20))) break
        const name = nameOf(text.slice(match.index, end + 1))
        if (name === '__proto__') throw invalid('__proto__', 'is not allowed')
        if (names.has(name)) throw invalid(name, 'is given twice')
        names.add(name)
        break
      }
      default:
        open.pop()
    }
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
function refuseBadText(body: unknown): void {
  const stack: [path: string, value: unknown][] = [['', body]]
  for (let item = stack.pop(); item; item = stack.pop()) {
    const [path, value] = item
    if (typeof value === 'string') {
      const problem = value.includes('\0')
        ? 'a NUL'
        : value.isWellFormed()
          ? undefined
          : 'half a surrogate pair'
      if (problem) throw invalid(path || 'body', `holds ${problem}`)
    } else if (typeof value === 'object' && value !== null)
      for (const [name, inner] of Object.entries(value)) {
        if (name.includes('\0') || !name.isWellFormed())
          throw invalid(path || 'body', 'has a bad member name')
        stack.push([path === '' ? name : `${path}.${name}`, inner])
      }
  }
}

function parseJson(bytes: Uint8Array): unknown {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw malformed('the body is not UTF-8')
  }
  refuseTraps(text)
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw malformed('the body is not JSON')
  }
  if (/\\u(?:0000|d[89a-f])/i.test(text)) refuseBadText(body)
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
  if (c.req.header('content-encoding')) throw unsupported('the body must not be encoded')
  const body = parseJson(await inTime(readLimited(c.req.raw)))
  c.req.bodyCache.json = Promise.resolve(body)
  await next()
})
