import type { Config } from '../config.js'
import { trimmedEnd } from './text.js'

/** The site's own address, without `/` at its end; `''` where the configuration names none. */
export function originOf({ client_site = '', environment }: Config): string {
  if (client_site === '') return ''
  const scheme = environment.startsWith('local') ? 'http' : 'https'
  const origin = client_site.includes('://') ? client_site : `${scheme}://${client_site}`
  return trimmedEnd(origin, '/')
}
