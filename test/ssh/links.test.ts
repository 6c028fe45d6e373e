import { expect, it } from 'vitest'
import { Grid } from '../../src/ssh/screen/grid.js'
import { linkSequence, targetOf } from '../../src/ssh/screen/link.js'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'
import { exec, sshOf } from '../support/ssh.js'
import { sampleOf } from '../support/ssh-sample.js'
import { type Client, goTo, openPage, openScreens } from '../support/ssh-screens.js'
import { TerminalModel } from '../support/terminal-model.js'

const site = { client_site: 'https://bakery.example' }
const linked = (client: Client) => client.model.linked()
const hasLinks = (client: Client) => client.written.join('').includes('\x1b]8;')

// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequence as a whole
const wholeSequence = /^\x1b\]8;id=[a-z0-9]+;[\x21-\x7e]+\x1b\\$/

it('no byte of an address can end or begin a sequence', () => {
  const hostile = [
    ...Array.from({ length: 0x100 }, (_, code) => String.fromCharCode(code)),
    '\x1b\\',
    '\x1b]8;;https://evil.example\x07',
    '\x9c\x9d8;;x\x9c',
    '\u202e\u2066',
    '\ud800',
    '日本 語',
    '👩‍👩‍👧',
  ]
  for (const piece of hostile)
    for (const address of [
      `https://example.com/${piece}`,
      `https://example.com/?q=${piece}#${piece}`,
      `https://${piece}.example/`,
      `https://a${piece}:b@example.com/`,
      `mailto:${piece}@example.com?subject=${piece}`,
    ]) {
      const target = targetOf(address)
      if (target !== undefined) expect(linkSequence(target)).toMatch(wholeSequence)
    }
  expect(targetOf('https://example.com/a b\x1b\\')).toBe('https://example.com/a%20b%1B/')
  for (const other of ['javascript:alert(1)', 'file:///etc/passwd', 'ssh://a@b', '/about', '', 'x: y'])
    expect(targetOf(other)).toBeUndefined()
  expect(targetOf(`https://example.com/${'é'.repeat(1000)}`)).toBeUndefined()
})

it('links stay where they are drawn when cells change, scroll or are covered', () => {
  const grid = new Grid(20, 4)
  grid.hasLinks = true
  const model = new TerminalModel(20, 4)
  const draw = (rows: readonly (readonly [string, string?])[], over?: string) => {
    const area = grid.clear()
    for (const [y, [text, address]] of rows.entries()) {
      const n = area.put(0, y, text)
      if (address) area.link(0, y, n, address)
    }
    if (over) area.put(2, 1, over)
    model.feed(grid.diff())
    return model.linked().map(({ text, address }) => `${text} ${address.slice(8)}`)
  }
  const [a, b] = ['https://a/', 'https://b/']
  expect(draw([['first', a], ['second', b], ['third']])).toEqual(['first a/', 'second b/'])
  // The text stays and only the address changes, or goes.
  expect(draw([['first', b], ['second'], ['third', a]])).toEqual(['first b/', 'third a/'])
  expect(draw([['second'], ['third', a], ['first', b]])).toEqual(['third a/', 'first b/'])
  expect(draw([['second'], ['third', a], ['first', b]], 'xx')).toEqual(['th a/', 'd a/', 'first b/'])
  expect(
    draw([
      ['one two      three', a],
      ['日本', b],
    ]),
  ).toEqual(['one two      three a/', '日本 b/'])
  expect(draw([['one two']])).toEqual([])
})

it('an address is a hyperlink: that of a public page, of a draft in the panel, of a webhook and of a value', async () => {
  const app = await testApp({ ...site, webhook_enabled: true })
  const { root } = await sampleOf(app)
  await app.call('POST', '/api/v1/admin/webhooks', {
    body: { name: 'Build', url: 'https://hooks.example/build?x=1', events: ['content.published'] },
  })
  const client = await openScreens(app, 'admin', { columns: 100 })
  await goTo(client, 'content', /Welcome +\/welcome/)
  const panel = `https://bakery.example/admin/content/entry/${root}`
  expect(linked(client)).toContainEqual({ text: '/welcome', address: panel })
  expect(linked(client)).toContainEqual({
    text: '/日本',
    address: 'https://bakery.example/%E6%97%A5%E6%9C%AC',
  })
  await app.call('POST', '/api/v1/content/publish', { body: { content_data_id: root } })
  client.press('\x12')
  await client.sees(/Welcome +\/welcome +● /)
  expect(linked(client)).toContainEqual({ text: '/welcome', address: 'https://bakery.example/welcome' })
  await goTo(client, 'webhooks', 'hooks.example')
  expect(linked(client)).toContainEqual({
    text: 'https://hooks.example/build?x=1',
    address: 'https://hooks.example/build?x=1',
  })
  await goTo(client, 'routes', '› Routes')
  await client.sees('/welcome')
  expect(linked(client)).toContainEqual({ text: '/welcome', address: 'https://bakery.example/welcome' })
  client.press('q')
  await client.sees('configuration of the service')
  expect(linked(client)).toEqual([])
  await openPage(client, 'tree')
  client.press('enter')
  await client.sees('https://example.com/')
  expect(linked(client)).toContainEqual({ text: 'https://example.com/', address: 'https://example.com/' })
})

it('no terminal gets a hyperlink that has no colours, shows lines, or prints what it does not know', async () => {
  const app = await testApp(site)
  await sampleOf(app)
  for (const how of [
    { wishes: { noColour: true } },
    { term: 'dumb' },
    { term: 'vt100' },
    { term: 'xterm-mono' },
    { term: 'linux' },
    { latin: true },
  ]) {
    const client = await openScreens(app, 'admin', { columns: 100, ...how })
    await goTo(client, 'content', /Welcome +\/welcome/)
    expect([how, hasLinks(client)]).toEqual([how, false])
  }
  const client = await openScreens(app, 'admin', { columns: 100 })
  await goTo(client, 'content', /Welcome +\/welcome/)
  expect(linked(client).length).toBeGreaterThan(0)
  client.press('\x14')
  await client.sees('Colours are off.')
  expect(linked(client)).toEqual([])
  client.press('\x14')
  await client.sees('Colours are on.')
  expect(linked(client).length).toBeGreaterThan(0)
})

it('without an address of the site a slug is no hyperlink, and nothing of the admin space is public', async () => {
  const without = await testApp()
  await sampleOf(without)
  const client = await openScreens(without, 'admin', { columns: 100 })
  await goTo(client, 'content', /Welcome +\/welcome/)
  expect(linked(client)).toEqual([])
  const app = await testApp(site)
  const admin = await openScreens(app, 'admin', { columns: 100 })
  await goTo(admin, 'admin space', '› Admin space')
  admin.press('down', 'down', 'down', 'enter')
  await admin.sees('› Routes')
  admin.press('n')
  await admin.sees('New route')
  admin.press('enter')
  admin.type('Tools')
  admin.press('enter', 'ctrl+s')
  await admin.sees('Saved.')
  admin.press('q')
  await admin.sees('/tools')
  expect(linked(admin)).toEqual([])
})

it('a stored address steers no terminal', async () => {
  const app = await testApp(site)
  const make = factories(app)
  const page = await make.datatype('Note')
  await make.field(page.datatype_id, 'Text', 'richtext', { sort_order: 0 })
  const route = await make.route('/note', 'Note')
  const text =
    '<p><a href="https://evil.example/&#27;]8;;https://b.example&#7;x\u009c">one</a> <a href="javascript:alert(1)">two</a></p>'
  await make.entry(page.datatype_id, { route_id: route.route_id }, { fields: { text } })
  const client = await openScreens(app, 'admin', { columns: 120, rows: 30 })
  await goTo(client, 'content', '/note')
  // The model refuses every sequence but those of the product.
  await client.sees(/one.*two/)
  for (const { address } of linked(client)) expect(address).toMatch(/^https:\/\/(bakery|evil)\.example\//)
  expect(linked(client).some(({ text: words }) => words.includes('two'))).toBe(false)
})

it('addresses in the lists of commands are hyperlinks on a terminal only, and no stored text can make one', async () => {
  const app = await testApp({ ...site, webhook_enabled: true })
  const { root } = await sampleOf(app)
  const fake = '\x1b]8;id=x;https://evil.example/\x1b\\fake\x1b]8;;\x1b\\'
  await app.call('POST', '/api/v1/admin/webhooks', {
    body: { name: 'Build', url: 'https://hooks.example/b', events: ['content.published'] },
  })
  const ssh = await sshOf(app)
  const client = await ssh.client({ username: 'admin', password: 'correct horse' })
  const run = async (command: string, term?: string, env: Record<string, string> = {}) => {
    const pty = { term: term ?? '', cols: 200, rows: 24, width: 0, height: 0, modes: {} }
    return (await exec(client, command, term === undefined ? {} : { pty, env })).out
  }
  const link = (address: string, text: string) =>
    new RegExp(`\x1b\\]8;id=[0-9a-f-]{36};${address}\x1b\\\\${text}\x1b\\]8;;\x1b\\\\`)
  const pages = await run('routes list', 'xterm-256color')
  expect(pages).toMatch(link('https://bakery.example/welcome', '/welcome'))
  expect(pages).toMatch(link('https://bakery.example/%E6%97%A5%E6%9C%AC', '/日本'))
  expect(await run('webhooks list', 'xterm-256color')).toMatch(
    link('https://hooks.example/b', 'https://hooks.example/b'),
  )
  // Nothing is at the address of a draft.
  expect(await run('content list', 'xterm-256color')).not.toContain(']8;')
  await app.call('POST', '/api/v1/content/publish', { body: { content_data_id: root } })
  expect(await run('content list', 'xterm-256color')).toMatch(
    link('https://bakery.example/welcome', '/welcome'),
  )
  for (const [term, env] of [
    ['dumb'],
    ['vt100'],
    ['linux'],
    ['xterm-256color', { NO_COLOR: '1' }],
    [],
  ] as const)
    expect(await run('routes list', term, env)).not.toContain(']8;')
  expect(await run('routes list --json', 'xterm-256color')).not.toContain('\x1b')
  await app.call('PUT', `/api/v1/content?q=${root}`, { body: { fields: { summary: fake } } })
  for (const command of [`content get /welcome`, 'routes list', 'content list'])
    expect(await run(command, 'xterm-256color')).not.toContain('\x1b]8;id=x')
  expect(await run('content get /welcome', 'xterm-256color')).toContain('fake')
})
