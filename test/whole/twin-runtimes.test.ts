import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it, onTestFinished, type TestContext } from 'vitest'
import { callerOf, made } from '../support/calls.js'
import { migratedDatabase } from '../support/database.js'
import { installedPackages } from '../support/installed.js'
import { freePort, portListens, productEnv, startProduct } from '../support/process.js'
import { fromServer, handlerFile, requestsFor, siteRequests } from '../support/twin.js'

const { address, drop } = await migratedDatabase()
afterAll(drop)
const at = mkdtempSync(join(tmpdir(), 'slugline-edge-'))
afterAll(() => rmSync(at, { recursive: true, force: true }))
const folder = join(at, 'store')
const document = readFileSync('docs/edge.md', 'utf8')

/** The example of a runtime in the documentation. */
function example(title: string): string {
  const [, code = ''] = new RegExp(`### ${title}\n[^]*?\`\`\`js\n([^]*?)\`\`\``).exec(document) ?? []
  expect([title, code]).toEqual([title, expect.stringContaining('slugline/twin')])
  return code
}

const locales = ['', 'de', 'de-CH', 'fr']
/** Deno compresses for clients that accept it, and changes ETag and Vary then. */
const plain = { 'Accept-Encoding': 'identity' }
const requests = [...requestsFor(['/', '/caf%C3%A9', '/de', '/old'], locales), ...siteRequests].map(
  request => ({
    ...request,
    headers: { ...request.headers, ...plain },
  }),
)

/** Fills a site, writes its twin, and stops the service. @returns what it has answered */
async function twinOfSite() {
  const config = { i18n_enabled: true, client_site: 'www.example.com', output_format: 'native' }
  const product = await startProduct(address, { config })
  const call = await callerOf(product)
  const post = (path: string, body: object) => made(call('POST', path, body))
  await post('/locales', { code: 'de', label: 'Deutsch', is_default: true })
  const { datatype_id } = await post('/datatypes', { label: 'Page', type: 'content', visibility: 'public' })
  await post('/fields', { label: 'Head', field_type: 'text', parent_id: datatype_id })
  for (const slug of ['/', '/café']) {
    const translations = slug === '/' ? { de: { slug: '/de', title: 'Anfang' } } : {}
    const { route_id } = await post('/routes', { slug, title: `At ${slug}`, translations })
    await post('/content', { datatype_id, route_id, status: 'published', fields: { head: 'Ein Fahrrad 🚲' } })
  }
  await post('/redirects', { slug: '/old', target: '/café' })
  const words = [resolve('dist/cli.js'), 'twin', '--to', folder, '--once']
  await promisify(execFile)(process.execPath, words, { cwd: product.folder, env: productEnv })
  const answers = await Promise.all(requests.map(request => fromServer(product.url, request)))
  const { etag } = answers[0]?.headers ?? {}
  const conditional = { path: requests[0]?.path ?? '', headers: { ...plain, 'If-None-Match': String(etag) } }
  const all = [...requests, conditional]
  const expected = [...answers, await fromServer(product.url, conditional)]
  await product.kill9()
  return async (port: number) => {
    const edge = `http://127.0.0.1:${port}`
    for (const [i, request] of all.entries())
      expect([request, await fromServer(edge, request)]).toEqual([request, expected[i]])
    expect(await fromServer(edge, { path: '/api/v1/health' })).toMatchObject({ status: 503 })
  }
}
const answersAt = await twinOfSite()

async function begun(command: string, args: readonly string[], cwd: string, port: number): Promise<void> {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] })
  const ended = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  await expect.poll(() => portListens(port), { timeout: 180_000 }).toBe(true)
}

async function runtimes({ skip }: TestContext): Promise<string> {
  return installedPackages('test/client-runtimes', 'client-runtimes').catch(error =>
    skip(`the runtimes cannot be installed: ${String(error).slice(0, 200)}`),
  )
}

const imported = pathToFileURL(handlerFile).href

it('answers as the service in Node', async () => {
  const port = await freePort()
  mkdirSync(join(at, 'node_modules'), { recursive: true })
  symlinkSync(resolve('.'), join(at, 'node_modules/slugline'))
  symlinkSync(resolve('node_modules/@hono'), join(at, 'node_modules/@hono'))
  const code = example('Node').replace('/srv/twin', folder).replace('8080', String(port))
  writeFileSync(join(at, 'server.mjs'), code)
  await begun(process.execPath, ['server.mjs'], at, port)
  await answersAt(port)
}, 300_000)

describe.runIf(process.env.TEST_ALL !== undefined)('answers as the service', () => {
  it('in Deno', async context => {
    const installed = await runtimes(context)
    const port = await freePort()
    const code = example('Deno')
      .replace('npm:slugline/twin', imported)
      .replace('/srv/twin', folder)
      .replace('Deno.serve(', `Deno.serve({ port: ${port}, hostname: '127.0.0.1' }, `)
    writeFileSync(join(at, 'server.mjs'), code)
    const deno = join(installed, 'node_modules/@deno/linux-x64-glibc/deno')
    await begun(deno, ['run', '--no-config', '--allow-net', '--allow-read', 'server.mjs'], at, port)
    await answersAt(port)
  }, 300_000)

  it('in Bun', async context => {
    const installed = await runtimes(context)
    const port = await freePort()
    const code = example('Bun')
      .replace('slugline/twin', imported.replace('file://', ''))
      .replace('/srv/twin', folder)
      .replace('8080', String(port))
    writeFileSync(join(at, 'server.mjs'), code)
    const bun = join(installed, 'node_modules/@oven/bun-linux-x64/bin/bun')
    await begun(bun, ['run', 'server.mjs'], at, port)
    await answersAt(port)
  }, 300_000)

  it('in workerd', async context => {
    const installed = await runtimes(context)
    const port = await freePort()
    const worker = `import { fetch as answer } from 'twin'
let store
export default {
  fetch(request, { TWIN }) {
    store ??= {
      async get(name) {
        const response = await TWIN.fetch('http://twin/' + name)
        return response.ok ? new Uint8Array(await response.arrayBuffer()) : undefined
      },
    }
    return answer(request, store)
  },
}
`
    writeFileSync(join(at, 'worker.js'), worker)
    writeFileSync(join(at, 'twin.js'), readFileSync(handlerFile))
    writeFileSync(
      join(at, 'config.capnp'),
      `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "edge", worker = (
      modules = [
        (name = "worker.js", esModule = embed "worker.js"),
        (name = "twin", esModule = embed "twin.js")],
      compatibilityDate = "2026-11-01",
      bindings = [(name = "TWIN", service = "objects")])),
    (name = "objects", disk = (path = ${JSON.stringify(folder)}, writable = false))
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "edge")]
);
`,
    )
    const workerd = join(installed, 'node_modules/@cloudflare/workerd-linux-64/bin/workerd')
    await begun(workerd, ['serve', 'config.capnp'], at, port)
    await answersAt(port)
  }, 300_000)
})
