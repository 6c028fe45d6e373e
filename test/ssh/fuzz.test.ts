import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import ssh2 from 'ssh2'
import { describe, expect, it, onTestFinished } from 'vitest'
import { statusOf } from '../support/calls.js'
import { amount } from '../support/effort.js'
import { chooser } from '../support/random.js'
import { connected, exec, newKey, openssh, publicKeyOf } from '../support/ssh.js'
import { startWithTerminal } from '../support/ssh-session.js'

/** Only what hangs takes so long. */
const patience = { timeout: 180_000 }
const password = 'correct horse'

type Random = ReturnType<typeof chooser>
const bytesOf = (random: Random, length: number) =>
  Buffer.from(Array.from({ length }, () => random.below(256)))

/** A packet as it is before keys are exchanged: its length, the length of its padding, its content, padding. */
function packet(content: Buffer, random: Random): Buffer {
  const padding = 8 - ((content.length + 5) % 8) + (((content.length + 5) % 8) + 4 > 8 ? 8 : 0)
  const head = Buffer.alloc(5)
  head.writeUInt32BE(content.length + padding + 1)
  head[4] = padding
  return Buffer.concat([head, content, bytesOf(random, padding)])
}

/** What the library's client sends as its first packet, to be changed. */
async function firstPacket(port: number): Promise<Buffer> {
  const client = new ssh2.Client()
  const sent: Buffer[] = []
  const socket = connect(port, '127.0.0.1')
  const write = socket.write.bind(socket)
  socket.write = ((data: Buffer, ...rest: []) => {
    sent.push(Buffer.from(data))
    return write(data, ...rest)
  }) as typeof socket.write
  await new Promise<void>((resolve, reject) => {
    client.once('ready', resolve).once('error', reject)
    client.connect({ sock: socket, username: 'admin', password, readyTimeout: 60_000 })
  })
  client.on('error', () => undefined).destroy()
  const [, kexinit] = sent
  // Message 20 is that of an exchange of keys.
  if (kexinit?.[5] !== 20) throw new Error('the client has not begun an exchange of keys')
  return kexinit
}

/** Bits turned, bytes left out or put in, and lengths of parts set to others. */
function mutated(bytes: Buffer, random: Random): Buffer {
  let changed = Buffer.from(bytes)
  for (let i = 0; i <= random.below(4); i++) {
    const at = random.below(changed.length)
    const how = random.below(4)
    if (how === 0) changed[at] = (changed[at] ?? 0) ^ (1 << random.below(8))
    else if (how === 1)
      changed = Buffer.concat([changed.subarray(0, at), changed.subarray(at + 1 + random.below(9))])
    else if (how === 2)
      changed = Buffer.concat([
        changed.subarray(0, at),
        bytesOf(random, random.below(40)),
        changed.subarray(at),
      ])
    else if (at + 4 <= changed.length)
      changed.writeUInt32BE(random.one([0, 1, 7, 255, 35_000, 262_144, 0x7fffffff, 0xffffffff]), at)
    if (changed.length === 0) return bytesOf(random, 8)
  }
  return changed
}

/** Sends bytes and is closed, or closes. Addresses of their own, so that no limit keeps what is sent away. */
async function sends(port: number, localAddress: string, parts: readonly Buffer[]): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  socket.on('error', () => undefined).resume()
  await new Promise(done => socket.once('connect', done).once('close', done))
  for (const part of parts) if (socket.writable) socket.write(part)
  await new Promise<void>(done => {
    socket.once('close', () => done())
    socket.end()
  })
  return socket
}

/** What the library's client sends packets with. */
interface Sender {
  readonly _packetRW: {
    readonly write: {
      readonly allocStart: number
      alloc(length: number): Buffer
      finalize(packet: Buffer): Buffer
    }
  }
  readonly _cipher: { encrypt(packet: Buffer): void }
}

function sendPacket({ _packetRW, _cipher }: Sender, content: Buffer): void {
  const whole = _packetRW.write.alloc(content.length)
  whole.set(content, _packetRW.write.allocStart)
  _cipher.encrypt(_packetRW.write.finalize(whole))
}

const text = (word: string) => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(word.length)
  return Buffer.concat([length, Buffer.from(word)])
}
const number = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** A message of somebody who is in: right, but for some bits, or of any number. */
function messageOf(random: Random): Buffer {
  const channel = number(random.below(3))
  const request = (word: string, ...rest: Buffer[]) =>
    Buffer.concat([Buffer.from([98]), channel, text(word), Buffer.from([random.below(2)]), ...rest])
  const right = random.one([
    () => Buffer.concat([Buffer.from([90]), text('session'), channel, number(2 ** 21), number(32_768)]),
    () => Buffer.concat([Buffer.from([90]), text('direct-tcpip'), channel, number(99), number(32_768)]),
    () => Buffer.concat([Buffer.from([80]), text('tcpip-forward'), Buffer.from([1]), text('x'), number(22)]),
    () => Buffer.concat([Buffer.from([93]), channel, number(0xffffffff)]),
    () => Buffer.concat([Buffer.from([94]), channel, text('x'.repeat(random.below(300)))]),
    () => Buffer.concat([Buffer.from([random.one([96, 97, 99, 100])]), channel]),
    () => Buffer.concat([Buffer.from([50]), text('admin'), text('ssh-connection'), text('password')]),
    () => request('pty-req', text('xterm'), number(80), number(24), number(0), number(0), text('')),
    () => request('window-change', number(random.below(9999)), number(0), number(0), number(0)),
    () => request('shell'),
    () => request('exec', text('types')),
    () => request('subsystem', text('sftp')),
    () => request('signal', text('KILL')),
    () => request('env', text('PATH'), text('/')),
    () => Buffer.concat([Buffer.from([random.below(256)]), bytesOf(random, random.below(200))]),
  ])()
  return random.below(2) === 0 ? right : mutated(right, random)
}

const addressOf = (i: number) => `127.0.${10 + (i >> 7)}.${1 + (i & 127)}`

describe('the terminal of the started service', () => {
  const start = async () => {
    const product = await startWithTerminal({ config: { log_level: 'debug' } })
    const { sshPort } = product
    const key = newKey()
    const added = await openssh('ssh', sshPort, ['keys', 'add'], {
      user: 'admin',
      password,
      input: publicKeyOf(key),
    })
    expect(added).toMatchObject({ code: 0, err: '' })
    /** All is as it was: people are served, by both, by the same process. */
    const isWell = async () => {
      expect(await statusOf(`${product.url}/api/v1/health`)).toBe(200)
      expect(await openssh('ssh', sshPort, ['types'], { key })).toMatchObject({ code: 0, err: '' })
    }
    /** Nothing of a sign-in, and no fault that nobody has foreseen. */
    const logIsClean = () => {
      for (const secret of [password, 'PRIVATE KEY', 'horse']) expect(product.output()).not.toContain(secret)
      for (const word of ['uncaught', 'unhandled', 'an SSH session failed'])
        expect(product.output()).not.toContain(word)
    }
    return { ...product, key, isWell, logIsClean }
  }

  it('goes on whatever comes before keys are exchanged', async () => {
    const { sshPort, isWell, logIsClean } = await start()
    const kexinit = await firstPacket(sshPort)
    const random = chooser(20_261)
    const hello = Buffer.from('SSH-2.0-fuzz\r\n')
    const cases = [
      () => [mutated(Buffer.concat([hello, kexinit]), random)],
      () => [hello, mutated(kexinit, random)],
      () => [hello, kexinit, packet(bytesOf(random, random.below(200)), random)],
      // Messages of every number: service requests, sign-ins and channels before their time among them.
      () => [
        hello,
        kexinit,
        packet(Buffer.concat([Buffer.from([random.below(256)]), bytesOf(random, 60)]), random),
      ],
      () => [
        hello,
        packet(Buffer.from([random.one([1, 2, 3, 4, 5, 6, 21, 30, 31, 50, 80, 90])]), random),
        kexinit,
      ],
      () => [
        hello,
        kexinit,
        packet(Buffer.concat([Buffer.from([30]), bytesOf(random, random.below(90))]), random),
      ],
      () => [bytesOf(random, random.below(3000))],
    ]
    const rounds = amount(210, 3000)
    for (let i = 0; i < rounds; i += 10)
      await Promise.all(
        Array.from({ length: 10 }, (_, j) => {
          const parts = cases[(i + j) % cases.length]?.() ?? []
          return sends(sshPort, addressOf((i + j) % 1000), parts)
        }),
      )
    await isWell()
    logIsClean()
  })

  it('goes on whatever comes after somebody has signed in', async () => {
    const { sshPort, key, isWell, logIsClean, output } = await start()
    const random = chooser(20_262)
    const rounds = amount(60, 400)
    let answered = 0
    for (let i = 0; i < rounds; i++) {
      const how = { username: 'admin', privateKey: readFileSync(key), localAddress: addressOf(i % 1000) }
      const client = await connected(sshPort, how)
      const inner = client as unknown as { _protocol: Sender; _sock: Socket }
      const closed = new Promise<void>(done => client.once('close', () => done()))
      const before = inner._sock.bytesRead
      if (i % 3 === 0) void exec(client, 'types').catch(() => undefined)
      for (let n = 0; n <= random.below(6); n++) sendPacket(inner._protocol, messageOf(random))
      // What is no packet at all ends it, where the packets have not.
      inner._sock.write(bytesOf(random, 200))
      await closed
      client.destroy()
      if (i % 3 !== 0 && inner._sock.bytesRead > before) answered++
    }
    // Much of it is understood and refused, or done.
    expect(answered).toBeGreaterThan(rounds / 5)
    await isWell()
    logIsClean()
    expect(output()).not.toContain('"level":"fatal"')
  })

  it('is there for others while a thousand come in a minute and half of them never say a word', async () => {
    const { sshPort, isWell, logIsClean } = await start()
    const open: Socket[] = []
    onTestFinished(() => {
      for (const socket of open) socket.destroy()
    })
    for (let i = 0; i < 1000; i++) {
      const socket = connect({ port: sshPort, host: '127.0.0.1', localAddress: addressOf(i) })
      socket.on('error', () => undefined).resume()
      if (i % 2 === 0) socket.once('connect', () => socket.write(i % 4 === 0 ? 'SSH-2.0-half\r\n' : 'SSH-'))
      open.push(socket)
    }
    // No more than so many are looked after who have not signed in.
    const stillOpen = () => open.filter(socket => !socket.closed && !socket.connecting).length
    await expect.poll(() => open.every(socket => !socket.connecting), patience).toBe(true)
    await expect.poll(stillOpen, patience).toBeLessThanOrEqual(100)
    for (const socket of open) socket.destroy()
    await expect.poll(async () => isWell().then(() => 'well', String), patience).toBe('well')
    logIsClean()
  })
})
