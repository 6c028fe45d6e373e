import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import ssh2, { type Client, type ClientChannel } from 'ssh2'
import { describe, expect, it, onTestFinished } from 'vitest'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'
import { exec, newKey, publicKeyOf, sshOf } from '../support/ssh.js'

/** Only what hangs takes so long. */
const patience = { timeout: 180_000 }

const app = await testApp()
const ssh = await sshOf(app)
const rows = factories(app)
const byPassword = { username: 'admin', password: 'correct horse' }
const { file: adminKey } = await ssh.keyOf('admin')

const wrongKey = newKey()
const keyIn = (file: string): ssh2.ParsedKey => {
  const key = ssh2.utils.parseKey(readFileSync(file))
  if (key instanceof Error) throw key
  return key
}

const works = async () => expect((await ssh.ssh('types', { key: adminKey })).code).toBe(0)

/** A socket of an address that others of this file do not have; what it was told, and whether it was closed. */
function dial(port: number, localAddress: string): { socket: Socket; closed: Promise<string> } {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  onTestFinished(() => void socket.destroy())
  let told = ''
  socket.on('data', data => (told += data.toString('latin1'))).on('error', () => undefined)
  return { socket, closed: new Promise(done => socket.once('close', () => done(told))) }
}

describe('whoever is nobody', () => {
  it('has ten tries a minute, and is then refused with the right password, here and by HTTP', async () => {
    const limited = await testApp({}, { limited: true })
    const { client, ...listener } = await sshOf(limited)
    const tries = async (password: string) =>
      client({ username: 'admin', password, localAddress: '127.0.0.9' }).then(
        () => 'in',
        error => error.message as string,
      )
    const refused = await tries('wrong horse')
    expect(refused).toContain('authentication methods failed')
    for (let i = 0; i < 9; i++) expect(await tries(`wrong horse ${i}`)).toBe(refused)
    expect(await tries('correct horse')).not.toBe('in')
    const login = { email: 'admin@example.com', password: 'correct horse' }
    const answer = await limited.call('POST', '/api/v1/auth/login', { body: login, address: '127.0.0.9' })
    expect(answer.status).toBe(429)
    const { file } = await listener.keyOf('admin')
    expect((await listener.ssh('types', { key: file })).code).toBe(0)
  })

  it('learns of no key that it does not have: each is asked for a signature, and a wrong one is refused', async () => {
    const [registered, other] = [keyIn(adminKey), keyIn(newKey())]
    for (const shown of [registered, other]) {
      let asked = 0
      class Forger extends ssh2.BaseAgent {
        override getIdentities(done: ssh2.IdentityCallback<ssh2.ParsedKey>) {
          done(undefined, [shown])
        }
        override sign(_key: unknown, data: Buffer, ...rest: unknown[]) {
          asked++
          const done = rest.at(-1) as ssh2.SignCallback
          done(undefined, keyIn(wrongKey).sign(data) as Buffer)
        }
      }
      await expect(ssh.client({ username: 'admin', agent: new Forger() })).rejects.toThrow(/failed/)
      expect(asked).toBe(1)
    }
  })

  it('who shows a key of somebody and signs with their own is who has signed', async () => {
    const { file: own } = await ssh.keyOf('viewer')
    const shown = `${newKey()}-shown`
    writeFileSync(`${shown}.pub`, `${publicKeyOf(adminKey)}\n`)
    const { out } = await ssh.ssh('keys list --json', { key: shown, options: ['-i', own] })
    const listed = JSON.parse(out).map(({ user_id }: { user_id: string }) => user_id)
    expect(new Set(listed)).toEqual(new Set([app.users.viewer]))
  })

  it('is closed after six tries of a connection', async () => {
    let tries = 0
    const attempt = ssh.client({
      username: 'admin',
      authHandler: (_left, _partial, next) => {
        tries++
        next({ type: 'password', username: 'admin', password: `wrong ${tries}` })
      },
    })
    await expect(attempt).rejects.toThrow()
    expect(tries).toBeLessThanOrEqual(7)
  })

  it.each([
    ['nothing', []],
    ['a request of HTTP', ['GET / HTTP/1.1\r\nHost: x\r\n\r\n']],
    ['bytes without meaning', [randomBytes(65_536)]],
    ['a line without an end', ['SSH-2.0-', 'x'.repeat(1_000_000)]],
    ['lines before the first', ['hello\r\n'.repeat(10_000)]],
    ['half a handshake', ['SSH-2.0-test\r\n']],
    ['a handshake of garbage', ['SSH-2.0-test\r\n', Buffer.from([0, 0, 255, 255]), randomBytes(70_000)]],
    ['a packet of no length', ['SSH-2.0-test\r\n', Buffer.alloc(64)]],
    ['an older version', ['SSH-1.5-test\r\n']],
  ])('that sends %s is closed in its time', async (_, sent) => {
    const short = await sshOf(app, { graceMs: 300 })
    const { socket, closed } = dial(short.port, '127.0.0.3')
    for (const bytes of sent) socket.write(bytes)
    expect(await closed).not.toContain('undefined')
    await works()
  })

  it('comes a thousand times at once from one address and is mostly turned away, while others come in', async () => {
    const dialled = Array.from({ length: 1000 }, () => dial(ssh.port, '127.0.0.4'))
    const turnedAway = dialled.map(({ closed }) =>
      closed.then(told => told.startsWith('Too many connections')),
    )
    await works()
    expect((await app.call('GET', '/api/v1/health')).status).toBe(200)
    await expect
      .poll(() => dialled.filter(({ socket }) => !socket.closed).length, patience)
      .toBeLessThanOrEqual(10)
    for (const { socket } of dialled) socket.destroy()
    expect((await Promise.all(turnedAway)).filter(Boolean).length).toBeGreaterThan(900)
    await works()
  })
})

describe('somebody who is signed in', () => {
  it.each([
    ['ports of the service', ['-W', '127.0.0.1:5432']],
    ['ports of the client', ['-R', '0:127.0.0.1:22', '-o', 'ExitOnForwardFailure=yes']],
    ['another subsystem', ['-s']],
  ])('is refused %s', async (_, options) => {
    const { code, out } = await ssh.ssh('netconf', { key: adminKey, options })
    expect([code, out]).toEqual([255, ''])
  })

  it('is refused variables, X11 and the agent, and goes on', async () => {
    const { code, err, out } = await ssh.ssh('types', {
      key: adminKey,
      options: ['-o', 'SetEnv=LD_PRELOAD=/tmp/x', '-A'],
    })
    expect([code, err, out.length > 0]).toEqual([0, '', true])
    const client = await ssh.client(byPassword)
    const refused = (options: ssh2.ExecOptions) => exec(client, 'types', options).then(() => 'taken', String)
    expect(await refused({ x11: true })).toContain('Unable to request X11')
    expect(await refused({ env: { LANG: 'x' } })).toBe('taken')
  })

  it('has ten channels of a connection', async () => {
    const client = await ssh.client(byPassword)
    const open = () =>
      new Promise<ClientChannel | string>(done =>
        client.exec('audit tail', (error, channel) => done(error ? error.message : channel)),
      )
    const opened = await Promise.all(Array.from({ length: 12 }, open))
    expect(opened.filter(one => typeof one === 'string')).toHaveLength(2)
    for (const one of opened) if (typeof one !== 'string') one.close()
    await expect.poll(async () => typeof (await open()), patience).toBe('object')
  })

  it('begins one thing on a channel, and a second one is refused', async () => {
    const client = await ssh.client(byPassword)
    const channel = await new Promise<ClientChannel>((resolve, reject) =>
      client.exec('audit tail', (error, opened) => (error ? reject(error) : resolve(opened))),
    )
    const inner = client as unknown as {
      _protocol: { exec(id: number, command: string, reply: boolean): void }
    }
    const { outgoing } = channel as unknown as { outgoing: { id: number } }
    for (let i = 0; i < 3; i++) inner._protocol.exec(outgoing.id, 'types', false)
    expect((await exec(client, 'types')).code).toBe(0)
    channel.close()
    expect(app.logged.filter(({ message }) => message === 'an SSH session failed')).toEqual([])
  })

  it.each([0, 1, 100])('is closed where packets may have %i bytes', async bytes => {
    const client = await ssh.client(byPassword)
    const closed = new Promise<void>(done => client.once('close', () => done()))
    const { _protocol } = client as unknown as {
      _protocol: { session(id: number, window: number, packet: number): void }
    }
    _protocol.session(0, 2 ** 31, bytes)
    await closed
    await works()
  })

  it('is told where there is no room, and by whom', async () => {
    const small = await sshOf(app, { limits: { inAll: () => 1, idleMs: () => 900_000 } })
    const first: Client = await small.client(byPassword)
    const { code, err } = await small.ssh('types', { key: adminKey })
    expect([code, err]).toEqual([1, expect.stringContaining('too many sessions are open')])
    first.end()
    await expect.poll(async () => (await small.ssh('types', { key: adminKey })).code, patience).toBe(0)
  })

  it('is refused sockets of the machine', async () => {
    const client = await ssh.client({ ...byPassword, strictVendor: false })
    const refused = new Promise(done => client.openssh_forwardOutStreamLocal('/tmp/x', done))
    expect(String(await refused)).toContain('Channel open failure')
    const listened = new Promise(done => client.forwardIn('127.0.0.1', 0, done))
    expect(String(await listened)).toContain('Unable to bind')
  })

  it('is shown texts that steer nothing, and gets them unchanged as JSON', async () => {
    const text = '\u001b]52;c;aGk=\u0007\u001b[2J\u009b31m\u202eevil\nsecond\u007f\r\b'
    const datatype = await rows.datatype('Steering', { visibility: 'public' })
    await rows.field(datatype.datatype_id, 'Text', 'textarea')
    const place = { status: 'published', fields: { text } }
    const { body: route } = await app.call('POST', '/api/v1/routes', { body: { slug: '/steer', title: 'x' } })
    await rows.entry(datatype.datatype_id, { route_id: route.route_id }, place)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that there are none is what is tested
    const steering = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/
    const shown = await ssh.ssh('query steering', { key: adminKey })
    expect(shown.out).not.toMatch(steering)
    expect(shown.out).toContain(
      'text: \\u001b]52;c;aGk=\\u0007\\u001b[2J\\u009b31m\\u202eevil\\nsecond\\u007f',
    )
    const json = await ssh.ssh('query steering --json', { key: adminKey })
    expect(json.out).not.toMatch(steering)
    expect(JSON.parse(json.out).data[0].fields.text).toBe(text)
    const { err } = await ssh.ssh(`routes get '\u001b[31mx\u009b' y`, { key: adminKey })
    expect(err).not.toMatch(steering)
  })

  it('leaves no secret in the log', () => {
    const text = JSON.stringify(app.logged, (_, value) =>
      value instanceof Error ? String(value.stack) : value,
    )
    for (const secret of ['correct horse', 'wrong horse', 'PRIVATE KEY']) expect(text).not.toContain(secret)
  })
})
