import { expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { type Caller, testApp } from '../support/app.js'
import { factories } from '../support/factories.js'
import { picture, uploader } from '../support/media.js'
import { testStorage } from '../support/storage.js'

const storage = await testStorage()
const app = await testApp({ ...storage.config, publish_mode: 'staged', readers_see_drafts: false })
const { call, clock, services } = app
const { datatype, field, route, entry } = factories(app)

const { datatype_id } = await datatype('Page')
await field(datatype_id, 'Heading', 'text')
await field(datatype_id, 'Cover', 'media')
const { route_id } = await route('/harbour', 'The harbour')
const { body: file } = await uploader(app)('boat.png', await picture(8, 8).png().toBuffer())
const { content_data_id: id } = await entry(
  datatype_id,
  { route_id },
  { fields: { heading: 'Boats', cover: file.media_id } },
)

const plain = (html: string) =>
  html
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

/** What the list of recent changes says: the person of each group, and what was done to which records. */
async function groups(as: Caller = 'admin') {
  const { text } = await call('GET', '/admin', { as })
  const [, list = ''] = /<ul class="recent">(.*?)<\/ul>/s.exec(text) ?? []
  return [...list.matchAll(/<li>(.*?)<\/li>/gs)].map(([, group = '']) => ({
    who: plain(/<b>(.*?)<\/b>/s.exec(group)?.[1] ?? ''),
    done: [...group.matchAll(/<dt>(.*?)<\/dt>\s*<dd>(.*?)<\/dd>/gs)].map(
      ([, what = '', named = '']) => `${plain(what)}: ${plain(named).replaceAll(' ,', ',')}`,
    ),
  }))
}

/** Each line of the list, with its person. */
const recent = async (as: Caller = 'admin') =>
  (await groups(as)).flatMap(({ who, done }) => done.map(line => `${who}: ${line}`))

it('D30: says which records were changed and by whom, grouped by person and time', async () => {
  const before = await groups()
  expect(before[0]?.who).toBe('Administrator')
  expect(before[0]?.done.slice(0, 5)).toEqual([
    'Entry created: The harbour',
    'File created: boat.png',
    'Route created: The harbour',
    'Field created: Cover, Heading',
    'Datatype created: Page',
  ])

  clock.advance(1000)
  await call('PUT', `/api/v1/content?q=${id}`, { as: 'editor', body: { fields: { heading: 'Old boats' } } })
  expect((await recent())[0]).toBe('editor: Entry changed: The harbour')
  await call('POST', '/api/v1/content/publish', { body: { content_data_id: id } })
  expect((await recent())[0]).toBe('Administrator: Entry published: The harbour')
  expect((await call('GET', '/admin')).text).toContain(`href="/admin/content/entry/${id}"`)

  const credentials = { email: 'admin@example.com', password: 'correct horse' }
  expect((await call('POST', '/api/v1/auth/login', { as: 'nobody', body: credentials })).status).toBe(200)
  expect((await recent())[0]).toBe('Administrator: Entry published: The harbour')

  const gone = await route('/gone', 'Gone soon')
  await call('DELETE', `/api/v1/routes?q=${gone.route_id}`)
  expect((await recent())[0]).toBe('Administrator: Route deleted: Gone soon')
  const { text } = await call('GET', '/admin')
  expect(text).toMatch(/<span>Gone soon<\/span>/)
  expect(text).not.toContain(gone.route_id)
})

it('tells whoever works on content of what they may read, without addresses, and others nothing', async () => {
  const person = { name: 'Petra Secret', username: 'petra', email: 'petra@example.com' }
  expect((await call('POST', '/api/v1/users', { body: person })).status).toBe(201)
  const hook = { name: 'Hook to nowhere', url: 'https://example.com/', events: ['*'] }
  expect((await call('POST', '/api/v1/admin/webhooks', { body: hook })).status).toBe(201)
  expect(await recent()).toContain('Administrator: Webhook created: Hook to nowhere')

  const lines = await recent('editor')
  expect(lines).toContain('Administrator: Entry published: The harbour')
  expect(lines).toContain('Administrator: File created: boat.png')
  const { text } = await call('GET', '/admin', { as: 'editor' })
  expect(text).toContain(`href="/admin/content/entry/${id}"`)
  const [{ ip_address = '' } = {}] = await app.audits()
  for (const word of ['Petra Secret', 'petra@', 'Hook to nowhere', '/admin/audit', ip_address || '127.0.0.1'])
    expect([word, text.includes(word)]).toEqual([word, false])
  expect((await call('GET', '/admin', { as: 'viewer' })).text).not.toContain('Recent changes')
})

it('asks for each kind of record whether one may read it', async () => {
  const { body: permissions } = await call('GET', '/api/v1/permissions?limit=1000')
  const roleWith = async (label: string, words: readonly string[]) => {
    const { role_id } = (await call('POST', '/api/v1/roles', { body: { label } })).body
    for (const word of words) {
      const { permission_id } = permissions.find((one: { label: string }) => one.label === word)
      const mapped = await call('POST', '/api/v1/role-permissions', { body: { role_id, permission_id } })
      expect(mapped.status).toBe(201)
    }
    return { ...systemActor, userId: app.users.editor, roleId: role_id as string }
  }
  const tablesFor = async (label: string, ...words: string[]) => {
    const found = await services.recentChanges.list(await roleWith(label, words), 1000)
    return found && [...new Set(found.map(({ table_name }) => table_name))].sort()
  }
  expect(await tablesFor('writer', 'content:read', 'content:update')).toEqual([
    ...['content_data', 'content_fields', 'content_versions', 'locales'],
  ])
  expect(await tablesFor('archivist', 'content:update', 'media:read')).toEqual(['media'])
  expect(await tablesFor('reader', 'content:read', 'media:read', 'routes:read')).toBeUndefined()
  expect(await tablesFor('clerk', 'users:read', 'config:read')).toBeUndefined()
  expect(await tablesFor('toolmaker', 'admin_tree:read')).toEqual([])
  expect(await services.recentChanges.list(systemActor, 10)).toBeUndefined()

  const made = await services.recentChanges.list(
    await roleWith('another', ['content:update', 'content:read']),
    1,
  )
  expect(Object.keys(made?.[0] ?? {}).sort()).toEqual([
    'audit_event_id',
    'new_values',
    'occurred_at',
    'old_values',
    'operation',
    'record_id',
    'table_name',
    'user_id',
  ])
})

it('looks for changes behind those that sign people in', async () => {
  const credentials = { email: 'admin@example.com', password: 'correct horse' }
  for (let i = 0; i < 6; i++)
    await call('POST', '/api/v1/auth/login', { as: 'nobody', body: credentials, address: `10.0.0.${i}` })
  const [newest] = (await services.recentChanges.list({ ...systemActor, roleId: await adminRole() }, 3)) ?? []
  expect(newest).toMatchObject({ table_name: expect.not.stringMatching('sessions') })
})

const adminRole = async () => (await services.users.get(app.users.admin)).role

it('says what waits for whoever works on content: changes of pages, and plans', async () => {
  const needs = async (as: Caller) => {
    const { text } = await call('GET', '/admin', { as })
    const [, list = ''] = /id="needs">(.*?)<\/section>/s.exec(text) ?? []
    return [...list.matchAll(/<a href="([^"]*)">([^<]*)<\/a>/g)].map(([, path, words]) => [path, words])
  }
  expect(await needs('editor')).toEqual([])
  clock.advance(1000)
  await call('PUT', `/api/v1/content?q=${id}`, { as: 'editor', body: { fields: { heading: 'New boats' } } })
  const part = await entry(datatype_id, { parent_id: id }, { fields: { heading: 'A plan' } })
  const plan = { content_data_id: part.content_data_id, publish_at: '2027-01-01T00:00:00Z' }
  expect((await call('POST', '/api/v1/content/schedule', { body: plan })).status).toBe(200)
  const expected = [
    [`/admin/content/entry/${id}/changes`, 'The harbour has unpublished changes'],
    [`/admin/content/entry/${part.content_data_id}`, 'A plan will be published'],
  ]
  expect(await needs('editor')).toEqual(expected)
  expect(await needs('admin')).toEqual(expect.arrayContaining(expected))
  expect(await needs('viewer')).toEqual([])
  const page = (await call('GET', `/admin/content/entry/${id}/changes`)).text
  expect(page).toContain(`<a href="/admin/content/entry/${id}">The harbour</a>`)
  expect(page).toMatch(/<dt>Heading\s*<\/dt>/)
})

it('names the entries that use a file', async () => {
  const { text } = await call('GET', `/admin/media/${file.media_id}`)
  expect(text).toMatch(new RegExp(`href="/admin/content/entry/${id}"[^>]*>The harbour<`))
})

it('says of an address where nothing is what that means', async () => {
  const { status, text } = await call('GET', '/admin/media/01ARZ3NDEKTSV4RRFFQ69G5FAV')
  expect(status).toBe(404)
  expect(text).toContain('This page does not exist.')
})

it('D30: begins a new group after an hour, and says what is saved by hand', async () => {
  await call('POST', '/api/v1/content/versions', { body: { content_data_id: id, label: 'By hand' } })
  const [before] = await groups()
  expect(before).toMatchObject({
    who: 'Administrator',
    done: ['Version saved: The harbour', expect.anything()],
  })
  clock.advance(3_700_000)
  await route('/later', 'Later')
  expect((await groups()).slice(0, 2)).toEqual([
    { who: 'Administrator', done: ['Route created: Later'] },
    before,
  ])
})
