import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { callerOf, statusOf } from '../support/calls.js'
import { engine, freshDatabase } from '../support/database.js'
import { type Product, runProduct, startProduct } from '../support/process.js'

const email = 'admin@example.com'

const signIn = ({ url }: Product, password: string) =>
  fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password }),
  }).then(answer => answer.status)

async function started(): Promise<Product> {
  const { address, drop } = await freshDatabase()
  onTestFinished(drop)
  return startProduct(address)
}

const setPassword = (product: Product, input: string, who = email) =>
  runProduct(['user', 'password', who], { cwd: product.folder, input })

describe('slugline user password', () => {
  it('sets one while the service runs, ends the sessions and leaves an audit event', async () => {
    const product = await started()
    const cookie = await product.login()
    expect(await setPassword(product, 'a new one of mine \r\nmore', ' ADMIN@example.com')).toEqual({
      code: 0,
      out: `The password of ${email} is set, and every session of the account has ended.\n`,
      err: '',
    })
    expect(await statusOf(`${product.url}/api/v1/users`, 5000, { Cookie: cookie })).toBe(403)
    expect(await signIn(product, 'correct horse')).toBe(401)
    // Nothing of the line is cut off but its end.
    expect(await signIn(product, 'a new one of mine')).toBe(401)
    expect(await signIn(product, 'a new one of mine ')).toBe(200)

    const answer = await fetch(`${product.url}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email, password: 'a new one of mine ' }),
    })
    const call = await callerOf(product, answer.headers.get('set-cookie')?.split(';')[0])
    const { body } = await call('GET', '/audit-events')
    const bySurface = body.filter(({ surface }: { surface: string }) => surface === 'cli')
    expect(bySurface).toMatchObject([
      { operation: 'DELETE', table_name: 'sessions' },
      { operation: 'UPDATE', table_name: 'users' },
    ])
    expect(JSON.stringify(body)).not.toContain('a new one of mine')
  })

  it('sets one while the service is stopped', async () => {
    const product = await started()
    await product.stop()
    expect((await setPassword(product, 'while it sleeps')).code).toBe(0)
  })

  it.each([
    ['short\n', email, 'password: must have at least 8 characters'],
    [`${email}\n`, email, 'password: must not be made of the e-mail address, the username or the name'],
    ['', email, 'no password was given'],
    ['whatever it is\n', 'nobody@example.com', 'no account has the e-mail address nobody@example.com'],
  ])('refuses %j for %s in one line', async (input, who, sentence) => {
    const product = await started()
    expect(await setPassword(product, input, who)).toEqual({
      code: 1,
      out: '',
      err: `slugline: ${sentence}\n`,
    })
    expect(await signIn(product, 'correct horse')).toBe(200)
  })

  it('asks twice on a terminal and shows nothing that is typed', async () => {
    const product = await started()
    // What is typed comes by and by, as from a person.
    const type = (...lines: string[]) =>
      `(for one in ${lines.join(' ')}; do sleep 2; printf '%s\\r' "$one"; done; sleep 2)`
    const onTerminal = (...lines: string[]) =>
      runProduct(['user', 'password', email], {
        cwd: product.folder,
        before: ['sh', '-c', `${type(...lines)} | script -qec "$*" /dev/null`, 'sh'],
      })
    const set = await onTerminal('typed-in-secret', 'typed-in-secret')
    expect([set.code, set.out]).toEqual([
      0,
      expect.stringMatching(/New password of admin@.*: \r\nThe same again: \r\nThe password/),
    ])
    expect(set.out).not.toContain('typed-in-secret')
    expect(await signIn(product, 'typed-in-secret')).toBe(200)

    const differing = await onTerminal('typed-in-secret-2', 'typed-in-secret-3')
    expect([differing.code, differing.out]).toEqual([1, expect.stringContaining('slugline: the two differ')])
  })
})

it.runIf(engine === 'sqlite')('makes no database where there is none', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'slugline-nowhere-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  expect(await runProduct(['user', 'password', email], { cwd: folder, input: 'whatever it is\n' })).toEqual({
    code: 1,
    out: '',
    err: `slugline: db_url: there is no database ${join(folder, 'modula.db')}\n`,
  })
  expect(readdirSync(folder)).toEqual([])
})
