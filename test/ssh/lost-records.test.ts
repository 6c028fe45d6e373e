import { describe, expect, it } from 'vitest'
import { internalTables, tables } from '../../src/db/tables.js'
import { type TestApp, testApp } from '../support/app.js'
import { factories } from '../support/factories.js'
import { uploader } from '../support/media.js'
import { sampleOf } from '../support/ssh-sample.js'
import { type Client, goTo, openPage, openScreens, sshActor } from '../support/ssh-screens.js'
import { testStorage } from '../support/storage.js'

/** Two people in the form of one record: a save takes nothing back that its form has not shown. */

const nothing = 'There is nothing to save.'
const others = 'Other changes were saved meanwhile'
const both = 'Somebody else changed these fields'

interface Case {
  readonly screen: string
  /** Makes the record. @returns its address in the API, and what its list shows of it */
  make(app: TestApp): Promise<{ path: string; shown: string }>
  /** Another way to its form than Enter in the list of its screen. */
  readonly through?: string
  /** The field that is typed into in the terminal, and what comes of it. */
  readonly at: number
  readonly mine: Readonly<Record<string, unknown>>
  readonly typed: string
  /** What somebody else sets: the same member, and another one. */
  readonly same: Readonly<Record<string, unknown>>
  readonly other?: Readonly<Record<string, unknown>>
}

const made = async ({ call }: TestApp, path: string, body: object, key: string) => {
  const answer = await call('POST', `/api/v1${path}`, { body })
  expect([answer.status, answer.text]).toEqual([201, answer.text])
  return `/api/v1${path}/${answer.body[key]}`
}

const cases: readonly Case[] = [
  {
    screen: 'routes',
    make: async app => ({
      path: await made(
        app,
        '/routes',
        { slug: '/one', title: 'One', translations: { de: { title: 'Eins' } } },
        'route_id',
      ),
      shown: '/one',
    }),
    at: 0,
    typed: 'Mine',
    mine: { title: 'Mine' },
    same: { title: 'Theirs' },
    other: { slug: '/theirs', translations: { de: { title: 'Anders' } } },
  },
  {
    screen: 'datatypes',
    make: async app => ({
      path: `/api/v1/datatypes/${(await factories(app).datatype('Page')).datatype_id}`,
      shown: 'Page',
    }),
    at: 0,
    typed: 'Mine',
    mine: { label: 'Mine' },
    same: { label: 'Theirs' },
    other: { sort_order: 7, visibility: 'public' },
  },
  {
    screen: 'datatypes',
    through: 'f',
    make: async app => {
      const { datatype, field } = factories(app)
      const { datatype_id } = await datatype('Page')
      const { field_id } = await field(datatype_id, 'Title', 'text', { data: { maxLength: 9 } })
      return { path: `/api/v1/fields/${field_id}`, shown: 'Title' }
    },
    at: 0,
    typed: 'Mine',
    mine: { label: 'Mine' },
    same: { label: 'Theirs' },
    other: { required: true, data: { maxLength: 99 } },
  },
  {
    screen: 'people',
    make: async app => ({
      path: await made(
        app,
        '/users',
        { email: 'ada@example.com', name: 'Ada', password: 'a long enough password' },
        'user_id',
      ),
      shown: 'ada@example.com',
    }),
    at: 0,
    typed: 'Mine',
    mine: { name: 'Mine' },
    same: { name: 'Theirs' },
    other: { username: 'theirs', email: 'theirs@example.com' },
  },
  {
    screen: 'webhooks',
    make: async app => ({
      path: await made(
        app,
        '/admin/webhooks',
        { name: 'Build', url: 'https://receiver.example/', events: ['content.published'] },
        'webhook_id',
      ),
      shown: 'Build',
    }),
    at: 0,
    typed: 'Mine',
    mine: { name: 'Mine' },
    same: { name: 'Theirs' },
    other: { is_active: false, events: ['content.updated', 'content.published'] },
  },
  {
    screen: 'api keys',
    make: async app => ({
      path: await made(
        app,
        '/tokens',
        { label: 'Build', expires_at: '2030-01-01T00:00:33.000Z' },
        'token_id',
      ),
      shown: 'Build',
    }),
    at: 0,
    typed: 'Mine',
    mine: { label: 'Mine' },
    same: { label: 'Theirs' },
    // Its seconds are in no form.
    other: { expires_at: '2031-01-01T00:00:44.000Z', read_only: true },
  },
  {
    screen: 'roles',
    make: async app => ({
      path: await made(app, '/roles', { label: 'Writers' }, 'role_id'),
      shown: 'Writers',
    }),
    at: 0,
    typed: 'Mine',
    mine: { label: 'Mine' },
    same: { label: 'Theirs' },
  },
  {
    screen: 'locales',
    make: async app => ({
      path: await made(app, '/locales', { code: 'fr', label: 'French' }, 'locale_id'),
      shown: 'French',
    }),
    at: 0,
    typed: 'Mine',
    mine: { label: 'Mine' },
    same: { label: 'Theirs' },
    other: { is_enabled: false, sort_order: 3 },
  },
  {
    screen: 'redirects',
    make: async app => ({
      path: await made(app, '/redirects', { slug: '/old', target: 'https://example.com/' }, 'redirect_id'),
      shown: '/old',
    }),
    at: 0,
    typed: '/mine',
    mine: { slug: '/mine' },
    same: { slug: '/theirs' },
    other: { target: '/elsewhere', status: 301 },
  },
  {
    screen: 'media folders',
    make: async app => ({
      path: await made(app, '/media-folders', { name: 'Shop' }, 'folder_id'),
      shown: 'Shop',
    }),
    at: 0,
    typed: 'Mine',
    mine: { name: 'Mine' },
    same: { name: 'Theirs' },
  },
  {
    screen: 'media',
    make: async app => ({
      path: `/api/v1/media/${(await uploader(app)('one.txt', 'one')).body.media_id}`,
      shown: 'one.txt',
    }),
    at: 0,
    typed: 'Mine',
    mine: { alt_text: 'Mine' },
    same: { alt_text: 'Theirs' },
    other: { caption: 'Theirs', description: 'in\nlines' },
  },
]

const at = (client: Client, index: number) =>
  client.press('home', ...Array.from({ length: index }, () => 'down'))
const type = (client: Client, text: string) => {
  client.press('enter', 'ctrl+u')
  client.type(text)
  client.press('enter')
}

describe.each(cases)('$screen $through', one => {
  it('keep what others have saved, and ask where both have written', async () => {
    const storage = await testStorage()
    const app = await testApp({ ...storage.config, i18n_enabled: true })
    await app.call('POST', '/api/v1/locales', { body: { code: 'de', label: 'German' } })
    const { path, shown } = await one.make(app)
    const stored = async () => (await app.call('GET', path)).body
    const save = async (body: object) => {
      const { status, text } = await app.call('PUT', path, { body })
      expect([status, text]).toEqual([200, text])
    }
    const client = await openScreens(app)
    if (one.through) {
      await goTo(client, one.screen, 'Page')
      client.press(one.through)
      await client.sees('Fields of')
    } else await goTo(client, one.screen, shown)
    await client.sees(shown)
    client.type(`/${shown.slice(0, 4)}`)
    await client.sees('1 found')
    client.press('enter', 'enter')
    await client.sees('^S save')
    await client.misses('… Administrator')

    // Nothing typed: nothing is written, and theirs is shown.
    const before = await stored()
    const events = (await app.audits()).length
    client.press('ctrl+s')
    await client.sees(nothing)
    expect(await stored()).toEqual(before)
    expect((await app.audits()).length).toBe(events)

    // Another field of theirs stays, whether or not the form shows all of it.
    at(client, one.at)
    type(client, one.typed)
    await client.sees('* ')
    if (one.other) {
      await save(one.other)
      client.press('ctrl+s')
      await client.sees(others)
      expect(await stored()).toMatchObject(one.other)
      expect(await stored()).not.toMatchObject(one.mine)
    }
    client.press('ctrl+s')
    await client.sees('Saved.')
    expect(await stored()).toMatchObject({ ...one.other, ...one.mine })

    // Both the same field.
    type(client, `${one.typed}2`)
    await client.sees('* ')
    await save(one.same)
    client.press('?')
    await client.sees('this help')
    client.press('q')
    await client.misses('this help')
    client.press('ctrl+s')
    await client.sees(both)
    expect(await stored()).toMatchObject({ ...one.other, ...one.same })
    client.press('t', 'enter')
    await client.sees('Accepted.')
    client.press('ctrl+s')
    await client.sees(nothing)
    expect(await stored()).toMatchObject({ ...one.other, ...one.same })
  })
})

it('the permissions of a role are chosen from those that it has', async () => {
  const app = await testApp()
  const { services } = app
  const admin = await sshActor(app, 'admin')
  const { role_id } = await services.roles.create(admin, { label: 'Writers' })
  const idOf = async (label: string) =>
    (await app.db.find(tables.permissions, { label }))?.permission_id ?? ''
  await services.rolePermissions.replace(admin, role_id, [await idOf('content:read')])
  const labels = async () => (await services.rolePermissions.ofRole(role_id)).map(({ label }) => label).sort()
  const client = await openScreens(app)
  await goTo(client, 'roles', 'Writers')
  client.press('end', 'p')
  await client.sees('Permissions of Writers')
  client.type('media:read')
  client.press('tab')
  await client.sees('[x] media:read')
  await services.rolePermissions.replace(admin, role_id, [await idOf('routes:read')])
  const events = (await app.audits()).length
  client.press('enter')
  await client.sees('somebody else saved first')
  expect(await labels()).toEqual(['routes:read'])
  expect((await app.audits()).length).toBe(events)
  client.press('p')
  await client.sees('Permissions of Writers')
  client.type('media:read')
  client.press('tab', 'enter')
  await client.sees('has 2 permissions')
  expect(await labels()).toEqual(['media:read', 'routes:read'])
})

it('a plan that somebody else has made stays, and so does the end of one whose beginning is changed', async () => {
  const app = await testApp()
  const { root } = await sampleOf(app)
  const plan = async (given: object) => {
    const { status, text } = await app.call('POST', '/api/v1/content/schedule', {
      body: { content_data_id: root, ...given },
    })
    expect([status, text]).toEqual([200, text])
  }
  const planned = async () => {
    const { publish_at, unpublish_at } = (await app.call('GET', `/api/v1/content/?q=${root}`)).body
    return [publish_at, unpublish_at]
  }
  const end = '2040-01-01T00:00:33.000Z'
  await plan({ unpublish_at: end })
  const client = await openScreens(app)
  await openPage(client, 'entry')
  client.press('P')
  await client.sees('Public from')
  await client.sees('2040-01-01 00:00')
  type(client, '2031-01-01T00:00')
  await client.sees('* Public from')
  await plan({ publish_at: '2032-02-02T00:00:00.000Z' })
  client.press('ctrl+s')
  await client.sees(both)
  expect(await planned()).toEqual(['2032-02-02T00:00:00.000Z', end])
  client.press('enter')
  await client.sees('Accepted.')
  client.press('ctrl+s')
  await client.sees('Scheduled.')
  expect(await planned()).toEqual(['2031-01-01T00:00:00.000Z', end])
})

it('a deletion in a tree takes nothing along that has come or changed since the question', async () => {
  const app = await testApp()
  const { root } = await sampleOf(app)
  const { body } = await app.call('GET', '/api/v1/content?limit=100')
  const [child] = body.filter((one: { parent_id: string | null }) => one.parent_id === root)
  const put = async (id: string, patch: object) => {
    const { status, text } = await app.call('PUT', `/api/v1/content?q=${id}`, { body: patch })
    expect([status, text]).toEqual([200, text])
  }
  const client = await openScreens(app)
  await openPage(client, 'tree')
  const refused = async (change: () => Promise<unknown>) => {
    client.press('home', 'x')
    await client.sees('Delete “')
    await change()
    const events = (await app.audits()).length
    client.press('y')
    await client.sees('somebody else saved first')
    expect((await app.audits()).length).toBe(events)
    expect((await app.call('GET', `/api/v1/content?q=${root}`)).status).toBe(200)
  }
  await refused(() =>
    app.call('POST', '/api/v1/content', { body: { datatype_id: child.datatype_id, parent_id: root } }),
  )
  await refused(() => put(child.content_data_id, { sort_order: 99 }))
  await refused(() => app.call('DELETE', `/api/v1/content?q=${child.content_data_id}&recursive=true`))
  await refused(() =>
    app.call('POST', '/api/v1/content/schedule', {
      body: { content_data_id: root, publish_at: '2040-01-01T00:00:00Z' },
    }),
  )
  client.press('home', 'x')
  await client.sees('Delete “')
  client.press('y')
  await client.sees('No results for')
  expect((await app.call('GET', `/api/v1/content?q=${root}`)).status).toBe(404)
})

it('the configuration: only what was typed is written', async () => {
  const app = await testApp({}, { file: { rate_limit_enabled: true, client_site: 'site.example' } })
  const names = app.services.configuration.describe().map(({ name }) => String(name))
  const client = await openScreens(app)
  await goTo(client, 'settings', 'ssl_port')
  const put = async (body: object) => {
    const { status, text } = await app.call('PUT', '/api/v1/config', { body })
    expect([status, text]).toEqual([200, text])
  }
  const set = async () =>
    Object.fromEntries(
      (await app.db.findAll(internalTables.settings)).map(({ name, value }) => [name, JSON.parse(value)]),
    )
  await put({ client_site: 'theirs.example' })
  const before = await set()
  client.press('ctrl+s')
  await client.sees(nothing)
  expect(await set()).toEqual(before)
  at(client, names.indexOf('client_site'))
  type(client, 'mine.example')
  await put({ i18n_enabled: true })
  client.press('ctrl+s')
  await client.sees(others)
  expect(await set()).toEqual({ client_site: 'theirs.example', i18n_enabled: true })
  client.press('ctrl+s')
  await client.sees('Saved.')
  expect(await set()).toEqual({ client_site: 'mine.example', i18n_enabled: true })
  type(client, 'mine2.example')
  await put({ client_site: 'theirs2.example' })
  client.press('ctrl+s')
  await client.sees(both)
  client.press('m', 'enter', 'ctrl+s')
  await client.sees('Saved.')
  expect(await set()).toEqual({ client_site: 'mine2.example', i18n_enabled: true })
  expect(JSON.parse(app.file.text ?? '')).toEqual({ rate_limit_enabled: true })
})
