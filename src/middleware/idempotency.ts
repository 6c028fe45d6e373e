import { createMiddleware } from 'hono/factory'
import type { StoredAnswer } from '../actor.js'
import { invalid } from '../errors.js'
import type { IdempotencyService } from '../services/operation/idempotency.js'
import { actorOf, type Ctx, type Env } from './context.js'

const header = 'Idempotency-Key'

/** The key as it was sent, or as a string of structured fields (RFC 8941). @throws 400 if it is neither */
function idempotencyKeyOf(c: Ctx): string | undefined {
  const given = c.req.header(header)
  const key = given?.replace(/^"([^"]*)"$/, '$1')
  if (key !== undefined && !/^[\x21\x23-\x7e]{1,255}$/.test(key))
    throw invalid(header, 'must be 1 to 255 visible ASCII characters')
  return key
}

/** The content of a request, to notice a different one under the same key. Of an upload only the length counts. */
async function contentOf(c: Ctx): Promise<string> {
  const { json, formData } = c.req.bodyCache
  const form = formData && [...(await formData).entries()]
  const body = json ? await json : (form ?? c.req.header('content-length') ?? '')
  return JSON.stringify([new URL(c.req.url).search, body])
}

async function stored(response: Response): Promise<StoredAnswer> {
  const headers = Object.fromEntries(response.headers)
  // A session belongs to the person who has signed in.
  delete headers['set-cookie']
  return { status: response.status, headers, body: await response.clone().text() }
}

const replayed = ({ status, headers, body }: StoredAnswer): Response =>
  new Response(body === '' ? null : body, { status, headers: { ...headers, 'Idempotency-Replayed': 'true' } })

/**
 * Runs a request once for each `Idempotency-Key` of a caller and an address, and repeats the first response.
 * Comes after the access check and the parsing, so that a request that they refuse uses up no key.
 * @param secret the answer holds a secret that is shown once
 */
export const idempotent = (service: IdempotencyService, secret: boolean) =>
  createMiddleware<Env>(async (c, next) => {
    const key = idempotencyKeyOf(c)
    if (key === undefined) return next()
    const path = c.req.path.replace(/(?<=.)\/$/, '')
    const begun = await service.begin({
      caller: actorOf(c),
      key,
      address: `${c.req.method} ${path}`,
      content: await contentOf(c),
    })
    if ('answer' in begun) return replayed(begun.answer)
    c.env.claim = begun.claim
    await next()
    await service.end(begun.claim, await stored(c.res), secret)
  })
