import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { browserFlags, chromiumMissing, executablePath } from '../support/browser.js'
import { clientSite, toured } from '../support/client-site.js'
import { installedPackages } from '../support/installed.js'
import { freePort, portListens } from '../support/process.js'

/** A site on another origin than the service. Its page takes the tour, and sends what it has seen. */
const sitePort = await freePort()
const siteUrl = `http://127.0.0.1:${sitePort}`
const { here, change } = await clientSite([siteUrl])
const usual = await toured(here, [process.execPath])

/** Without what each tour changes in the draft. */
const settled = (seen: typeof usual) =>
  JSON.parse(JSON.stringify(seen, (name, value) => (name === 'price' ? undefined : value)))

const bundled = async (contents: string, options: object) => {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: resolve('.') },
    ...{ bundle: true, write: false, platform: 'browser', ...options },
  })
  return outputFiles[0]?.text ?? ''
}

/** Starts a program, which ends with the test, with all that it has started. */
function begun(command: string, args: readonly string[], env = process.env) {
  const child = spawn(command, args, { env, stdio: 'ignore', detached: true })
  const ended = new Promise(done => child.once('close', done))
  onTestFinished(async () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL')
    await ended
  })
}

function folder() {
  const at = mkdtempSync(join(tmpdir(), 'slugline-client-'))
  onTestFinished(() => rmSync(at, { recursive: true, force: true, maxRetries: 10 }))
  return at
}

describe('in a browser', async () => {
  const script = await bundled(
    `import * as client from './packages/client/index.js'
import { tour } from './test/support/client-tour.mjs'
const send = (path, body) => fetch(path, { method: 'POST', body })
const site = ${JSON.stringify(here)}
tour(client, { ...site, save: () => send('/save') })
  .then(JSON.stringify, error => JSON.stringify(String(error.stack)))
  .then(seen => send('/seen', seen))`,
    { format: 'iife' },
  )
  let see: (seen: typeof usual) => void = () => undefined
  const site = createServer(async (request, response) => {
    response.setHeader('Content-Type', 'text/html')
    if (request.url === '/save') await change(here.draft, { fields: { price: Date.now() } })
    if (request.url === '/seen') {
      let body = ''
      for await (const piece of request) body += piece
      see(JSON.parse(body))
    }
    response.end(request.url === '/' ? `<title>Site</title><body><script>${script}</script>` : '')
  })
  await new Promise<void>(done => site.listen(sitePort, '127.0.0.1', done))
  afterAll(() => {
    site.closeAllConnections()
    return new Promise(done => site.close(done))
  })
  const seen = () => new Promise<typeof usual>(resolve => (see = resolve))

  it.skipIf(chromiumMissing !== undefined)('does the same in Chromium', async () => {
    const answer = seen()
    const profile = `--user-data-dir=${folder()}`
    begun(executablePath ?? '', ['--headless', ...browserFlags, profile, siteUrl])
    expect(settled(await answer)).toEqual(settled(usual))
  })

  it.runIf(process.env.TEST_ALL !== undefined)('does the same in Firefox', async () => {
    const answer = seen()
    begun('firefox-esr', ['--headless', '--no-remote', '--profile', folder(), siteUrl])
    expect(settled(await answer)).toEqual(settled(usual))
  })
})

describe.runIf(process.env.TEST_ALL !== undefined)('in a runtime that the registry has', async () => {
  it('does the same on Node 22, 24 and 26', async () => {
    const at = await installedPackages('test/runtimes', 'runtimes')
    for (const version of ['22', '24', '26']) {
      const seen = await toured(here, [join(at, `node_modules/node${version}/bin/node`)])
      expect([version, settled(seen)]).toEqual([version, settled(usual)])
    }
  })

  const others = () => installedPackages('test/client-runtimes', 'client-runtimes')

  it('does the same in Bun', async () => {
    const seen = await toured(here, [join(await others(), 'node_modules/@oven/bun-linux-x64/bin/bun')])
    expect(settled(seen)).toEqual(settled(usual))
  })

  it('does the same in Deno', async () => {
    const deno = join(await others(), 'node_modules/@deno/linux-x64-glibc/deno')
    const seen = await toured(here, [
      deno,
      'run',
      '--no-config',
      '--allow-env',
      '--allow-net',
      '--allow-read',
    ])
    expect(settled(seen)).toEqual(settled(usual))
  })

  it('does the same in a worker of Cloudflare', async () => {
    const workerd = join(await others(), 'node_modules/@cloudflare/workerd-linux-64/bin/workerd')
    const [at, port] = [folder(), await freePort()]
    const worker = await bundled(`export { default } from './test/support/client-worker.mjs'`, {
      format: 'esm',
    })
    writeFileSync(join(at, 'worker.js'), worker)
    writeFileSync(
      join(at, 'config.capnp'),
      `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "tour", worker = (
      modules = [(name = "worker.js", esModule = embed "worker.js")],
      compatibilityDate = "2026-11-01",
      bindings = [(name = "SITE", text = ${JSON.stringify(JSON.stringify(here))})],
      globalOutbound = "machine")),
    (name = "machine", network = (allow = ["local", "private", "public"]))
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "tour")]
);
`,
    )
    begun(workerd, ['serve', join(at, 'config.capnp')])
    await expect.poll(() => portListens(port), { timeout: 180_000 }).toBe(true)
    const answer = await fetch(`http://127.0.0.1:${port}/`)
    expect(settled(await answer.json())).toEqual(settled(usual))
  })
})
