import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { commands } from '../../src/cli/commands.js'
import { runLine } from '../../src/cli/program.js'
import { siteCommands } from '../../src/cli/site-commands.js'
import { internalTables, tables } from '../../src/db/tables.js'
import { timestamp } from '../../src/ids.js'
import { testApp } from '../support/app.js'
import { freshDatabase } from '../support/database.js'
import { factories } from '../support/factories.js'
import { uploader } from '../support/media.js'
import { runProduct, startProduct } from '../support/process.js'
import { runFrom, servingCommands } from '../support/remote.js'
import { newKey, publicKeyOf, sshOf } from '../support/ssh.js'
import { testStorage } from '../support/storage.js'
import { unread } from '../support/terminal.js'

/** Each command with arguments that fit, on each surface that lists it: the machine's command line, and SSH. */

const folder = mkdtempSync(join(tmpdir(), 'slugline-every-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const storage = await testStorage()
const app = await testApp({ ...storage.config, webhook_enabled: true })
const config = join(folder, 'cms.config.json')
const inFile = (address: object) =>
  JSON.stringify({
    environment: 'local',
    webhook_enabled: true,
    ...address,
    ...storage.config,
    backup_dir: join(folder, 'backups'),
  })
const { db_driver, db_url, db_name, db_username, db_password } = app.config
writeFileSync(config, inFile({ db_driver, db_url, db_name, db_username, db_password }))
const ssh = await sshOf(app)
const key = await ssh.keyOf('admin')
const rows = factories(app)
const upload = uploader(app)

let made = 0
/** A name that no other case has. */
const fresh = (word: string) => `${word}${++made}`
const record = async (path: string, body: object, id: string): Promise<string> => {
  const answer = await app.call('POST', `/api/v1${path}`, { body })
  expect([path, answer.status, answer.text]).toEqual([path, 201, answer.text])
  return answer.body[id]
}

const post = await rows.datatype('Post', { visibility: 'public' })
await rows.field(post.datatype_id, 'Title', 'text')
const routeId = () => record('/routes', { slug: `/${fresh('page')}`, title: 'A page' }, 'route_id')
const entryId = async (status = 'draft') =>
  (await rows.entry(post.datatype_id, { route_id: await routeId() }, { status, fields: { title: 'Winter' } }))
    .content_data_id as string
const userEmail = async () => {
  const email = `${fresh('user')}@example.com`
  await record('/users', { email, password: 'a long enough password' }, 'user_id')
  return email
}
const userId = () =>
  record('/users', { email: `${fresh('user')}@example.com`, password: 'a long enough password' }, 'user_id')
const guardedEmail = async () => {
  const email = await userEmail()
  const user = await app.db.find(tables.users, { email })
  const factor = { user_id: user?.user_id ?? '', secret: 'x', confirmed_at: timestamp(app.clock.now()) }
  await app.db.write(systemActor, tx => tx.insert(tables.secondFactors, factor))
  return email
}
const datatypeId = () => record('/datatypes', { label: fresh('Kind'), type: 'content' }, 'datatype_id')
const fieldId = () =>
  record('/fields', { parent_id: post.datatype_id, label: fresh('Field'), field_type: 'text' }, 'field_id')
const roleId = () => record('/roles', { label: fresh('role') }, 'role_id')
const tokenId = () => record('/tokens', { user_id: app.users.admin, label: fresh('key') }, 'token_id')
const redirectId = () => record('/redirects', { slug: `/${fresh('old')}`, target: '/' }, 'redirect_id')
const trashId = async () => {
  const id = await entryId()
  await app.call('DELETE', `/api/v1/content?q=${id}`)
  return (await app.call('GET', `/api/v1/trash?content_data_id=${id}`)).body[0].trash_id as string
}
const commentId = async () =>
  record('/comments', { content_data_id: await entryId(), body: 'Is this right?' }, 'comment_id')
/** A language that no other case has. */
const freshLocale = () => ({ code: `de-x-${fresh('l')}`, label: 'A language' })
const localeId = () => record('/locales', freshLocale(), 'locale_id')
const webhook = () => ({ name: fresh('hook'), url: 'https://example.com/', events: ['content.published'] })
const mediaId = async () => (await upload(`${fresh('file')}.txt`, 'a file')).body.media_id as string
const versionIds = async () => {
  const id = await entryId()
  const versions: string[] = []
  for (const title of ['one', 'two']) {
    await app.call('PUT', `/api/v1/content?q=${id}`, { body: { fields: { title } } })
    versions.push(await record('/content/versions', { content_data_id: id }, 'content_version_id'))
  }
  return { id, versions }
}
const failedDelivery = async () => {
  const webhook_id = await app.subscribe()
  const delivery_id = app.parts.ids.ulid()
  await app.db.write(systemActor, tx =>
    tx.insertInternal(internalTables.webhookDeliveries, {
      delivery_id,
      webhook_id,
      event: 'content.published',
      payload: '{}',
      status: 'failed',
      attempts: 5,
      last_status_code: 500,
      completed_at: timestamp(app.clock.now()),
    }),
  )
  return delivery_id
}
const author = { author_id: app.users.admin }
const json = (value: object) => JSON.stringify({ ...author, ...value })

interface Line {
  readonly args: readonly string[]
  readonly input?: string
  /** What a person types where it is not shown. */
  readonly secret?: string
  /** It goes on until it is ended, which this shows it to be ready for. */
  readonly isEndless?: true
  /** Its exit code, if that is not 0. */
  readonly code?: number
  readonly variables?: Readonly<Record<string, string>>
}
type Case = () => Promise<Line> | Line

const none: Case = () => ({ args: [] })
const one =
  (id: () => Promise<string>, ...more: string[]): Case =>
  async () => ({ args: [await id(), ...more] })

/** By the words of the command. */
const cases: Readonly<Record<string, Case>> = {
  'user create': () => ({ args: [`${fresh('user')}@example.com`], secret: 'a long enough password' }),
  'user password': async () => ({ args: [await userEmail()], secret: 'another long password' }),
  'user reset-second-factor': async () => ({ args: [await guardedEmail()] }),
  'user role': async () => ({ args: [await userEmail(), 'editor'] }),
  'user list': none,
  'user get': one(userId),
  'user delete': one(userId, '--yes'),
  'roles list': none,
  'roles get': () => ({ args: ['editor'] }),
  'roles delete': one(roleId, '--yes'),
  'roles create': () => ({ args: [], input: JSON.stringify({ label: fresh('role') }) }),
  'roles update': async () => ({ args: [await roleId()], input: JSON.stringify({ label: fresh('role') }) }),
  'keys list': none,
  'keys add': () => ({ args: ['--label', 'laptop'], input: publicKeyOf(newKey()) }),
  'keys remove': one(async () => (await ssh.keyOf('admin')).id, '--yes'),
  'token create': async () => ({ args: [await userEmail(), '--read-only'] }),
  'token revoke': one(tokenId),
  'token update': async () => ({ args: [await tokenId()], input: '{"rate_limit":600}' }),
  'token list': none,
  'token get': one(tokenId),
  'token delete': one(tokenId, '--yes'),
  'media regenerate': none,
  'media upload': () => ({ args: ['-', '--name', `${fresh('file')}.txt`], input: fresh('a file ') }),
  'media list': none,
  'media get': one(mediaId),
  'media delete': one(mediaId, '--yes'),
  'content list': none,
  'content get': one(entryId),
  'content delete': one(entryId, '--yes'),
  'content create': async () => ({
    args: [],
    input: json({ datatype_id: post.datatype_id, route_id: await routeId() }),
  }),
  'content update': async () => ({ args: [await entryId()], input: '{"fields":{"title":"Other"}}' }),
  'content publish': one(entryId),
  'content unpublish': one(() => entryId('published')),
  'content schedule': one(entryId, '--publish', '2040-01-01T00:00:00Z'),
  'content export': none,
  'content import': async () => ({
    args: [],
    input: `${JSON.stringify({ datatype: 'post', slug: `/${fresh('page')}`, fields: { title: 'New' } })}\n`,
  }),
  'trash list': none,
  'trash get': one(trashId),
  'trash delete': one(trashId, '--yes'),
  'trash restore': one(trashId),
  'comments list': none,
  'comments get': one(commentId),
  'comments delete': one(commentId, '--yes'),
  'comments create': async () => ({
    args: [],
    input: JSON.stringify({ content_data_id: await entryId(), body: 'Is this right?' }),
  }),
  'comments update': async () => ({ args: [await commentId()], input: '{"resolved":true}' }),
  'config get': () => ({ args: ['publish_mode'] }),
  'config set': () => ({ args: ['webhook_max_retries', '4', '--dry-run'] }),
  'content check': none,
  'content repair': none,
  'versions list': one(async () => (await versionIds()).id),
  'versions compare': async () => ({ args: (await versionIds()).versions }),
  'versions restore': one(async () => (await versionIds()).versions[0] ?? ''),
  'pages create': () => ({
    args: [],
    input: json({ slug: `/${fresh('page')}`, title: 'New', datatype_id: post.datatype_id }),
  }),
  'routes list': none,
  'routes get': one(routeId),
  'routes delete': one(routeId, '--yes'),
  'routes create': () => ({ args: [], input: json({ slug: `/${fresh('page')}`, title: 'New' }) }),
  'routes update': async () => ({ args: [await routeId()], input: '{"title":"Other"}' }),
  'datatypes list': none,
  'datatypes get': one(datatypeId),
  'redirects list': none,
  'redirects get': one(redirectId),
  'redirects delete': one(redirectId, '--yes'),
  'redirects create': () => ({ args: [], input: json({ slug: `/${fresh('old')}`, target: '/' }) }),
  'redirects update': async () => ({ args: [await redirectId()], input: '{"status":301}' }),
  'locales list': none,
  'locales get': one(localeId),
  'locales delete': one(localeId, '--yes'),
  'locales create': () => ({ args: [], input: JSON.stringify(freshLocale()) }),
  'locales update': async () => ({ args: [await localeId()], input: '{"label":"Other"}' }),
  'datatypes delete': one(datatypeId, '--yes'),
  'datatypes create': () => ({ args: [], input: json({ label: fresh('Kind'), type: 'content' }) }),
  'datatypes update': async () => ({ args: [await datatypeId()], input: '{"sort_order":3}' }),
  'fields list': none,
  'fields get': one(fieldId),
  'fields delete': one(fieldId, '--yes'),
  'fields create': () => ({
    args: [],
    input: json({ parent_id: post.datatype_id, label: fresh('Field'), field_type: 'text' }),
  }),
  'fields update': async () => ({ args: [await fieldId()], input: '{"sort_order":3}' }),
  query: () => ({ args: ['post', 'title=Winter', '--limit', '5'] }),
  search: () => ({ args: ['winter', '--type', 'post'] }),
  go: () => ({ args: ['winter'] }),
  'webhooks list': none,
  'webhooks get': one(() => app.subscribe()),
  'webhooks delete': one(() => app.subscribe(), '--yes'),
  'webhooks create': () => ({ args: [], input: JSON.stringify(webhook()) }),
  'webhooks update': async () => ({ args: [await app.subscribe()], input: '{"name":"Other"}' }),
  // Nobody answers there.
  'webhooks test': async () => ({ args: [await app.subscribe()], code: 1 }),
  'webhooks replay': async () => ({ args: [await app.subscribe(), '--from', '2026-01-01T00:00:00Z'] }),
  'deliveries list': one(() => app.subscribe()),
  'deliveries tail': () => ({ args: [], isEndless: true }),
  'deliveries retry': one(failedDelivery),
  'audit list': () => ({ args: ['--limit', '5'] }),
  // Of the machine and of the app, whose clocks differ, the latter alone.
  'audit tail': () => ({ args: ['--user', app.users.admin], isEndless: true }),
  'backup create': () => ({ args: ['-'] }),
  'backup list': none,
  top: none,
  'model pull': none,
  'model plan': () => ({ args: [], input: '{}' }),
  'model apply': () => ({
    args: [],
    input: JSON.stringify({ datatypes: [{ name: fresh('kind'), label: 'Kind', type: 'content' }] }),
  }),
  types: none,
  compat: none,
}

/** What is for the machine alone. */
const localCases: Readonly<Record<string, () => Promise<Line & { config?: string }>>> = {
  init: async () => ({
    args: ['--environment', 'local', '--db-driver', 'sqlite', '--db-url', './new.db', '--tls', 'off'],
    config: join(folder, `${fresh('new')}.json`),
  }),
  doctor: async () => ({ args: [] }),
  'config check': async () => ({ args: [] }),
  'content edit': async () => ({ args: [await entryId()], variables: { EDITOR: 'true' } }),
  'migrate up': async () => ({ args: [] }),
  'migrate status': async () => ({ args: [] }),
  'backup verify': async () => ({ args: [await backupFile()], config: '' }),
  async 'backup restore'() {
    const { address, drop } = await freshDatabase()
    afterAll(drop)
    const path = join(folder, `${fresh('empty')}.json`)
    writeFileSync(path, inFile(address))
    return { args: [await backupFile()], config: path }
  },
  import: async () => ({
    args: ['wordpress', resolve('test/fixtures/import/wordpress.xml'), '--without-files'],
  }),
  twin: async () => ({ args: ['--to', join(folder, fresh('twin')), '--once'] }),
  openapi: async () => ({ args: [] }),
  completion: async () => ({ args: ['bash'], config: '' }),
  version: async () => ({ args: [], config: '' }),
}
/** `serve` and `quickstart` serve until they are ended, the others need another server: they have tests of their own. */
const served = ['serve', 'quickstart', 'compare', 'login', 'logout']

async function backupFile(): Promise<string> {
  const path = join(folder, `${fresh('backup')}.tar.gz`)
  expect(await here('backup create', { args: [path] })).toMatchObject({ code: 0, err: '' })
  return path
}

/** Commands whose records have an author that no member of their input names. */
const signed = new Set([
  'webhooks create',
  'media upload',
  'content import',
  'trash restore',
  'comments create',
])

/** On the machine, in this process. */
async function here(words: string, { args, input, secret, isEndless, variables = {} }: Line, file = config) {
  const ended = { code: 0, out: '', err: '' }
  const stopping = new AbortController()
  const write = (some: string) => {
    ended.out += some
  }
  // Nobody is signed in here.
  const named = signed.has(words) ? ['--author', 'admin@example.com'] : []
  const own = [...args, ...named, ...(file ? ['--config', file] : [])]
  const running = runLine(commands, [...words.split(' '), ...own], {
    ...unread,
    write,
    writeBytes: bytes => write(Buffer.from(bytes).toString('latin1')),
    writeError(some) {
      ended.err += some
    },
    writeSurely: () => undefined,
    readSecret: async () => secret ?? '',
    ask: undefined,
    async *input() {
      yield Buffer.from(input ?? '')
    },
    isInteractive: false,
    stopped: stopping.signal,
    variables,
  })
  if (isEndless)
    await telling(
      () => ended.out,
      () => stopping.abort(),
    )
  ended.code = await running
  return ended
}

/** Changes things until an endless command has told of it, then ends it. */
async function telling(out: () => string, end: () => void): Promise<void> {
  await expect
    .poll(
      async () => {
        await app.call('PUT', `/api/v1/content?q=${await entryId('published')}`, {
          body: { fields: { title: fresh('title') } },
        })
        return out()
      },
      { timeout: 180_000, interval: 200 },
    )
    .not.toBe('')
  end()
}

/** Over SSH, by the user who has the key. */
async function there(words: string, { args, input, secret, isEndless }: Line) {
  const line = [...words.split(' '), ...args].map(arg => `'${arg}'`).join(' ')
  if (!isEndless) return ssh.ssh(line, { key: key.file, input: input ?? (secret ? `${secret}\n` : '') })
  const client = await ssh.client({ username: 'admin@example.com', password: 'correct horse' })
  return new Promise<{ code: number | null; out: string; err: string }>((done, fail) =>
    client.exec(line, (error, channel) => {
      if (error) return fail(error)
      const ended = { code: null as number | null, out: '', err: '' }
      channel.on('data', (some: Buffer) => (ended.out += some))
      channel.stderr.on('data', (some: Buffer) => (ended.err += some))
      channel.on('exit', (code: number | null) => (ended.code = code))
      channel.on('close', () => done(ended))
      telling(
        () => ended.out,
        () => channel.signal('INT'),
      ).catch(fail)
    }),
  )
}

it('has a line for each command of the table', () => {
  expect(Object.keys(cases).sort()).toEqual(siteCommands.map(({ words }) => words).sort())
  const all = [...Object.keys(cases), ...Object.keys(localCases), ...served]
  expect(all.sort()).toEqual(commands.map(({ words }) => words).sort())
})

describe('on the machine', () => {
  const listed = commands.filter(({ words, isHidden }) => cases[words] && !isHidden)
  it.each(listed.map(({ words }) => words))('%s', async words => {
    await entryId('published')
    const line = await (cases[words] ?? none)()
    expect(await here(words, line)).toMatchObject({ code: line.code ?? 0, err: expect.any(String) })
  })

  it.each(Object.keys(localCases))('%s', async words => {
    const line = await localCases[words]?.()
    expect(await here(words, line ?? { args: [] }, line?.config)).toMatchObject({
      code: 0,
      err: expect.any(String),
    })
  })

  it.each(commands.filter(({ isHidden }) => isHidden).map(({ words }) => words))(
    '%s, which no help lists, says where it is',
    async words => {
      expect(await here('help', { args: [] }, '')).toMatchObject({
        code: 0,
        out: expect.not.stringMatching(/^ {2}keys /m),
      })
      const { code, out, err } = await here(words, await (cases[words] ?? none)())
      expect([code, out]).toEqual([1, ''])
      expect(err).toBe(
        `slugline: the command needs a signed-in user: ssh -p <ssh_port> <e-mail address>@<host> ${words}\n`,
      )
    },
  )

  it('serve and quickstart', async () => {
    const { address, drop } = await freshDatabase()
    afterAll(drop)
    expect(await (await startProduct(address)).stop()).toBe(0)
    for (const words of served)
      expect(await runProduct([words, '--help'], { cwd: folder })).toMatchObject({ code: 0, err: '' })
  })
})

describe('over SSH', () => {
  it.each(Object.keys(cases))('%s', async words => {
    await entryId('published')
    const line = await (cases[words] ?? none)()
    expect(await there(words, line)).toMatchObject({ code: line.code ?? 0, err: expect.any(String) })
  })
})

describe('from another machine', async () => {
  const remote = await servingCommands(app)
  // Keys are those of the caller, whom the machine does not have.
  const read = Object.keys(cases).filter(
    words => / (list|get|check|pull)$|^(types|compat|query|search)$/.test(words) && words !== 'keys list',
  )

  it.each(Object.keys(cases))('%s', async words => {
    await entryId('published')
    const line = await (cases[words] ?? none)()
    const stopping = new AbortController()
    const given = { ...line, stopped: stopping.signal }
    const running = runFrom(remote, [...words.split(' '), ...line.args], given)
    if (line.isEndless) {
      await telling(running.out, () => stopping.abort())
      await expect(running.ended).rejects.toThrow()
    } else expect(await running.ended).toMatchObject({ code: line.code ?? 0, err: expect.any(String) })
  })

  it.each(read)('%s writes what it writes on the machine', async words => {
    const line = await (cases[words] ?? none)()
    const { code, out, err } = await here(words, line)
    const listed = await runFrom(remote, [...words.split(' '), ...line.args], line).ended
    expect(listed).toEqual({ code, out, err, asked: [] })
  })
})
