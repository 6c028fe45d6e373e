import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { selfSignedCertificate } from '../../src/node/self-signed.js'
import { engine, freshDatabase } from '../support/database.js'
import { type Pebble, pebbleMissing, startPebble } from '../support/pebble.js'
import { freePort, type Product, startProduct } from '../support/process.js'
import { secureFetch, shownCertificate } from '../support/tls-client.js'

/** Nothing here takes longer unless it hangs, in milliseconds. */
const patience = 120_000
const host = 'cms.test'
const names = [host, 'www.cms.test']

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'slugline-certificates-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

async function database() {
  const { address, drop } = await freshDatabase()
  onTestFinished(drop)
  return address
}

async function until(what: string, product: Product, holds: () => Promise<boolean> | boolean): Promise<void> {
  const late = Date.now() + patience
  while (!(await holds())) {
    if (Date.now() > late) throw new Error(`not within ${patience} ms: ${what}: ${product.output()}`)
    await sleep(50)
  }
}

async function certificateOf({ url }: Product): Promise<unknown> {
  const answer = await fetch(`${url}/api/v1/health`)
  const { checks } = (await answer.json()) as { checks: { certificate?: string } }
  return checks.certificate
}

const isServed = (product: Product) =>
  until('a certificate is served', product, async () => (await certificateOf(product)) === 'ok')

const settings = (directoryUrl: string, sslPort: number, more: object = {}) => ({
  environment: 'production',
  ssl_port: `127.0.0.1:${sslPort}`,
  cert_dir: folder(),
  client_site: names[0],
  admin_site: names[1],
  acme_directory_url: directoryUrl,
  acme_email: 'operator@example.com',
  log_level: 'info',
  ...more,
})

const linesOf = (product: Product): { level: number; msg: string; [field: string]: unknown }[] =>
  product
    .output()
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line))

/** Asks without a pause, on new connections and on kept ones, until it is told to end. */
function hammer(sslPort: number, { root }: Pebble) {
  const failures: unknown[] = []
  const serials = new Map<string, number>()
  const ending = new AbortController()
  const kept = new Agent({ keepAlive: true, maxSockets: 2 })
  const ask = async (agent: Agent | undefined, name: string) => {
    while (!ending.signal.aborted) {
      try {
        const target = { port: sslPort, ca: root, host: name, ...(agent ? { agent } : {}) }
        const { status, serial } = await secureFetch('/api/v1/health', target)
        if (status !== 200) failures.push(status)
        serials.set(serial, (serials.get(serial) ?? 0) + 1)
      } catch (error) {
        failures.push(error)
      }
      await sleep(100)
    }
  }
  const asking = [ask(undefined, host), ask(undefined, 'www.cms.test'), ask(kept, host)]
  return {
    failures,
    serials,
    async end() {
      ending.abort()
      await Promise.all(asking)
      kept.destroy()
    },
  }
}

async function renewedUnderLoad(acme_challenge: 'http-01' | 'tls-alpn-01'): Promise<void> {
  const [port, sslPort] = [await freePort(), await freePort()]
  const pebble = await startPebble({ httpPort: port, tlsPort: sslPort, validitySeconds: 30 })
  const config = settings(pebble.directoryUrl, sslPort, { acme_challenge })
  const product = await startProduct(await database(), {
    port,
    config,
    env: { NODE_EXTRA_CA_CERTS: pebble.caFile },
  })
  await isServed(product)
  const load = hammer(sslPort, pebble)
  await until('the renewed one is served', product, () => {
    const [, second = 'none'] = pebble.issued()
    return (load.serials.get(second) ?? 0) > 10
  })
  await load.end()
  expect(load.failures).toEqual([])
  const [first = '', second = ''] = pebble.issued()
  expect([...load.serials.keys()].slice(0, 2)).toEqual([first, second])
  expect(load.serials.get(first)).toBeGreaterThan(10)
  for (const name of names)
    expect((await shownCertificate(sslPort, { servername: name })).names.split(', ').sort()).toEqual(
      names.map(one => `DNS:${one}`),
    )
  for (const file of readdirSync(config.cert_dir))
    expect([file, statSync(join(config.cert_dir, file)).mode & 0o777]).toEqual([file, 0o600])
  expect(await product.stop()).toBe(0)
  expect(product.output()).not.toContain('PRIVATE KEY')
  expect(linesOf(product).filter(({ level }) => level > 30)).toEqual([])
  expect(pebble.output().includes('Attempting to validate w/ HTTP:')).toBe(acme_challenge === 'http-01')
}

const note = pebbleMissing ? ` (skipped: ${pebbleMissing})` : ''

describe.skipIf(pebbleMissing)(`a certificate authority${note}`, () => {
  it.runIf(engine === 'sqlite')('issues and renews by each challenge, and no request under load fails', () =>
    Promise.all((['http-01', 'tls-alpn-01'] as const).map(renewedUnderLoad)),
  )

  it('is asked once by instances that share a database, whichever it reaches', async () => {
    const [port, sslPort] = [await freePort(), await freePort()]
    const pebble = await startPebble({ httpPort: port, tlsPort: sslPort })
    const address = await database()
    // The one that is reached cannot order: it does not trust the authority.
    const reached = await startProduct(address, { port, config: settings(pebble.directoryUrl, sslPort) })
    await until('its order has failed', reached, () =>
      linesOf(reached).some(({ msg }) => msg === 'no certificate was issued'),
    )
    expect(await certificateOf(reached)).toBe('pending')
    expect((await shownCertificate(sslPort, { servername: host })).names).toContain(`DNS:${host}`)
    const sslPorts = [sslPort, await freePort(), await freePort()]
    const others = await Promise.all(
      sslPorts.slice(1).map(other =>
        startProduct(address, {
          config: settings(pebble.directoryUrl, other),
          env: { NODE_EXTRA_CA_CERTS: pebble.caFile },
        }),
      ),
    )
    for (const product of [reached, ...others]) await isServed(product)
    expect(pebble.issued()).toHaveLength(1)
    for (const one of sslPorts)
      expect((await secureFetch('/api/v1/health', { port: one, ca: pebble.root, host })).serial).toBe(
        pebble.issued()[0],
      )
    expect(linesOf(reached).filter(({ msg }) => msg === 'no certificate was issued')).toEqual([
      expect.objectContaining({
        level: 40,
        failures: 1,
        names,
        reason: expect.stringMatching(/certificate/),
      }),
    ])
    for (const product of [reached, ...others]) expect(await product.stop()).toBe(0)
  })

  it.runIf(engine === 'sqlite')(
    'is not asked again after a restart, also where the folder is empty',
    async () => {
      const [port, sslPort] = [await freePort(), await freePort()]
      const pebble = await startPebble({ httpPort: port, tlsPort: sslPort })
      const address = await database()
      const env = { NODE_EXTRA_CA_CERTS: pebble.caFile }
      const app_secret = 'a secret of this test'
      for (let start = 0; start < 2; start++) {
        const config = settings(pebble.directoryUrl, sslPort, { app_secret })
        const product = await startProduct(address, { port, config, env })
        await isServed(product)
        expect(await product.stop()).toBe(0)
      }
      expect(pebble.issued()).toHaveLength(1)
    },
  )

  it.runIf(engine === 'sqlite')('that refuses a domain leaves a reason in the log', async () => {
    const [port, sslPort] = [await freePort(), await freePort()]
    // It looks for the challenge where nobody answers.
    const pebble = await startPebble({ httpPort: await freePort(), tlsPort: sslPort })
    const product = await startProduct(await database(), {
      port,
      config: settings(pebble.directoryUrl, sslPort),
      env: { NODE_EXTRA_CA_CERTS: pebble.caFile },
    })
    await until('its order has failed', product, () =>
      linesOf(product).some(({ msg }) => msg === 'no certificate was issued'),
    )
    const [failure] = linesOf(product).filter(({ level }) => level > 30)
    expect(failure).toMatchObject({ reason: expect.stringMatching(/connection refused/i), failures: 1 })
    expect(failure?.retry_in_s).toBeGreaterThanOrEqual(60)
    expect(await product.stop()).toBe(0)
  })
})

it.runIf(engine === 'sqlite')(
  'a certificate that is due is served on while the authority is away, with one line a try',
  async () => {
    const [port, sslPort, away] = [await freePort(), await freePort(), await freePort()]
    const cert_dir = folder()
    const monthsAgo = Date.now() - 300 * 86_400_000
    const { pem } = await selfSignedCertificate(names, monthsAgo)
    mkdirSync(cert_dir, { recursive: true })
    writeFileSync(join(cert_dir, `acme-127.0.0.1_${away}.pem`), pem)
    const config = settings(`https://127.0.0.1:${away}/dir`, sslPort, { cert_dir })
    const product = await startProduct(await database(), { port, config })
    await until('its order has failed', product, () =>
      linesOf(product).some(({ msg }) => msg === 'no certificate was issued'),
    )
    expect(await certificateOf(product)).toBe('ok')
    expect((await secureFetch('/api/v1/health', { port: sslPort, ca: pem, host })).status).toBe(200)
    expect(linesOf(product).filter(({ level }) => level > 30)).toEqual([
      expect.objectContaining({ failures: 1, reason: expect.stringContaining('ECONNREFUSED') }),
    ])
    expect(await product.stop()).toBe(0)
  },
)
