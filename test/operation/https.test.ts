import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parseConfig } from '../../src/config.js'
import { certificateIn } from '../../src/node/certificate-files.js'
import { nodeCertificates } from '../../src/node/certificates.js'
import { createLog } from '../../src/node/ports.js'
import { selfSignedCertificate } from '../../src/node/self-signed.js'
import type { Certificate } from '../../src/ports.js'
import { selfSigned } from '../../src/services/operation/certificate-sources.js'
import { engine, freshDatabase } from '../support/database.js'
import { freePort, runProduct, startProduct } from '../support/process.js'
import { secureFetch, shownCertificate } from '../support/tls-client.js'

const day = 86_400_000

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'slugline-https-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

/** Key and certificate of one PEM text, as the files of an operator. */
function writePair(at: string, pem: string): void {
  const key =
    /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----\n?/.exec(pem)?.[0] ?? ''
  for (const [name, text] of [
    ['privkey.pem', key],
    ['fullchain.pem', pem.replace(key, '')],
  ] as const) {
    writeFileSync(join(at, `${name}.new`), text)
    renameSync(join(at, `${name}.new`), join(at, name))
  }
}

async function started(config: Record<string, unknown>, start: { port?: number } = {}) {
  const { address, drop } = await freshDatabase()
  onTestFinished(drop)
  const sslPort = await freePort()
  const product = await startProduct(address, {
    ...start,
    config: { ssl_port: `127.0.0.1:${sslPort}`, log_level: 'info', ...config },
  })
  return { product, sslPort, address }
}

const checksOf = async (url: string): Promise<Record<string, unknown>> =>
  ((await (await fetch(`${url}/api/v1/health`)).json()) as { checks: Record<string, unknown> }).checks

describe.runIf(engine === 'sqlite')('development', () => {
  it('serves a self-signed certificate of the configured hosts and of this machine', async () => {
    const cert_dir = folder()
    const { product, sslPort } = await started({
      environment: 'development',
      cert_dir,
      client_site: 'cms.test',
    })
    const made = readFileSync(join(cert_dir, 'self-signed.pem'), 'utf8')
    const answer = await secureFetch('/api/v1/health', { port: sslPort, ca: made, host: 'cms.test' })
    expect([answer.status, JSON.parse(answer.text).checks.certificate]).toEqual([200, 'ok'])
    expect(answer.headers).not.toHaveProperty('strict-transport-security')
    expect((await shownCertificate(sslPort)).names).toBe(
      'DNS:cms.test, DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1',
    )
    expect(await product.stop()).toBe(0)
    expect(product.output()).not.toContain('PRIVATE KEY')
  })

  it('keeps it, and makes another one for other hosts and in time, without a restart', async () => {
    let now = Date.now()
    let config = parseConfig({ client_site: 'cms.test' }, {}).config
    const used: Certificate[] = []
    const runtime = nodeCertificates({
      folder: folder(),
      files: { cert: undefined, key: undefined },
      now: () => now,
      use: certificate => void used.push(certificate),
    })
    const begin = () =>
      selfSigned({ runtime, clock: { now: () => now }, log: createLog('silent'), config: () => config })
    const first = await begin().first()
    const again = begin()
    expect((await again.first()).pem).toBe(first.pem)
    await again.look()
    now += 264 * day
    await again.look()
    expect(used).toEqual([])
    now += 2 * day
    await again.look()
    expect(used).toEqual([expect.objectContaining({ names: first.names })])
    expect(used[0]?.notAfter).toBeGreaterThan(now + 396 * day)

    config = parseConfig({ client_site: 'https://other.test', admin_site: '192.0.2.1' }, {}).config
    const renamed = await begin().first()
    expect(renamed.names).toEqual(['other.test', 'localhost'])
    expect((await begin().first()).pem).toBe(renamed.pem)
    now -= 300 * day
    expect((await begin().first()).pem).not.toBe(renamed.pem)
  })
})

describe.runIf(engine === 'sqlite')('own files', () => {
  it('are served, read again when they change, and stay as they were while they do not belong together', async () => {
    const at = folder()
    const [first, second] = [
      await selfSignedCertificate(['cms.test'], Date.now()),
      await selfSignedCertificate(['cms.test'], Date.now()),
    ]
    writePair(at, first.pem)
    const port = await freePort()
    const { product, sslPort } = await started(
      {
        environment: 'production',
        tls: 'files',
        tls_cert_file: join(at, 'fullchain.pem'),
        tls_key_file: join(at, 'privkey.pem'),
        client_site: 'cms.test',
      },
      { port },
    )
    const ask = (pem: string) => secureFetch('/', { port: sslPort, ca: pem, host: 'cms.test' })
    const page = await ask(first.pem)
    expect([page.status, page.headers['strict-transport-security']]).toEqual([
      404,
      'max-age=31536000; includeSubDomains',
    ])
    expect(await checksOf(product.url)).toMatchObject({ certificate: 'ok' })

    writeFileSync(join(at, 'privkey.pem'), second.pem.slice(0, second.pem.indexOf('-----BEGIN CERTIFICATE')))
    while (!product.output().includes('the changed certificate cannot be used')) await sleep(50)
    expect((await ask(first.pem)).serial).toBe(page.serial)

    writePair(at, second.pem)
    while ((await shownCertificate(sslPort)).serial === page.serial) await sleep(50)
    expect((await ask(second.pem)).status).toBe(404)
    expect(product.output().match(/the changed certificate cannot be used/g)).toHaveLength(1)

    const plain = async (path: string, init: RequestInit = {}) => {
      const { status, headers } = await fetch(`${product.url}${path}`, { redirect: 'manual', ...init })
      return [status, headers.get('location')]
    }
    const secure = `https://cms.test:${sslPort}`
    expect(await plain('/a/b%20c?x=1&y=%2F')).toEqual([308, `${secure}/a/b%20c?x=1&y=%2F`])
    expect(await plain('/api/v1/content', { method: 'POST', body: '{}' })).toEqual([
      308,
      `${secure}/api/v1/content`,
    ])
    expect(await plain('/api/v1/health')).toEqual([200, null])
    expect(await plain('/.well-known/acme-challenge/unknown')).toEqual([404, null])
    expect(await plain('/.well-known/acme-challenge/..%2Fx')).toEqual([404, null])
    expect(await product.stop()).toBe(0)
  })

  it('that are missing, mixed up or without a key are refused in one line', async () => {
    const at = folder()
    const tls = { environment: 'production', tls: 'files', log_level: 'error', cert_dir: at }
    writeFileSync(join(at, 'cms.config.json'), JSON.stringify(tls))
    const { code, err } = await runProduct(['serve'], { cwd: at })
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/slugline: tls_cert_file: .*fullchain\.pem cannot be read \(ENOENT\)\n$/),
    ])
    const [one, other] = [
      await selfSignedCertificate(['cms.test'], Date.now()),
      await selfSignedCertificate(['cms.test'], Date.now()),
    ]
    writePair(at, one.pem)
    writeFileSync(join(at, 'other.pem'), other.pem)
    const read = (key?: string, cert?: string) =>
      nodeCertificates({
        folder: at,
        files: { cert: cert && join(at, cert), key: key && join(at, key) },
        now: Date.now,
        use: () => undefined,
      }).ownFiles()
    await expect(read('other.pem')).rejects.toThrow(
      /^tls_cert_file: .*fullchain\.pem: the key belongs to another certificate$/,
    )
    await expect(read('fullchain.pem')).rejects.toThrow(
      /^tls_key_file: .*fullchain\.pem must contain a private key without a password$/,
    )
    await expect(read(undefined, 'privkey.pem')).rejects.toThrow(
      /^tls_cert_file: .*privkey\.pem: holds no certificate$/,
    )
    expect((await read())?.names).toEqual(['cms.test'])
  })
})

describe.runIf(engine === 'sqlite')('a start', () => {
  it('without the certificate directory is refused', async () => {
    const at = folder()
    writeFileSync(
      join(at, 'cms.config.json'),
      JSON.stringify({ environment: 'production', cert_dir: join(at, 'missing') }),
    )
    const { code, err } = await runProduct(['serve'], { cwd: at })
    expect([code, err]).toEqual([1, expect.stringContaining('Certificate Directory path is invalid')])
  })

  it('in production without a domain serves, and says that no certificate can be ordered', async () => {
    const { product, sslPort } = await started({ environment: 'production', cert_dir: folder() })
    while (!product.output().includes('client_site has no domain')) await sleep(50)
    expect(await checksOf(product.url)).toMatchObject({ certificate: 'pending' })
    expect((await shownCertificate(sslPort)).names).toContain('DNS:localhost')
    expect(await product.stop()).toBe(0)
  })

  it('in local serves HTTP alone, and in a container on all addresses', async () => {
    const port = await freePort()
    const local = await started({ port: `127.0.0.1:${port}` }, { port })
    expect(await checksOf(local.product.url)).not.toHaveProperty('certificate')
    await expect(dial('127.0.0.1', local.sslPort)).rejects.toThrow('ECONNREFUSED')
    await expect(dial('127.0.0.2', port)).rejects.toThrow('ECONNREFUSED')
    await local.product.stop()
    const docker = await started({ environment: 'local-docker', port: `127.0.0.1:${port}` }, { port })
    await dial('127.0.0.2', port)
    const lines = docker.product
      .output()
      .split('\n')
      .filter(line => line.includes('"msg"'))
    for (const line of lines) expect(JSON.parse(line)).toHaveProperty('level')
    await docker.product.stop()
  })
})

/** @throws when nobody listens there */
const dial = (host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, host, () => {
      socket.destroy()
      resolve()
    }).once('error', reject)
  })

it.runIf(engine === 'sqlite')('reads what it has made', async () => {
  const { pem, names } = await selfSignedCertificate(['cms.test'], Date.now())
  expect(names).toEqual(['cms.test'])
  expect(certificateIn(pem)?.names).toEqual(names)
  expect(certificateIn('no certificate')).toBeUndefined()
})
