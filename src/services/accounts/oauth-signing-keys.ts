import { LRUCache } from 'lru-cache'
import * as oauth from 'oauth4webapi'
import type { Log } from '../../ports.js'

/** How a provider is called. */
export interface ProviderCalls {
  readonly [oauth.allowInsecureRequests]: boolean
  readonly [oauth.customFetch]: (
    url: string,
    request: oauth.CustomFetchOptions<string, unknown>,
  ) => Promise<Response>
}

const maxProviders = 20
const metadataLifetimeMs = 3_600_000
const failureLifetimeMs = 60_000

/** Where providers publish the keys of their ID tokens, and the keys. */
export class SigningKeys {
  readonly #addresses = new LRUCache<string, Promise<{ url: string | undefined }>>({
    max: maxProviders,
    ttl: metadataLifetimeMs,
  })
  /** Keys are good for five minutes, and are read again for an unknown one, though not twice in a minute. */
  readonly #keys = new LRUCache<string, oauth.JWKSCacheInput>({ max: maxProviders })

  constructor(private readonly log: Log) {}

  /**
   * Where the issuer publishes its keys; undefined when it does not say.
   * @param issuer as an ID token names it, so nobody has checked it yet
   * @param origin of the configured provider: a token must not say for itself who vouches for it
   */
  async discover(issuer: string, origin: string, calls: ProviderCalls): Promise<string | undefined> {
    const url = URL.canParse(issuer) ? new URL(issuer) : undefined
    if (url?.origin !== origin) return undefined
    const known = this.#addresses.get(url.href)
    if (known) return (await known).url
    const found = this.#readMetadata(url, calls)
    this.#addresses.set(url.href, found)
    return (await found).url
  }

  /** @throws unless one of the keys made the signature of the ID token in the answer */
  async verify(
    server: oauth.AuthorizationServer,
    answer: Response,
    url: string,
    calls: ProviderCalls,
  ): Promise<void> {
    const cached = this.#keys.get(url) ?? {}
    this.#keys.set(url, cached)
    await oauth.validateApplicationLevelSignature({ ...server, jwks_uri: url }, answer, {
      ...calls,
      [oauth.jwksCache]: cached,
    })
  }

  async #readMetadata(issuer: URL, calls: ProviderCalls): Promise<{ url: string | undefined }> {
    try {
      const answer = await oauth.discoveryRequest(issuer, calls)
      return { url: (await oauth.processDiscoveryResponse(issuer, answer)).jwks_uri }
    } catch (error) {
      this.log.warn(
        { err: error },
        'the address of the signing keys could not be read from the OAuth provider',
      )
      this.#addresses.set(issuer.href, Promise.resolve({ url: undefined }), { ttl: failureLifetimeMs })
      return { url: undefined }
    }
  }
}
