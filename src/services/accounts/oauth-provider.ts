import { decodeProtectedHeader } from 'jose/decode/protected_header'
import { decodeJwt } from 'jose/jwt/decode'
import * as oauth from 'oauth4webapi'
import { providerFailed } from '../../errors.js'
import type { Log, Outgoing } from '../../ports.js'
import type { ProviderSettings } from './oauth-settings.js'
import { type ProviderCalls, SigningKeys } from './oauth-signing-keys.js'

/** The identity that a provider gives for somebody who signed in there. */
export interface ProviderIdentity {
  /** Its own name for them, which never changes. */
  readonly subject: string
  readonly email: string | undefined
  readonly emailVerified: boolean
  readonly name: string
}

export interface ProviderTokens {
  readonly accessToken: string
  readonly refreshToken: string | undefined
  /** Seconds from now; undefined when the provider does not say. */
  readonly expiresIn: number | undefined
}

const limits = { timeoutMs: 10_000, maxBytes: 2 ** 20 } as const
const maxNameLength = 255

/** Accepted signature algorithms of ID tokens. `none` means unsigned and is not accepted. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]

const exchangeFailed = () => providerFailed('Error exchanging token')

type Json = Record<string, unknown>

const callsOf = ({ local }: ProviderSettings, outgoing: Outgoing): ProviderCalls => ({
  [oauth.allowInsecureRequests]: local,
  [oauth.customFetch]: (url, { method, headers, body }) =>
    outgoing.fetch(
      url,
      { method, headers, ...(body ? { body: String(body) } : {}) },
      { ...limits, allowedAddresses: local ? 'any' : 'public' },
    ),
})

async function idTokenOf(answer: Response): Promise<{ issuer: string; algorithm: string } | undefined> {
  const { id_token } = answer.ok ? ((await answer.clone().json()) as Json) : {}
  if (typeof id_token !== 'string') return undefined
  return { issuer: String(decodeJwt(id_token).iss), algorithm: String(decodeProtectedHeader(id_token).alg) }
}

const tokensOf = (answer: oauth.TokenEndpointResponse): ProviderTokens => ({
  accessToken: answer.access_token,
  refreshToken: answer.refresh_token,
  expiresIn: answer.expires_in,
})

const cleanName = (value: unknown) =>
  typeof value === 'string'
    ? [...value.replaceAll(/[\p{Cc}\p{Cs}]/gu, '')].slice(0, maxNameLength).join('')
    : ''

/** In front of subjects that are numbers, so that 42 and "42" are two people. */
const numberPrefix = 'number:'

/**
 * Returns the subject: `sub`, or `id` if `sub` is missing, whole and with its type. A subject that was cut or rounded
 * would be somebody else's.
 * @throws when it cannot be kept like that
 */
function subjectOf({ sub, id }: Json): string {
  const subject = sub ?? id
  if (sub === undefined && Number.isSafeInteger(id)) return `${numberPrefix}${id}`
  if (typeof subject !== 'string' || subject === '') throw new Error('the userinfo response has no subject')
  if (subject.startsWith(numberPrefix) || !/^[^\p{Cc}\p{Cs}]{1,255}$/u.test(subject))
    throw new Error('the subject in the userinfo response is too long or has invalid characters')
  return subject
}

/** @throws when the claims name nobody, or another user than the ID token did */
function identityFrom(claims: Json, expected: string | undefined): ProviderIdentity {
  const subject = subjectOf(claims)
  if (expected !== undefined && expected !== subject)
    throw new Error('userinfo and ID token name different people')
  return {
    subject,
    email: typeof claims.email === 'string' ? claims.email : undefined,
    emailVerified: claims.email_verified === true || claims.email_verified === 'true',
    name: cleanName(claims.name) || cleanName(claims.preferred_username),
  }
}

/** A provider that the configuration names. */
export class Provider {
  readonly name: string
  /** The address that says who somebody is: another one is another provider, whatever its name. */
  readonly source: string
  readonly #client: oauth.Client
  readonly #calls: ProviderCalls
  readonly #origin: string

  constructor(
    private readonly settings: ProviderSettings,
    private readonly needs: { outgoing: Outgoing; log: Log; signingKeys: SigningKeys },
  ) {
    this.name = settings.name
    this.source = settings.endpoints.userinfo
    this.#client = { client_id: settings.clientId }
    this.#calls = callsOf(settings, needs.outgoing)
    this.#origin = new URL(settings.endpoints.authorization).origin
  }

  async authorizationUrl({ state, verifier, nonce }: { state: string; verifier: string; nonce: string }) {
    const { clientId, redirectUrl, scopes, endpoints } = this.settings
    const url = new URL(endpoints.authorization)
    const parameters = {
      client_id: clientId,
      redirect_uri: redirectUrl,
      response_type: 'code',
      scope: scopes.join(' '),
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(scopes.includes('openid') ? { nonce } : {}),
    }
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    return url.href
  }

  /** @throws 502 `Error exchanging token` for any failure of the provider */
  async exchange(callback: URLSearchParams, { verifier, nonce }: { verifier: string; nonce: string }) {
    try {
      const answer = await this.#redeem(callback, verifier)
      const tokens = await this.#processed(answer, callback.get('iss') ?? undefined, nonce)
      const subject = oauth.getValidatedIdTokenClaims(tokens)?.sub
      return { tokens: tokensOf(tokens), identity: await this.#identity(tokens.access_token, subject) }
    } catch (error) {
      this.needs.log.warn({ err: error }, 'the OAuth provider failed')
      throw exchangeFailed()
    }
  }

  /** @throws what the provider answered */
  async refresh(refreshToken: string): Promise<ProviderTokens> {
    const client = this.#client
    const server = this.#server(this.#origin)
    const answer = await this.#withClient(authentication =>
      oauth.refreshTokenGrantRequest(server, client, authentication, refreshToken, this.#calls),
    )
    const idToken = await idTokenOf(answer)
    return tokensOf(
      await oauth.processRefreshTokenResponse(
        idToken ? this.#server(idToken.issuer, idToken.algorithm) : server,
        client,
        answer,
      ),
    )
  }

  #server(issuer: string, algorithm?: string): oauth.AuthorizationServer {
    const { authorization, token, userinfo } = this.settings.endpoints
    return {
      issuer,
      authorization_endpoint: authorization,
      token_endpoint: token,
      userinfo_endpoint: userinfo,
      ...(algorithm && algorithms.includes(algorithm)
        ? { id_token_signing_alg_values_supported: [algorithm] }
        : {}),
    }
  }

  /** Providers differ in where they look for the client's secret: the standard's way first, then the common other. */
  async #withClient(request: (authentication: oauth.ClientAuth) => Promise<Response>): Promise<Response> {
    const { secret } = this.settings
    if (!secret) return request(oauth.None())
    const answer = await request(oauth.ClientSecretBasic(secret))
    const unknownClient = /"invalid_client"/.test(answer.ok ? '' : await answer.clone().text())
    return unknownClient ? request(oauth.ClientSecretPost(secret)) : answer
  }

  async #redeem(callback: URLSearchParams, verifier: string): Promise<Response> {
    const client = this.#client
    const { redirectUrl } = this.settings
    const server = this.#server(callback.get('iss') ?? this.#origin)
    const checked = oauth.validateAuthResponse(server, client, callback, callback.get('state') ?? '')
    return this.#withClient(authentication =>
      oauth.authorizationCodeGrantRequest(
        server,
        client,
        authentication,
        checked,
        redirectUrl,
        verifier,
        this.#calls,
      ),
    )
  }

  async #processed(answer: Response, issuer: string | undefined, nonce: string) {
    const client = this.#client
    const idToken = await idTokenOf(answer)
    const server = this.#server(issuer ?? idToken?.issuer ?? this.#origin, idToken?.algorithm)
    const tokens = await oauth.processAuthorizationCodeResponse(
      server,
      client,
      answer,
      idToken ? { expectedNonce: nonce, requireIdToken: true } : {},
    )
    if (idToken) await this.#verifySignature(server, answer)
    return tokens
  }

  async #verifySignature(server: oauth.AuthorizationServer, answer: Response): Promise<void> {
    const { signingKeys } = this.needs
    const url = await signingKeys.discover(server.issuer, this.#origin, this.#calls)
    // Without keys the TLS of the token endpoint stands for the signature (OpenID Connect Core 3.1.3.7, rule 6).
    if (url) await signingKeys.verify(server, answer, url, this.#calls)
  }

  async #identity(accessToken: string, expected: string | undefined): Promise<ProviderIdentity> {
    const client = this.#client
    const answer = await oauth.userInfoRequest(this.#server(this.#origin), client, accessToken, this.#calls)
    if (!answer.ok) throw new Error(`userinfo responded with ${answer.status}`)
    return identityFrom((await answer.json()) as Json, expected)
  }
}

/** The providers that the configuration names, one after another; what is known of their keys stays. */
export class Providers {
  readonly #signingKeys: SigningKeys

  constructor(private readonly needs: { outgoing: Outgoing; log: Log }) {
    this.#signingKeys = new SigningKeys(needs.log)
  }

  of(settings: ProviderSettings): Provider {
    return new Provider(settings, { ...this.needs, signingKeys: this.#signingKeys })
  }
}
