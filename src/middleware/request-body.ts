import { joined } from '../bytes.js'
import { HttpError, malformed, tooLarge, unsupported } from '../errors.js'
import { limits } from '../limits.js'
import type { Ctx } from './context.js'

/** Largest body of a request, files apart, in bytes. */
export const bodyBytes = limits.requests.bodyBytes
/** Largest body of a request that anybody may send, in bytes: unknown callers get a small limit (D-801). */
export const anonymousBodyBytes = limits.requests.anonymousBodyBytes
const timeoutMs = 60_000

async function readLimited(request: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const announced = Number(request.headers.get('content-length') ?? 0)
  const refusal = () => tooLarge(`the body is larger than ${maxBytes} bytes`)
  if (announced > maxBytes) throw refusal()
  if (!request.body) return new Uint8Array()
  // With its length announced the body cannot be longer than that.
  if (announced > 0) return new Uint8Array(await request.arrayBuffer())
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of request.body as unknown as AsyncIterable<Uint8Array>) {
    length += piece.byteLength
    if (length > maxBytes) throw refusal()
    pieces.push(piece)
  }
  return joined(pieces)
}

/** @throws 400 if the connection ends before the body does: no client is left, and the service is not at fault */
const whole = (request: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> =>
  readLimited(request, maxBytes).catch(error => {
    throw error instanceof HttpError ? error : malformed('the body is incomplete')
  })

/** @throws 400 when the work has not ended in time; the connection is closed then */
async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    const refusal = new HttpError(400, 'malformed', 'the body came too slowly', undefined, {
      Connection: 'close',
    })
    timer = setTimeout(() => reject(refusal), timeoutMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** @throws 400 with the problem for bytes that are no UTF-8 */
export function utf8(bytes: Uint8Array, problem = 'the body is not UTF-8'): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw malformed(problem)
  }
}

/** The body, read once. @throws 415 when it is encoded, 413 over the limit, 400 when it is too slow */
export async function readBody(c: Ctx, maxBytes: number): Promise<Uint8Array> {
  if (c.req.header('content-encoding')) throw unsupported('the body must not be encoded')
  return inTime(whole(c.req.raw, maxBytes))
}

/** Reads the body as text. @throws also 400 when it is not UTF-8 */
export const bodyText = async (c: Ctx, maxBytes: number): Promise<string> => utf8(await readBody(c, maxBytes))
