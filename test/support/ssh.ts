import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ssh2, { type ClientChannel, type ConnectConfig } from 'ssh2'
import { onTestFinished } from 'vitest'
import { hostKey } from '../../src/ssh/host-key.js'
import { listenForSsh, type SshOptions } from '../../src/ssh/server.js'
import type { TestApp } from './app.js'
import { whenDone } from './when-done.js'

/** The result of a client's command. */
interface Ended {
  code: number | null
  out: string
  err: string
}

export interface SshCall {
  /** The file of a private key; without one only a password is tried. */
  key?: string
  user?: string
  password?: string
  /** The code of a second factor, for the question after the password. */
  code?: string
  input?: string | Buffer
  /** Options of the client, such as `['-L', '1:localhost:2']`. */
  options?: readonly string[]
  /** Gets all output as it arrives, each byte as a character. */
  seen?: (out: string) => void
}

const folder = mkdtempSync(join(tmpdir(), 'slugline-ssh-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
let files = 0

/** Creates a key pair with `ssh-keygen`. @returns the file of the private key */
export function newKey(type = 'ed25519', ...more: string[]): string {
  const file = join(folder, `key-${process.pid}-${++files}`)
  const made = spawnSync('ssh-keygen', ['-q', '-t', type, ...more, '-N', '', '-C', 'test', '-f', file])
  if (made.status !== 0) throw new Error(`ssh-keygen: ${made.error ?? made.stderr}`)
  return file
}

export const publicKeyOf = (key: string): string => readFileSync(`${key}.pub`, 'utf8').trim()

/** Returns an environment that gives OpenSSH a password, because nobody types here. */
function askpass(password: string, code = ''): Record<string, string> {
  const file = join(folder, `askpass-${++files}`)
  const texts = `case "$1" in *ode*) cat <<'END'\n${code}\nEND\n;; *) cat <<'END'\n${password}\nEND\n;; esac\n`
  writeFileSync(file, `#!/bin/sh\n${texts}`)
  chmodSync(file, 0o700)
  return { SSH_ASKPASS: file, SSH_ASKPASS_REQUIRE: 'force', DISPLAY: ':0' }
}

const optionsOf = (port: number, { key, password, code, options = [] }: SshCall): string[] => [
  ...['-F', 'none', '-o', `Port=${port}`, '-o', 'LogLevel=ERROR'],
  ...['-o', 'StrictHostKeyChecking=no', '-o', `UserKnownHostsFile=${join(folder, 'known')}-${port}`],
  ...['-o', 'IdentitiesOnly=yes', '-o', 'IdentityAgent=none', '-o', 'NumberOfPasswordPrompts=1'],
  ...(password === undefined
    ? ['-o', 'BatchMode=yes']
    : ['-o', `PreferredAuthentications=password${code === undefined ? '' : ',keyboard-interactive'}`]),
  ...['-i', key ?? '/dev/null'],
  ...options,
]

/** Runs `ssh` or `sftp` of OpenSSH to its end. */
export async function openssh(
  program: 'ssh' | 'sftp',
  port: number,
  args: readonly string[],
  call: SshCall = {},
): Promise<Ended & { bytes: Buffer }> {
  const { user = 'somebody', password, code: factor, input = '' } = call
  const child = spawn(program, [...optionsOf(port, call), `${user}@127.0.0.1`, ...args], {
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      ...(password === undefined ? {} : askpass(password, factor)),
    },
  })
  let [out, err] = ['', '']
  child.stdout.setEncoding('latin1').on('data', data => {
    out += data
    call.seen?.(out)
  })
  child.stderr.setEncoding('utf8').on('data', data => (err += data))
  child.stdin.on('error', () => undefined).end(input)
  const code = await new Promise<number | null>(done => child.once('close', done))
  const bytes = Buffer.from(out, 'latin1')
  return { code, out: bytes.toString('utf8'), err, bytes }
}

/** Serves the terminal of a test's app on a port of its own. */
export async function sshOf(app: TestApp, more: Partial<Omit<SshOptions, 'site'>> = {}) {
  const { services, ports, config, ids } = app.parts
  const key = hostKey(join(folder, `host-${process.pid}-${++files}`), ports.log)
  if (!key) throw new Error('there is no host key')
  const listener = await listenForSsh('127.0.0.1:0', {
    site: { services, clock: ports.clock, log: ports.log, config, newRequestId: () => ids.ulid() },
    publicKeys: ports.publicKeys,
    hostKey: key,
    limits: { inAll: () => 200, idleMs: () => 900_000 },
    ...more,
  })
  whenDone(() => listener.stop())
  const { port } = listener

  /** Creates and registers a key for a user. */
  const keyOf = async (caller: 'viewer' | 'editor' | 'admin', type?: string, ...how: string[]) => {
    const file = newKey(type, ...how)
    const { body } = await app.call('POST', '/api/v1/ssh-keys', {
      as: caller,
      body: { public_key: publicKeyOf(file), label: 'test' },
    })
    return { file, id: body.ssh_key_id as string }
  }

  return {
    ...listener,
    fingerprint: key.fingerprint,
    keyOf,
    /** Runs one command by `ssh`. */
    ssh: async (command: string, call: SshCall = {}): Promise<Ended> => {
      const { bytes: _, ...ended } = await openssh('ssh', port, command === '' ? [] : ['--', command], call)
      return ended
    },
    /** Runs lines of `sftp`, which stops at the first failure. */
    sftp: (lines: readonly string[], call: SshCall = {}) =>
      openssh('sftp', port, [], {
        ...call,
        input: lines.map(line => `${line}\n`).join(''),
        options: ['-b', '-'],
      }),
    client: (how: ConnectConfig) => connected(port, how),
  }
}

/** Connects with the library's client, which can do more than OpenSSH. */
export async function connected(port: number, how: ConnectConfig): Promise<ssh2.Client> {
  const client = new ssh2.Client()
  onTestFinished(() => void client.destroy())
  await new Promise<void>((resolve, reject) => {
    client.once('ready', resolve).once('error', reject)
    client.once('close', () => reject(new Error('the connection was closed')))
    client.connect({ host: '127.0.0.1', port, username: 'somebody', readyTimeout: 60_000, ...how })
  })
  client.on('error', () => undefined)
  return client
}

/** Reads a channel until it is closed. */
export async function readAll(channel: ClientChannel): Promise<Ended> {
  const ended: Ended = { code: null, out: '', err: '' }
  channel.on('data', (data: Buffer) => (ended.out += data))
  channel.stderr.on('data', (data: Buffer) => (ended.err += data))
  channel.on('exit', code => (ended.code = code))
  await new Promise(done => channel.once('close', done))
  return ended
}

/** Runs a command. Its listeners are attached before events of the same packet. */
export const exec = (client: ssh2.Client, command: string, options: ssh2.ExecOptions = {}): Promise<Ended> =>
  new Promise((resolve, reject) => {
    client.exec(command, options, (error, channel) => (error ? reject(error) : resolve(readAll(channel))))
  })

export const shell = (
  client: ssh2.Client,
  window: ssh2.PseudoTtyOptions | false = {},
): Promise<{ channel: ClientChannel; ended: Promise<Ended> }> =>
  new Promise((resolve, reject) => {
    client.shell(window, (error, channel) =>
      error ? reject(error) : resolve({ channel, ended: readAll(channel) }),
    )
  })
