import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { callerOf, made } from '../support/calls.js'
import { engine, migratedDatabase } from '../support/database.js'
import { type Edge, edges } from '../support/edges.js'
import { freePort, portListens, productEnv, startProduct } from '../support/process.js'
import { programPath } from '../support/programs.js'
import { fromServer, requestsFor, siteRequests } from '../support/twin.js'

const run = promisify(execFile)
const { address, drop } = await migratedDatabase()
afterAll(drop)
const at = mkdtempSync(join(tmpdir(), 'slugline-edge-'))
afterAll(() => rmSync(at, { recursive: true, force: true }))
const folder = join(at, 'store')

const locales = ['', 'de', 'de-CH', 'fr']
const requests = [
  ...requestsFor(['/', '/caf%C3%A9', '/de', '/old'], locales),
  ...siteRequests,
  // nginx refuses the first two itself.
  ...['/%zz', '/b%00', `/${'a'.repeat(8300)}`, '//old', '/a%2Fb'].map(path => ({ path })),
]

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
  await run(process.execPath, words, { cwd: product.folder, env: productEnv })
  const answers = await Promise.all(requests.map(request => fromServer(product.url, request)))
  const { etag } = answers[0]?.headers ?? {}
  const conditional = { path: requests[0]?.path ?? '', headers: { 'If-None-Match': String(etag) } }
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

async function begun({ command, args, cwd }: Edge, port: number): Promise<void> {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] })
  const ended = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  await expect.poll(() => portListens(port), { timeout: 180_000 }).toBe(true)
}

it('answers as the service in Node, and behind nginx by the file of deploy', async ({ skip }) => {
  const [handlerPort, port] = [await freePort(), await freePort()]
  const place = { twin: folder, handlerPort, runtimes: '' }
  await begun(edges.node({ ...place, folder: join(at, 'node'), port: handlerPort }), handlerPort)
  await answersAt(handlerPort)
  if (!programPath('nginx') && process.env.TEST_ALL === undefined) skip('nginx is not installed')
  await begun(edges.nginx({ ...place, folder: join(at, 'nginx'), port }), port)
  await answersAt(port)
}, 300_000)

// The trial has a database of its own, so that one run is enough.
it.runIf(process.env.TEST_ALL !== undefined && engine === 'sqlite')(
  'follows edits in nginx, Bun, Deno and workerd, and answers there as the service that was killed',
  async () => {
    const trial = ['bench/trials/run.mjs', 'twin', '--pages', '12', '--seconds', '3']
    const { stdout } = await run(process.execPath, trial).catch(
      (error: { stdout: string; stderr: string }) => ({ stdout: `${error.stdout}\n${error.stderr}` }),
    )
    for (const name of ['nginx', 'bun', 'deno', 'workerd'])
      expect(stdout).toMatch(
        new RegExp(`^ok {5}answers at ${name} that differ, without the service +0 `, 'm'),
      )
    expect(stdout).not.toContain('BROKEN')
  },
  600_000,
)
