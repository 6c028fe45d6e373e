import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { callerOf, statusOf } from '../support/calls.js'
import { engine, migratedDatabase } from '../support/database.js'
import { productEnv, runProduct, startProduct } from '../support/process.js'

const email = 'admin@example.com'
const first = 'correct horse'

// One product for all: each test goes on from the password that the one before has set.
const { address, drop } = await migratedDatabase()
afterAll(drop)
const product = await startProduct(address)

const login = (password: string) =>
  fetch(`${product.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password }),
  })
const signIn = (password: string) => login(password).then(answer => answer.status)

const setPassword = (input: string, who = email) =>
  runProduct(['user', 'password', who], { cwd: product.folder, input })

/** Whether a terminal gives each key at once and shows none, as who asks for a secret has it. */
const isSilent = (terminal: string) =>
  execFileSync('stty', ['-F', terminal, '-a'], { encoding: 'utf8' }).includes('-icanon')

/** The command on a terminal. Each line is typed when it is asked for. */
async function onTerminal(...lines: string[]): Promise<{ code: number | null; out: string }> {
  const command = `tty; exec '${process.execPath}' '${resolve('dist/cli.js')}' user password ${email}`
  const child = spawn('sh', ['-c', 'exec script -qec "$0" /dev/null', command], {
    cwd: product.folder,
    env: productEnv,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let out = ''
  child.stdout.on('data', data => (out += data))
  const closed = once(child, 'close')
  for (const [i, line] of lines.entries()) {
    const asked = () => out.match(/password of [^\n]*: |Repeat it: /g)?.length
    await expect.poll(asked, { timeout: 120_000 }).toBe(i + 1)
    const terminal = /^\/dev\S+/.exec(out)?.[0] ?? ''
    await expect.poll(() => isSilent(terminal), { timeout: 120_000 }).toBe(true)
    child.stdin.write(`${line}\r`)
  }
  const [code] = await closed
  return { code, out }
}

describe('slugline user password', () => {
  it.each([
    ['short\n', email, 'password: must have at least 8 characters'],
    [`${email}\n`, email, 'password: must not be made of the e-mail address, the username or the name'],
    ['', email, 'no password was given: type it, or give it as one line on standard input'],
    ['whatever it is\n', 'nobody@example.com', 'no account has the e-mail address nobody@example.com'],
  ])('refuses %j for %s in one line', async (input, who, sentence) => {
    expect(await setPassword(input, who)).toEqual({ code: 1, out: '', err: `slugline: ${sentence}\n` })
  })

  it('sets one while the service runs, ends the sessions and leaves an audit event', async () => {
    // What was refused has changed nothing.
    const cookie = (await login(first)).headers.get('set-cookie')?.split(';')[0] ?? ''
    expect(cookie).not.toBe('')
    expect(await setPassword('a new one of mine \r\nmore', ' ADMIN@example.com')).toEqual({
      code: 0,
      out: `The password of ${email} is set, and every session of the account has ended.\n`,
      err: '',
    })
    expect(await statusOf(`${product.url}/api/v1/users`, undefined, { Cookie: cookie })).toBe(403)
    expect(await signIn(first)).toBe(401)
    // Nothing of the line is cut off but its end.
    expect(await signIn('a new one of mine')).toBe(401)
    const answer = await login('a new one of mine ')
    expect(answer.status).toBe(200)

    const call = await callerOf(product, answer.headers.get('set-cookie')?.split(';')[0])
    const { body } = await call('GET', '/audit-events')
    const bySurface = body.filter(({ surface }: { surface: string }) => surface === 'cli')
    expect(bySurface).toMatchObject([
      { operation: 'DELETE', table_name: 'sessions' },
      { operation: 'UPDATE', table_name: 'users' },
    ])
    expect(JSON.stringify(body)).not.toContain('a new one of mine')
  })

  it('asks twice on a terminal and shows nothing that is typed', async () => {
    const set = await onTerminal('typed-in-secret', 'typed-in-secret')
    expect([set.code, set.out]).toEqual([
      0,
      expect.stringMatching(/New password of admin@.*: \r\nRepeat it: \r\nThe password/),
    ])
    expect(set.out).not.toContain('typed-in-secret')
    expect(await signIn('typed-in-secret')).toBe(200)

    const differing = await onTerminal('typed-in-secret-2', 'typed-in-secret-3')
    expect([differing.code, differing.out]).toEqual([
      1,
      expect.stringContaining('slugline: the two inputs differ'),
    ])
  })

  it('sets one while the service is stopped', async () => {
    await product.stop()
    expect((await setPassword('while it sleeps')).code).toBe(0)
    const again = await startProduct(address)
    const body = JSON.stringify({ email, password: 'while it sleeps' })
    const headers = { 'Content-Type': 'application/json' }
    expect((await fetch(`${again.url}/api/v1/auth/login`, { method: 'POST', headers, body })).status).toBe(
      200,
    )
  })
})

it.runIf(engine === 'sqlite')(
  'T6: makes no database where there is none, and names the configuration that works',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'slugline-nowhere-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    expect(await runProduct(['user', 'password', email], { cwd: folder, input: 'whatever it is\n' })).toEqual(
      {
        code: 1,
        out: '',
        err: `slugline: db_url: the database ${join(folder, 'modula.db')} does not exist\n`,
      },
    )
    expect(readdirSync(folder)).toEqual([])
    mkdirSync(join(folder, 'quickstart'))
    writeFileSync(join(folder, 'quickstart/cms.config.json'), '{}')
    const { err } = await runProduct(['user', 'list'], { cwd: folder })
    expect(err).toBe(
      `slugline: db_url: the database ${join(folder, 'modula.db')} does not exist; the site of quickstart is in ./quickstart: go there, or use --config quickstart/cms.config.json\n`,
    )
  },
)
