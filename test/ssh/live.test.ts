import { expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'
import { sshOf } from '../support/ssh.js'
import { openScreens } from '../support/ssh-screens.js'

it('the first screen of a wide window shows what happens, and sends only what changes', async () => {
  const app = await testApp()
  await factories(app).route('/winter', 'Winter')
  const client = await openScreens(app, 'admin', { columns: 120, rows: 40 })
  await client.sees('Requests')
  await client.sees('Winter: created by')
  for (const title of ['Scheduled', 'Active users', 'Disk', 'Backup', 'Statements', 'Datatypes'])
    await client.sees(title)
  await client.sees('API')
  // After some frames in which nothing happens each one is a few cells.
  const before = client.written.length
  await new Promise(resolve => setTimeout(resolve, 2500))
  const frames = client.written.slice(before)
  expect(Math.max(...frames.map(text => text.length))).toBeLessThan(600)
  client.press('down', 'enter')
  await client.sees('Search in published content')
})

it('Live shows a role only what it may see', async () => {
  const app = await testApp({ readers_see_drafts: false })
  await factories(app).route('/winter', 'Winter')
  const viewer = await openScreens(app, 'viewer', { columns: 120, rows: 40 })
  await viewer.sees('Your role sees nothing of what happens here.')
  const ssh = await sshOf(app)
  const key = await ssh.keyOf('viewer')
  expect(await ssh.ssh('top', { key: key.file })).toMatchObject({
    code: 0,
    out: 'Your role sees nothing of what happens here.\n',
  })
  const admin = await ssh.keyOf('admin')
  const { out } = await ssh.ssh('top --json', { key: admin.file })
  const shown = JSON.parse(out)
  const names = shown.surfaces.map(({ name }: { name: string }) => name)
  expect(names).toContain('api')
  expect(shown.changes[0].subject.words).toBeTypeOf('string')
})
