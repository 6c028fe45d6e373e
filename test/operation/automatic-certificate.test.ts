import { expect, it } from 'vitest'
import { internalTables } from '../../src/db/tables.js'
import type { Certificate, CertificateOrder, Certificates, Ordered } from '../../src/ports.js'
import { acmeChallenges } from '../../src/services/operation/acme-challenges.js'
import { AutomaticCertificate } from '../../src/services/operation/automatic-certificate.js'
import { certificates } from '../../src/services/operation/certificates.js'
import { testApp } from '../support/app.js'

const day = 86_400_000
const minute = 60_000

const app = await testApp({
  environment: 'production',
  tls: 'off',
  client_site: 'cms.example.com',
  app_secret: 'a secret of this test',
})
const { db, clock, logged } = app
const { random, log } = app.parts.ports

/** An instance with a folder of its own and an authority that the test speaks for. */
function instance(answer: (order: CertificateOrder) => Promise<Ordered>, app_secret = app.config.app_secret) {
  const orders: CertificateOrder[] = []
  const served: Certificate[] = []
  const folder = new Map<string, Certificate>()
  const runtime: Certificates = {
    read: pem => ({ pem, ...JSON.parse(pem) }),
    use: certificate => void served.push(certificate),
    load: async name => folder.get(name),
    store: async (name, certificate) => void folder.set(name, certificate),
    selfSigned: async names => certificate('self-signed', names),
    async order(order) {
      orders.push(order)
      return answer(order)
    },
    ownFiles: async () => undefined,
  }
  const config = () => ({ ...app.config, app_secret })
  const challenges = acmeChallenges(db, clock)
  const begin = () => new AutomaticCertificate(db, { runtime, challenges, clock, random, log, config })
  return { begin, orders, served, folder }
}

let serial = 0
function certificate(kind = 'issued', names: readonly string[] = ['cms.example.com']): Certificate {
  const content = { names, notBefore: clock.now(), notAfter: clock.now() + 90 * day, kind, serial: ++serial }
  return { pem: JSON.stringify(content), ...content }
}
const issue = async (): Promise<Ordered> => ({ kind: 'issued', certificate: certificate() })
const refuse = async (): Promise<Ordered> => ({ kind: 'failed', reason: 'no', retryAfterMs: undefined })

it('waits longer after each failure, over a restart of the authority, and serves what it has', async () => {
  let reply = issue
  const { begin, orders, served } = instance(() => reply())
  const source = begin()
  expect(JSON.parse((await source.first()).pem).kind).toBe('self-signed')
  expect(source.served()).toBeUndefined()
  await source.look()
  expect([orders.length, served.length]).toEqual([1, 1])
  // Nothing is due for two months.
  expect(await source.look()).toBe(60 * minute)
  clock.advance(59 * day)
  await source.look()
  expect(orders).toHaveLength(1)

  reply = refuse
  clock.advance(5 * day)
  const from = logged.length
  for (const wait of [1, 5, 30, 120, 360, 720, 720]) {
    const before = orders.length
    await source.look()
    expect(orders).toHaveLength(before + 1)
    clock.advance(wait * minute - 1000)
    await source.look()
    expect([wait, orders.length]).toEqual([wait, before + 1])
    clock.advance(wait * 6000 + 1000)
  }
  const lines = logged.slice(from).filter(({ level }) => level === 'warn')
  expect(lines.map(({ fields }) => (fields as { failures: number }).failures)).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect(source.served()).toBe(served[0])

  reply = issue
  await source.look()
  expect([
    served.length,
    await db.get(internalTables.certificates, 'acme-acme-v02.api.letsencrypt.org'),
  ]).toEqual([2, expect.objectContaining({ failures: 0, retry_at: null })])
  source.stop()
})

it('an instance takes what another one has got, and encrypted it is in the database', async () => {
  const other = instance(refuse)
  const source = other.begin()
  const adopted = await source.first()
  expect(JSON.parse(adopted.pem).kind).toBe('issued')
  await source.look()
  expect(other.orders).toHaveLength(0)
  expect([...other.folder.values()]).toEqual([adopted])
  const row = await db.get(internalTables.certificates, 'acme-acme-v02.api.letsencrypt.org')
  expect(row?.sealed).not.toContain('issued')
  source.stop()

  const stranger = instance(issue, 'another secret')
  const own = stranger.begin()
  expect(JSON.parse((await own.first()).pem).kind).toBe('self-signed')
  await own.look()
  expect(stranger.orders).toHaveLength(1)
  own.stop()
})

it('of two that are due together one orders, and the first order of a process waits for no earlier failure', async () => {
  clock.advance(80 * day)
  const failing = instance(refuse)
  const first = failing.begin()
  await first.first()
  await first.look()
  await first.look()
  expect(failing.orders).toHaveLength(1)

  let release = (): void => undefined
  const held = new Promise<void>(resolve => (release = resolve))
  let begun = (): void => undefined
  const ordering = new Promise<void>(resolve => (begun = resolve))
  const one = instance(async () => {
    begun()
    await held
    return issue()
  })
  const two = instance(issue)
  const [a, b] = [one.begin(), two.begin()]
  await Promise.all([a.first(), b.first()])
  const looking = a.look()
  await ordering
  expect(await b.look()).toBe(5000)
  release()
  await looking
  await b.look()
  expect([one.orders.length, two.orders.length]).toEqual([1, 0])
  expect(two.served.at(-1)).toMatchObject({
    serial: one.served.at(-1) && JSON.parse(one.served.at(-1)?.pem ?? '').serial,
  })
  for (const source of [first, a, b]) source.stop()
})

it('a stop ends an order, which is no failure, and another instance can order at once', async () => {
  clock.advance(80 * day)
  const waiting = instance(
    ({ signal }) =>
      new Promise(resolve =>
        signal.addEventListener('abort', () =>
          resolve({ kind: 'failed', reason: 'aborted', retryAfterMs: undefined }),
        ),
      ),
  )
  const source = waiting.begin()
  await source.first()
  const from = logged.length
  const looking = source.look()
  while (waiting.orders.length === 0) await new Promise(resolve => setTimeout(resolve, 5))
  source.stop()
  await looking
  expect(logged.slice(from).filter(({ level }) => level === 'warn')).toEqual([])
  const next = instance(issue)
  const other = next.begin()
  await other.first()
  await other.look()
  expect(next.orders).toHaveLength(1)
  other.stop()
})

it('a certificate that is due as soon as it is issued is served, and not ordered again at once', async () => {
  clock.advance(80 * day)
  const old = { ...certificate(), notBefore: clock.now() - 80 * day, notAfter: clock.now() + 10 * day }
  const { begin, orders, served } = instance(async () => ({ kind: 'issued', certificate: old }))
  const source = begin()
  await source.first()
  const before = served.length
  for (let look = 0; look < 3; look++) await source.look()
  expect([orders.length, served.slice(before)]).toEqual([1, [old]])
  expect(logged.at(-1)?.fields).toMatchObject({
    reason: expect.stringContaining('clock'),
    retry_in_s: expect.any(Number),
  })
  source.stop()
})

it('the authority’s own wait is kept, also after hours', async () => {
  clock.advance(80 * day)
  const limited = instance(async () => ({ kind: 'failed', reason: 'too many', retryAfterMs: 600 * minute }))
  const source = limited.begin()
  await source.first()
  await source.look()
  clock.advance(599 * minute)
  await source.look()
  expect(limited.orders).toHaveLength(1)
  clock.advance(2 * minute)
  await source.look()
  expect(limited.orders).toHaveLength(2)
  source.stop()
})

it('key authorisations are found by their kind and subject, for an hour, and by nothing odd', async () => {
  const { present, withdraw, find } = acmeChallenges(db, clock)
  await present('http-01', 'token', 'token.print')
  await present('tls-alpn-01', 'cms.example.com', 'other.print')
  expect(await find('http-01', 'token')).toBe('token.print')
  expect(await find('tls-alpn-01', 'token')).toBeUndefined()
  for (const odd of ['', '../token', 'token\0', 'x'.repeat(300), 'http-01:token'])
    expect(await find('http-01', odd)).toBeUndefined()
  await present('http-01', 'token', 'again.print')
  expect(await find('http-01', 'token')).toBe('again.print')
  await withdraw('http-01', 'token')
  expect(await find('http-01', 'token')).toBeUndefined()
  clock.advance(61 * minute)
  expect(await find('tls-alpn-01', 'cms.example.com')).toBeUndefined()
  await present('http-01', 'next', 'next.print')
  expect((await db.findAll(internalTables.acmeChallenges)).map(row => row.challenge_key)).toEqual([
    'http-01:next',
  ])
})

it('has no state where HTTPS is not served here', () => {
  expect(certificates(db, { clock, random, log, config: () => app.config }).state()).toBeUndefined()
})
