import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { chromium, type Page } from 'playwright-core'
import { afterAll, expect, it } from 'vitest'
import { axe, browserFlags, executablePath, rules } from '../support/browser.js'
import { callerOf, made } from '../support/calls.js'
import { packageRegistry, packed } from '../support/package-registry.js'
import { freePort } from '../support/process.js'

const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'slugline-starters-'))
const password = 'a pass phrase of the test'
const { PATH, HOME } = process.env
const quiet = {
  ...{ ASTRO_TELEMETRY_DISABLED: '1', NEXT_TELEMETRY_DISABLED: '1', NUXT_TELEMETRY_DISABLED: '1' },
  ...{ npm_config_audit: 'false', npm_config_fund: 'false', npm_config_prefer_offline: 'true' },
}

/** What the build of each writes, and where preview links lead. */
const starters = {
  astro: { out: 'dist', preview: '/preview/' },
  eleventy: { out: '_site', preview: '/preview/' },
  next: { out: undefined, preview: '/preview' },
  nuxt: { out: '.output/public', preview: '/preview/' },
  sveltekit: { out: 'build', preview: '/preview/' },
} as const
type Starter = keyof typeof starters
const names = Object.keys(starters) as Starter[]
/** Each is installed and built before a release; a check of a change visits one. */
const built: readonly Starter[] = process.env.TEST_THOROUGH ? names : ['eleventy']

const archives = packed(folder, ['create-slugline', 'client', 'astro', 'eleventy'])
const registry = await packageRegistry(archives)
writeFileSync(join(folder, 'package.json'), '{}')
await run('npm', ['install', '--offline', '--no-audit', '--no-fund', archives['create-slugline'] ?? ''], {
  cwd: folder,
})
/** The commands that the program prints, for each starter. */
const printed = new Map<Starter, string[]>()
for (const name of names) {
  const { stdout } = await run('npm', ['create', 'slugline', name, '--', '--template', name], { cwd: folder })
  const lines = stdout.split('\n').map(line => line.trim().replace(/ +#.*$/, ''))
  printed.set(name, lines.slice(lines.indexOf(`cd ${name}`)))
}

const [servicePort, sshPort, sitePort, proxyPort] = [
  await freePort(),
  await freePort(),
  await freePort(),
  await freePort(),
]
const service = `http://127.0.0.1:${servicePort}`
const siteUrl = `http://127.0.0.1:${sitePort}`

/** The empty service beside the first starter, for all of them: with the ports of the test in its configuration. */
const configPath = join(folder, 'eleventy/cms/cms.config.json')
const config = JSON.parse(readFileSync(configPath, 'utf8'))
Object.assign(config, { port: `127.0.0.1:${servicePort}`, ssh_port: `127.0.0.1:${sshPort}` })
writeFileSync(configPath, JSON.stringify({ ...config, cors_origins: [siteUrl] }))
const quickstart = spawn(
  process.execPath,
  ['dist/cli.js', 'quickstart', '--empty', '--dir', join(folder, 'eleventy/cms')],
  { env: { PATH, CMS_ADMIN_PASSWORD: password }, stdio: ['ignore', 'pipe', 'inherit'] },
)
await new Promise<void>((done, failed) => {
  let text = ''
  quickstart.stdout.on('data', data => {
    text += data
    if (text.includes('Stop with Ctrl-C')) done()
  })
  quickstart.once('close', code => failed(new Error(`the service ended with ${code}: ${text}`)))
})

/** What a build asks for, as a proxy before the service sees it. */
const asked: string[] = []
const proxy = createServer(async (request, response) => {
  const url = new URL(request.url ?? '', service)
  const key = request.headers.authorization ? 'with a key' : 'without a key'
  asked.push(`${url.pathname} ${url.searchParams.get('locale')} ${key}`)
  const { authorization = '' } = request.headers
  const answer = await fetch(url, { headers: { authorization }, redirect: 'manual' })
  const [type, Location] = [answer.headers.get('content-type'), answer.headers.get('location')]
  response.writeHead(answer.status, { 'Content-Type': type ?? '', ...(Location && { Location }) })
  response.end(await answer.text())
})
await new Promise<void>(done => proxy.listen(proxyPort, '127.0.0.1', done))

const types: Record<string, string> = {
  ...{ '.html': 'text/html', '.css': 'text/css', '.json': 'application/json' },
  ...{ '.js': 'text/javascript', '.mjs': 'text/javascript' },
}
/** Serves files as a host of static sites does. @returns the function that ends it */
async function hosted(out: string) {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '', siteUrl).pathname)
    // A page that only leads to another has no icon of its own.
    if (path === '/favicon.ico') return void response.writeHead(204).end()
    const file = join(out, path.endsWith('/') ? `${path}index.html` : path)
    if (!existsSync(file)) return void response.writeHead(404).end()
    if (statSync(file).isDirectory()) return void response.writeHead(301, { Location: `${path}/` }).end()
    response.writeHead(200, { 'Content-Type': types[extname(file)] ?? 'application/octet-stream' })
    response.end(readFileSync(file))
  })
  await new Promise<void>(done => server.listen(sitePort, '127.0.0.1', done))
  return () => {
    server.closeAllConnections()
    return new Promise(done => server.close(done))
  }
}

const env = {
  ...{ PATH, HOME, ...quiet, CMS_ADMIN_PASSWORD: password },
  ...{ SLUGLINE_URL: `http://127.0.0.1:${proxyPort}`, SLUGLINE_PUBLIC_URL: service },
}

/** Serves pages that Next renders. @returns the function that ends it */
async function rendered(cwd: string) {
  const args = ['node_modules/next/dist/bin/next', 'start', '--hostname', '127.0.0.1', '-p', `${sitePort}`]
  const server = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise<void>((done, failed) => {
    server.stdout.on('data', data => String(data).includes('Ready') && done())
    server.once('close', code => failed(new Error(`Next ended with ${code}`)))
  })
  return async () => {
    const ended = new Promise(done => server.once('close', done))
    server.kill('SIGTERM')
    await ended
  }
}

const login = async () => {
  const answer = await fetch(`${service}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email: 'admin@example.com', password }),
  })
  return answer.headers
    .getSetCookie()
    .map(one => one.split(';')[0])
    .join('; ')
}
const call = await callerOf({ url: service, login })
const browser = await chromium.launch({ executablePath: executablePath ?? '', args: browserFlags })
const seed = [
  'npm',
  ['run', 'seed'],
  { cwd: join(folder, 'eleventy'), env: { ...env, SLUGLINE_URL: service } },
] as const
await run(...seed)
await made(call('POST', '/redirects', { slug: '/old/address', target: '/posts/post-2' }))
const { token: key } = await made(call('POST', '/tokens', { label: 'Site' }))

afterAll(async () => {
  await browser.close()
  quickstart.kill('SIGTERM')
  await new Promise(done => quickstart.once('close', done))
  await new Promise(done => proxy.close(done))
  rmSync(folder, { recursive: true, force: true })
})

/** What axe and the window say of a page: its violations, and whether it is wider than a phone. */
async function looked(page: Page) {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.evaluate(axe)
  const violations = await page.evaluate(
    `axe.run({ runOnly: ${JSON.stringify(rules)} }).then(({ violations }) => violations.map(({ id }) => id))`,
  )
  return { violations, isWider: await page.evaluate('document.documentElement.scrollWidth > innerWidth') }
}
const fine = { violations: [], isWider: false }

/** Previews a new draft: a text leads to its field, and what is saved appears. @returns what ends the preview */
async function previewed(page: Page, name: Starter) {
  const [{ datatype_id }] = (await made(call('GET', '/datatypes'))).filter(
    ({ name }: { name: string }) => name === 'post',
  )
  const { entry } = await made(
    call('POST', '/pages', {
      ...{ slug: `/soon/${name}`, title: 'Soon', datatype_id, fields: { teaser: 'A draft' } },
    }),
  )
  const { content_data_id } = entry
  const link = await made(call('POST', '/content/preview-links', { content_data_id }))
  await page.goto(`${siteUrl}${starters[name].preview}?preview=${link.token}`)
  await page.getByText('A draft').waitFor()
  expect(await looked(page)).toEqual(fine)
  await page.getByText('A draft').hover()
  expect(await page.locator('a[target=slugline]').getAttribute('href')).toContain(`${service}/admin/`)
  await made(call('PUT', `/content?q=${content_data_id}`, { fields: { teaser: 'Saved a moment ago' } }))
  await page.getByText('Saved a moment ago').waitFor()
  return async () => {
    await made(call('DELETE', `/content/preview-links?q=${link.preview_link_id}`))
    await page.getByText('This preview is over.').waitFor()
  }
}

// Nuxt alone is installed and built in three minutes beside other tests.
const patience = { timeout: 1_800_000 }

it.each(built)('%s: from npm create to a built site that is visited', patience, async name => {
  const cwd = join(folder, name)
  expect(printed.get(name)).toEqual(expect.arrayContaining(['npm install', 'npm run seed', 'npm run build']))
  const { stderr } = await run('npm', ['install'], {
    cwd,
    env: { ...process.env, ...quiet, ...registry, npm_config_ignore_scripts: 'true' },
  })
  expect(stderr).not.toContain('EBADENGINE')
  asked.length = 0
  await run('npm', ['run', 'build'], { cwd, env: { ...env, SLUGLINE_KEY: key }, maxBuffer: 2 ** 24 })
  const lists = ['menu', 'post', 'tag'].flatMap(of => ['de', 'en'].map(code => `/api/v1/query/${of} ${code}`))
  const { out } = starters[name]
  // Astro has one client for both. Next asks for a redirect when somebody follows it.
  const whose = name === 'astro' ? 'with a key' : 'without a key'
  const moved = out ? ['redirects', 'routes'].map(of => `/api/v1/${of} null with a key`) : []
  expect(asked.toSorted()).toEqual([...lists.map(list => `${list} ${whose}`), ...moved])

  const stop = out ? await hosted(join(cwd, out)) : await rendered(cwd)
  const page = await browser.newPage()
  page.setDefaultTimeout(120_000)
  const problems: string[] = []
  page.on('pageerror', error => problems.push(error.message))
  page.on(
    'console',
    message => message.type() === 'error' && problems.push(`${message.text()} ${message.location().url}`),
  )
  const slash = out ? '/' : ''
  try {
    for (const [path, title] of [
      ['/', 'Newest'],
      [`/de${slash}`, 'Neues'],
      [`/tags/cities${slash}`, 'Cities'],
      [`/de/search${slash}`, 'Suche'],
      [`/posts/post-1${slash}`, 'Post 1 <of many>'],
    ] as const) {
      await page.goto(siteUrl + path)
      await expect.poll(() => page.title()).toBe(title)
      expect([path, await looked(page)]).toEqual([path, fine])
    }
    await page.goto(`${siteUrl}/old/address${slash}`)
    await page.waitForURL(`${siteUrl}/posts/post-2${slash}`)
    await page.goto(`${siteUrl}/posts/post-1${slash}`)
    const picture = page.locator('article img')
    await picture.scrollIntoViewIfNeeded()
    await page.waitForFunction('document.images[0].complete && document.images[0].naturalWidth > 0')
    expect(await page.evaluate('document.images[0].currentSrc')).toMatch(/\.webp$/)
    // The menu and the languages lead to pages that exist.
    await page.getByRole('link', { name: 'On rivers' }).click()
    await page.getByRole('heading', { name: 'Rivers', exact: true }).waitFor()
    await page.getByRole('link', { name: 'de', exact: true }).click()
    await page.getByRole('heading', { name: 'Flüsse' }).waitFor()
    await page.getByRole('link', { name: 'Suche' }).click()
    await page.getByRole('searchbox').pressSequentially('Worum')
    await page.locator('.results mark').first().waitFor()
    await page.locator('.results a').first().click()
    await page.getByRole('heading', { name: /^Beitrag/ }).waitFor()
    const over = await previewed(page, name)
    expect(problems).toEqual([])
    await over()
  } finally {
    await page.close()
    await stop()
  }
})
