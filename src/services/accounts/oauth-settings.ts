import type { Config } from '../../config.js'
import { defaultProviderId } from '../../config-schemas.js'

/** A provider that somebody can sign in with. */
export interface OfferedProvider {
  readonly id: string
  /** Null where `oauth_provider_name` is not set. */
  readonly name: string | null
  /** The path where the browser begins to sign in. */
  readonly url: string
}

/** The settings of a provider for a sign-in. */
export interface ProviderSettings {
  /** In addresses and in the row of a sign-in. */
  readonly id: string
  /** In the rows of connections. */
  readonly name: string
  readonly clientId: string
  readonly secret: string | undefined
  readonly redirectUrl: string
  readonly successRedirect: string
  readonly scopes: readonly string[]
  readonly endpoints: { readonly authorization: string; readonly token: string; readonly userinfo: string }
  readonly local: boolean
}

const loginPath = '/api/v1/auth/oauth/login'

const listed = ({ oauth_providers }: Config) => oauth_providers ?? []

/** Whether somebody may be signed in with a provider. */
export const isOAuthOn = (config: Config): boolean =>
  Boolean(config.oauth_client_id) || listed(config).length > 0

/** The providers that the sign-in page shows. */
export const offeredProviders = (config: Config): OfferedProvider[] => [
  ...(config.oauth_client_id
    ? [{ id: defaultProviderId, name: config.oauth_provider_name || null, url: loginPath }]
    : []),
  ...listed(config).map(({ id, name }) => ({ id, name, url: `${loginPath}/${id}` })),
]

/** The complete providers of the configuration. The one of the fields `oauth_*` is the first. */
export function providerSettings(config: Config): ProviderSettings[] {
  const { oauth_client_id, oauth_redirect_url, oauth_endpoint } = config
  const { oauth_auth_url, oauth_token_url, oauth_userinfo_url } = oauth_endpoint
  const isComplete =
    oauth_client_id && oauth_redirect_url && oauth_auth_url && oauth_token_url && oauth_userinfo_url
  const first = isComplete && {
    id: defaultProviderId,
    name: config.oauth_provider_name || new URL(oauth_auth_url).origin,
    oauth_client_id,
    oauth_client_secret: config.oauth_client_secret,
    oauth_scopes: config.oauth_scopes,
    oauth_redirect_url,
    oauth_endpoint: { oauth_auth_url, oauth_token_url, oauth_userinfo_url },
  }
  return [
    ...(first ? [settingsOf(config, first)] : []),
    // Their ids name the connections, so that another name on the button changes no account.
    ...listed(config).map(one => settingsOf(config, { ...one, name: one.id })),
  ]
}

type Listed = NonNullable<Config['oauth_providers']>[number]

const settingsOf = (config: Config, one: Listed): ProviderSettings => ({
  id: one.id,
  name: one.name,
  clientId: one.oauth_client_id,
  secret: one.oauth_client_secret || undefined,
  redirectUrl: one.oauth_redirect_url,
  successRedirect: one.oauth_success_redirect || config.oauth_success_redirect,
  scopes: one.oauth_scopes,
  endpoints: {
    authorization: one.oauth_endpoint.oauth_auth_url,
    token: one.oauth_endpoint.oauth_token_url,
    userinfo: one.oauth_endpoint.oauth_userinfo_url,
  },
  local: /^(local|development)/.test(config.environment),
})
