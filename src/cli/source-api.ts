import { setTimeout as sleep } from 'node:timers/promises'
import { badRequest, HttpError } from '../errors.js'
import { type Ask, SourceRefusal } from '../systems/live.js'

const timeoutMs = 30_000
const maxBytes = 32 * 1024 * 1024

/** Bounds of one reading of a source, so that one without an end is given up. */
const [mostRequests, mostBytes, mostMs] = [50_000, 8 * 2 ** 30, 6 * 60 * 60_000]

/** Waits before further attempts of a request, in milliseconds. */
const waitsMs = [500, 2000, 5000, 15_000]
const mostWaitMs = 120_000

/** @throws 400 for anything but an http or https address without a password */
export function apiAddress(text: string, variables: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) throw badRequest(`${text}: must be an http or https address`)
  if (url.username !== '' || url.password !== '')
    throw badRequest(`${url.origin}: must not contain a password: set ${variables} instead`)
  return url
}

/** Reads a body that is not too long. */
export async function responseText(response: Response, where: string): Promise<string> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of response.body ?? []) {
    bytes += piece.length
    if (bytes > maxBytes) throw badRequest(`${where}: the response is longer than ${maxBytes} bytes`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

/** `user:password` is basic authentication, as application passwords of WordPress are. */
export function authorizationOf(token: string | undefined): Record<string, string> {
  if (!token) return {}
  const isBasic = /^[^:\s]+:.+$/.test(token)
  return { authorization: isBasic ? `Basic ${Buffer.from(token).toString('base64')}` : `Bearer ${token}` }
}

export const messageOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return cause instanceof Error ? cause.message : String(cause)
}

/** A failure that another attempt may not have. */
class Transient extends Error {
  constructor(
    message: string,
    readonly afterMs?: number,
  ) {
    super(message)
  }
}

function retryAfterMs(response: Response): number | undefined {
  const text = response.headers.get('retry-after') ?? ''
  const ms = /^\d{1,6}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isFinite(ms) && ms >= 0 ? Math.min(ms, mostWaitMs) : undefined
}

const isTransient = (status: number): boolean => status === 429 || status === 408 || status >= 500

const wrongKey = 'the source refuses the key: set SOURCE_TOKEN to one that may read it'
const noKey = 'the source wants a key: set SOURCE_TOKEN'

interface How {
  readonly base: URL
  readonly token: string | undefined
  readonly stopped: AbortSignal
  /** The parameter that has the key; without it, a header has it. */
  readonly keyParameter?: string | undefined
}

/** Requests to a live API: each is repeated a few times after a failure that may pass. */
export class SourceApi {
  private readonly root: string
  private readonly headers: Record<string, string>
  private requests = 0
  private bytes = 0
  private beganAt = performance.now()

  constructor(private readonly how: How) {
    this.root = how.base.href.replace(/[?#].*$/, '').replace(/\/$/, '')
    const isHeader = how.keyParameter === undefined
    this.headers = { accept: 'application/json', ...(isHeader ? authorizationOf(how.token) : {}) }
  }

  /** A new reading has all of its bounds again. */
  begin(): void {
    this.requests = 0
    this.bytes = 0
    this.beganAt = performance.now()
  }

  /** @throws HttpError with the status of the source, or 400; after a stop the reason of that */
  readonly ask: Ask = async path => {
    const { stopped } = this.how
    for (let attempt = 0; ; attempt++)
      try {
        return await this.once(path)
      } catch (error) {
        stopped.throwIfAborted()
        if (!(error instanceof Transient)) throw error
        const ms = waitsMs[attempt]
        if (ms === undefined) throw badRequest(error.message)
        await sleep(Math.max(ms, error.afterMs ?? 0), undefined, { signal: stopped })
      }
  }

  private async once(path: string): Promise<unknown> {
    const { base, stopped } = this.how
    const where = `${base.host}${base.pathname.replace(/\/$/, '')}${path.slice(0, 200)}`
    this.refuseEndless(base.host)
    const signal = AbortSignal.any([stopped, AbortSignal.timeout(timeoutMs)])
    let text: string
    try {
      // Redirects are not followed, because the key is for that server only.
      const response = await fetch(this.root + this.withKey(path), {
        headers: this.headers,
        redirect: 'manual',
        signal,
      })
      text = await responseText(response, where)
      this.bytes += text.length
      this.refuseStatus(response, text, where)
    } catch (error) {
      if (error instanceof HttpError || error instanceof Transient) throw error
      throw new Transient(`${where}: ${messageOf(error)}`)
    }
    try {
      return JSON.parse(text)
    } catch {
      throw badRequest(`${where}: the response is not JSON: is this the address of the API?`)
    }
  }

  private withKey(path: string): string {
    const { keyParameter, token } = this.how
    if (keyParameter === undefined || !token) return path
    return `${path}${path.includes('?') ? '&' : '?'}${keyParameter}=${encodeURIComponent(token)}`
  }

  private refuseStatus(response: Response, text: string, where: string): void {
    const { status } = response
    if (status === 200) return
    const message = `${where}: HTTP ${status} ${text.slice(0, 200).replaceAll(/\s+/g, ' ')}`
    if (isTransient(status)) throw new Transient(message, retryAfterMs(response))
    if (status >= 300 && status < 400)
      throw badRequest(
        `${where}: redirects to ${response.headers.get('location') ?? 'nowhere'}: use that address`,
      )
    const isKey = status === 401 || status === 403
    const why = isKey ? `${this.how.token ? wrongKey : noKey}: ` : ''
    throw new SourceRefusal(status, why + message)
  }

  private refuseEndless(host: string): void {
    this.requests++
    const ms = performance.now() - this.beganAt
    if (this.requests > mostRequests || this.bytes > mostBytes || ms > mostMs)
      throw badRequest(
        `${host}: the source is too large: more than ${mostRequests} requests, ${mostBytes} bytes or ${mostMs / 3_600_000} hours`,
      )
  }
}
