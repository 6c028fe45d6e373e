interface Site {
  /** The hosts of the site, the primary one first; if empty, every host is accepted. */
  readonly hosts: readonly string[]
  /** The ports that the service listens on; others may be mapped to them from outside. */
  readonly port: number
  readonly sslPort: number
}

/**
 * The HTTPS address of an HTTP request. A host that is not one of the site becomes the primary one. The port
 * from outside is not known: a request without a port reached port 80, to which another may be mapped, and then 443 is
 * as well; a request with a port reached that port as it is.
 * @param url of the request, absolute
 */
export function httpsAddress(url: string, { hosts, port, sslPort }: Site): string {
  const { hostname, port: given } = new URL(url)
  const host = hosts.length === 0 || hosts.includes(hostname) ? hostname : hosts[0]
  const standard = given === '' && port !== 80
  const suffix = standard || sslPort === 443 ? '' : `:${sslPort}`
  const at = url.indexOf('/', url.indexOf('://') + 3)
  return `https://${host}${suffix}${at < 0 ? '/' : url.slice(at)}`
}
