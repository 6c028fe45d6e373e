import { createMiddleware } from 'hono/factory'
import { invalid, malformed, unsupported } from '../errors.js'
import type { Env } from './context.js'
import { bodyText, refuseBadText } from './request-body.js'

/** More members than any form of people has. */
const maxMembers = 5000
const urlEncoded = /^application\/x-www-form-urlencoded\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i
const multipart = /^multipart\/form-data\s*;/i

type Pair = readonly [name: string, value: string]

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw malformed('the form is not percent-encoded UTF-8')
  }
}

function urlEncodedPairs(text: string): Pair[] {
  return text
    .split('&', maxMembers + 1)
    .filter(pair => pair !== '')
    .map(pair => {
      const equals = pair.indexOf('=')
      return equals < 0
        ? [decoded(pair), '']
        : [decoded(pair.slice(0, equals)), decoded(pair.slice(equals + 1))]
    })
}

async function multipartPairs(text: string, type: string): Promise<Pair[]> {
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
 * @throws 415 unless it is a form in UTF-8, 413 over the limit, 400 when malformed
 */
export const formBody = (maxBytes: number) =>
  createMiddleware<Env>(async (c, next) => {
    const type = c.req.header('content-type') ?? ''
    const isMultipart = multipart.test(type)
    if (!isMultipart && !urlEncoded.test(type)) throw unsupported('the body must be a form in UTF-8')
    const text = await bodyText(c, maxBytes)
    const pairs = isMultipart ? await multipartPairs(text, type) : urlEncodedPairs(text)
    if (pairs.length > maxMembers) throw malformed(`the form has more than ${maxMembers} members`)
    const form = new FormData()
    for (const [name, value] of pairs) {
      if (name.includes('\0') || !name.isWellFormed()) throw invalid('body', 'has a bad member name')
      refuseBadText(name || 'body', value)
      form.append(name, value.replaceAll('\r\n', '\n'))
    }
    c.req.bodyCache.formData = form
    await next()
  })
