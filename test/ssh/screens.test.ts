import { expect, it } from 'vitest'
import { tables } from '../../src/db/tables.js'
import { type TestApp, testApp } from '../support/app.js'
import { factories } from '../support/factories.js'
import { uploader } from '../support/media.js'
import { sampleOf } from '../support/ssh-sample.js'
import { type Client, goTo, openPage, openScreens, sshActor } from '../support/ssh-screens.js'
import { testStorage } from '../support/storage.js'
import { pictureOf } from '../support/terminal-picture.js'

/** Of these docs/terminal has pictures too. */
const pictured = new Set([
  'home',
  'content',
  'tree',
  'entry',
  'editor',
  'conflict',
  'versions',
  'audit',
  'permissions',
])

/** A screen as docs/terminal shows it, when all is there that it waits for; `-u` writes it. */
async function shows(client: Client, name: string) {
  await client.misses(/Reading…|… Administrator/)
  const path = `../../docs/terminal/${name}`
  await expect(`${client.text()}\n`).toMatchFileSnapshot(`${path}.txt`)
  if (pictured.has(name)) await expect(pictureOf(client.model)).toMatchFileSnapshot(`${path}.svg`)
}

const valuesOf = async ({ db }: TestApp, content_data_id: string) =>
  (await db.findAll(tables.contentFields, { content_data_id })).map(({ field_value }) => field_value)

it('tells the story of a page', async () => {
  const app = await testApp({ publish_mode: 'staged' })
  const { root } = await sampleOf(app)
  const client = await openScreens(app)
  await client.sees('configuration of the service')
  await shows(client, 'home')
  client.press('enter')
  await client.sees('Straße')
  await shows(client, 'content')
  client.type('/wel')
  await client.sees('1 found')
  client.press('enter', 'enter')
  await client.sees('Opening hours')
  await client.sees('Welcome to the bakery')
  await shows(client, 'tree')

  // An entry with all fields.
  client.press('enter')
  await client.sees('Page · draft')
  await shows(client, 'entry')
  client.press('enter')
  client.type(' and café')
  await client.sees('Enter accept')
  client.press('enter')
  await client.sees('* Title')
  client.press('down', 'enter')
  await client.sees('back to the form')
  client.press('end')
  client.type(' Every day.\r\r日本語のパン')
  await client.sees('日本語')
  await shows(client, 'editor')
  client.press('ctrl+s')
  await client.sees('* Text')
  client.press('ctrl+s')
  await client.sees('Saved.')
  const stored = () => valuesOf(app, root)
  expect(await stored()).toContain('Welcome to the bakery and café')

  // Publish, change, look at what waits, publish again, compare.
  client.press('p')
  await client.sees('will be public.')
  client.press('y')
  await client.sees('is public')
  client.press('home', 'enter')
  client.type('!')
  client.press('enter', 'ctrl+s')
  await client.sees('Saved.')
  client.press('c')
  await client.sees('Not published yet')
  await shows(client, 'waiting')
  client.press('q', 'p')
  await client.sees('No draft becomes public by this.')
  client.press('y')
  await client.sees('is public')
  client.press('v')
  await client.sees('v2 Published')
  await shows(client, 'versions')
  client.press('enter')
  await client.sees('From v1 to v2')
  await shows(client, 'compare')
  client.press('q', 'down', 'r')
  await client.sees('Restore version 1')
  client.press('y')
  await client.sees('Restored 1 value and')
  expect(await stored()).toContain('Welcome to the bakery and café')
  const written = (await app.audits()).filter(({ surface }) => surface === 'ssh')
  expect(new Set(written.map(({ user_id }) => user_id))).toEqual(new Set([app.users.admin]))
  expect(new Set(written.map(({ request_id }) => request_id)).size).toBeGreaterThan(4)
})

it('moves, duplicates, schedules and deletes entries', async () => {
  const app = await testApp()
  const { root } = await sampleOf(app)
  const client = await openScreens(app)
  const order = async () => {
    const { body } = await app.call('GET', '/api/v1/content?limit=100')
    return body
      .filter((one: { parent_id: string | null }) => one.parent_id === root)
      .toSorted((a: { sort_order: number }, b: { sort_order: number }) => a.sort_order - b.sort_order).length
  }
  client.press('enter')
  await client.sees('Straße')
  client.type('/wel')
  client.press('enter', 'enter')
  await client.sees(/Opening hours[\s\S]*Contact/)
  client.press('down', 'J')
  await client.sees(/Contact[\s\S]*○ Opening hours/)
  client.press('L')
  await client.sees('    ○ Opening hours')
  client.press('H')
  await client.sees(/\n {5}○ Opening hours/)
  client.press('K', 'K')
  await client.sees('The entry cannot move there.')
  client.press('D')
  await client.sees('Duplicated. This is the copy.')
  expect(await order()).toBe(4)
  client.press('s')
  await client.sees('Public from')
  client.press('enter')
  client.type('2027-01-31T12:00')
  client.press('enter', 'ctrl+s')
  await client.sees('Scheduled.')
  await client.sees('public from 2027-01-31 12:00')
  client.press('home', 'x')
  await client.sees('4 entries under it')
  await client.sees('Opens')
  await shows(client, 'delete')
  client.press('n', 'end', 'x')
  await client.sees('cancel')
  client.press('y')
  await client.sees('is deleted.')
  expect(await order()).toBe(3)
})

it('keeps what was typed when it is refused, and when somebody else saves first', async () => {
  const app = await testApp()
  const { root } = await sampleOf(app)
  const client = await openScreens(app)
  await openPage(client, 'entry')
  // A number that is none.
  client.press('down', 'down', 'down', 'enter')
  client.type('x')
  client.press('enter', 'ctrl+s')
  await client.sees('must be a number')
  await shows(client, 'refused')
  expect(client.text()).toContain('4.5x')
  client.press('u', 'home', 'enter')
  client.type(' of Ada')
  client.press('enter')
  await app.call('PUT', `/api/v1/content?q=${root}`, { body: { fields: { title: 'By somebody else' } } })
  client.press('ctrl+s')
  await client.sees('Somebody else changed these fields')
  await shows(client, 'conflict')
  client.press('t', 'm', 'enter')
  await client.sees('Accepted.')
  client.press('ctrl+s')
  await client.sees('Saved.')
  expect(await valuesOf(app, root)).toContain('Welcome to the bakery of Ada')
  // What is not saved is asked about.
  client.press('home', 'enter')
  client.type('?')
  client.press('enter', 'q')
  await client.sees('leave without saving')
  client.press('n', 'ctrl+c')
  await client.sees('end the session without saving')
  client.press('y')
  await expect.poll(() => client.closed).toBeDefined()
})

it('T10: picks relations and media by a filter, under the names of the lists', async () => {
  const app = await testApp()
  const { root } = await sampleOf(app)
  const client = await openScreens(app)
  await openPage(client, 'entry')
  client.press('end', 'up', 'up', 'up', 'enter')
  await client.sees('Search')
  client.type('contact')
  await client.sees(/\[ \] Contact/)
  await client.misses('Opening hours')
  await shows(client, 'pick')
  client.press('tab', 'enter')
  await client.sees(/Related +Contact/)
  client.press('ctrl+s')
  await client.sees('Saved.')
  expect(await valuesOf(app, root)).toContainEqual(expect.stringMatching(/^\["[0-9A-Z]{26}"\]$/))
})

it('lists a kind that has many trees without a page by itself, newest first', async () => {
  const app = await testApp()
  const { datatype, field, entry } = factories(app)
  const author = await datatype('Author', { type: '_global' })
  await field(author.datatype_id, 'Name', 'text')
  const menu = await datatype('Menu', { type: '_global' })
  await field(menu.datatype_id, 'Name', 'text')
  await entry(menu.datatype_id, {}, { fields: { name: 'Main menu' } })
  for (let n = 1; n <= 6; n++) await entry(author.datatype_id, {}, { fields: { name: `Author ${n}` } })
  const client = await openScreens(app)
  await goTo(client, 'content', 'Main menu')
  await client.sees(/Author +\(6 entries\)/)
  await client.misses('Author 6')
  client.type('/Author')
  await client.sees('1 found')
  client.press('enter', 'enter')
  await client.sees(/Author 6[\s\S]*Author 1/)
  client.press('down', 'enter')
  await client.sees('› Author 5')
})

it('shows every resource, and what the API says', async () => {
  const app = await testApp()
  await sampleOf(app)
  await app.subscribe()
  const client = await openScreens(app)
  await client.sees('Content')
  for (const [name, wanted, file] of [
    ['routes', 'Straße', 'routes'],
    ['datatypes', 'Section', 'datatypes'],
    ['locales', /^ Locales .*in all/m, 'locales'],
    ['people', 'editor@example.com', 'users'],
    ['roles', 'Built in', 'roles'],
    ['api keys', 'Valid', 'tokens'],
    ['ssh keys', 'No SSH keys yet.', 'ssh-keys'],
    ['webhooks', 'receiver.example', 'webhooks'],
    ['media', 'No files yet.', 'media'],
    ['media folders', 'No folders yet.', 'media-folders'],
    ['redirects', 'No redirects yet', 'redirects'],
    ['admin space', '› Admin space', 'admin-space'],
    ['backups', 'No backups yet', 'backups'],
    ['settings', 'ssl_port', 'configuration'],
    ['audit', 'Webhook created', 'audit'],
  ] as const) {
    await goTo(client, name, wanted)
    await shows(client, file)
  }
  await goTo(client, 'datatypes', 'Section')
  client.press('f')
  await client.sees('Fields of')
  await shows(client, 'fields')
  client.press('q', 'n')
  await client.sees('New datatype')
  client.press('ctrl+s')
  await client.sees('must have more than whitespace')
  await goTo(client, 'roles', 'Built in')
  client.press('end', 'p')
  await client.sees('Permissions of')
  await shows(client, 'permissions')
  client.press('escape')
  await client.misses('Permissions of')
  client.press('x')
  await client.sees('This role is built in')
})

it('shows deliveries and the audit log as they happen', async () => {
  const app = await testApp({ webhook_enabled: true })
  const { root } = await sampleOf(app)
  await app.subscribe()
  const client = await openScreens(app)
  await goTo(client, 'webhooks', 'receiver.example')
  client.press('d')
  await client.sees('No deliveries yet.')
  await app.call('POST', '/api/v1/content/publish', { body: { content_data_id: root } })
  await client.sees('content.published')
  client.press('enter')
  await client.sees('"event": "content.published"')
  client.press('q')
  await client.sees('send again')
  client.press('r')
  await client.sees(': only a failed one can be sent again')
  await goTo(client, 'audit', 'Audit log')
  await app.call('POST', '/api/v1/routes', { body: { slug: '/live', title: 'Live' } })
  await client.sees('Route created')
  client.press('enter')
  await client.sees('+ /live')
})

it('makes and changes ordinary records', async () => {
  const app = await testApp()
  const client = await openScreens(app)
  await goTo(client, 'people', 'editor@example.com')
  client.press('n')
  await client.sees('New person')
  client.press('enter')
  client.type('Grace')
  client.press('tab', 'enter')
  client.type('grace@example.com')
  client.press('enter', 'end', 'enter')
  client.type('a long enough password')
  client.press('enter', 'ctrl+s')
  await client.sees('Saved.')
  expect(client.text()).not.toContain('a long enough password')
  client.press('q')
  await client.sees('grace@example.com')
  client.type('/grace')
  await client.sees('1 found')
  client.press('enter', 'x')
  await client.sees('Delete “Grace”')
  client.press('y')
  await client.sees('“Grace” is deleted.')
  const { body } = await app.call('GET', '/api/v1/users')
  expect(body.map((user: { username: string }) => user.username)).not.toContain('grace')
})

it('offers what the role allows, and nothing else', async () => {
  const app = await testApp()
  await sampleOf(app)
  const viewer = await openScreens(app, 'viewer')
  await viewer.sees('Search')
  await shows(viewer, 'home-of-a-viewer')
  for (const hidden of ['People', 'Webhooks', 'Settings', 'Content'])
    expect(viewer.text()).not.toContain(hidden)
  const editor = await openScreens(app, 'editor')
  await openPage(editor, 'tree')
  expect(editor.text()).not.toContain('publish')
})

/** Gives the editor a role of their own. @returns what sets its permissions */
async function roleOfEditor(app: TestApp) {
  const { services, users } = app
  const admin = await sshActor(app, 'admin')
  const role = await services.roles.create(admin, { label: 'writer' })
  const permissions = await app.db.findAll(tables.permissions)
  await services.users.update(admin, users.editor, { role_id: role.role_id })
  return (...labels: string[]) =>
    services.rolePermissions.replace(
      admin,
      role.role_id,
      permissions.filter(({ label }) => labels.includes(label)).map(({ permission_id }) => permission_id),
    )
}

it('refuses as the API does what a role has lost meanwhile', async () => {
  const app = await testApp()
  await sampleOf(app)
  const give = await roleOfEditor(app)
  await give('content:read', 'content:update', 'content:delete')
  const client = await openScreens(app, 'editor')
  await openPage(client, 'tree')
  client.press('end', 'x')
  await client.sees('This deletes the entry.')
  await give('content:read', 'content:update')
  client.press('y')
  await client.sees('the permission content:delete is missing')
  await give()
  client.press('enter')
  await client.sees('the permission content:update is missing')
})

it('acts on marked entries only as far as the role allows, also when it has lost that meanwhile', async () => {
  const app = await testApp()
  await sampleOf(app)
  const give = await roleOfEditor(app)
  await give('content:read', 'content:update', 'routes:read')
  const reader = await openScreens(app, 'editor')
  await goTo(reader, 'content', 'Welcome')
  // Where no key acts on several, nothing is marked.
  reader.press('*', ' ', 'x', 'p')
  await reader.sees('3 in all')
  expect(reader.text()).not.toMatch(/marked|mark|Delete|Publish/)
  await give('content:read', 'content:update', 'content:delete', 'routes:read')
  const client = await openScreens(app, 'editor')
  await goTo(client, 'content', 'Welcome')
  client.press('*')
  await client.sees('x delete')
  expect(client.text()).not.toContain('publish')
  client.press('x')
  await client.sees('Delete “Welcome”?')
  await give('content:read', 'content:update', 'routes:read')
  const before = (await app.audits()).length
  client.press('y')
  await client.sees('the permission content:delete is missing')
  await client.sees('1 marked')
  expect((await app.audits()).slice(before)).toEqual([])
  expect(await app.services.space.content.count({})).toBe(4)
})

it('fits 40 columns, 200 columns and one cell', async () => {
  const app = await testApp()
  await sampleOf(app)
  const client = await openScreens(app, 'admin', { columns: 40, rows: 12 })
  client.press('enter')
  await client.sees('Straße')
  client.resize(200, 50)
  await client.sees(/ {100}Administrator/)
  client.resize(1, 1)
  client.press('enter')
  client.resize(80, 24)
  await client.sees('Slugline')
  client.press('ctrl+l')
  await client.sees('Slugline')
})

it('writes a field of every type', async () => {
  const storage = await testStorage()
  const app = await testApp({ ...storage.config, i18n_enabled: true })
  const { root } = await sampleOf(app)
  const uploaded = await uploader(app)('note.txt', 'hello')
  expect(uploaded.status).toBe(201)
  const client = await openScreens(app)
  await openPage(client, 'entry')
  const line = (text: string) => {
    client.press('enter', 'ctrl+u')
    client.type(text)
    client.press('enter', 'down')
  }
  const long = (text: string) => {
    client.press('enter')
    client.type(`\x1b[1;5F\r${text}`)
    client.press('ctrl+s', 'down')
  }
  line('A title')
  long('<p>More.</p>')
  long('A last line')
  line('-7.25')
  line('2027-02-28')
  line('2027-02-28T23:59')
  client.press(' ', 'down', 'enter')
  await client.sees('Search')
  client.type('off')
  client.press('enter', 'down')
  line('a-key')
  line('me@example.com')
  client.press('enter')
  client.type('team')
  client.press('tab')
  client.press('enter', 'down')
  line('https://example.org/a?b=c')
  client.press('enter')
  client.type('note')
  await client.sees('text/plain')
  client.press('enter', 'down')
  client.press('enter')
  client.type('\x1b[1;5F')
  client.press('backspace')
  client.type(', "b": "日本"}')
  client.press('ctrl+s', 'ctrl+s')
  await client.sees('Saved.')
  const values = await valuesOf(app, root)
  for (const value of [
    'A title',
    '<p>Bread, made by hand.</p>\n<p>More.</p>',
    'Bread and more.\nSince 1921.\nA last line',
    '-7.25',
    '2027-02-28',
    '2027-02-28T23:59:00Z',
    'false',
    'office',
    'a-key',
    'me@example.com',
    'https://example.org/a?b=c',
    uploaded.body.media_id,
    '{"a": [1, 2], "b": "日本"}',
  ])
    expect(values).toContain(value)
  expect(values.filter(value => value.startsWith('["'))).toHaveLength(1)
  // Emptied fields have no value.
  client.press('home', 'down', 'down', 'down', 'enter', 'ctrl+u', 'enter', 'ctrl+s')
  await client.sees('Saved.')
  await expect.poll(() => valuesOf(app, root)).not.toContain('-7.25')
  client.press('l')
  await client.sees('All languages')
  client.press('escape')
  await client.misses('All languages')
  await goTo(client, 'media', 'note.txt')
  client.press('w')
  expect(await client.sees('Used by')).toContain('Welcome · Picture')
  client.press('e')
  await client.sees('Page · draft')
  await goTo(client, 'media', 'note.txt')
  client.press('x')
  await client.sees('only if no content uses it')
  client.press('y')
  await client.sees('still used by content')
  client.press('enter')
  await client.sees('Alt text')
  client.press('enter')
  client.type('A note')
  client.press('enter', 'ctrl+s')
  await client.sees('Saved.')
  expect((await app.call('GET', '/api/v1/media')).body[0].alt_text).toBe('A note')
})

it('draws with ASCII for a client that is not UTF-8', async () => {
  const app = await testApp()
  await sampleOf(app)
  const latin = await openScreens(app, 'admin', { latin: true })
  latin.press('enter')
  await latin.sees('Stra?e')
  latin.type('/wel')
  latin.press('enter', 'enter')
  await latin.sees('Opening hours')
  await latin.sees('Welcome to the bakery')
  await shows(latin, 'tree-in-ascii')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what is sent
  for (const text of latin.written.slice(5)) expect(text).toMatch(/^[\x1b -~]*$/)
  const dumb = await openScreens(app, 'admin', { term: 'vt100' })
  dumb.press('enter')
  await dumb.sees('Stra?e')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what is sent
  expect(dumb.written.join('')).toMatch(/^[\x1b -~]*$/)
})

it('keeps redirects and folders of files', async () => {
  const app = await testApp()
  const { root } = await sampleOf(app)
  const admin = await sshActor(app, 'admin')
  const { publishing, content, routes } = app.services.space
  await publishing.publish(admin, { content_data_id: root })
  await routes.update(admin, (await content.get(root)).route_id ?? '', { slug: '/moved-here' })
  const client = await openScreens(app)
  await goTo(client, 'redirects', /\/welcome +\/moved-here +.*by a move/)
  client.press('n')
  await client.sees('New redirect')
  client.press('enter')
  client.type('/old')
  client.press('tab', 'enter')
  client.type('https://example.com/new')
  client.press('ctrl+s')
  await client.sees('Saved.')
  client.press('q')
  await client.sees(/\/old +https:\/\/example\.com\/new/)
  const stored = async () => (await app.db.findAll(tables.redirects, {})).map(({ slug }) => slug)
  expect(await stored()).toContain('/old')
  // The list says where it leads, which is no part of what is stored.
  client.type('/welcome')
  client.press('enter', 'x')
  await client.sees('Delete redirect')
  client.press('y')
  await client.sees('is deleted')
  expect(await stored()).toEqual(['/old'])

  await goTo(client, 'media folders', 'No folders yet.')
  for (const [name, inside] of [
    ['Shop', false],
    ['Bread', true],
  ] as const) {
    client.press('n')
    await client.sees('New folder')
    client.press('enter')
    client.type(name)
    client.press('enter')
    if (inside) {
      client.press('down', 'enter')
      await client.sees('Search')
      client.type('shop')
      client.press('enter')
    }
    client.press('ctrl+s')
    await client.sees('Saved.')
    client.press('q')
    await client.sees(name)
  }
  await client.sees('Shop / Bread')
  client.press('home', 'x')
  await client.sees('Delete “Shop”?')
  client.press('y')
  await client.sees('contains 1 child folder')
  client.press('end', 'f')
  await client.sees('No files yet.')
  expect(await app.services.media.folders.tree()).toMatchObject([
    { name: 'Shop', children: [{ name: 'Bread', children: [] }] },
  ])
})

it('has the admin space, guarded by its own permissions', async () => {
  const app = await testApp()
  await sampleOf(app)
  const editor = await openScreens(app, 'editor')
  await goTo(editor, 'admin space', /Content[\s\S]*Datatypes/)
  editor.press('down', 'down', 'down', 'down', 'enter', 'n')
  await editor.sees('New datatype')
  editor.press('enter')
  editor.type('Help')
  editor.press('ctrl+s')
  await editor.sees('Saved.')
  editor.press('q', 'f', 'n')
  await editor.sees('New field')
  editor.press('enter')
  editor.type('Text')
  editor.press('ctrl+s')
  await editor.sees('Saved.')
  editor.press('q', 'q', 'q', 'home', 'enter', 'n')
  await editor.sees('New page')
  editor.press('enter')
  editor.type('How we write')
  editor.press('tab', 'enter', 'ctrl+u')
  editor.type('/style')
  editor.press('tab', 'enter')
  await editor.sees('Search')
  editor.press('enter', 'ctrl+s')
  await editor.sees('○ How we write')
  editor.press('enter')
  await editor.sees('Help · draft')
  editor.press('enter')
  editor.type('Plain words')
  editor.press('ctrl+s')
  await editor.sees('Saved.')
  editor.press('p')
  await editor.sees('1 entry will be public')
  editor.press('y')
  await editor.sees('is public')
  const page = await app.call('GET', '/api/v1/admin/tree/style?format=clean')
  expect(page.body).toMatchObject({ text: 'Plain words' })
  expect((await app.call('GET', '/api/v1/page/style')).status).toBe(404)
  expect((await app.services.space.datatypes.count({})) + (await app.services.space.routes.count({}))).toBe(5)

  // Who may do all with content and has lost the admin space is refused there, and offered nothing of it.
  const give = await roleOfEditor(app)
  const ofContent = ['content:read', 'content:update', 'content:delete', 'routes:read']
  await give(...ofContent, 'admin_tree:read', 'admin_tree:update')
  const writer = await openScreens(app, 'editor')
  await goTo(writer, 'admin space', '› Admin space')
  writer.press('enter')
  await writer.sees('How we write')
  // It may delete content, and none of the admin space.
  expect(writer.text()).not.toContain('delete')
  await give(...ofContent)
  writer.press('enter')
  await writer.sees('the permission admin_tree:update is missing')
  const again = await openScreens(app, 'editor')
  await again.sees('Content')
  expect(again.text()).not.toContain('Admin space')

  // z checks the permission of the space in which the change was made.
  const ofSpace = ['admin_tree:read', 'admin_tree:update']
  await give(...ofSpace, 'admin_tree:delete')
  const helper = await openScreens(app, 'editor')
  await goTo(helper, 'admin space', '› Admin space')
  helper.press('enter')
  await helper.sees('How we write')
  helper.press('x')
  await helper.sees('y delete')
  helper.press('y')
  await helper.sees('Press z to undo.')
  helper.press('q', 'z')
  await helper.sees('1 entry is back.')
  helper.press('enter')
  await helper.sees('How we write')
  helper.press('x')
  await helper.sees('y delete')
  helper.press('y')
  await helper.sees('Press z to undo.')
  await give(...ofSpace, 'content:delete')
  helper.press('z')
  await helper.sees('the permission admin_tree:delete is missing')
  expect(await app.services.adminSpace.content.count({})).toBe(0)
})

it('T4: finds pages beyond those that were read, and says what was searched', async () => {
  const app = await testApp()
  const admin = await sshActor(app, 'admin')
  await app.db.write(admin, tx =>
    tx.insertAll(
      tables.routes,
      Array.from({ length: 230 }, (_, i) => ({
        slug: `/page-${i}`,
        title: `Page ${i}`,
        author_id: app.users.admin,
      })),
    ),
  )
  const client = await openScreens(app)
  await client.sees('Content')
  client.press('enter')
  await client.sees('200 of 230 read')
  client.type('/page 229')
  await client.sees('No results for “page 229” in the first 200 of 230. Enter searches all.')
  client.press('enter')
  await client.sees(/Page 229 +\/page-229/)
  await client.sees('1 found')
  client.press('escape')
  await client.misses('1 found')
  client.type('/nowhere')
  client.press('enter')
  await client.sees('No results for “nowhere”.')
  expect(client.text()).not.toContain('Enter searches all')
  client.press('escape')
  await client.misses('No results')
  client.type('/page 2')
  client.press('enter')
  await client.sees(/the first \d+ found, 200 of 230 read/)
})

it('T9: says in the list of content that a published page has unpublished changes, and when it was edited', async () => {
  const app = await testApp({ publish_mode: 'staged' })
  const { root } = await sampleOf(app)
  const client = await openScreens(app, 'admin', { columns: 200 })
  await client.sees('Content')
  client.press('enter')
  await client.sees(/Welcome +\/welcome +○ Draft/)
  await app.call('POST', '/api/v1/content/publish', { body: { content_data_id: root } })
  await goTo(client, 'content', /Welcome +\/welcome +● Published/)
  app.clock.advance(3_600_000)
  const entries = (await app.call('GET', '/api/v1/content?limit=100')).body as {
    content_data_id: string
    parent_id: string | null
  }[]
  const below = entries.find(({ parent_id }) => parent_id === root)?.content_data_id
  await app.call('PUT', `/api/v1/content?q=${below}`, { body: { fields: { heading: 'New hours' } } })
  await goTo(client, 'content', /Welcome +\/welcome +◐ Unpublished changes +2026-11-21 13:00/)
})
