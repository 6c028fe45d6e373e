import { createMiddleware } from 'hono/factory'
import { invalid, malformed, unsupported } from '../errors.js'
import { limits } from '../limits.js'
import { refuseBadText } from '../services/json-text.js'
import { Turns } from '../turns.js'
import type { Env } from './context.js'
import { readBody, utf8 } from './request-body.js'

/** More members than any form of people has; those that one fills in without a session have a handful. */
const maxMembers = {
  withSession: limits.requests.formMembers,
  without: limits.requests.anonymousFormMembers,
}
const urlEncoded = /^application\/x-www-form-urlencoded\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i

const tooMany = (most: number) => malformed(`the form has more than ${most} members`)

const [percent, plus, space, and, equals, carriageReturn, lineFeed] = [...'%+ &=\r\n'].map(mark =>
  mark.charCodeAt(0),
)

const notEncoded = 'the form is not percent-encoded UTF-8'

function digit(code = 0): number {
  if (code >= 48 && code <= 57) return code - 48
  const letter = code | 32
  if (letter >= 97 && letter <= 102) return letter - 87
  throw malformed(notEncoded)
}

/** A name or value as it was typed. Byte by byte, because replacing millions of marks in a text takes half a second. */
function decoded(bytes: Uint8Array): string {
  const typed = new Uint8Array(bytes.length)
  let length = 0
  for (let i = 0; i < bytes.length; i++) {
    let byte = bytes[i]
    if (byte === plus) byte = space
    else if (byte === percent) byte = digit(bytes[++i]) * 16 + digit(bytes[++i])
    if (byte === lineFeed && typed[length - 1] === carriageReturn) length--
    typed[length++] = byte as number
  }
  return utf8(typed.subarray(0, length), notEncoded)
}

/** The members of a form. @throws 400 when there are too many */
function* pairsOf(form: Uint8Array, most: number): Generator<readonly [name: string, value: string]> {
  let seen = 0
  for (let at = 0; at < form.length; ) {
    if (++seen > most) throw tooMany(most)
    const next = form.indexOf(and as number, at)
    const pair = form.subarray(at, next < 0 ? form.length : next)
    at += pair.length + 1
    const middle = pair.indexOf(equals as number)
    if (middle >= 0) yield [decoded(pair.subarray(0, middle)), decoded(pair.subarray(middle + 1))]
    else if (pair.length > 0) yield [decoded(pair), '']
  }
}

/**
 * Reads a form without files once, as strictly as a JSON body, and leaves it where the validator looks for it. The
 * CRLF that browsers send for a line's end is the LF that was typed.
 * Multipart is for files: no form without files needs it, and its parts cost much more than members.
 * @throws 415 unless it is a form in UTF-8, 413 over the limit, 400 when malformed or of too many members
 */
export const formBody = (maxBytes: number) =>
  createMiddleware<Env>(async (c, next) => {
    const type = c.req.header('content-type') ?? ''
    if (!urlEncoded.test(type))
      throw unsupported('the body must be application/x-www-form-urlencoded in UTF-8')
    const sent = await readBody(c, maxBytes)
    const form = new FormData()
    const turns = new Turns()
    for (const [name, value] of pairsOf(sent, c.env.identity ? maxMembers.withSession : maxMembers.without)) {
      if (name.includes('\0') || !name.isWellFormed()) throw invalid('body', 'has an invalid member name')
      refuseBadText(name || 'body', value)
      form.append(name, value)
      if (turns.isOver) await turns.next()
    }
    c.req.bodyCache.formData = form
    await next()
  })
