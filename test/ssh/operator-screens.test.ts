import { expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'
import { sampleOf } from '../support/ssh-sample.js'
import { goTo, openPage, openScreens } from '../support/ssh-screens.js'

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

it('T12: labels are as wide as the longest, up to a third of the window', async () => {
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
