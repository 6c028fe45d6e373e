import { beforeAll, describe, expect, it } from 'vitest'
import { tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { callersOf } from '../support/callers.js'
import { factories } from '../support/factories.js'
import { testNetwork } from '../support/receiver.js'

const net = testNetwork()
for (const name of ['build.test', 'other.test', 'hooks.test']) net.names.set(name, ['93.184.216.34'])
const settings = {
  i18n_enabled: true,
  webhook_enabled: true,
  webhook_allow_http: true,
  environment: 'production',
}
const app = await testApp(settings, { outgoing: net.outgoing })
const { call, db } = app
const make = factories(app)
const path = '/api/v1/model'

const get = async () => (await call('GET', path)).body
const put = (body: object, query = '', headers = {}) => call('PUT', `${path}${query}`, { body, headers })
const plan = async (file: object) => (await put(file, '?dry_run=true')).body.steps
/** Rows of every table that a model file describes, and what was written about them. */
const everything = async () => {
  const { locales, datatypes, fields, roles, rolePermissions, webhooks } = tables
  const rows = []
  for (const table of [locales, datatypes, fields, roles, rolePermissions, webhooks])
    rows.push(await db.findAll(table))
  return JSON.stringify([rows, await app.audits(), await app.deliveries()])
}
const nothingChanges = async (work: () => Promise<unknown>) => {
  const before = await everything()
  await work()
  expect(await everything()).toBe(before)
}

const title = { name: 'title', label: 'Title', field_type: 'text', required: true }
const post = { name: 'post', label: 'Post', type: 'content', visibility: 'public', fields: [title] }
const hook = { name: 'Build', url: 'http://build.test/', events: ['content.published'], is_active: true }
const file = {
  locales: [{ code: 'de', label: 'Deutsch' }],
  datatypes: [
    { ...post, fields: [{ ...title, data: {}, ui_config: {}, translatable: false, sort_order: 0 }] },
  ],
  roles: [{ label: 'author', permissions: ['content:read', 'content:update'] }],
  webhooks: [hook],
}

beforeAll(() => app.subscribe(['*']))

describe('a model file', () => {
  it('is applied in one transaction, with an audit event and deliveries for each record', async () => {
    const names = ['de', 'post', 'post.title', 'author', 'Build']
    expect((await plan(file)).map(({ name }: { name: string }) => name)).toEqual(names)
    await nothingChanges(() => plan(file))
    const [audits, deliveries] = [(await app.audits()).length, (await app.deliveries()).length]
    const answer = await put(file)
    expect([answer.status, answer.body.steps.map(({ name }: { name: string }) => name)]).toEqual([200, names])
    const written = (await app.audits()).slice(audits)
    expect(written.map(({ table_name, operation }) => `${operation} ${table_name}`).sort()).toEqual([
      ...['INSERT datatypes', 'INSERT fields', 'INSERT locales'],
      ...['INSERT role_permissions', 'INSERT role_permissions', 'INSERT roles', 'INSERT webhooks'],
    ])
    expect(new Set(written.map(({ request_id }) => request_id)).size).toBe(1)
    expect(written.every(({ user_id }) => user_id === app.users.admin)).toBe(true)
    const told = (await app.deliveries()).slice(deliveries).map(({ event }) => event)
    expect(told).toEqual(expect.arrayContaining(['datatype.created', 'field.created', 'locale.created']))
    const { steps: _, ...after } = answer.body
    expect(await get()).toEqual(after)
    for (const part of ['locales', 'datatypes', 'roles', 'webhooks'] as const)
      expect(after[part]).toEqual(expect.arrayContaining([expect.objectContaining(file[part][0])]))
    expect(await plan(file)).toEqual([])
    await nothingChanges(async () => expect((await put(after)).body.steps).toEqual([]))
  })

  it('shows no secret', async () => {
    await call('POST', '/api/v1/admin/webhooks', {
      body: { ...hook, name: 'Secret', secret: 'a secret of the test', headers: { 'X-Key': 'k-secret' } },
    })
    const { text } = await call('GET', path)
    expect(text).toContain('"Secret"')
    expect(text).not.toMatch(/a secret of the test|X-Key|k-secret|"secret"/)
  })

  it('can be sent back as it was read, with its steps', async () => {
    const { body } = await call('GET', path)
    await nothingChanges(async () =>
      expect((await put({ ...body, steps: [] })).body).toEqual({ ...body, steps: [] }),
    )
  })

  it('is refused for who has read an older one', async () => {
    const { headers } = await call('GET', path)
    const [old] = [headers.get('etag') ?? '']
    await make.datatype('Another')
    const change = { datatypes: [{ ...post, label: 'Article' }] }
    await nothingChanges(async () => {
      for (const query of ['', '?dry_run=true'])
        expect((await put(change, query, { 'If-Match': old })).status).toBe(412)
    })
    const now = (await call('GET', path)).headers.get('etag') ?? ''
    const { status, headers: after } = await put(change, '', { 'If-Match': now })
    expect(status).toBe(200)
    expect((await call('GET', path)).headers.get('etag')).toBe(after.get('etag'))
    expect((await call('GET', path, { headers: { 'If-None-Match': after.get('etag') ?? '' } })).status).toBe(
      304,
    )
  })

  it('leaves nothing of itself if one step fails', async () => {
    // The second field is refused in the transaction: its label is that of no rule, but its target is missing.
    const more = { name: 'star', label: 'Star', field_type: 'relation', data: { target: 'nothing' } }
    const failing = {
      locales: [{ code: 'fr', label: 'Français' }],
      datatypes: [{ ...post, name: 'late', label: 'Late', fields: [title, more] }],
    }
    await nothingChanges(async () => {
      const { status, body } = await put(failing)
      expect([status, body.error]).toEqual([400, expect.stringContaining('nothing')])
    })
  })

  it('names what breaks, and changes it only if that is accepted', async () => {
    const [{ datatype_id }] = (await call('GET', '/api/v1/datatypes')).body.filter(
      ({ name }: { name: string }) => name === 'post',
    )
    const page = { slug: '/a', title: 'A', datatype_id, status: 'published', fields: { title: 'Long title' } }
    expect((await call('POST', '/api/v1/pages', { body: page })).status).toBe(201)
    const [{ role_id }] = (await call('GET', '/api/v1/roles')).body.filter(
      ({ label }: { label: string }) => label === 'author',
    )
    const user = { username: 'wa', name: 'Wa', email: 'wa@example.com', password: 'a long pass phrase' }
    expect((await call('POST', '/api/v1/users', { body: { ...user, role: role_id } })).status).toBe(201)
    const breaking = [
      [
        { datatypes: [{ ...post, label: 'Article', fields: [{ ...title, data: { maxLength: 3 } }] }] },
        /1 pub/,
      ],
      [{ datatypes: [{ ...post, label: 'Article', visibility: 'private' }] }, /private/],
      [{ roles: [{ label: 'author', permissions: ['content:read'] }] }, /: 1; they lose content:update/],
      [{ webhooks: [{ ...hook, url: 'http://other.test/' }] }, /another server/],
      [{ locales: [{ code: 'de', label: 'Deutsch', is_default: true }] }, /becomes the default/],
      [{ locales: [{ code: 'de', label: 'Deutsch', is_enabled: false }] }, /no longer public/],
    ] as const
    for (const [changed, reason] of breaking) {
      const steps = await plan(changed)
      expect(steps).toEqual([expect.objectContaining({ breaks: expect.stringMatching(reason) })])
      await nothingChanges(async () => {
        const { status, body } = await put(changed)
        expect([status, body.error]).toEqual([409, expect.stringMatching(reason)])
      })
    }
    for (const [changed] of breaking.slice(0, 4)) {
      expect((await put(changed, '?accept_broken=true')).status).toBe(200)
      expect(await plan(changed)).toEqual([])
    }
  })

  it('moves the default locale, and never leaves none', async () => {
    const en = { code: 'en', label: 'English', is_default: false }
    const both = { locales: [en, { code: 'de', label: 'Deutsch', is_default: true }] }
    expect((await put(both, '?accept_broken=true')).status).toBe(200)
    const { locales } = await get()
    const standard = locales.filter(({ is_default }: { is_default: boolean }) => is_default)
    expect(standard).toMatchObject([{ code: 'de' }])
    expect(await plan({ locales: [{ ...standard[0], is_default: false }] })).toEqual([])
  })
})

describe('the model', () => {
  it('refuses whoever lacks a right, and shows the parts that they may read', async () => {
    for (const [caller, status] of [
      ['nobody', 403],
      ['viewer', 403],
    ] as const)
      for (const method of ['GET', 'PUT'])
        expect([
          caller,
          (await call(method, path, { as: caller, body: method === 'PUT' ? {} : undefined })).status,
        ]).toEqual([caller, status])
    const { body } = await call('GET', path, { as: 'editor' })
    expect(Object.keys(body)).toEqual(['locales', 'datatypes'])
    await nothingChanges(async () => {
      for (const part of [{ locales: [{ code: 'it', label: 'I' }] }, { roles: [] }, { webhooks: [] }])
        expect((await call('PUT', path, { as: 'editor', body: part })).status).toBe(403)
    })
    const own = { datatypes: [{ name: 'of_editor', label: 'Of editor', type: 'content' }] }
    expect((await call('PUT', path, { as: 'editor', body: own })).status).toBe(200)
  })

  it('gives no permission that the caller does not have', async () => {
    const roles = ['roles:read', 'roles:create', 'roles:update']
    const reading = ['datatypes:read', 'datatypes:update', 'fields:read', 'content:read']
    const modeller = await callersOf(app).callerWith(...roles, ...reading)
    const role = (permissions: string[]) => ({ roles: [{ label: 'modeller', permissions }] })
    expect((await modeller.call('PUT', path, role(reading))).status).toBe(200)
    await nothingChanges(async () => {
      expect((await modeller.call('PUT', path, role([...reading, 'users:admin']))).status).toBe(403)
      const editor = { roles: [{ label: 'editor', permissions: reading }] }
      expect((await modeller.call('PUT', `${path}?accept_broken=true`, editor)).status).toBe(403)
    })
  })

  it('refuses what is wrong, before anything is changed', async () => {
    const many = (length: number, one: (n: number) => object) => Array.from({ length }, (_, n) => one(n))
    const wrong: [object, RegExp][] = [
      [{ datatypes: [post, post] }, /post is given twice/],
      [{ datatypes: [{ ...post, fields: [title, title] }] }, /title is given twice/],
      [{ roles: [{ label: 'a', permissions: ['content:raed'] }] }, /content:read/],
      [{ roles: [{ label: 'admin', permissions: [] }] }, /leave it out/],
      [{ roles: [{ label: 'Admin', permissions: [] }] }, /system role/],
      [{ webhooks: [hook, hook] }, /given twice/],
      [{ webhooks: [{ ...hook, name: 'In', url: 'http://127.0.0.1/' }] }, /url/],
      [{ webhooks: [{ ...hook, secret: 'a secret of the test' }] }, /secret/],
      [{ datatypes: [{ ...post, parent: 'nothing' }] }, /no datatype nothing/],
      [{ datatypes: many(1001, n => ({ ...post, name: `p${n}` })) }, /1000|1001/],
      [
        {
          datatypes: many(6, m => ({
            ...post,
            name: `p${m}`,
            fields: many(900, n => ({ ...title, name: `f${n}` })),
          })),
        },
        /5000/,
      ],
      [{ tables: [] }, /tables/],
      [{ roles: 'all' }, /roles/],
    ]
    await nothingChanges(async () => {
      for (const [body, reason] of wrong) {
        const answer = await put(body)
        expect([answer.body.error ?? answer.text, [400, 409].includes(answer.status)]).toEqual([
          expect.stringMatching(reason),
          true,
        ])
      }
      expect(
        (await app.send('PUT', path, { body: '{', headers: { 'Content-Type': 'application/json' } })).status,
      ).toBe(400)
      expect((await put({}, '?accept=true')).status).toBe(400)
    })
  })

  it('applies two files at once, one after the other', async () => {
    const files = ['one', 'two', 'three'].map(name => ({
      datatypes: [{ name, label: name, type: 'content', fields: [title] }],
    }))
    const answers = await Promise.all(files.map(one => put(one)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    for (const one of files) expect(await plan(one)).toEqual([])
  })
})
