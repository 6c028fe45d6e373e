import { describe, expect, it } from 'vitest'
import { tlsSource } from '../../src/config.js'
import { httpsAddress } from '../../src/net/https-address.js'
import {
  certificateState,
  renewalTime,
  retryDelay,
  siteDomains,
  siteHosts,
} from '../../src/services/operation/certificate-rules.js'

const day = 86_400_000

describe('a certificate', () => {
  it.each([90, 64, 6])('of %i days is renewed at two thirds of its life, and a little later', days => {
    const validity = { notBefore: 10 * day, notAfter: (10 + days) * day }
    expect(renewalTime(validity, 0)).toBeCloseTo((10 + (days * 2) / 3) * day, -1)
    expect(renewalTime(validity, 1)).toBeCloseTo((10 + days * 0.7) * day, -1)
  })

  it.each([
    [90, 30, 'ok'],
    [90, 75.9, 'ok'],
    [90, 76.1, 'expiring'],
    [6, 4.9, 'ok'],
    [6, 5.1, 'expiring'],
    [6, 6, 'expired'],
    [90, 100, 'expired'],
  ])('of %d days is after %d days %s', (days, age, state) => {
    expect(certificateState({ notBefore: 0, notAfter: days * day }, age * day)).toBe(state)
  })

  it('that is not there is pending', () => expect(certificateState(undefined, 0)).toBe('pending'))
})

it('waits longer after each failure, by hours in the end, and never shorter than it was asked to', () => {
  const minutes = [1, 2, 3, 4, 5, 6, 7, 50].map(failures => retryDelay(failures, 0) / 60_000)
  expect(minutes).toEqual([1, 5, 30, 120, 360, 720, 720, 720])
  expect(retryDelay(1, 1)).toBe(66_000)
  expect(retryDelay(1, 0, 3 * 3_600_000)).toBe(3 * 3_600_000)
})

it.each([
  [{ client_site: 'cms.example.com' }, ['cms.example.com']],
  [
    { client_site: 'https://CMS.example.com:8443/', admin_site: 'admin.example.com' },
    ['cms.example.com', 'admin.example.com'],
  ],
  [{ client_site: 'cms.example.com', admin_site: 'cms.example.com' }, ['cms.example.com']],
  [{ client_site: 'bücher.example' }, ['xn--bcher-kva.example']],
  [{ client_site: 'localhost:3000' }, []],
  [{ client_site: '192.0.2.1' }, []],
  [{ client_site: '[2001:db8::1]' }, []],
  [{ client_site: 'not a site', admin_site: 'admin.example.com' }, ['admin.example.com']],
  [{}, []],
])('of %j the domains are %j', (config, domains) => expect(siteDomains(config)).toEqual(domains))

it('hosts are there without being domains', () =>
  expect(siteHosts({ client_site: 'localhost:3000', admin_site: '' })).toEqual(['localhost']))

it.each([
  ['local', 'auto', 'off'],
  ['local-docker', 'files', 'off'],
  ['development', 'auto', 'self-signed'],
  ['development-docker', 'files', 'files'],
  ['staging', 'auto', 'acme'],
  ['production-docker', 'auto', 'acme'],
  ['production', 'files', 'files'],
  ['production', 'off', 'off'],
] as const)('in %s with tls %s the certificate comes from: %s', (environment, tls, source) =>
  expect(tlsSource({ environment, tls })).toBe(source),
)

it.each([
  // A port 80 that is mapped to ours: 443 is as well.
  ['http://cms.test/a?b=c', 8080, 8443, 'https://cms.test/a?b=c'],
  ['http://cms.test:8080/a%2Fb', 8080, 8443, 'https://cms.test:8443/a%2Fb'],
  ['http://cms.test/', 80, 443, 'https://cms.test/'],
  ['http://cms.test/', 80, 8443, 'https://cms.test:8443/'],
  ['http://cms.test:8080/', 8080, 443, 'https://cms.test/'],
  ['http://elsewhere.test//evil.test/x', 80, 443, 'https://cms.test//evil.test/x'],
  ['http://www.cms.test/?q', 80, 443, 'https://www.cms.test/?q'],
])('%s on port %i leads to %s', (url, port, sslPort, address) =>
  expect(httpsAddress(url, { hosts: ['cms.test', 'www.cms.test'], port, sslPort })).toBe(address),
)

it('any host leads to itself where none is configured', () =>
  expect(httpsAddress('http://127.0.0.1:8080/x', { hosts: [], port: 8080, sslPort: 8443 })).toBe(
    'https://127.0.0.1:8443/x',
  ))
