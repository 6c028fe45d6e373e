import { expect, it } from 'vitest'
import { type Key, Keys } from '../../src/ssh/screen/keys.js'
import { testApp } from '../support/app.js'
import { chooser } from '../support/random.js'
import { sampleOf } from '../support/ssh-sample.js'
import { type Client, openScreens } from '../support/ssh-screens.js'

/** Presses the first button on a text of the screen, as a terminal reports it. */
function click(client: Client, text: string) {
  const rows = client.text().split('\n')
  const y = rows.findLastIndex(row => row.includes(text))
  if (y < 0) throw new Error(`is not there to click: ${text}\n${client.text()}`)
  const x = rows[y]?.indexOf(text) ?? 0
  client.send(`\x1b[<0;${x + 1};${y + 1}M\x1b[<0;${x + 1};${y + 1}m`)
}

const wheel = (client: Client, does: 'up' | 'down') => client.send(`\x1b[<${does === 'up' ? 64 : 65};1;1M`)

it('marks what is clicked, opens what is clicked again, and scrolls by the wheel', async () => {
  const app = await testApp()
  await sampleOf(app)
  const client = await openScreens(app)
  await client.sees('configuration of the service')
  expect([...client.model.modes]).toEqual(expect.arrayContaining(['1000', '1006']))
  click(client, 'Content')
  await client.sees('日本語のページ')
  click(client, 'Welcome')
  click(client, 'Welcome')
  await client.sees('Opening hours')
  click(client, '○ Contact')
  await client.sees(/│ Contact/)
  click(client, '○ Contact')
  await client.sees('Section · draft')
  // A field is entered by a second click, and what is typed is kept by a click elsewhere.
  click(client, 'Heading')
  client.type(' us')
  await client.sees('Enter accept')
  client.press('enter', 'ctrl+s')
  await client.sees('Saved.')
  client.press('q')
  await client.sees('Contact us')
  wheel(client, 'down')
  await client.sees(/│ Our team/)
  for (let i = 0; i < 3; i++) wheel(client, 'up')
  await client.sees(/│ Welcome/)
  // A question, which covers what is under it.
  client.press('x')
  await client.sees('cancel')
  click(client, 'Welcome')
  click(client, 'n  cancel')
  await client.misses('cancel')
  client.press('g')
  await client.sees('Go to')
  click(client, 'Datatypes')
  click(client, 'Datatypes')
  await client.sees('Section')
  client.press('q', 'g')
  await client.sees('Go to')
  client.type('roles')
  client.press('enter')
  await client.sees('Built in')
  client.press('end', 'p')
  await client.sees('Permissions of viewer')
  await client.sees('[ ]')
  const before = client.text().match(/\[ \]/g)?.length ?? 0
  click(client, '[ ]')
  await expect.poll(() => client.text().match(/\[ \]/g)?.length ?? 0).toBe(before - 1)
})

it('leaves the mouse to the terminal when it is asked to, and to plain terminals', async () => {
  const app = await testApp()
  const client = await openScreens(app)
  await client.sees('configuration of the service')
  client.send('\x0f')
  await client.sees('it selects text')
  expect([client.model.modes.has('1000'), client.model.modes.has('1006')]).toEqual([false, false])
  click(client, 'People')
  click(client, 'People')
  wheel(client, 'down')
  client.send('\x0f')
  await client.sees('The mouse is on.')
  expect(client.model.modes.has('1000')).toBe(true)
  client.press('enter')
  await client.sees('No pages yet.')
  const plain = await openScreens(app, 'admin', { term: 'vt100' })
  await plain.sees('Settings')
  expect(plain.written.join('')).not.toContain('?1000h')
})

it('knows no other reports, and takes nothing of them for keys', () => {
  const found: Key[] = []
  const keys = new Keys(key => found.push(key))
  const feed = (...packets: string[]) => {
    for (const packet of packets) keys.feed(Buffer.from(packet, 'latin1'))
    return found.splice(0)
  }
  expect(feed('\x1b[<0;12;3M', '\x1b[<0;12;3m')).toEqual([{ type: 'mouse', does: 'press', x: 11, y: 2 }])
  expect(feed('\x1b[<64;1', ';1M')).toEqual([{ type: 'mouse', does: 'up', x: 0, y: 0 }])
  const none = [
    '<1;1;1M',
    '<2;5;5M',
    '<35;9;9M',
    '<0;0;0M',
    '<0;-1;2M',
    '<;;M',
    '<0M',
    '<0;1M',
    '<99999999;1;1M',
  ]
  for (const one of none) expect([one, feed(`\x1b[${one}`)]).toEqual([one, []])
  // The older report, with three characters after it.
  expect(feed('\x1b[M !!')).toEqual([])
  expect(feed('\x1b[M', ' qx', 'a')).toEqual([{ type: 'key', key: 'a', text: 'a' }])
  keys.stop()
})

it('is harmless with whatever comes', async () => {
  const app = await testApp()
  await sampleOf(app)
  const client = await openScreens(app)
  const random = chooser(7)
  const number = () => random.one([0, 1, 40, 64, 65, 200, 99_999, Number.MAX_SAFE_INTEGER])
  for (let i = 0; i < 500; i++)
    client.send(`\x1b[<${number()};${number()};${number()}${random.one(['M', 'm', 'X'])}`)
  client.press('ctrl+l')
  await client.sees('Slugline')
  expect(client.closed).toBeUndefined()
  expect(app.logged.filter(({ message }) => message.includes('failed'))).toEqual([])
})
