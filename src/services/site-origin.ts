import type { Config } from '../config.js'
import { trimmedEnd } from './text.js'

const withScheme = (site: string, environment: string): string =>
  site.includes('://') ? site : `${environment.startsWith('local') ? 'http' : 'https'}://${site}`

/** The origins of the site and the panel, as far as the configuration names them. */
const ownOrigins = ({ client_site, admin_site, environment }: Config): readonly string[] =>
  [client_site, admin_site].flatMap(site => {
    const address = site ? withScheme(site, environment) : ''
    return URL.canParse(address) ? [new URL(address).origin] : []
  })

const allowed = new WeakMap<Config, readonly string[]>()

/** Origins whose pages may call the API from a browser: those that the configuration lists, the site and the panel. */
export function allowedOrigins(config: Config): readonly string[] {
  const known = allowed.get(config)
  if (known) return known
  const origins = [...new Set([...config.cors_origins, ...ownOrigins(config)])]
  allowed.set(config, origins)
  return origins
}

/** The site's own address, without `/` at its end; `''` if the configuration names no address. */
export function originOf({ client_site = '', environment }: Config): string {
  if (client_site === '') return ''
  return trimmedEnd(withScheme(client_site, environment), '/')
}

const isLocal = (hostname: string) => hostname === 'localhost'
/** Passkeys belong to a domain; browsers refuse IP addresses. */
const isAddress = (hostname: string) => /^\[|^\d+(\.\d+){3}$/.test(hostname)

/**
 * The origins at which browsers can use passkeys under this host: those of the configuration with HTTPS; without any,
 * `localhost`. The host of a request alone is not trusted.
 */
export function passkeyOrigins(config: Config, host: string): string[] {
  const own = ownOrigins(config)
  if (own.length === 0)
    return isLocal(new URL(`http://${host}`).hostname) ? [`http://${host}`, `https://${host}`] : []
  return own.filter(origin => {
    const { host: known, hostname, protocol } = new URL(origin)
    return known === host && (isLocal(hostname) || (protocol === 'https:' && !isAddress(hostname)))
  })
}
