import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { runAs, type SiteCommand } from '../../src/cli/command.js'
import { commands } from '../../src/cli/commands.js'
import { connect } from '../../src/db/connect.js'

import { testApp } from '../support/app.js'
import { callerOf, made } from '../support/calls.js'
import { freshDatabase } from '../support/database.js'
import { runProduct, startProduct } from '../support/process.js'
import { runHere, unread } from '../support/terminal.js'

const password = 'a password of mine'

/** The service, running, and its command line beside it. */
async function site() {
  const { address, drop } = await freshDatabase()
  onTestFinished(drop)
  const product = await startProduct(address)
  const call = await callerOf(product)
  /** Of the built product, as it is typed. */
  const shell = (text: string, input = '') =>
    runProduct(text.split(' '), { cwd: product.folder, ...(input ? { input } : {}) })
  /** The same without the time that a process takes to start. */
  const line = async (text: string, secret = '') => {
    const { code, out, err } = await runHere(
      [...text.split(' '), '--config', join(product.folder, 'cms.config.json')],
      { secret },
    )
    return { code, out, err }
  }
  return { address, product, call, shell, line }
}

describe('accounts by the command line, while the service runs', () => {
  it('are made, get roles and keys, and all of it is in the audit log', async () => {
    const { product, call, shell, line } = await site()
    const created = await shell(
      'user create ada@example.com --role editor --name Ada --json',
      `${password}\n`,
    )
    expect(created).toMatchObject({ code: 0, err: '' })
    const user = JSON.parse(created.out)
    expect(user).toMatchObject({
      email: 'ada@example.com',
      role_label: 'editor',
      name: 'Ada',
      username: 'ada',
    })
    const signIn = await fetch(`${product.url}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: 'ada@example.com', password }),
    })
    expect(signIn.status).toBe(200)

    expect(await line('user role ada@example.com viewer')).toEqual({
      code: 0,
      out: 'The account ada@example.com has the role viewer.\n',
      err: '',
    })
    expect((await made(call('GET', `/users/?q=${user.user_id}`))).role_label).toBe('viewer')

    const key = await shell('token create admin@example.com --label build --read-only --expires-in 90d')
    expect(key).toEqual({
      code: 0,
      out: expect.stringMatching(/^slk_\S+\n$/),
      err: 'slugline: this key of admin@example.com is shown only once\n',
    })
    const bearer = { Authorization: `Bearer ${key.out.trim()}`, Cookie: '' }
    expect((await call('GET', '/users', undefined, bearer)).status).toBe(200)
    expect((await call('POST', '/routes', { slug: '/x', title: 'x' }, bearer)).status).toBe(403)

    const limited = await line('token create admin@example.com --permissions content:read,routes:read --json')
    expect(JSON.parse(limited.out)).toMatchObject({
      permissions: ['content:read', 'routes:read'],
      read_only: false,
    })
    const own = await line('token create admin@example.com --limits locales=en own --rate-limit 600 --json')
    expect(JSON.parse(own.out)).toMatchObject({ limits: { locales: ['en'], own: true }, rate_limit: 600 })
    const events = await made(call('GET', '/audit-events'))
    const ours = events.filter(({ surface }: { surface: string }) => surface === 'cli')
    expect(ours.map((event: Record<string, unknown>) => [event.operation, event.table_name])).toEqual([
      ['INSERT', 'tokens'],
      ['INSERT', 'tokens'],
      ['INSERT', 'tokens'],
      ['DELETE', 'sessions'],
      ['UPDATE', 'users'],
      ['INSERT', 'users'],
    ])
    expect(ours.at(-1)).toMatchObject({ user_id: null, user_agent: 'slugline user create' })
    expect(JSON.stringify(events)).not.toContain(password)
  })

  it('have roles with limits, as JSON on standard input', async () => {
    const { call, shell, line } = await site()
    const created = await shell('roles create --json', '{"label":"French","limits":{"locales":["en"]}}')
    expect([created.code, JSON.parse(created.out).limits]).toEqual([0, { locales: ['en'] }])
    const changed = await shell('roles update French --json', '{"limits":{"own":true}}')
    expect([changed.code, JSON.parse(changed.out).limits]).toEqual([0, { own: true }])
    const { out } = await line('roles get French --json')
    expect(JSON.parse(out).limits).toEqual({ own: true })
    for (const [given, sentence] of [
      ['{"limits":{"datatypes":["nothing"]}}', 'limits.datatypes: there is no nothing'],
      ['{"limits":{"media":["x"]}}', 'limits: Unrecognized key: "media"'],
      ['{"limit":null}', 'limit: unknown member. Did you mean limits?'],
    ]) {
      const refused = await shell('roles update French', given)
      expect(refused).toEqual({ code: 1, out: '', err: `slugline: ${sentence}\n` })
    }
    expect((await shell('roles update French', '{"limits":null}')).code).toBe(0)
    const roles = await made(call('GET', '/roles'))
    const french = roles.find(({ label }: { label: string }) => label === 'French')
    expect(french.limits).toBeNull()
  })

  it('are refused in one sentence, and nothing is made', async () => {
    const { call, line, shell } = await site()
    const before = await made(call('GET', '/audit-events'))
    const refusals: [string, string, string][] = [
      [
        'user create b@example.com --role editr',
        password,
        'role: there is no role editr: did you mean editor?',
      ],
      ['user create b@example.com', 'short', 'password: must have at least 8 characters'],
      ['user create nobody', password, 'email: must be an e-mail address'],
      ['user create admin@example.com', password, 'email already exists'],
      [
        'user role admin@example.com viewer',
        '',
        'the last administrator cannot be deleted or get a different role',
      ],
      ['user role nobody@example.com viewer', '', 'no account has the e-mail address nobody@example.com'],
      ['token create nobody@example.com', '', 'no account has the e-mail address nobody@example.com'],
      [
        'token create admin@example.com --expires-in soon',
        '',
        'expires-in: must be a duration such as "90d" or "12h"',
      ],
      [
        'token create admin@example.com --permissions content:raed',
        '',
        'permissions: there is no permission content:raed: did you mean content:read?',
      ],
    ]
    const key = 'token create admin@example.com'
    refusals.push(
      [`${key} --limits datatypes=nothing`, '', 'limits.datatypes: there is no nothing'],
      [`${key} --limits routes=/a,/b own`, '', 'limits.routes: there is no /a'],
      [`${key} --rate-limit many`, '', 'rate_limit: must be a number'],
      [`${key} --rate-limit 0`, '', 'rate_limit: must be at least 1'],
      [`${key} --rate-limit 100001`, '', 'rate_limit: must be at most 100000'],
    )
    const none = 'standard input is empty: it must contain the JSON'
    const [id] = JSON.parse((await line('user list --json')).out)
    refusals.push(
      ['routes create', '', none],
      [`routes update ${id.user_id}`, '', none],
      [
        'keys list',
        '',
        'the command needs a signed-in user: ssh -p <ssh_port> <e-mail address>@<host> keys list',
      ],
      [`content schedule ${id.user_id}`, '', 'add --publish or --unpublish, with a time or never'],
    )
    for (const [text, input, sentence] of refusals)
      expect([text, await line(text, input)]).toEqual([
        text,
        { code: 1, out: '', err: `slugline: ${sentence}\n` },
      ])
    for (const [input, sentence] of [
      [
        '{"slug":"/x","title":"X"}',
        'author_id: is required: add --author with the e-mail address of an account (slugline user list shows the accounts)',
      ],
      ['{bad', 'standard input is not JSON'],
    ] as const)
      expect(await shell('routes create', input)).toEqual({
        code: 1,
        out: '',
        err: `slugline: ${sentence}\n`,
      })
    expect(await made(call('GET', '/audit-events'))).toEqual(before)
  })
})

describe('content by the command line', () => {
  it('is checked and repaired while the service runs', async () => {
    const { address, call, line } = await site()
    const { datatype_id } = await made(call('POST', '/datatypes', { label: 'Page', type: '_global' }))
    const { field_id } = await made(
      call('POST', '/fields', { label: 'Title', field_type: 'text', parent_id: datatype_id }),
    )
    const entry = async (parent_id: string | null) =>
      (await made(call('POST', '/content', { datatype_id, parent_id, fields: { title: 'much too long' } })))
        .content_data_id as string
    const root = await entry(null)
    const child = await entry(root)
    expect(await line('content check')).toEqual({ code: 0, out: 'Nothing is damaged.\n', err: '' })

    // A circle, as only somebody with a database client of their own can make one.
    const dialect = await connect(address)
    await dialect
      .transaction(tx =>
        tx.run('update content_data set parent_id = ? where content_data_id = ?', [child, root]),
      )
      .finally(() => dialect.close())
    await made(call('PUT', `/fields?q=${field_id}`, { data: { maxLength: 5 } }))
    const circle = [root, child].sort().join(', ')
    const damage = `content: 2 entries are their own ancestors: ${circle}`
    const values = `content: the field title (${field_id}) has values that break its rules: published 0, drafts 2`
    const found = await line('content check')
    expect([found.code, found.out.split('\n')]).toEqual([1, expect.arrayContaining([damage, values])])
    const report = JSON.parse((await line('content check --json')).out)
    expect(report.spaces[0]).toMatchObject({
      space: 'content',
      damage: { circular: [root, child].sort() },
      broken_values: [{ field_id, name: 'title', published: 0, drafts: 2 }],
    })
    const repaired = await line('content repair')
    expect([repaired.code, repaired.out]).toEqual([1, expect.stringContaining(`repaired: ${damage}`)])
    expect((await line('content check')).out).toBe(`${values}\n`)
  })
})

const { services, users, audits } = await testApp()

describe('a command of a site', () => {
  // What anybody may ask refuses by what is asked for, as the API does.
  const ofSites = commands.filter(
    (command): command is SiteCommand => 'work' in command && command.access !== 'public',
  )

  it.each(ofSites.map(command => [command.words, command] as const))(
    '%s is refused to nobody, and to a viewer without the permission, before it does anything',
    async (_, command) => {
      const before = await audits()
      const io = {
        ...unread,
        write() {},
        writeError() {},
        isInteractive: false,
        readSecret: async () => password,
      }
      const call = { io, options: {}, given: ['x@example.com', 'viewer'] }
      const viewer = {
        ...systemActor,
        userId: users.viewer,
        roleId: await services.access.systemRole('viewer'),
      }
      const message =
        command.access === 'signed-in'
          ? 'no valid credentials'
          : `the permission ${command.access} is missing`
      const refused = (await services.access.can(viewer, command.access))
        ? [systemActor]
        : [systemActor, viewer]
      for (const actor of refused)
        await expect(runAs(actor, services, command, call)).rejects.toMatchObject({
          status: 403,
          message: expect.stringContaining(message),
        })
      expect(await audits()).toEqual(before)
    },
  )
})

describe('slugline types', () => {
  it('writes what the service shows at /api/v1/types.ts', async () => {
    const { call, line } = await site()
    await made(call('POST', '/datatypes', { label: 'Blog post', type: 'content' }))
    const written = await line('types')
    expect([written.code, written.err]).toEqual([0, ''])
    expect(written.out).toContain('export type BlogPost = Entry<"blogPost", BlogPostFields>')
    expect(written.out).toBe((await call('GET', '/types.ts')).body)
  })
})

describe('slugline compat', () => {
  it('shows what datatypes and fields are called in other systems', async () => {
    const { line, call } = await site()
    const story = await made(
      call('POST', '/datatypes', { label: 'News story', type: 'content', visibility: 'public' }),
    )
    await made(call('POST', '/fields', { parent_id: story.datatype_id, label: 'Cover', field_type: 'media' }))
    const [shown] = JSON.parse((await line('compat --json')).out)
    expect(shown).toMatchObject({
      wordpress: 'news-stories',
      strapi: 'news-stories',
      single: 'news-story',
      picture: 'cover',
    })
    expect((await line('compat')).out).toContain('/compat/wordpress/wp-json/wp/v2/news-stories')
  })
})
