import { execFile, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { axe, browserFlags, executablePath, rules } from '../support/browser.js'
import { callerOf, made } from '../support/calls.js'
import { migratedDatabase } from '../support/database.js'
import { installedPackages } from '../support/installed.js'
import { freePort, startProduct } from '../support/process.js'
import { testStorage } from '../support/storage.js'

const run = promisify(execFile)
const posts = 12
const secret = 'a secret of the test'

const packages = await installedPackages('examples/next', 'next-site')
/** The example as somebody has copied it, with packages of its own: the bundler takes none from other folders. */
const folder = mkdtempSync(join(tmpdir(), 'slugline-next-'))
const example = join(folder, 'next')
cpSync('examples/next', example, {
  recursive: true,
  filter: path => !/node_modules|\/\.next/.test(path.slice('examples/next'.length)),
})
cpSync(join(packages, 'node_modules'), join(example, 'node_modules'), {
  recursive: true,
  verbatimSymlinks: true,
  filter: path => !path.includes('@slugline'),
})
cpSync('packages/client', join(example, 'node_modules/@slugline/client'), { recursive: true })

const sitePort = await freePort()
const siteUrl = `http://127.0.0.1:${sitePort}`
const storage = await testStorage({ readable: true })
const { address, drop } = await migratedDatabase()
const product = await startProduct(address, {
  config: {
    ...storage.config,
    i18n_enabled: true,
    cors_origins: [siteUrl],
    preview_url: `${siteUrl}/preview`,
  },
})
const call = await callerOf(product)
const key: string = (await made(call('POST', '/tokens', { label: 'Site' }))).token

const asked: string[] = []
const proxy = createServer(async (request, response) => {
  asked.push(`${request.method} ${request.url}`)
  const answer = await fetch(product.url + request.url, { redirect: 'manual' })
  const [type, location] = ['content-type', 'location'].map(name => answer.headers.get(name))
  response.writeHead(answer.status, { 'Content-Type': type ?? '', ...(location && { Location: location }) })
  response.end(await answer.text())
})
const proxyPort = await freePort()
const env = {
  ...{ PATH: process.env.PATH, HOME: folder },
  ...{ NEXT_TELEMETRY_DISABLED: '1', WEBHOOK_SECRET: secret },
  ...{ SLUGLINE_URL: `http://127.0.0.1:${proxyPort}`, SLUGLINE_PUBLIC_URL: product.url },
}
const html = async (path: string) => (await fetch(siteUrl + path)).text()

let server: ReturnType<typeof spawn> | undefined
beforeAll(async () => {
  await new Promise<void>(done => proxy.listen(proxyPort, '127.0.0.1', done))
  await run('node', ['seed.mjs', String(posts)], {
    cwd: 'examples/eleventy',
    env: { PATH: process.env.PATH, SLUGLINE_URL: product.url, SLUGLINE_KEY: key },
  })
  await made(call('POST', '/redirects', { slug: '/old', target: '/posts/post-1' }))
})
afterAll(async () => {
  server?.kill()
  await new Promise(done => proxy.close(done))
  rmSync(folder, { recursive: true, force: true })
  await drop()
})

it('is built with one request for each list and language, again after a build', async () => {
  for (const _ of ['first', 'second']) {
    asked.length = 0
    await run('npm', ['run', 'build'], { cwd: example, env, maxBuffer: 2 ** 26 })
    expect(asked.toSorted()).toEqual([
      'GET /api/v1/query/menu?limit=200&locale=de&children=1',
      'GET /api/v1/query/menu?limit=200&locale=en&children=1',
      'GET /api/v1/query/post?limit=200&locale=de&sort=-date',
      'GET /api/v1/query/post?limit=200&locale=en&sort=-date',
    ])
  }
  const text = readFileSync(join(example, '.next/server/app/de/beitraege/beitrag-1.html'), 'utf8')
  expect(text).toContain('<html lang="de"')
  expect(text).toContain('Beitrag 1 &lt;von vielen&gt;')
})

it('serves every post in both languages without a request, and leads from old addresses', async () => {
  const [node, next] = [process.execPath, join(example, 'node_modules/next/dist/bin/next')]
  server = spawn(node, [next, 'start', '-H', '127.0.0.1', '-p', String(sitePort)], {
    cwd: example,
    env,
    stdio: 'ignore',
  })
  await expect
    .poll(() =>
      fetch(siteUrl).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200)
  asked.length = 0
  for (let n = 1; n <= posts; n++)
    for (const path of [`/posts/post-${n}`, `/de/beitraege/beitrag-${n}`]) {
      const text = await html(path)
      expect([n, text.includes('<picture>')]).toEqual([n, n % 4 !== 0])
      expect(text).toContain(`href="/de/beitraege/beitrag-${n}" lang="de"`)
    }
  expect(asked).toEqual([])
  const old = await fetch(`${siteUrl}/old`, { redirect: 'manual' })
  expect([old.status, old.headers.get('location')]).toEqual([308, '/posts/post-1'])
  expect((await fetch(`${siteUrl}/nothing`)).status).toBe(404)
})

it('works in a browser: pages, search, and a draft that follows the editor', async () => {
  const browser = await chromium.launch({ executablePath: executablePath ?? '', args: browserFlags })
  const page = await browser.newPage()
  const problems: string[] = []
  page.on('pageerror', error => problems.push(error.message))
  for (const path of ['/', '/de', '/posts/post-1', '/search']) {
    await page.goto(siteUrl + path)
    await page.evaluate(axe)
    const found = await page.evaluate(
      `axe.run({ runOnly: ${JSON.stringify(rules)} }).then(({ violations }) => violations.map(({ id }) => id))`,
    )
    expect([path, found]).toEqual([path, []])
  }
  await page.goto(`${siteUrl}/posts/post-1`)
  await page.waitForFunction('document.images[0].complete && document.images[0].naturalWidth > 0')
  expect(await page.evaluate('document.images[0].currentSrc')).toMatch(/\.webp$/)

  await page.goto(`${siteUrl}/de/search`, { waitUntil: 'networkidle' })
  await page.getByRole('searchbox').fill('Worum')
  await page.locator('.results mark').first().waitFor()
  expect(await page.locator('.results a').first().getAttribute('href')).toMatch(/^\/de\/beitraege\//)

  const [{ datatype_id }] = (await made(call('GET', '/datatypes'))).filter(
    ({ name }: { name: string }) => name === 'post',
  )
  const { entry } = await made(
    call('POST', '/pages', { slug: '/soon', title: 'Soon', datatype_id, fields: { teaser: 'A draft' } }),
  )
  const { content_data_id } = entry
  const link = await made(call('POST', '/content/preview-links', { content_data_id }))
  const followed = page.waitForResponse(/preview\/events/)
  await page.goto(link.url)
  await page.getByText('A draft').waitFor()
  expect(page.url()).toBe(`${siteUrl}/soon`)
  expect((await fetch(`${siteUrl}/soon`)).status).toBe(404)
  await followed
  await made(call('PUT', `/content?q=${content_data_id}`, { fields: { teaser: 'Saved a moment ago' } }))
  await page.getByText('Saved a moment ago').waitFor()
  await made(call('DELETE', `/content/preview-links?q=${link.preview_link_id}`))
  await page.getByText('This preview is over.').waitFor()
  expect(problems).toEqual([])
  await browser.close()
  await made(call('POST', '/content/publish', { content_data_id }))
})

it('shows what is published after a signed webhook, and takes no other', async () => {
  expect(await html('/')).not.toContain('href="/soon"')
  const body = JSON.stringify({ id: '1', event: 'content.published' })
  const send = (signature: string) =>
    fetch(`${siteUrl}/webhook`, { method: 'POST', body, headers: { 'X-CMS-Signature': signature } })
  expect((await send('00')).status).toBe(401)
  expect(await html('/')).not.toContain('href="/soon"')
  expect((await send(createHmac('sha256', secret).update(body).digest('hex'))).status).toBe(200)
  await expect.poll(() => html('/')).toContain('href="/soon"')
})
