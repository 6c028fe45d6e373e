import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { get as getPlain } from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { selfSignedCertificate } from '../../src/node/self-signed.js'
import { migratedDatabase } from '../support/database.js'
import { freePort, password, portListens, startProduct } from '../support/process.js'
import { programPath } from '../support/programs.js'

/** What stands in the files of `deploy` and cannot be so in a test. */
interface Place {
  /** Of the service. */
  port: number
  plainPort: number
  sslPort: number
  /** A file with the private key and the certificate. */
  pem: string
  folder: string
}

const proxies = {
  nginx({ port, plainPort, sslPort, pem, folder }: Place) {
    const site = readFileSync('deploy/nginx.conf', 'utf8')
      .replace('127.0.0.1:8080', `127.0.0.1:${port}`)
      .replace('listen 80;', `listen 127.0.0.1:${plainPort};`)
      .replace('listen 443 ', `listen 127.0.0.1:${sslPort} `)
      .replace(/(ssl_certificate(?:_key)?) \S+;/g, `$1 ${pem};`)
    const own = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      name => `${name}_temp_path ${join(folder, name)};`,
    )
    const whole = `pid ${join(folder, 'pid')}; error_log stderr; daemon off; worker_processes 1;
events {} http { access_log off; ${own.join(' ')} ${site} }`
    return { file: whole, args: (file: string) => ['-e', 'stderr', '-c', file] }
  },
  caddy({ port, plainPort, sslPort, pem }: Place) {
    const site = readFileSync('deploy/Caddyfile', 'utf8')
      .replace('127.0.0.1:8080', `127.0.0.1:${port}`)
      .replace('example.com {', `example.com {\n\ttls ${pem} ${pem}`)
    const whole = `{\n\tadmin off\n\thttp_port ${plainPort}\n\thttps_port ${sslPort}\n}\n${site}`
    return { file: whole, args: (file: string) => ['run', '--adapter', 'caddyfile', '--config', file] }
  },
}

/** Starts a proxy by its file of `deploy`, for a service on this port. */
async function startProxy(name: keyof typeof proxies, port: number) {
  const folder = mkdtempSync(join(tmpdir(), `slugline-${name}-`))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const { pem: ca } = await selfSignedCertificate(['example.com'], Date.now())
  const pem = join(folder, 'site.pem')
  writeFileSync(pem, ca)
  const place = { port, plainPort: await freePort(), sslPort: await freePort(), pem, folder }
  const { file, args } = proxies[name](place)
  const path = join(folder, 'config')
  writeFileSync(path, file)
  mkdirSync(join(folder, 'home'))
  const child = spawn(programPath(name) ?? name, args(path), {
    env: { PATH: process.env.PATH, HOME: join(folder, 'home') },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr.on('data', data => (output += data))
  const ended = new Promise(done => child.once('exit', done))
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
  })
  await expect.poll(() => child.exitCode ?? portListens(place.sslPort), { message: output }).toBe(true)
  return { ...place, ca }
}

interface Sent {
  method?: string
  headers?: Record<string, string>
  body?: string
  /** Is called with what has come so far. Its answer `true` ends the request. */
  seen?: (text: string) => boolean
}

const asked = (
  path: string,
  { sslPort, ca }: { sslPort: number; ca: string },
  { method = 'GET', headers = {}, body, seen }: Sent = {},
) =>
  new Promise<{ status: number; headers: Record<string, string | string[] | undefined>; text: string }>(
    (resolve, reject) => {
      const to = { host: '127.0.0.1', port: sslPort, servername: 'example.com', ca, path, method }
      const sent = request({ ...to, headers: { host: 'example.com', ...headers } }, answer => {
        let text = ''
        const end = () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text })
        answer.on('end', end).on('data', data => {
          text += data
          if (!seen?.(text)) return
          end()
          sent.destroy()
        })
      })
      sent.on('error', reject).end(body)
    },
  )

it.for(['nginx', 'caddy'] as const)(
  'by the file of deploy %s ends HTTPS, names the client, and passes on large bodies and events as they come',
  async (name, { skip }) => {
    if (!programPath(name) && process.env.TEST_ALL === undefined) return skip(`${name} is not installed`)
    const { address, drop } = await migratedDatabase()
    onTestFinished(drop)
    const {
      port: _,
      metrics_port: __,
      ...config
    } = JSON.parse(readFileSync('deploy/cms.config.proxy.json', 'utf8'))
    const product = await startProduct(address, { config, env: { APP_SECRET: 'x'.repeat(32) } })
    const proxy = await startProxy(name, product.port)

    await expect.poll(async () => (await asked('/api/v1/health', proxy)).status).toBe(200)
    const plain = await new Promise<(number | string | undefined)[]>(resolve =>
      getPlain({ port: proxy.plainPort, path: '/a?b=c', headers: { host: 'example.com' } }, answer => {
        answer.resume()
        resolve([answer.statusCode, answer.headers.location?.replace(/:\d+/, '')])
      }),
    )
    expect([[301, 308].includes(Number(plain[0])), plain[1]]).toEqual([true, 'https://example.com/a?b=c'])

    const json = { 'Content-Type': 'application/json' }
    const login = await asked('/api/v1/auth/login', proxy, {
      method: 'POST',
      headers: { ...json, 'X-Forwarded-For': '192.0.2.7' },
      body: JSON.stringify({ email: 'admin@example.com', password }),
    })
    const cookie = String(login.headers['set-cookie']).split(';')[0] ?? ''
    expect([login.status, cookie]).toEqual([200, expect.stringContaining('=')])

    // The stream stays open: what is seen of it was not kept back.
    const stream = await asked('/api/v1/events', proxy, {
      headers: { Cookie: cookie, Accept: 'text/event-stream' },
      seen: text => text.includes('event: ready'),
    })
    expect(stream.status).toBe(200)
    const made = await asked('/api/v1/routes', proxy, {
      method: 'POST',
      headers: { ...json, Cookie: cookie, 'X-Forwarded-For': '192.0.2.7' },
      body: JSON.stringify({ slug: '/new', title: 'New' }),
    })
    expect(made.status).toBe(201)

    const large = await asked('/api/v1/routes', proxy, {
      method: 'POST',
      headers: { ...json, Cookie: cookie },
      body: JSON.stringify({ slug: '/large', title: 'x'.repeat(4 * 2 ** 20) }),
    })
    expect([large.status, JSON.parse(large.text).member]).toEqual([400, 'title'])
    const audit = await asked('/api/v1/audit-events?table_name=routes', proxy, {
      headers: { Cookie: cookie },
    })
    expect(JSON.parse(audit.text)[0].ip_address).toBe('127.0.0.1')
  },
)
