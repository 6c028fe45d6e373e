import { expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { sampleOf } from '../support/ssh-sample.js'
import { type Client, goTo, openScreens } from '../support/ssh-screens.js'

/** Clears the screen, asks for a report, sets a title, a link and the clipboard, turns text around, and ends the line. */
const hostile =
  '\x1b[2J\x1b[6n\x1b]0;owned\x07\x1b]8;;http://evil.example\x1b\\\x9b31m\x1b]52;c;ZXZpbA==\x07\u202eevil\u2066\r\n\x08\x7f\x85\ufeff'

/** Nothing but our own sequences, and text without control characters. */
const own =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what is looked for
  /\x1b\[(?:\?(?:25|1000|1006|1049|2004|2026)[hl]|\d+;\d+H|H|[\d;]+m|\d+[XC]|2J|6n|K)|\x1b\]8;(?:id=[a-z0-9]+)?;[\x21-\x7e]*\x1b\\/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: what is looked for
const controls = /[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff]/

async function expectHarmless(client: Client) {
  expect(client.closed).toBeUndefined()
  for (const text of client.written) expect(text.replaceAll(own, '')).not.toMatch(controls)
}

it('shows content full of escape sequences without being steered by it', async () => {
  const app = await testApp({ client_site: 'https://bakery.example' })
  const { root, section } = await sampleOf(app)
  const webhook_id = await app.subscribe()
  await app.db.write(systemActor, async tx => {
    // As if it came by an import that checks nothing.
    for (const row of await tx.findAll(tables.contentFields, { content_data_id: root }))
      if (row.field_value.length > 20)
        await tx.update(tables.contentFields, row.content_field_id, { field_value: hostile })
    for (const row of await tx.findAll(tables.routes, {}))
      await tx.update(tables.routes, row.route_id, {
        title: `R ${hostile}`,
        slug: `/${row.route_id}${hostile}`,
      })
    for (const row of await tx.findAll(tables.fields, {}))
      await tx.update(tables.fields, row.field_id, { label: `F ${hostile}` })
    await tx.update(tables.datatypes, section, { label: `D ${hostile}` })
    await tx.update(tables.users, app.users.editor, { name: `U ${hostile}` })
    await tx.update(tables.users, app.users.admin, { name: `A ${hostile}` })
    await tx.update(tables.webhooks, webhook_id, { name: `W ${hostile}` })
  })
  const client = await openScreens(app, 'admin', { columns: 120, rows: 40 })
  await client.sees('A ␛[2J␛[6n')
  client.press('enter')
  await client.sees('R ␛')
  expect(client.written.join('')).toContain('\x1b]8;id=')
  client.press('enter')
  await client.sees('Opening hours')
  client.press('enter')
  await client.sees('Page · draft')
  client.press('down', 'enter')
  await client.sees('back to the form')
  client.press('escape')
  await client.sees('Page · draft')
  client.press('q')
  await client.misses('Page · draft')
  client.press('x')
  await client.sees('cancel')
  client.press('n')
  for (const [name, wanted] of [
    ['routes', 'R ␛'],
    ['datatypes', 'D ␛'],
    ['people', 'U ␛'],
    ['webhooks', 'W ␛'],
    ['audit', 'changed'],
  ] as const) {
    await goTo(client, name, wanted)
    client.press('enter')
    await client.misses('/ filter')
    await expectHarmless(client)
  }
  await goTo(client, 'datatypes', 'D ␛')
  client.press('end', 'f')
  await client.sees('F ␛')
  await expectHarmless(client)
})

it('takes no escape sequence by a paste or by keys', async () => {
  const app = await testApp()
  const client = await openScreens(app)
  await goTo(client, 'search', 'Words')
  client.send(`\x1b[200~a${hostile}b\x1b[201~`)
  await client.sees('␛')
  client.send(Buffer.from([0x80, 0xff, 0xc3, 0x28, 0x07, 0x0e]))
  client.press('enter')
  await client.sees(/No results|must/)
  await expectHarmless(client)
})

it('keeps fifty sessions apart', async () => {
  const app = await testApp()
  await sampleOf(app)
  const clients = await Promise.all(
    Array.from({ length: 50 }, (_, i) =>
      openScreens(app, i % 2 ? 'admin' : 'editor', { columns: 60 + i, rows: 20 + (i % 9) }),
    ),
  )
  for (const [i, client] of clients.entries()) {
    client.press('g')
    client.type('search')
    client.press('enter')
    client.type(`word${i}`)
  }
  for (const [i, client] of clients.entries()) {
    const text = await client.sees(`word${i}`)
    expect([...text.matchAll(/word(\d+)/g)].map(([, number]) => number)).toEqual([String(i)])
    expect(text).toContain(i % 2 ? 'Administrator' : 'editor')
    expect(text.split('\n')).toHaveLength(20 + (i % 9))
  }
})

it('queues one frame for a client that reads nothing', async () => {
  const app = await testApp()
  await sampleOf(app)
  const client = await openScreens(app)
  const other = await openScreens(app)
  await client.sees('Content')
  client.stalled = true
  client.press('down')
  await client.sees('Search')
  await expect.poll(() => client.written.length).toBeGreaterThan(2)
  const before = client.written.length
  for (let i = 0; i < 100; i++) client.press(i % 2 ? 'up' : 'down')
  client.press('end')
  other.press('enter')
  await other.sees('Straße')
  expect(client.written.length - before).toBeLessThanOrEqual(1)
  client.stalled = false
  client.drain()
  await expect.poll(() => client.written.length).toBeGreaterThan(before)
  client.press('enter')
  await client.sees('ssl_port')
})

it('ends one session by a fault in it, and no other one', async () => {
  const app = await testApp()
  await sampleOf(app)
  const [broken, other] = [await openScreens(app), await openScreens(app)]
  const { content } = app.services.space
  const { list } = content
  content.list = () => {
    throw new Error('a fault of this test')
  }
  try {
    broken.press('enter')
    await broken.sees('internal server error')
    expect(app.logged.at(-1)?.message).toBe('a screen of the terminal failed')
  } finally {
    content.list = list
  }
  broken.model.feed = () => {
    throw new Error('a broken pipe')
  }
  broken.press('q')
  await expect.poll(() => broken.closed).toEqual({ sentence: 'The service could not continue this session.' })
  other.press('enter')
  await other.sees('Straße')
})
