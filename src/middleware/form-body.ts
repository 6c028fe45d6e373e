import { createMiddleware } from 'hono/factory'
import { invalid, malformed, unsupported } from '../errors.js'
import { refuseBadText } from '../services/json-text.js'
import type { Env } from './context.js'
import { bodyText } from './request-body.js'

/** More members than any form of people has; those that one fills in without a session have a handful. */
const maxMembers = { withSession: 5000, without: 1000 }
const urlEncoded = /^application\/x-www-form-urlencoded\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i
const multipart = /^multipart\/form-data\s*;/i

const tooMany = (most: number) => malformed(`the form has more than ${most} members`)

type Pair = readonly [name: string, value: string]

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw malformed('the form is not percent-encoded UTF-8')
  }
}

function urlEncodedPairs(text: string, most: number): Pair[] {
  return text
    .split('&', most + 1)
    .filter(pair => pair !== '')
    .map(pair => {
      const equals = pair.indexOf('=')
      return equals < 0
        ? [decoded(pair), '']
        : [decoded(pair.slice(0, equals)), decoded(pair.slice(equals + 1))]
    })
}

/** The line that every part has. */
const partLine = /^[ \t]*content-disposition[ \t]*:/gim

async function multipartPairs(text: string, type: string, most: number): Promise<Pair[]> {
  // Parts cost more than members, so they are counted before they are made.
  let parts = 0
  for (const _ of text.matchAll(partLine)) if (++parts > most) throw tooMany(most)
  const form = await new Response(text, { headers: { 'Content-Type': type } }).formData().catch(() => {
    throw malformed('the form is malformed')
  })
  return [...form].map(([name, value]) => {
    if (typeof value !== 'string') throw invalid(name, 'takes no file')
    return [name, value]
  })
}

/**
 * Reads a form without files once, as strictly as a JSON body, and leaves it where the validator looks for it. The
 * CRLF that browsers send for a line's end is the LF that was typed.
 * @throws 415 unless it is a form in UTF-8, 413 over the limit, 400 when malformed or of too many members
 */
export const formBody = (maxBytes: number) =>
  createMiddleware<Env>(async (c, next) => {
    const type = c.req.header('content-type') ?? ''
    const isMultipart = multipart.test(type)
    if (!isMultipart && !urlEncoded.test(type)) throw unsupported('the body must be a form in UTF-8')
    const text = await bodyText(c, maxBytes)
    const most = c.env.identity ? maxMembers.withSession : maxMembers.without
    const pairs = isMultipart ? await multipartPairs(text, type, most) : urlEncodedPairs(text, most)
    if (pairs.length > most) throw tooMany(most)
    const form = new FormData()
    for (const [name, value] of pairs) {
      if (name.includes('\0') || !name.isWellFormed()) throw invalid('body', 'has a bad member name')
      refuseBadText(name || 'body', value)
      form.append(name, value.replaceAll('\r\n', '\n'))
    }
    c.req.bodyCache.formData = form
    await next()
  })
