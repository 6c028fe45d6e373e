import type { Config } from '../config.js'
import { trimmedEnd } from './text.js'

const withScheme = (site: string, environment: string): string =>
  site.includes('://') ? site : `${environment.startsWith('local') ? 'http' : 'https'}://${site}`

const allowed = new WeakMap<Config, readonly string[]>()

/** Origins whose pages may call the API from a browser: those that the configuration lists, the site and the panel. */
export function allowedOrigins(config: Config): readonly string[] {
  const known = allowed.get(config)
  if (known) return known
  const { cors_origins, client_site, admin_site, environment } = config
  const own = [client_site, admin_site].flatMap(site => {
    const address = site ? withScheme(site, environment) : ''
    return URL.canParse(address) ? [new URL(address).origin] : []
  })
  const origins = [...new Set([...cors_origins, ...own])]
  allowed.set(config, origins)
  return origins
}

/** The site's own address, without `/` at its end; `''` if the configuration names no address. */
export function originOf({ client_site = '', environment }: Config): string {
  if (client_site === '') return ''
  return trimmedEnd(withScheme(client_site, environment), '/')
}
