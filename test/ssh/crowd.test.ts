import { expect, it } from 'vitest'
import { callerOf, made, statusOf } from '../support/calls.js'
import { connected, shell } from '../support/ssh.js'
import { sshSession, startWithTerminal } from '../support/ssh-session.js'

/** Only what hangs takes so long. */
const patience = { timeout: 180_000, interval: 20 }
const [people, sessionsOfEach] = [10, 5]
const password = 'correct horse'
/** Of 500 columns and 200 rows, most of them full of text. */
const frameBytes = 25_000

/** An address of this machine for each session: so many sign-ins of one address would be refused. */
const addressOf = (i: number) => `127.0.1.${i + 1}`

it('fifty sessions at once are fifty screens, each of its own user', async () => {
  const product = await startWithTerminal()
  const call = await callerOf(product)
  const roles = await made(call('GET', '/roles'))
  const role_id = roles.find(({ label }: { label: string }) => label === 'admin').role_id
  for (let i = 0; i < people; i++)
    await made(
      call('POST', '/users', {
        ...{ username: `person-${i}`, email: `person-${i}@example.com`, name: `Person ${i} of many` },
        ...{ password, role_id },
      }),
    )
  const all = await Promise.all(
    Array.from({ length: people * sessionsOfEach }, async (_, i) => {
      const who = i % people
      const how = { username: `person-${who}`, password, localAddress: addressOf(i) }
      return { i, who, session: await sshSession(product.sshPort, how) }
    }),
  )
  await Promise.all(all.map(({ who, session }) => session.sees(`Person ${who} of many · admin`)))
  // Each looks for a text of its own, letter by letter between those of the others.
  const wordOf = (i: number) => `look-${String(i).padStart(2, '0')}-for`
  for (const { session } of all) session.type('\r')
  await Promise.all(all.map(({ session }) => session.sees('No pages yet.')))
  for (let at = 0; at <= wordOf(0).length; at++)
    for (const { i, session } of all) session.type(`/${wordOf(i)}`.charAt(at))
  await Promise.all(all.map(({ i, session }) => session.sees(`No results for “${wordOf(i)}”.`)))
  for (const { i, who, session } of all) {
    const text = session.text()
    expect(text.match(/look-\d\d-for/g)).toEqual([wordOf(i), wordOf(i)])
    expect(text).toContain(`Person ${who} of many`)
  }
  // What each does is theirs.
  await Promise.all(
    all.map(async ({ i, session }) => {
      session.type('\rg')
      await session.sees('Go to')
      session.type('routes\r')
      await session.sees('› Routes')
      session.type('n')
      await session.sees('New route')
      session.type(`\rRoute ${i}\t\x13`)
      await session.sees('Saved.')
    }),
  )
  const audits = await made(call('GET', '/audit-events?limit=1000'))
  const users = await made(call('GET', '/users?limit=100'))
  const nameOf = new Map(
    users.map((user: { user_id: string; username: string }) => [user.user_id, user.username]),
  )
  const routes = await made(call('GET', '/routes?limit=100'))
  expect(routes).toHaveLength(all.length)
  for (const { i, who } of all) {
    const { route_id } = routes.find(({ slug }: { slug: string }) => slug === `/route-${i}`)
    const event = audits.find(({ record_id }: { record_id: string }) => record_id === route_id)
    expect([i, event?.surface, nameOf.get(event?.user_id)]).toEqual([i, 'ssh', `person-${who}`])
  }
  // One that goes takes none along.
  all[0]?.session.client.destroy()
  for (const { session } of all.slice(1)) session.type('q')
  await Promise.all(all.slice(1).map(({ i, session }) => session.sees(`Route ${i}`)))
  expect(await statusOf(`${product.url}/api/v1/health`)).toBe(200)
})

it('somebody who reads nothing is sent what there is room for, and then one frame', async () => {
  const product = await startWithTerminal()
  const call = await callerOf(product)
  for (let i = 0; i < 200; i++) {
    const slug = `/${String(i).padStart(3, '0')}-${'far-away-'.repeat(20)}`
    await made(call('POST', '/routes', { slug, title: 'Words that fill a line '.repeat(10) }))
  }
  const admin = { username: 'admin', password }
  const other = await sshSession(product.sshPort, { ...admin, localAddress: addressOf(1) })
  const client = await connected(product.sshPort, { ...admin, localAddress: addressOf(0) })
  const { channel } = await shell(client, { cols: 500, rows: 200, term: 'xterm-256color' })
  let latest = ''
  channel.on('data', (data: Buffer) => {
    latest = (latest + data.toString('latin1')).slice(-200_000)
  })
  const socket = (client as unknown as { _sock: { bytesRead: number } })._sock
  const frame = async () => {
    const before = socket.bytesRead
    channel.write('\x0c')
    await expect.poll(() => socket.bytesRead - before, patience).toBeGreaterThan(frameBytes)
  }
  channel.write('gRoutes\r')
  await expect.poll(() => latest, patience).toContain('/150-far')
  await frame()
  await frame()

  channel.pause()
  const from = socket.bytesRead
  let quiet = 0
  let at = ''
  /** Asks for a frame, and waits until the service has done something for somebody else after it. */
  const round = async () => {
    const before = socket.bytesRead
    channel.write('\x0c')
    at = at === 'Redirects' ? 'Locales' : 'Redirects'
    other.type(`g${at}\r`)
    await other.sees(`› ${at}`)
    quiet = socket.bytesRead === before ? quiet + 1 : 0
    return quiet
  }
  await expect.poll(round, { ...patience, timeout: 240_000 }).toBeGreaterThan(40)
  const stalledAt = socket.bytesRead
  expect(stalledAt - from).toBeGreaterThan(10 * frameBytes)
  for (let i = 0; i < 30; i++) await round()
  expect(await statusOf(`${product.url}/api/v1/health`)).toBe(200)
  expect(socket.bytesRead).toBe(stalledAt)
  channel.write('g')
  channel.resume()
  await expect.poll(() => latest, patience).toContain('Go to')
  // The frame that was under way, and one with all that has happened since.
  expect(socket.bytesRead - stalledAt).toBeLessThan(3 * frameBytes)
  expect(product.output()).not.toContain('failed')
})
