import type { Peer } from './context.js'

type Handler = (request: Request, peer: Peer) => Response | Promise<Response>

interface PlainPortParts {
  health: Handler
  healthPath: string
  /** The key authorisation for a token of HTTP-01; undefined for an unknown token. */
  keyAuthorizationOf(token: string): Promise<string | undefined>
  httpsAddressOf(url: string): string
}

const challengePath = '/.well-known/acme-challenge/'

async function challenge(token: string, { keyAuthorizationOf }: PlainPortParts): Promise<Response> {
  const found = await keyAuthorizationOf(token)
  return found === undefined
    ? new Response('not found\n', { status: 404 })
    : new Response(found, { headers: { 'Content-Type': 'application/octet-stream' } })
}

/**
 * The plain port where HTTPS is served: it answers a certificate authority and health checks, and sends everything else
 * to HTTPS. The redirect keeps method, path and query, and nobody keeps it: only HSTS says that it is for ever.
 */
export const plainPort =
  (parts: PlainPortParts): Handler =>
  async (request, peer) => {
    const address = request.url.slice(request.url.indexOf('/', 8))
    const [path = ''] = address.split('?', 1)
    if (path === parts.healthPath || path.startsWith(`${parts.healthPath}/`))
      return parts.health(request, peer)
    if (path.startsWith(challengePath)) return challenge(path.slice(challengePath.length), parts)
    return new Response(null, {
      status: 308,
      headers: { Location: parts.httpsAddressOf(request.url), 'Cache-Control': 'no-store' },
    })
  }
