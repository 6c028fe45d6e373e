import { expect, it, onTestFinished, vi } from 'vitest'
import { inPublicSpace } from '../../src/resources/admin-space.js'
import { VitalsReader } from '../../src/ssh/vitals.js'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'
import { sshOf } from '../support/ssh.js'
import { openScreens, sshActor } from '../support/ssh-screens.js'

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
  await viewer.sees('Your role has no permission to see activity.')
  const ssh = await sshOf(app)
  const key = await ssh.keyOf('viewer')
  expect(await ssh.ssh('top', { key: key.file })).toMatchObject({
    code: 0,
    out: 'Your role has no permission to see activity.\n',
  })
  const admin = await ssh.keyOf('admin')
  const { out } = await ssh.ssh('top --json', { key: admin.file })
  const shown = JSON.parse(out)
  const names = shown.surfaces.map(({ name }: { name: string }) => name)
  expect(names).toContain('api')
  expect(shown.changes[0].subject.words).toBeTypeOf('string')
})

it('Live shows the running instances', async () => {
  const app = await testApp()
  await app.services.instances.begin({ host: 'web-1', pid: 4711, role: 'instance' })
  const client = await openScreens(app, 'admin', { columns: 120, rows: 50 })
  await client.sees('Instances')
  await client.sees(/web-1 · 4711 · \S+ +\d+ s ago/)
  await app.services.instances.end()
})

it('sessions are read again only after requests', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const app = await testApp()
  await app.services.instances.begin({ host: 'web-1', pid: 4711, role: 'instance' })
  let reads = 0
  const services = inPublicSpace(app.services)
  const live: typeof services.sessions.live = (...given) => {
    reads++
    return services.sessions.live(...given)
  }
  const reader = new VitalsReader({
    services: { ...services, sessions: { ...services.sessions, live } },
    actor: await sshActor(app, 'admin'),
    can: () => true,
    now: () => app.clock.now(),
  })
  for (let seconds = 0; seconds < 120; seconds++) {
    await reader.read()
    vi.advanceTimersByTime(1000)
  }
  expect(reads).toBe(1)
  await app.call('GET', '/api/v1/routes')
  expect((await reader.read()).here).not.toEqual([])
  expect(reads).toBe(2)
  // Who was here leaves the list without a read.
  // The sessions of the test were used a day from now.
  app.clock.advance(24 * 3_600_000 + 6 * 60_000)
  expect((await reader.read()).here).toEqual([])
  expect(reads).toBe(2)
  await app.services.instances.end()
})
