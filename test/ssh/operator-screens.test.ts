import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import sharp from 'sharp'
import { expect, it, onTestFinished } from 'vitest'
import { tables } from '../../src/db/tables.js'
import { limits } from '../../src/limits.js'
import { copySequence } from '../../src/ssh/screen/clipboard.js'
import { tickedBy } from '../../src/ssh/screen/ticks.js'
import { type TestApp, testApp } from '../support/app.js'
import { factories } from '../support/factories.js'
import { uploader } from '../support/media.js'
import { sshOf } from '../support/ssh.js'
import { sampleOf } from '../support/ssh-sample.js'
import { type Client, goTo, openPage, openScreens, sshActor } from '../support/ssh-screens.js'
import { testStorage } from '../support/storage.js'

it('T8: asks before drafts or several entries become public, and not before one change', async () => {
  const app = await testApp({ publish_mode: 'staged' })
  const { root } = await sampleOf(app)
  const client = await openScreens(app)
  await openPage(client, 'tree')
  const status = async () => (await app.call('GET', `/api/v1/content?q=${root}`)).body.status
  client.press('home', 'p')
  await client.sees(/Publish “Welcome” with \d entries under it\?/)
  await client.sees(/\d entries will be public\. They are drafts now\./)
  client.press('n')
  await client.misses('Publish “Welcome”')
  expect(await status()).toBe('draft')
  client.press('p')
  await client.sees('will be public')
  client.press('y')
  await client.sees('“Welcome” is public')
  expect(await status()).toBe('published')
  // One entry without others under it, and public already.
  client.press('end', 'p')
  await client.sees(/“.+” is public\./)
})

it('T12: labels are as wide as the longest, up to two fifths of the window', async () => {
  const app = await testApp()
  const client = await openScreens(app, 'admin', { columns: 120, rows: 40 })
  await goTo(client, 'settings', 'ssh_host_key')
  client.type('G'.repeat(1))
  client.press('end')
  for (let at = 0; at < 60; at++) client.press('down')
  await client.sees('bucket_admin_access_key')
})

it('T22: ^R reads a list again', async () => {
  const app = await testApp()
  const client = await openScreens(app)
  await goTo(client, 'routes', 'No routes yet.')
  await factories(app).route('/elsewhere', 'Made elsewhere')
  client.press('\x12')
  await client.sees('Made elsewhere')
})

it('T30: a path is cut in the middle, because its end tells it apart', async () => {
  const app = await testApp()
  await factories(app).route(
    `/a-very-long-address/${'x'.repeat(60)}/the-end`,
    'A long title of a page with many words',
  )
  const client = await openScreens(app)
  await goTo(client, 'routes', '/the-end')
  expect(client.text()).toMatch(/\/a-very-\S*…\S*\/the-end/)
})

it('T31: the audit log shows seconds', async () => {
  const app = await testApp()
  await factories(app).route('/now', 'Now')
  const client = await openScreens(app)
  await goTo(client, 'audit', 'Route created')
  await client.sees(/\d\d-\d\d \d\d:\d\d:\d\d/)
})

it('T11: a refused save shows every problem at its field, in plain words', async () => {
  const app = await testApp()
  await sampleOf(app)
  const client = await openScreens(app)
  await openPage(client, 'entry')
  client.press('down', 'down', 'down', 'enter')
  client.type('x')
  client.press('tab', 'enter', 'ctrl+u')
  client.type('yesterday')
  client.press('enter', 'ctrl+s')
  const text = await client.sees('Not saved. 2 fields have a problem: Rating, Since.')
  expect(text).toMatch(/\n +must be a number\n/)
  expect(text).toMatch(/\n +must be a date such as 2026-01-31\n/)
  expect(text).not.toContain('fields.')
  client.press('u', 'home', 'down', 'down', 'down', 'down', 'u', 'up', 'enter', 'ctrl+u')
  client.type('x')
  client.press('ctrl+s')
  await client.sees('Not saved. Rating: must be a number')
})

it('T11: a webhook with several mistakes shows them in one round', async () => {
  const app = await testApp()
  const client = await openScreens(app)
  await goTo(client, 'webhooks', 'No webhooks yet.')
  client.press('n')
  await client.sees('New webhook')
  client.press('down', 'enter')
  client.type('http://example.com/')
  client.press('ctrl+s')
  const text = await client.sees('Not saved. 3 fields have a problem: Name, Address, Events.')
  expect(text).toContain('must be an https address (webhook_allow_http is false)')
  expect(text).not.toContain('url:')
})

it.each([
  ['TERM=dumb', { term: 'dumb' }],
  ['TERM=vt100', { term: 'vt100' }],
  ['NO_COLOR', { wishes: { noColour: true } }],
])('T19: %s has no colours', async (_name, how) => {
  const app = await testApp()
  await sampleOf(app)
  const client = await openScreens(app, 'admin', how)
  client.press('enter')
  await client.sees(/draft|Welcome/)
  const colours = () => client.written.join('').match(/;3[1-5][;m]/g) ?? []
  expect(colours()).toEqual([])
})

it('T19: ^T turns colours off and on', async () => {
  const app = await testApp()
  const { root } = await sampleOf(app)
  await app.call('POST', '/api/v1/content/publish', { body: { content_data_id: root } })
  const client = await openScreens(app)
  client.press('enter')
  await client.sees('● Published')
  // On the marked row a colour would be a background.
  client.press('down')
  const green = () => client.model.styles.some(style => style.includes('32'))
  await expect.poll(green).toBe(true)
  client.press('\x14')
  await client.sees('Colours are off.')
  expect(green()).toBe(false)
  client.press('\x14')
  await client.sees('Colours are on.')
  expect(green()).toBe(true)
})

it('T19: chosen colours are drawn, kept on the account, and there in the next session', async () => {
  const app = await testApp()
  await sampleOf(app)
  const client = await openScreens(app)
  await client.sees('pages and their entries')
  const events = async () =>
    (await app.audits()).filter(({ table_name }) => table_name === 'user_preferences').length
  client.press(',')
  await client.sees(/\* The colours of your terminal/)
  client.type('light')
  client.press('enter')
  await client.misses('accept')
  const backgrounds = (one: Client) =>
    new Set(one.model.styles.map(style => /;(40|107)(;|$)/.exec(style)?.[1] ?? ''))
  await expect.poll(() => backgrounds(client)).toEqual(new Set(['107']))
  await expect.poll(events).toBe(1)
  const next = await openScreens(app)
  await next.sees('pages and their entries')
  expect(backgrounds(next)).toEqual(new Set(['107']))
  // What the client says goes before it.
  const plain = await openScreens(app, 'admin', { wishes: { noColour: true } })
  await plain.sees('pages and their entries')
  expect(backgrounds(plain)).toEqual(new Set(['']))
  // The same choice again stores nothing, and the first one removes the row.
  const choose = async (text: string) => {
    next.press(',')
    await next.sees('accept')
    next.type(text)
    next.press('enter')
    await next.misses('accept')
  }
  await choose('light')
  await choose('high')
  expect(backgrounds(next)).toEqual(new Set(['40']))
  // Nothing is faint.
  expect(next.model.styles.some(style => /(^|;)2(;|$)/.test(style))).toBe(false)
  await choose('colours of')
  expect(backgrounds(next)).toEqual(new Set(['']))
  await expect.poll(events).toBe(3)
  expect(await app.db.findAll(tables.userPreferences, {})).toEqual([])
  // Another account has its own.
  expect(await app.services.terminalTheme.own(await sshActor(app, 'editor'))).toBe('own')
})

it('T19: TERM=dumb gets lines without any escape, the marked row first', async () => {
  const app = await testApp()
  await sampleOf(app)
  const client = await openScreens(app, 'admin', { term: 'dumb', columns: 200 })
  const lines = async (wanted: string, ...keys: string[]) => {
    const from = client.written.length
    client.press(...keys)
    await expect.poll(() => client.written.slice(from).join('')).toContain(wanted)
    return client.written.slice(from).join('').split('\r\n').filter(Boolean)
  }
  expect((await lines('> Content'))[0]).toMatch(/^> Content +pages and their entries$/)
  // A step says where it leads, and nothing else.
  expect(await lines('> Search', 'j')).toEqual([
    expect.stringMatching(/^> Search +search in published content$/),
  ])
  await lines('> Content', 'k')
  // The tree has no box and no second pane.
  await lines('Welcome', 'enter')
  expect((await lines('1 marked', ' ')).slice(0, 3)).toEqual([
    expect.stringMatching(/^> Stra\?e /),
    expect.stringMatching(/^Content .*1 marked, 3 in all$/),
    expect.stringMatching(/^x Welcome /),
  ])
  await lines('  3 in all', 'escape')
  const tree = await lines('Opening hours', '/', 'w', 'e', 'l', 'enter', 'enter')
  expect(tree.every(line => line.length <= 72)).toBe(true)
  client.press('q', 'q', 'q')
  await expect.poll(() => client.closed).toBeDefined()
  expect(client.written.join('')).toMatch(/^[\r\n -~]*$/)
})

it('pictures are shown in 24-bit colours, where the terminal has them', async () => {
  const storage = await testStorage()
  const app = await testApp(storage.config)
  const picture = sharp({ create: { width: 400, height: 200, channels: 3, background: '#123456' } })
  const upload = uploader(app)
  await upload('photo.png', await picture.png().toBuffer())
  await upload('note.txt', 'no picture')
  const paints = (client: Client) =>
    new Set(client.written.join('').match(/38;2;\d+;\d+;\d+;48;2;\d+;\d+;\d+/g))
  const opened = async (file: string, how: Parameters<typeof openScreens>[2]) => {
    const client = await openScreens(app, 'admin', how)
    await goTo(client, 'media', file)
    client.type(`/${file}`)
    await client.sees('1 found')
    client.press('enter', 'v')
    return client
  }
  const shown = await opened('photo.png', { wishes: { trueColour: true } })
  await shown.sees('▀'.repeat(72))
  expect(paints(shown)).toEqual(new Set(['38;2;18;52;86;48;2;18;52;86']))
  // Of 400×200 pixels in 72 columns, and in fewer.
  const rows = () => shown.text().match(/▀+/g) ?? []
  expect(rows()).toHaveLength(18)
  shown.resize(40, 12)
  await expect.poll(rows).toHaveLength(7)
  // Without colours there is no picture, and it comes back with them, beside a message.
  shown.press('\x14')
  await shown.sees('Pictures need')
  expect(rows()).toEqual([])
  shown.press('\x14')
  await expect.poll(rows).toHaveLength(6)

  for (const how of [
    {},
    { term: 'dumb', wishes: { trueColour: true } },
    { wishes: { trueColour: true, noColour: true } },
  ]) {
    const without = await opened('photo.png', how)
    await without.sees('Pictures need a terminal with 24-bit colours')
    expect(paints(without)).toEqual(new Set())
  }
  const text = await opened('note.txt', { wishes: { trueColour: true } })
  await text.sees('only png, jpg, webp and gif images can be shown')
})

it('a list of pages has the tree and the values of the selected page beside it, from 120 columns on', async () => {
  const app = await testApp()
  const { root, section } = await sampleOf(app)
  const [hours] = (await app.call('GET', `/api/v1/content?datatype_id=${section}`)).body
  const related = JSON.stringify([hours.content_data_id])
  const text =
    '<h2>Today</h2><ul><li>Fresh <b>bread</b></li><li><a href="https://example.com/x">Rolls</a></li></ul>'
  await app.call('PUT', `/api/v1/content?q=${root}`, { body: { fields: { text, related } } })
  const client = await openScreens(app, 'admin', { columns: 120, rows: 40 })
  await goTo(client, 'content', /Welcome +\/welcome/)
  client.type('/wel')
  await client.sees('1 found')
  client.press('enter')
  const seen = await client.sees(/○ Opening hours/)
  expect(seen).toMatch(/┌─ Tree ─+┐┌─ Preview ─+┐\n/)
  expect(seen).toMatch(/│ ○ Welcome +││ Welcome +│\n/)
  expect(seen).toContain('• Fresh bread')
  expect(seen).not.toContain('<b>')
  expect(seen).toMatch(/│ Related +│\n.*│ +Opening hours +│\n/)
  const { cells, styles } = client.model
  const styleOf = (word: string) =>
    styles[cells.findIndex((_, at) => cells.slice(at, at + word.length).join('') === word)]
  expect(['Today', 'bread', 'Rolls', 'Fresh'].map(styleOf)).toEqual(['1', '1', '4', '0'])
  expect(client.model.linked()).toContainEqual({ text: 'Rolls', address: 'https://example.com/x' })
  client.resize(119, 40)
  await client.misses('Preview')
  client.press('escape', 'end', 'home')
  client.resize(160, 40)
  await client.sees('• Fresh bread')
})

it('what is beside a list is read when the selection rests, and no key waits for it', async () => {
  const app = await testApp()
  await sampleOf(app)
  const { content } = app.services.space
  let reads = 0
  const opened = await openScreens(app, 'admin', { columns: 120, rows: 40 })
  const list = content.list
  onTestFinished(() => void Object.assign(content, { list }))
  await goTo(opened, 'content', /Welcome +\/welcome/)
  await opened.sees(/○ Opening hours/)
  Object.assign(content, {
    list: (...given: Parameters<typeof list>) => {
      reads++
      return list.apply(content, given)
    },
  })
  for (let i = 0; i < 20; i++) opened.press('down', 'up')
  await opened.sees(/○ Opening hours/)
  await new Promise(resolve => setTimeout(resolve, 400))
  // A tree is read in a few lists: 40 keys would be 40 times as many.
  expect(reads).toBeGreaterThan(0)
  expect(reads).toBeLessThan(12)
})

it('T25: the test of a webhook is one sentence, and its deliveries say whose they are', async () => {
  const app = await testApp({ webhook_enabled: true, webhook_allow_http: true })
  const receiver = createServer((_request, response) => response.end()).listen(0, '127.0.0.1')
  onTestFinished(() => void receiver.close())
  await once(receiver, 'listening')
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  await app.call('POST', '/api/v1/admin/webhooks', {
    body: { name: 'Build', url, events: ['content.published'] },
  })
  const client = await openScreens(app)
  await goTo(client, 'webhooks', 'Build')
  client.press('t')
  await client.sees(/(Delivered|Not delivered)\. .*\.$/m)
  expect(client.text()).not.toContain('..')
  client.press('d')
  await client.sees('Webhooks › Deliveries of Build')
})

it('T19, T26: OpenSSH sends NO_COLOR and the zone; other variables are refused', async () => {
  const app = await testApp()
  const { root } = await sampleOf(app)
  const ssh = await sshOf(app)
  const { file: key } = await ssh.keyOf('admin')
  const run = (set: string, line: string) => ssh.ssh(line, { key, options: ['-o', `SetEnv=${set}`] })
  const at = (given: string) => `content schedule ${root} --unpublish ${given} --json`
  const berlin = await run('TZ=Europe/Berlin NO_COLOR=1', at('"2040-07-01 09:00"'))
  expect(JSON.parse(berlin.out).unpublish_at).toBe('2040-07-01T07:00:00.000Z')
  // Whatever is no zone is refused, and times are in UTC then.
  for (const set of ['TZ=../../etc/passwd', `TZ=${'x'.repeat(100)}`, 'LD_PRELOAD=x']) {
    const { code, out } = await run(set, at('"2040-07-01 09:00"'))
    expect([code, JSON.parse(out).unpublish_at]).toEqual([0, '2040-07-01T09:00:00.000Z'])
  }
  const refused = await run('TZ=Europe/Berlin', at('"01/02/2040 9:00"'))
  expect(refused).toMatchObject({
    code: 1,
    err: expect.stringContaining('unpublish: needs the day as 2026-12-31'),
  })
})

it('T26: times are typed as people say them, in the zone of the session', async () => {
  const app = await testApp()
  const { root } = await sampleOf(app)
  const client = await openScreens(app, 'admin', { wishes: { zone: 'Europe/Berlin' } })
  await openPage(client, 'tree')
  client.press('home', 's')
  await client.sees(/such as 2026-12-31 09:00, tomorrow 9:00 or \+2h, in\s+Europe\/Berlin/)
  const typed = async (text: string, sees: string | RegExp) => {
    client.press('enter', 'ctrl+u')
    client.type(text)
    client.press('ctrl+s')
    await client.sees(sees)
  }
  await typed('9:00', 'needs a day, as today 9:00 or tomorrow 9:00')
  await typed('2040-10-28 02:30', 'is twice in Europe/Berlin')
  await typed('2040-07-01 9:00', 'Scheduled.')
  const plan = async () => (await app.call('GET', `/api/v1/content?q=${root}`)).body.publish_at
  expect(await plan()).toBe('2040-07-01T07:00:00.000Z')
  await client.sees('public from 2040-07-01 09:00')
  client.press('s')
  await client.sees(/Public from +2040-07-01 09:00/)
  await typed('+2h', 'Scheduled.')
  const inTwoHours = app.clock.now() + 7_200_000
  expect(Math.abs(Date.parse(await plan()) - inTwoHours)).toBeLessThan(60_000)
})

it('T29: in 40×12 the name of the user goes first, and the state stays', async () => {
  const app = await testApp()
  await sampleOf(app)
  await factories(app).route('/a-long-address-of-a-page', 'A long title of a page that is wide')
  const client = await openScreens(app, 'admin', { columns: 40, rows: 12 })
  client.press('enter')
  await client.sees(/A long title.*⊘ Empty/)
  expect(client.text()).toMatch(/Welcome .*○ Draft/)
  client.type('/wel')
  client.press('enter', 'enter')
  await client.sees('Opening hours')
  client.press('enter')
  const [head = ''] = (await client.sees('Page · draft')).split('\n')
  expect(head).not.toContain('Administrator')
  expect(head).not.toContain('…')
  expect(head).toMatch(/› Welcome/)
})

it('T33: a new page and a new route have the address of their title, until somebody writes another', async () => {
  const app = await testApp()
  await sampleOf(app)
  const client = await openScreens(app)
  await goTo(client, 'content', 'Straße')
  client.press('n')
  await client.sees('New page')
  client.press('enter')
  client.type('Über uns')
  client.press('enter')
  await client.sees(/Address +\/uber-uns/)
  client.press('enter')
  client.type(' heute')
  client.press('enter')
  await client.sees(/Address +\/uber-uns-heute/)
  client.press('down', 'enter', 'ctrl+u')
  client.type('/mine')
  client.press('enter', 'up', 'enter')
  client.type(' und hier')
  client.press('enter')
  await client.sees('Über uns heute und hier')
  expect(client.text()).toMatch(/Address +\/mine\b/)
  // The address of another page is not given again, and a save from the title itself has one too.
  await goTo(client, 'routes', '/strasse')
  client.press('n')
  await client.sees('New route')
  client.press('enter')
  client.type('Straße')
  client.press('ctrl+s')
  await client.sees('Saved.')
  const routes = (await app.call('GET', '/api/v1/routes')).body as { slug: string }[]
  expect(routes.map(({ slug }) => slug)).toContain('/strasse-2')
})

it('T37: blank cells are erased, not written', async () => {
  const app = await testApp()
  await sampleOf(app)
  const bytesOf = async (columns: number, rows: number) => {
    const client = await openScreens(app, 'admin', { columns, rows })
    await client.sees('pages and their entries')
    const before = client.written.length
    client.press('\x0c')
    await expect.poll(() => client.written.length).toBeGreaterThan(before)
    return client.written.slice(before).join('').length
  }
  // They were 2,650 and 12,983.
  expect(await bytesOf(80, 24)).toBeLessThan(1900)
  expect(await bytesOf(200, 60)).toBeLessThan(5000)
})

it('z undoes a move, a deletion and a first publication of this session, once', async () => {
  const app = await testApp({ publish_mode: 'staged' })
  const { root } = await sampleOf(app)
  const client = await openScreens(app)
  await openPage(client, 'tree')
  client.press('z')
  await client.sees('There is nothing to undo in this session.')
  client.press('home', 'down', 'J')
  await client.sees(/Contact[\s\S]*Opening hours/)
  const audits = async () => (await app.audits()).length
  const before = await audits()
  client.press('z')
  await client.sees('“Opening hours” is back in its old position.')
  await client.sees(/Opening hours[\s\S]*Contact/)
  expect(await audits()).toBeGreaterThan(before)
  client.press('z')
  await client.sees('There is nothing to undo in this session.')
  client.press('end', 'x')
  await client.sees('n  cancel')
  client.press('y')
  await client.sees('is deleted. Press z to undo.')
  await client.misses('日本語\n')
  client.press('z')
  await client.sees('“Our team 日本語” is back.')
  const status = async () => (await app.call('GET', `/api/v1/content?q=${root}`)).body.status
  client.press('home', 'p')
  await client.sees('will be public')
  client.press('y')
  await client.sees('Press z to undo.')
  expect(await status()).toBe('published')
  client.press('z')
  await client.sees('“Welcome” is a draft again.')
  expect(await status()).toBe('draft')
})

it('z undoes nothing that somebody else has changed since, and no second publication', async () => {
  const app = await testApp({ publish_mode: 'staged' })
  const { root } = await sampleOf(app)
  const client = await openScreens(app)
  await openPage(client, 'tree')
  const { body } = await app.call('GET', '/api/v1/content?limit=100')
  const under = (body as { content_data_id: string; parent_id: string | null; sort_order: number }[])
    .filter(one => one.parent_id === root)
    .sort((a, b) => a.sort_order - b.sort_order)
  const first = under[0]?.content_data_id
  client.press('home', 'down', 'J')
  await client.sees(/Contact[\s\S]*Opening hours/)
  const moved = await app.call('POST', '/api/v1/content/move', {
    body: { content_data_id: first, parent_id: root, position: 2 },
  })
  expect([moved.status, moved.text]).toEqual([200, moved.text])
  client.press('z')
  await client.sees('somebody else saved first')
  client.press('home', 'p')
  await client.sees('will be public')
  client.press('y')
  await client.sees('Press z to undo.')
  await app.call('PUT', `/api/v1/content?q=${root}`, { body: { fields: { title: 'Theirs' } } })
  client.press('z')
  await client.sees('somebody else saved first')
  expect((await app.call('GET', `/api/v1/content?q=${root}`)).body.status).toBe('published')
  // A publication of changes is not offered: what was public before would be lost.
  client.press('home', 'p')
  await client.sees('No draft becomes public')
  client.press('y')
  await client.sees('“Welcome” is public')
  expect(client.text()).not.toContain('Press z to undo.')
})

it('the palette finds pages, datatypes, media, people, screens and actions, and opens them', async () => {
  const app = await testApp()
  await sampleOf(app)
  const client = await openScreens(app)
  const finds = async (key: string, text: string, ...wanted: (string | RegExp)[]) => {
    client.press(key)
    await client.sees('Go to')
    client.type(text)
    for (const one of wanted) await client.sees(one)
  }
  // A draft by its title, without its accents.
  await finds(':', 'welc', /Welcome +page \/welcome/)
  client.press('enter')
  await client.sees('› Welcome')
  await client.sees('Opening hours')
  await finds('\x0b', 'section', /Section +datatype section/)
  client.press('enter')
  await client.sees(/Key +section/)
  await finds(':', 'editor@', /editor@example\.com/)
  client.press('enter')
  await client.sees(/E-mail +editor@example\.com/)
  await finds('g', 'new page', 'New page')
  client.press('enter')
  await client.sees('› New page')
  await finds('g', 'audit', /Audit log +who changed what/)
  client.press('enter')
  await client.sees('› Audit log')
  await finds('g', 'what is nowhere', 'No results.')
  client.press('escape')
})

it('the palette finds nothing that the role may not see', async () => {
  const app = await testApp({ readers_see_drafts: false })
  await sampleOf(app)
  const client = await openScreens(app, 'viewer')
  client.press(':')
  await client.sees('Go to')
  client.type('welcome')
  await client.sees('No results.')
  client.press('escape', ':')
  client.type('admin@')
  await client.sees('No results.')
  client.press('escape', ':')
  client.type('new page')
  await client.sees('No results.')
})

/** Pages with these titles as values; one with an empty title cannot be published, because it is required. */
async function pagesOf(app: TestApp, titles: Readonly<Record<string, string>>) {
  const { datatype, field, route, entry } = factories(app)
  const { datatype_id } = await datatype('Page')
  await field(datatype_id, 'Title', 'text', { required: true })
  const ids: string[] = []
  for (const [name, title] of Object.entries(titles)) {
    const { route_id } = await route(`/${name.toLowerCase()}`, name)
    ids.push((await entry(datatype_id, { route_id }, { fields: { title } })).content_data_id)
  }
  return ids
}

/** Returns how often each thing was written and delivered since the last call. */
function writtenIn(app: TestApp) {
  const countsOf = (words: readonly string[]) =>
    Object.fromEntries(
      [...new Set(words)].toSorted().map(word => [word, words.filter(w => w === word).length]),
    )
  let [audits, deliveries] = [0, 0]
  return async () => {
    const [events, sent] = [await app.audits(), await app.deliveries()]
    const found = {
      events: countsOf(events.slice(audits).map(({ operation, table_name }) => `${operation} ${table_name}`)),
      sent: countsOf(sent.slice(deliveries).map(({ event }) => event)),
      requests: new Set(events.slice(audits).map(({ surface, request_id }) => `${surface} ${request_id}`))
        .size,
    }
    ;[audits, deliveries] = [events.length, sent.length]
    return found
  }
}

it('Space marks a row, * all that are shown, Esc clears the marks, which stay with their records', async () => {
  const app = await testApp()
  const [, two = ''] = await pagesOf(app, { One: '1', Two: '2', Three: '3' })
  await app.call('POST', '/api/v1/routes', { body: { slug: '/empty', title: 'Empty' } })
  const client = await openScreens(app)
  await goTo(client, 'content', 'Empty')
  // A row without an entry cannot be marked.
  client.press('*')
  await client.sees('3 marked, 4 in all')
  expect(client.text()).toMatch(/✓ One[\s\S]*✓ Two[\s\S]*✓ Three/)
  expect(client.text()).not.toContain('✓ Empty')
  client.press('end', ' ', 'p')
  await client.sees('Publish 3 entries?')
  client.press('n', 'escape')
  await client.misses('marked')
  client.press('p')
  await client.sees('There is no entry in this row.')
  client.press('home', ' ', ' ')
  await client.sees('2 marked')
  client.press('up', ' ')
  await client.sees('1 marked')
  client.press('up', ' ')
  await client.sees('2 marked')
  client.type('/three')
  client.press('enter', ' ')
  await client.sees('3 marked, 1 found, 4 in all')
  // The marks go before the filter.
  client.press('escape')
  await client.misses('marked')
  await client.sees('1 found')
  client.press('*')
  await client.sees('1 marked, 1 found')
  client.press('escape')
  await client.misses('marked')
  client.press('escape')
  await client.misses('found')
  client.press('*')
  await client.sees('3 marked')
  const { route_id } = await app.services.space.content.get(two)
  await app.call('DELETE', `/api/v1/routes?q=${route_id}&recursive=true`)
  client.press('\x12')
  await client.sees('2 marked, 3 in all')
})

const osc52 = (text: string) => `\x1b]52;c;${Buffer.from(text).toString('base64')}\x07`

it('y copies the address of a record, Y its id, and a secret that is shown once', async () => {
  const app = await testApp({ webhook_enabled: true })
  const [id = ''] = await pagesOf(app, { One: '1' })
  const client = await openScreens(app)
  await goTo(client, 'content', '/one')
  client.press('y')
  await client.sees('Copied, if your terminal allows it.')
  expect(client.written).toContain(osc52('/one'))
  client.press('Y')
  await expect.poll(() => client.written).toContain(osc52(id))
  client.press('enter')
  await client.sees('› Content › One')
  client.press('y')
  await expect.poll(() => client.written.filter(text => text === osc52('/one'))).toHaveLength(2)
  await goTo(client, 'people', 'editor@example.com')
  client.press('home', 'y')
  await expect.poll(() => client.written).toContain(osc52('admin@example.com'))
  await app.subscribe()
  await goTo(client, 'webhooks', '› Webhooks')
  client.press('R')
  await client.sees('shown only once')
  client.press('y')
  const copied = () => client.written.filter(text => text.startsWith('\x1b]52;')).at(-1) ?? ''
  await expect.poll(copied).not.toBe(osc52('admin@example.com'))
  expect(client.text()).toContain(Buffer.from(copied().slice(7, -1), 'base64').toString())
})

it('a terminal that knows no sequences is sent none, and is told so', async () => {
  const app = await testApp()
  await pagesOf(app, { One: '1' })
  for (const term of ['dumb', 'vt100']) {
    const client = await openScreens(app, 'admin', { term })
    await goTo(client, 'content', '/one')
    client.press('y')
    await client.sees('This terminal cannot copy.')
    expect(client.written.join('')).not.toContain(']52;')
  }
})

it('a copied text cannot run or hide anything where it is pasted, and has a limit', () => {
  expect(copySequence('/a\nrm -rf ~\r\x1b]0;x\x07\u202e')).toBe(osc52('/arm -rf ~]0;x'))
  expect(copySequence('é'.repeat(2048))).toBe(osc52('é'.repeat(2048)))
  expect(copySequence('é'.repeat(2049))).toBeUndefined()
})

it('no more records are marked than one action may change', () => {
  const shown = Array.from({ length: 250 }, (_, i) => `r${i}`)
  const told: string[] = []
  const tick = (key: string, at: number, ticks: ReadonlyMap<string, string>) =>
    tickedBy({ keyOf: name => name }, { ticks, shown, at }, key, words => told.push(words))
  const all = tick('*', 0, new Map()) ?? new Map()
  expect(all.size).toBe(limits.content.selectedRecords)
  expect(tick(' ', 249, all)?.size).toBe(200)
  expect(told).toEqual(Array(2).fill('No more than 200 can be marked at once.'))
  // One of them can be unmarked, and another one marked.
  const fewer = tick(' ', 7, all) ?? new Map()
  expect([fewer.size, tick(' ', 249, fewer)?.has('r249')]).toEqual([199, true])
  expect(told).toHaveLength(2)
})

it('one question acts on all marked pages, and says which were refused', async () => {
  const app = await testApp({ webhook_enabled: true })
  const ids = await pagesOf(app, { One: '1', Two: '', Three: '3' })
  await app.subscribe()
  const { content } = app.services.space
  const each = <T>(of: (entry: Awaited<ReturnType<typeof content.get>>) => T) =>
    Promise.all(ids.map(async id => of(await content.get(id))))
  const written = writtenIn(app)
  const client = await openScreens(app)
  await goTo(client, 'content', 'Three')
  client.press('*', 'p')
  await client.sees('Publish 3 entries?')
  await written()
  client.press('n', 'p', 'y')
  await client.sees('2 entries published.')
  expect(client.text()).toContain('1 entry was rejected and has not changed.')
  expect(client.text()).toMatch(/“Two”: .*title/i)
  expect(await each(({ status }) => status)).toEqual(['published', 'draft', 'published'])
  expect(await written()).toEqual({
    events: { 'INSERT content_versions': 2, 'UPDATE content_data': 2 },
    sent: { 'content.published': 2, 'version.created': 2 },
    requests: 1,
  })
  // What was refused is still marked.
  client.press('q')
  await client.sees('1 marked')
  expect(client.text()).toContain('✓ Two')

  client.press('*', 's')
  await client.sees('Schedule 3 entries')
  client.press('end', 'enter')
  client.type('2027-01-31T12:00')
  client.press('enter', 'ctrl+s')
  await client.sees('3 entries scheduled.')
  expect(new Set(await each(({ unpublish_at }) => unpublish_at))).toEqual(
    new Set(['2027-01-31T12:00:00.000Z']),
  )
  await client.misses('marked')
  await written()

  client.press('home', ' ', 'down', ' ', 'U')
  await client.sees('Unpublish 2 entries?')
  client.press('y')
  await client.sees('2 entries unpublished.')
  expect(await each(({ status }) => status)).toEqual(['draft', 'draft', 'draft'])
  expect((await written()).sent).toEqual({ 'content.unpublished': 2 })
  await client.misses('marked')
})

it('marked pages are deleted together, and z brings them back', async () => {
  const app = await testApp({ webhook_enabled: true })
  const [one = ''] = await pagesOf(app, { One: '1', Two: '2', Three: '3' })
  await app.subscribe()
  const { content, routes, cascades } = app.services.space
  const written = writtenIn(app)
  const client = await openScreens(app)
  await goTo(client, 'content', 'Three')
  client.press('*', 'x')
  await client.sees('Delete 3 entries?')
  expect(client.text()).toContain('This deletes 3 entries, with 3 addresses.')
  // One vanishes while the question is asked.
  await cascades.remove(await sshActor(app, 'admin'), 'routes', (await content.get(one)).route_id ?? '')
  await written()
  client.press('y')
  await client.sees('2 entries deleted. Press z to undo.')
  expect(client.text()).toContain('1 entry was rejected and has not changed.')
  expect([await content.count({}), await routes.count({})]).toEqual([0, 0])
  expect(await written()).toEqual({
    events: {
      'DELETE content_data': 2,
      'DELETE content_fields': 2,
      'DELETE routes': 2,
      'INSERT trash': 2,
    },
    sent: { 'content.deleted': 2, 'route.deleted': 2 },
    requests: 1,
  })
  client.press('z')
  await client.sees('2 entries are back.')
  client.press('q')
  await client.sees(/Two[\s\S]*Three/)
  // Neither what was done nor what is gone is marked.
  expect(client.text()).not.toContain('marked')
  expect([await content.count({}), await routes.count({})]).toEqual([2, 2])
  client.press('z')
  await client.sees('There is nothing to undo')
  // Without a mark the keys act on the selected row.
  client.press('home', 'x')
  await client.sees('Delete “Two”?')
  client.press('y')
  await client.sees('1 entry deleted. Press z to undo.')
  expect(await content.count({})).toBe(1)
})

it('marked entries of a tree are changed together, and those under a marked one with it', async () => {
  const app = await testApp({ webhook_enabled: true })
  const { root } = await sampleOf(app)
  await app.subscribe()
  const { content } = app.services.space
  const written = writtenIn(app)
  const client = await openScreens(app)
  await openPage(client, 'tree')
  await written()
  client.press('home', 'down', ' ', ' ')
  await client.sees('2 marked')
  expect(client.text()).toMatch(/✓ .*Opening hours[\s\S]*✓ .*Contact/)
  client.press('p')
  await client.sees('Publish 2 entries?')
  client.press('y')
  await client.sees('2 entries published.')
  expect((await written()).sent).toMatchObject({ 'content.published': 2 })
  await client.misses('marked')
  // All of the tree is one publication, that of its root.
  client.press('*')
  await client.sees('4 marked')
  client.press('p')
  await client.sees('Publish “Welcome” with 3 entries under it?')
  client.press('y')
  await client.sees('1 entry published.')
  expect((await written()).sent).toMatchObject({ 'content.published': 1 })
  expect(await content.count({ status: 'published' })).toBe(4)
  await client.misses('marked')
  client.press('end', ' ', 'up', ' ', 'U')
  await client.sees('Unpublish 2 entries?')
  client.press('y')
  await client.sees('2 entries unpublished.')
  expect(await content.count({ status: 'draft' })).toBe(2)
  client.press('end', ' ', 'up', ' ', 's')
  await client.sees('Schedule 2 entries')
  client.press('q')
  await client.sees('2 marked')
  client.press('x')
  await client.sees('Delete 2 entries?')
  client.press('y')
  await client.sees('2 entries deleted. Press z to undo.')
  await client.misses('日本語')
  expect(await content.count({})).toBe(2)
  client.press('z')
  await client.sees('2 entries are back.')
  await client.sees('日本語')
  // The root takes the whole page with it.
  client.press('*')
  await client.sees('4 marked')
  client.press('x')
  await client.sees('Delete “Welcome”?')
  client.press('y')
  await client.sees('is deleted. Press z to undo.')
  await client.sees('0 found, 2 in all')
  expect([await content.count({}), (await app.call('GET', `/api/v1/content?q=${root}`)).status]).toEqual([
    0, 404,
  ])
})

it('marked files are moved together and deleted, except those that content uses', async () => {
  const storage = await testStorage()
  const app = await testApp({ ...storage.config, webhook_enabled: true })
  const { root } = await sampleOf(app)
  const upload = uploader(app)
  const ids: string[] = []
  for (const name of ['a.txt', 'b.txt', 'c.txt']) ids.push((await upload(name, name)).body.media_id)
  await app.call('PUT', `/api/v1/content?q=${root}`, { body: { fields: { picture: ids[1] } } })
  const { media } = app.services
  const { folder_id } = await media.folders.create(await sshActor(app, 'admin'), {
    name: 'Shop',
    parent_id: null,
    author_id: undefined,
  })
  await app.subscribe()
  const written = writtenIn(app)
  // For a screen reader the sign is a letter.
  const client = await openScreens(app, 'admin', { term: 'vt100' })
  await goTo(client, 'media', 'c.txt')
  client.press('home', ' ', ' ', 'm')
  await client.sees('Move 2 files')
  expect(client.text()).toContain('2 marked')
  await client.sees('Shop')
  client.type('shop')
  await written()
  client.press('enter')
  await client.sees('2 files moved.')
  const folders = async () => (await media.items.some(ids)).filter(one => one.folder_id === folder_id).length
  expect(await folders()).toBe(2)
  expect(await written()).toEqual({
    events: { 'UPDATE media': 2 },
    sent: { 'media.updated': 2 },
    requests: 1,
  })
  await client.misses('marked')

  client.press('*')
  await client.sees(/x a\.txt[\s\S]*x b\.txt|x c\.txt[\s\S]*x b\.txt/)
  client.press('x')
  await client.sees('Delete 3 files?')
  client.press('y')
  await client.sees('2 files deleted.')
  expect(client.text()).toContain('1 file was not deleted.')
  expect(client.text()).toMatch(/"b\.txt": still used by content/)
  expect((await media.items.some(ids)).map(({ media_id }) => media_id)).toEqual([ids[1]])
  expect(await written()).toEqual({
    events: { 'DELETE media': 2 },
    sent: { 'media.deleted': 2 },
    requests: 1,
  })
  client.press('q')
  await client.sees('1 marked, 1 in all')
  // What is gone cannot be moved, and its mark goes when the list is read.
  client.press('m')
  await client.sees('Move 1 file')
  await app.call('PUT', `/api/v1/content?q=${root}`, { body: { fields: { picture: '' } } })
  await app.call('DELETE', `/api/v1/media?q=${ids[1]}`)
  client.press('enter')
  await client.sees('no media item has the id')
  await client.sees('0 in all')
  expect(client.text()).not.toContain('marked')
})
