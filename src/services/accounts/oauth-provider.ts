import * as oauth from 'oauth4webapi'
import type { Config } from '../../config.js'
import { providerFailed } from '../../errors.js'
import type { Log, Outgoing } from '../../ports.js'

/** What a provider says of somebody who signed in there. */
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

export interface Provider {
  readonly name: string
  /** Where the browser goes, with PKCE S256. */
  authorizationUrl(given: { state: string; verifier: string; nonce: string }): Promise<string>
  /** @throws 502 `Error exchanging token` whatever the provider does wrong */
  exchange(
    callback: URLSearchParams,
    given: { verifier: string; nonce: string },
  ): Promise<{ tokens: ProviderTokens; identity: ProviderIdentity }>
  /** @throws what the provider answered */
  refresh(refreshToken: string): Promise<ProviderTokens>
}

/** For one answer of a provider. */
const limits = { timeoutMs: 10_000, maxBytes: 2 ** 20 } as const
const maxNameLength = 255

/** Signatures of ID tokens that come straight from the token endpoint; `none` is no signature. */
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

/** The parts of an ID token that say who made it, unchecked. */
function peek(token: string): { issuer: string; algorithm: string } {
  const [header = '', claims = ''] = token.split('.')
  const read = (part: string): Json =>
    JSON.parse(atob(part.replaceAll('-', '+').replaceAll('_', '/'))) as Json
  return { issuer: String(read(claims).iss), algorithm: String(read(header).alg) }
}

/** The provider of the configuration, or undefined while it is not complete. */
export function providerOf(config: Config, outgoing: Outgoing, log: Log): Provider | undefined {
  const { oauth_client_id, oauth_client_secret, oauth_redirect_url, oauth_endpoint, oauth_scopes } = config
  const { oauth_auth_url, oauth_token_url, oauth_userinfo_url } = oauth_endpoint
  if (!oauth_client_id || !oauth_redirect_url || !oauth_auth_url || !oauth_token_url || !oauth_userinfo_url)
    return undefined

  const local = /^(local|development)/.test(config.environment)
  const client: oauth.Client = { client_id: oauth_client_id }
  const server = (issuer: string, algorithm?: string): oauth.AuthorizationServer => ({
    issuer,
    authorization_endpoint: oauth_auth_url,
    token_endpoint: oauth_token_url,
    userinfo_endpoint: oauth_userinfo_url,
    ...(algorithm && algorithms.includes(algorithm)
      ? { id_token_signing_alg_values_supported: [algorithm] }
      : {}),
  })
  const options = {
    [oauth.allowInsecureRequests]: local,
    [oauth.customFetch]: (
      url: string,
      { method, headers, body }: oauth.CustomFetchOptions<string, unknown>,
    ) =>
      outgoing.fetch(
        url,
        { method, headers, ...(body ? { body: String(body) } : {}) },
        { ...limits, allowedAddresses: local ? 'any' : 'public' },
      ),
  }
  const someIssuer = new URL(oauth_auth_url).origin

  /** Providers differ in where they look for the client's secret: the standard's way first, then the common other. */
  async function withClient(
    request: (authentication: oauth.ClientAuth) => Promise<Response>,
  ): Promise<Response> {
    if (!oauth_client_secret) return request(oauth.None())
    const answer = await request(oauth.ClientSecretBasic(oauth_client_secret))
    const unknownClient = /"invalid_client"/.test(answer.ok ? '' : await answer.clone().text())
    return unknownClient ? request(oauth.ClientSecretPost(oauth_client_secret)) : answer
  }

  const tokensOf = (answer: oauth.TokenEndpointResponse): ProviderTokens => ({
    accessToken: answer.access_token,
    refreshToken: answer.refresh_token,
    expiresIn: answer.expires_in,
  })

  async function identityOf(accessToken: string, expected: string | undefined): Promise<ProviderIdentity> {
    const answer = await oauth.userInfoRequest(server(someIssuer), client, accessToken, options)
    if (!answer.ok) throw new Error(`userinfo answered ${answer.status}`)
    const said = (await answer.json()) as Json
    const subject = said.sub ?? said.id
    if ((typeof subject !== 'string' && typeof subject !== 'number') || subject === '')
      throw new Error('userinfo names nobody')
    if (expected !== undefined && expected !== String(subject))
      throw new Error('userinfo and ID token name different people')
    const text = (value: unknown) =>
      typeof value === 'string' ? value.replaceAll(/\p{Cc}/gu, '').slice(0, maxNameLength) : ''
    return {
      subject: String(subject).slice(0, maxNameLength),
      email: typeof said.email === 'string' ? said.email : undefined,
      emailVerified: said.email_verified === true || said.email_verified === 'true',
      name: text(said.name) || text(said.preferred_username),
    }
  }

  return {
    name: config.oauth_provider_name || someIssuer,
    async authorizationUrl({ state, verifier, nonce }) {
      const url = new URL(oauth_auth_url)
      const parameters = {
        client_id: oauth_client_id,
        redirect_uri: oauth_redirect_url,
        response_type: 'code',
        scope: oauth_scopes.join(' '),
        state,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(oauth_scopes.includes('openid') ? { nonce } : {}),
      }
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
      return url.href
    },
    async exchange(callback, { verifier, nonce }) {
      try {
        const as = server(callback.get('iss') ?? someIssuer)
        const checked = oauth.validateAuthResponse(as, client, callback, callback.get('state') ?? '')
        const answer = await withClient(authentication =>
          oauth.authorizationCodeGrantRequest(
            as,
            client,
            authentication,
            checked,
            oauth_redirect_url,
            verifier,
            options,
          ),
        )
        const { id_token } = answer.ok ? ((await answer.clone().json()) as Json) : {}
        const signed = typeof id_token === 'string' ? peek(id_token) : undefined
        const tokens = await oauth.processAuthorizationCodeResponse(
          signed ? server(callback.get('iss') ?? signed.issuer, signed.algorithm) : as,
          client,
          answer,
          signed ? { expectedNonce: nonce, requireIdToken: true } : {},
        )
        const subject = oauth.getValidatedIdTokenClaims(tokens)?.sub
        return { tokens: tokensOf(tokens), identity: await identityOf(tokens.access_token, subject) }
      } catch (error) {
        log.warn({ err: error }, 'the OAuth provider did not do its part')
        throw exchangeFailed()
      }
    },
    async refresh(refreshToken) {
      const as = server(someIssuer)
      const answer = await withClient(authentication =>
        oauth.refreshTokenGrantRequest(as, client, authentication, refreshToken, options),
      )
      const { id_token } = answer.ok ? ((await answer.clone().json()) as Json) : {}
      const signed = typeof id_token === 'string' ? peek(id_token) : undefined
      return tokensOf(
        await oauth.processRefreshTokenResponse(
          signed ? server(signed.issuer, signed.algorithm) : as,
          client,
          answer,
        ),
      )
    },
  }
}
