import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { callerOf, made } from '../support/calls.js'
import { freePort, productEnv } from '../support/process.js'
import { Recording } from '../support/recording.js'
import { newKey, publicKeyOf } from '../support/ssh.js'
import { tmux, tmuxMissing } from '../support/tmux.js'

const file = 'docs/terminal/recording.cast'
/** Writes the recording of the docs: `WRITE_RECORDING=1 npx vitest run test/ssh/recording.test.ts`. */
const isWritten = process.env.WRITE_RECORDING === '1'
const size = { columns: 110, rows: 32 }
const password = 'a password of the demonstration'

/** Starts the sample site of `quickstart`, as a process of its own. */
async function sampleSite(folder: string) {
  mkdirSync(join(folder, 'site'))
  const settings = { publish_mode: 'staged', ssh_guest: 'editor', i18n_enabled: true }
  const database = { db_driver: 'sqlite', db_url: './modula.db' }
  writeFileSync(join(folder, 'site/cms.config.json'), JSON.stringify({ ...settings, ...database }))
  const args = ['quickstart', '--dir', join(folder, 'site'), '--port', `127.0.0.1:${await freePort()}`]
  const child = spawn(process.execPath, [resolve('dist/cli.js'), ...args], {
    cwd: folder,
    env: { ...productEnv, CMS_ADMIN_PASSWORD: password },
  })
  const closed = new Promise(done => child.once('close', done))
  onTestFinished(async () => {
    child.kill()
    await closed
  })
  let out = ''
  child.stdout.on('data', data => (out += data))
  child.stderr.on('data', data => (out += data))
  await expect.poll(() => out, { timeout: 120_000 }).toContain('Stop with Ctrl-C')
  const url = /Public site +(\S+)\//.exec(out)?.[1] ?? ''
  const sshPort = Number(/ssh -p (\d+)/.exec(out)?.[1])
  const signedIn = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email: 'admin@example.com', password }),
  })
  const call = await callerOf(
    { url, login: async () => '' },
    signedIn.headers.get('set-cookie')?.split(';')[0] ?? '',
  )
  return { url, sshPort, call }
}

/** A shell whose `ssh demo` is the site, and `ssh guest@demo` its guest. */
function shellOf(folder: string, sshPort: number, key: string): string[] {
  writeFileSync(
    join(folder, 'config'),
    `Host demo
  HostName 127.0.0.1
  Port ${sshPort}
  IdentityFile ${key}
  IdentitiesOnly yes
  StrictHostKeyChecking no
  UserKnownHostsFile /dev/null
  LogLevel ERROR
`,
  )
  const rc = join(folder, 'rc')
  writeFileSync(rc, `PS1='$ '\nunset HISTFILE\nssh() { command ssh -F ${join(folder, 'config')} "$@"; }\n`)
  return ['bash', '--noprofile', '--rcfile', rc, '-i']
}

const marksOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .slice(1)
    .map(line => JSON.parse(line) as [number, string, string])
    .flatMap(([, type, label]) => (type === 'm' ? [label] : []))

/** Types as a person does, and waits for what comes. */
function handsOf(terminal: ReturnType<typeof tmux>, recording: Recording) {
  const pause = (seconds: number) => recording.pause(seconds)
  const type = async (text: string) => {
    for (const letter of text) {
      terminal.type(letter)
      await pause(0.09)
    }
  }
  const keys = async (...names: string[]) => {
    for (const name of names) {
      terminal.keys(name)
      await pause(0.35)
    }
  }
  const sees = async (wanted: string | RegExp) => {
    await terminal.sees(wanted)
    await pause(0.05)
  }
  return { pause, type, keys, sees }
}

async function play(
  terminal: ReturnType<typeof tmux>,
  recording: Recording,
  readers: () => Promise<unknown>,
): Promise<void> {
  const { pause, type, keys, sees } = handsOf(terminal, recording)
  recording.mark('sign in by key')
  terminal.keys('C-l')
  await pause(0.5)
  await type('ssh demo')
  await keys('Enter')
  await sees('Requests')
  // Readers come meanwhile.
  for (let i = 0; i < 4; i++) {
    await readers()
    await pause(0.9)
  }
  recording.mark('find a page by a few letters')
  await keys('g')
  await sees('Go to')
  await type('frei')
  await sees(/Freilauf – the bicycle workshop +page/)
  await pause(0.6)
  await keys('Enter')
  await sees('Ride on, dear bicycle')
  await pause(0.8)
  recording.mark('change a word')
  await keys('Down', 'Enter')
  await sees('Headline')
  await keys('Enter')
  await sees('accept')
  await type(' Open on Sundays!')
  await keys('Enter', 'C-s')
  await sees('Saved.')
  await pause(0.6)
  recording.mark('see the difference')
  await keys('c')
  await sees(/\+.*Sundays/)
  await pause(1.4)
  await keys('q', 'q')
  await sees('1 unpubl')
  recording.mark('publish')
  await keys('p')
  await sees('is public.')
  await pause(1.2)
  recording.mark('leave')
  await keys('C-c')
  await sees(/^\$$/m)
  recording.mark('read as a guest')
  await type('ssh guest@demo content list --json | head -c 300')
  await keys('Enter')
  await sees('content_data_id')
  await pause(2)
}

it.skipIf(tmuxMissing)('the recording of the docs shows half a minute at a real terminal', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'slugline-recording-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const { url, sshPort, call } = await sampleSite(folder)
  const key = newKey()
  await made(call('POST', '/ssh-keys', { public_key: publicKeyOf(key), label: 'laptop' }))
  const output = join(folder, 'output')
  writeFileSync(output, '')
  const terminal = tmux(shellOf(folder, sshPort, key), [size.columns, size.rows])
  await terminal.sees(/^\$$/m)
  terminal.recordTo(output)
  const recording = new Recording(output, isWritten ? 1 : 0.02)
  await play(terminal, recording, () =>
    Promise.all(Array.from({ length: 40 }, () => fetch(`${url}/?format=clean`))),
  )
  const text = recording.text({ ...size, title: 'Slugline over SSH' })
  if (isWritten) writeFileSync(file, text)
  const [seconds] = recording.events.at(-1) ?? [0]
  expect(seconds).toBeGreaterThan(15)
  expect(seconds).toBeLessThan(45)
  const kept = readFileSync(file, 'utf8')
  expect(JSON.parse(kept.split('\n', 1)[0] ?? '')).toEqual(JSON.parse(text.split('\n', 1)[0] ?? ''))
  expect(marksOf(kept)).toEqual(marksOf(text))
  expect(Buffer.byteLength(kept)).toBeLessThan(100_000)
  // What is public is what was typed.
  expect(await (await fetch(`${url}/?format=clean`)).text()).toContain('Open on Sundays!')
})
