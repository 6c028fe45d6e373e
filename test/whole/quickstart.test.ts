import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import sharp from 'sharp'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { systemActorFor } from '../../src/actor.js'
import { loadSampleSite } from '../../src/cli/sample-site.js'
import { makeSampleWebhooks } from '../../src/cli/sample-webhooks.js'
import { tables } from '../../src/db/tables.js'
import { temporaryFile } from '../../src/node/temporary-files.js'
import { testApp } from '../support/app.js'
import { engine } from '../support/database.js'
import { freePort, productEnv, runProduct } from '../support/process.js'
import { testStorage } from '../support/storage.js'

it('loads a site that looks like something, once', async () => {
  const store = await testStorage()
  const { call, db, services, users, audits, clock } = await testApp({ ...store.config, i18n_enabled: true })
  const roleId = await services.access.systemRole('admin')
  const admin = { ...systemActorFor(users.admin), roleId, surface: 'cli' } as const
  const options = {
    ...{ localized: true, now: clock.now() },
    picture: async (name: string) => {
      const drawn = await sharp({ create: { width: 700, height: 400, channels: 3, background: '#d9583b' } })
      const file = await temporaryFile(Readable.from([await drawn.webp().toBuffer()]))
      return { ...file, name: `${name}.webp` }
    },
  }
  expect(await loadSampleSite(services, admin, options)).toBe(true)
  const page = async (path: string) => (await call('GET', `${path}?format=clean`, { as: 'nobody' })).body
  const home = await page('/')
  expect(home).toMatchObject({ type: 'page', title: 'Freilauf – the bicycle workshop', slug: '/' })
  expect(home.children.map(({ type }: { type: string }) => type)).toEqual(['hero', 'section'])
  expect(home.children[0]).toMatchObject({ headline: 'Ride on, dear bicycle 🚲', mood: 'bright' })
  expect(home.children[1].children).toEqual([
    expect.objectContaining({ type: 'card', price: '39', popular: 'true' }),
    expect.objectContaining({ type: 'card', price: '119.5', popular: 'false' }),
    expect.objectContaining({ type: 'card', price: '25', popular: 'true' }),
  ])
  for (const slug of ['/about', '/blog', '/blog/winter-chain', '/blog/silent-brakes'])
    expect(await page(slug)).toMatchObject({ slug, type: expect.any(String) })
  const globals = await call('GET', '/api/v1/globals?format=clean&status=published', { as: 'viewer' })
  expect(globals.body).toMatchObject([
    { type: 'navigation', children: [{ path: '/' }, { path: '/about' }, { path: '/blog' }] },
  ])

  const before = (await audits()).length
  expect(await loadSampleSite(services, admin, options)).toBe(false)
  expect((await audits()).length).toBe(before)
  expect(await db.count(tables.routes)).toBe(8)

  // Two languages, eight pictures with alt texts in both, three people, two scheduled posts and a draft.
  const native = async (path: string) => (await call('GET', `${path}?format=native`, { as: 'nobody' })).body
  const heimat = await native('/de')
  expect(heimat.title).toBe('Freilauf – die Fahrradwerkstatt')
  expect(heimat.children[0].fields).toMatchObject({
    headline: 'Roll weiter, liebes Fahrrad 🚲',
    picture: { alt: 'Die Werkstatt mit rotem Dach, davor zwei Fahrräder', thumbhash: expect.any(String) },
  })
  const { body: media } = await call('GET', '/api/v1/media')
  expect(media).toHaveLength(8)
  for (const { alt_text, translations } of media)
    expect([alt_text, translations.de.alt_text]).not.toContain('')
  const roles = await Promise.all(
    ['editor', 'viewer'].map(role => services.access.systemRole(role as 'editor')),
  )
  const accounts = (await db.findAll(tables.users)).filter(({ email }) => /@freilauf\.example$/.test(email))
  expect(accounts.map(({ username, role }) => [username, role])).toEqual([
    ['zoe', roles[0]],
    ['emile', roles[0]],
    ['ines', roles[1]],
  ])
  expect(await services.space.publishing.planned(9)).toHaveLength(2)
  await makeSampleWebhooks(services, db, admin, clock.now())
  const { body: hooks } = await call('GET', '/api/v1/admin/webhooks')
  expect(hooks.map(({ name }: { name: string }) => name)).toEqual(['Rebuild the site', 'Search index'])
  const { body: deliveries } = await call('GET', `/api/v1/admin/webhooks/${hooks[1].webhook_id}/deliveries`)
  const published = deliveries.filter(({ event }: { event: string }) => event === 'content.published')
  for (const { payload } of published) {
    const { slug } = payload.data
    expect([slug, (await call('GET', slug, { as: 'nobody' })).status]).toEqual([slug, 200])
  }
  expect(published.length).toBeGreaterThan(6)
  const outcomes = deliveries.map(({ status }: { status: string }) => status)
  expect([outcomes.length, outcomes.filter((status: string) => status === 'failed').length]).toEqual([10, 2])
  for (const slug of ['/blog/true-wheel', '/blog/open-evening', '/blog/spring-check'])
    expect((await call('GET', slug, { as: 'nobody' })).status).toBe(404)
  const authors = new Set((await audits()).map(({ user_id }) => user_id))
  expect([...authors]).toEqual(expect.arrayContaining([accounts[0]?.user_id, accounts[1]?.user_id]))

  // Without locales and media it is the same site in one language, without pictures.
  const plain = await testApp()
  const bare = { localized: false, now: plain.clock.now() }
  const other = {
    ...admin,
    ...systemActorFor(plain.users.admin),
    roleId: await plain.services.access.systemRole('admin'),
  }
  expect(await loadSampleSite(plain.services, { ...other, surface: 'cli' }, bare)).toBe(true)
  const shown = await plain.call('GET', '/?format=native', { as: 'nobody' })
  expect(shown.body.children[0].fields).toMatchObject({ headline: 'Ride on, dear bicycle 🚲' })
})

/** An empty folder that is gone after the test. */
function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'slugline-quickstart-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
}

/** Starts a command in a terminal's way, as a process group, and reads what it prints until it is ready. */
async function started(command: string, args: string[], cwd: string) {
  // What the test runner sets is not in a user's environment.
  const env = { ...productEnv, HOME: process.env.HOME }
  const child: ChildProcess = spawn(command, args, { cwd, env, detached: true })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', data => (output += data))
  const ended = new Promise<Ended>(done => child.once('close', (code, signal) => done({ code, signal })))
  const toAll = (signal: NodeJS.Signals) => process.kill(-(child.pid ?? 0), signal)
  const isOver = () => child.exitCode !== null || child.signalCode !== null
  onTestFinished(async () => {
    try {
      toAll('SIGKILL')
    } catch {
      // Nobody of the group is left.
    }
    await ended
  })
  const isReady = () => /Stop with Ctrl-C/.test(output)
  await vi.waitUntil(() => isReady() || isOver(), { timeout: 180_000, interval: 50 })
  if (!isReady()) throw new Error(`${command} ended with ${(await ended).code}: ${output}`)
  const line = (name: string) => new RegExp(`^ *${name} +(.+)$`, 'm').exec(output)?.[1] ?? ''
  return {
    output,
    site: line('Public site'),
    api: line('API'),
    documentation: line('Documentation'),
    examples: [...output.matchAll(/curl '([^']+)'/g)].map(([, url]) => url ?? ''),
    login: { email: line('Administrator'), password: line('Password') },
    ended,
    interrupt: () => toAll('SIGINT'),
    terminate: () => child.kill('SIGTERM'),
  }
}
/** A port that another program has, and a configuration that names it. */
async function takenPort() {
  const taken = createServer().listen(0)
  await vi.waitUntil(() => taken.listening, { timeout: 180_000 })
  onTestFinished(() => void taken.close())
  const { port } = taken.address() as AddressInfo
  const database = { db_driver: 'sqlite', db_url: './modula.db' }
  const settings = { environment: 'local', port: `:${port}`, ...database, bucket_endpoint: 'file:./media' }
  return { folder: emptyFolder(), port, configuration: JSON.stringify(settings) }
}

type Started = Awaited<ReturnType<typeof started>>

async function signIn({ api }: Started, login: object): Promise<string> {
  const answer = await fetch(`${api}/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(login),
  })
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('admin@example.com')])
  return answer.headers.get('set-cookie')?.split(';')[0] ?? ''
}

// It runs on SQLite whatever engine is under test.
describe.runIf(engine === 'sqlite')('the first command', () => {
  it('of the README builds, serves what it prints, and stops with Ctrl-C', { timeout: 180_000 }, async () => {
    const checkout = emptyFolder()
    for (const name of ['package.json', 'tsconfig.json', 'build.mjs', 'cli.ts', 'src', 'migrations'])
      cpSync(name, join(checkout, name), { recursive: true })
    symlinkSync(resolve('node_modules'), join(checkout, 'node_modules'))
    const shown = await started('npm', ['run', 'quickstart'], checkout)

    expect(shown.output).toContain(`serves a sample site from ${join(checkout, 'quickstart')}`)
    for (const name of ['cms.config.json', 'modula.db'])
      expect([name, statSync(join(checkout, 'quickstart', name)).mode & 0o777]).toEqual([name, 0o600])
    expect(shown.examples).toHaveLength(2)
    const pages = await Promise.all(shown.examples.map(url => fetch(url).then(answer => answer.json())))
    expect(pages).toMatchObject([{ slug: '/' }, { slug: '/about' }])
    const contentful = await fetch(`${shown.site}about?format=contentful`)
    expect(await contentful.json()).toMatchObject({ sys: { type: 'Array' } })
    const documentation = await fetch(shown.documentation)
    expect([documentation.status, await documentation.text()]).toEqual([200, expect.stringMatching(/<html/i)])

    const Cookie = await signIn(shown, shown.login)
    const form = new FormData()
    form.set('file', new Blob(['a text']), 'a.txt')
    const upload = await fetch(`${shown.api}/media/upload`, {
      method: 'POST',
      headers: { Cookie },
      body: form,
    })
    expect([upload.status, await upload.json()]).toEqual([201, expect.objectContaining({ name: 'a.txt' })])
    const backup = await fetch(`${shown.api}/admin/backups`, { method: 'POST', headers: { Cookie } })
    const { location } = (await backup.json()) as { location: string }
    expect(dirname(location)).toBe(join(checkout, 'quickstart/backups'))

    shown.interrupt()
    await shown.ended
    await expect(fetch(shown.site)).rejects.toThrow('fetch failed')

    // A signal to npm alone, as a supervisor sends it, leaves no server behind.
    const again = await started('npm', ['run', 'quickstart'], checkout)
    expect((await fetch(again.site)).status).toBe(200)
    again.terminate()
    await again.ended
    const isGone = () =>
      fetch(again.site).then(
        () => false,
        () => true,
      )
    await expect.poll(isGone, { timeout: 180_000 }).toBe(true)
  })

  it('D39: shows the first password although its port is taken, and ends with 0', async () => {
    const { folder, configuration, port } = await takenPort()
    mkdirSync(join(folder, 'quickstart'))
    writeFileSync(join(folder, 'quickstart', 'cms.config.json'), configuration)
    const first = await started(process.execPath, [resolve('dist/cli.js'), 'quickstart'], folder)
    expect(first.output).toContain(`(port ${port} is taken, so it listens on another one)`)
    const Cookie = await signIn(first, first.login)
    const form = new FormData()
    form.set('file', new Blob(['a text that stays']), 'a.txt')
    const upload = await fetch(`${first.api}/media/upload`, {
      method: 'POST',
      headers: { Cookie },
      body: form,
    })
    expect(upload.status).toBe(201)
    first.terminate()
    expect(await first.ended).toEqual({ code: 0, signal: null })

    const second = await started(process.execPath, [resolve('dist/cli.js'), 'quickstart'], folder)
    expect(second.login).toEqual({
      email: 'admin@example.com',
      password: 'unchanged; the first start showed it',
    })
    const again = await signIn(second, first.login)
    const [kept] = await (
      await fetch(`${second.api}/media?text=a.txt`, { headers: { Cookie: again } })
    ).json()
    const file = await fetch(kept.url)
    expect([file.status, await file.text()]).toEqual([200, 'a text that stays'])
    // What is beside the objects is nobody's.
    const outside = await fetch(`${new URL(kept.url).origin}/api/media/media/..%2f..%2fmodula.db`)
    expect(outside.status).toBe(404)
    expect(await (await fetch(second.examples[0] ?? '')).json()).toMatchObject({ slug: '/' })
    second.interrupt()
    expect(await second.ended).toEqual({ code: 0, signal: null })
  })

  it('serves a site without sample content, with media, where --empty is said', async () => {
    const folder = emptyFolder()
    const port = await freePort()
    const command = [resolve('dist/cli.js'), 'quickstart', '--empty', '--port', `127.0.0.1:${port}`]
    const shown = await started(process.execPath, command, folder)
    expect(new URL(shown.api).port).toBe(String(port))
    expect([shown.output.includes('serves a site from'), shown.examples]).toEqual([true, []])
    expect(shown.site).toBe('no page is published yet')
    const headers = { Cookie: await signIn(shown, shown.login) }
    const settings = await (await fetch(`${shown.api}/config`, { headers })).json()
    expect(settings.bucket_endpoint).toBe('file:./media')
    const listed = async (path: string) => (await fetch(`${shown.api}/${path}`, { headers })).json()
    expect([await listed('datatypes'), await listed('routes')]).toEqual([[], []])
    const body = new FormData()
    body.set('file', new Blob(['a text']), 'a.txt')
    expect((await fetch(`${shown.api}/media/upload`, { method: 'POST', headers, body })).status).toBe(201)
    const make = async (path: string, one: object) => {
      const json = { ...headers, 'Content-Type': 'application/json' }
      const sent = { method: 'POST', headers: json, body: JSON.stringify(one) }
      return (await fetch(`${shown.api}/${path}`, sent)).json()
    }
    const { datatype_id } = await make('datatypes', { label: 'Note', type: 'content' })
    const { route_id } = await make('routes', { slug: '/hello', title: 'Hello' })
    await make('content', { datatype_id, route_id, status: 'published' })

    // What a command beside its folder advises works, and finds the media that are uploaded.
    const beside = await runProduct(['media', 'list'], { cwd: folder })
    expect([beside.code, beside.err]).toEqual([
      1,
      expect.stringContaining('use --config quickstart/cms.config.json'),
    ])
    const config = ['--config', 'quickstart/cms.config.json']
    expect(await runProduct(['media', 'list', ...config], { cwd: folder })).toMatchObject({
      code: 0,
      out: expect.stringContaining('a.txt'),
    })
    const doctor = await runProduct(['doctor', ...config], { cwd: folder })
    expect([doctor.code, doctor.out]).toEqual([
      0,
      expect.stringContaining(
        `storage: ${join(folder, 'quickstart/media/media')} stores, returns and deletes objects`,
      ),
    ])
    const backup = join(folder, 'site.tar.gz')
    expect(await runProduct(['backup', 'create', backup, ...config], { cwd: folder })).toMatchObject({
      code: 0,
    })
    shown.interrupt()
    expect(await shown.ended).toEqual({ code: 0, signal: null })

    const second = await started(process.execPath, command, folder)
    expect(second.examples).toHaveLength(1)
    for (const url of [second.site, ...second.examples])
      expect([url, (await fetch(url)).status]).toEqual([url, 200])
    second.interrupt()
    await second.ended
  })

  it('and serve show it although serving fails', async () => {
    const { folder, configuration } = await takenPort()
    writeFileSync(join(folder, 'cms.config.json'), configuration)
    await expect(started(process.execPath, [resolve('dist/cli.js'), 'serve'], folder)).rejects.toThrow(
      /ended with 1: .*Password, shown only once: \S{24}\n.*EADDRINUSE/s,
    )
  })
})
