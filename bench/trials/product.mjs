// Instances of the product as processes, calls to them, and what else a site needs: an S3 store and a receiver.
import { createHmac } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { folder, freePort, listens, program, until } from './programs.mjs'

export const password = 'correct horse 27'
const root = join(import.meta.dirname, '../..')
export const cli = join(root, 'dist/cli.js')

/**
 * An instance with a folder of its own.
 * @param aheadSeconds how far its clock is ahead of this machine's; needs libfaketime
 */
export async function instance(name, config, { aheadSeconds = 0, program: first = cli } = {}) {
  const port = await freePort()
  const at = join(folder, name)
  mkdirSync(at)
  const fields = {
    ...{ port: `127.0.0.1:${port}`, ssh_enabled: false, log_level: 'warn', output_format: 'clean' },
    ...{ app_secret: 'a secret that all instances share 27', trusted_proxies: ['127.0.0.1'] },
    ...config,
  }
  writeFileSync(join(at, 'cms.config.json'), JSON.stringify(fields))
  const clock = aheadSeconds
    ? {
        LD_PRELOAD: '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1',
        FAKETIME: `${aheadSeconds > 0 ? '+' : ''}${aheadSeconds}s`,
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
      }
    : {}
  const url = `http://127.0.0.1:${port}`
  let now
  const isReady = () =>
    fetch(`${url}/api/v1/health/ready`, { signal: AbortSignal.timeout(5000) }).then(
      async answer => {
        await answer.arrayBuffer()
        return answer.ok
      },
      () => false,
    )
  return {
    ...{ name, port, url, folder: at, isReady },
    get pid() {
      return now.child.pid
    },
    get isOver() {
      return now.isOver
    },
    start(script = first) {
      now = program(name, process.execPath, [script, 'serve'], {
        cwd: at,
        env: { PATH: process.env.PATH, CMS_ADMIN_PASSWORD: password, ...clock },
      })
    },
    ready: (ms = 120_000) =>
      until(
        `${name} is ready`,
        async () => {
          if (now.isOver) throw new Error(`${name} ended: ${now.log().slice(-2000)}`)
          return (await listens(port)) && (await isReady())
        },
        { ms },
      ),
    kill: signal => now.kill(signal),
    /** Returns the messages of the log from a level on (40: warnings, 50: errors), each with how often it came. */
    messages(level) {
      const found = new Counts()
      for (const line of now.log().split('\n')) {
        if (!line.startsWith('{')) continue
        const { level: own, msg, err } = JSON.parse(line)
        if (own >= level) found.add(err?.message ? `${msg}: ${err.message.slice(0, 120)}` : msg)
      }
      return found
    },
  }
}

/** Calls the API; a connection that breaks is status 0. */
export function caller(url, headers = {}, timeout = 20_000) {
  return async (method, path, body, more = {}) => {
    const isForm = body instanceof FormData
    const type = body && !isForm ? { 'Content-Type': 'application/json' } : {}
    try {
      const answer = await fetch(url + path, {
        method,
        headers: { ...headers, ...type, ...more },
        body: isForm ? body : body && JSON.stringify(body),
        redirect: 'manual',
        signal: AbortSignal.timeout(timeout),
      })
      const text = await answer.text()
      return { status: answer.status, text, json: parsed(text), headers: answer.headers }
    } catch (error) {
      return { status: 0, text: String(error.cause?.code ?? error.name), headers: new Headers() }
    }
  }
}

function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Throws what is not a success, and returns the body of what is. */
export const must =
  call =>
  async (...args) => {
    const { status, text, json } = await call(...args)
    if (status < 200 || status > 299)
      throw new Error(`${args[0]} ${args[1]}: ${status} ${text.slice(0, 300)}`)
    return json
  }

/** Signs in as the administrator. @returns the cookie */
export async function login(url) {
  const answer = await caller(url)('POST', '/api/v1/auth/login', { email: 'admin@example.com', password })
  if (answer.status !== 200) throw new Error(`sign-in: ${answer.status} ${answer.text}`)
  return answer.headers.get('set-cookie').split(';')[0]
}

/** Starts an S3 store in a process of its own. @returns the configuration that uses it */
export async function store() {
  const port = await freePort()
  const code = `import { buildApp } from 'fauxqs'
    await buildApp({ logger: false }).listen({ port: ${port}, host: '127.0.0.1' })`
  void program('s3', process.execPath, ['--input-type=module', '-e', code], { cwd: root })
  await until('the S3 store listens', () => listens(port))
  const endpoint = `http://127.0.0.1:${port}`
  const credentials = { accessKeyId: 'key', secretAccessKey: 'secret' }
  const s3 = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials })
  for (const Bucket of ['media', 'backup']) await s3.send(new CreateBucketCommand({ Bucket }))
  return {
    ...{ bucket_media: 'media', bucket_backup: 'backup', bucket_endpoint: endpoint },
    ...{ bucket_public_url: endpoint, bucket_access_key: 'key', bucket_secret_key: 'secret' },
  }
}

/** Receives webhooks: when each delivery came, and how many were not signed with the secret. */
export async function receiver() {
  const port = await freePort()
  const came = new Map()
  const self = { url: `http://127.0.0.1:${port}/`, came, secret: '', unsigned: 0 }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    const id = request.headers['x-cms-delivery']
    const signature = createHmac('sha256', self.secret).update(body).digest('hex')
    if (signature !== request.headers['x-cms-signature']) self.unsigned++
    came.set(id, [...(came.get(id) ?? []), performance.now()])
    response.writeHead(200).end()
  })
  await new Promise(done => server.listen(port, '127.0.0.1', done))
  server.unref()
  return self
}

/** Counts by name. */
export class Counts extends Map {
  add(name, n = 1) {
    this.set(name, (this.get(name) ?? 0) + n)
  }
  total(pattern) {
    let sum = 0
    for (const [name, n] of this) if (pattern.test(name)) sum += n
    return sum
  }
  toString() {
    return [...this].map(([name, n]) => `${n} × ${name}`).join(', ') || 'none'
  }
}
