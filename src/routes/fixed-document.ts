import type { Ctx } from '../middleware/context.js'
import { onDemand } from '../on-demand.js'
import type { Hashing } from '../ports.js'
import { matches } from './accepted.js'

/** Answers with a document that is the same as long as the service runs. */
export type FixedDocument = (c: Ctx) => Promise<Response>

/** Makes a document on the first request, and again if that has failed; its ETag is the hash of its text. */
export function fixedDocument(
  type: string,
  { sha256 }: Pick<Hashing, 'sha256'>,
  make: () => Promise<string>,
): FixedDocument {
  const made = onDemand(async () => {
    const text = await make()
    return { text, etag: `"${sha256(text).slice(0, 32)}"` }
  })
  return async c => {
    const { text, etag } = await made()
    c.header('ETag', etag)
    c.header('Cache-Control', 'no-cache')
    if (matches(c.req.header('if-none-match'), etag)) return c.body(null, 304)
    c.header('Content-Type', type)
    return c.body(text)
  }
}
