import { execFileSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { migratedDatabase } from '../support/database.js'
import { runProduct, startProduct } from '../support/process.js'

const passwordIn = (text: string) => /^Password, shown only once: (\S{24})$/m.exec(text)?.[1] ?? ''

const signIn = (url: string, password: string, email = 'admin@example.com') =>
  fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password }),
  }).then(answer => answer.status)

/** A folder with a configuration whose port another program has. */
async function takenPort(): Promise<{ folder: string; port: number }> {
  const { address, drop } = await migratedDatabase()
  onTestFinished(drop)
  const folder = mkdtempSync(join(tmpdir(), 'slugline-first-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const taken = createServer()
  await new Promise<void>(done => taken.listen(0, done))
  onTestFinished(() => void taken.close())
  const { port } = taken.address() as AddressInfo
  writeFileSync(join(folder, 'cms.config.json'), JSON.stringify({ ...address, port, log_level: 'error' }))
  return { folder, port }
}

/** The writing end of a pipe that nobody reads any more. */
function closedPipe(): number {
  const folder = mkdtempSync(join(tmpdir(), 'slugline-pipe-'))
  const path = join(folder, 'pipe')
  execFileSync('mkfifo', [path])
  const read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const write = openSync(path, constants.O_WRONLY)
  rmSync(folder, { recursive: true })
  closeSync(read)
  onTestFinished(() => closeSync(write))
  return write
}

/** The same folder, served on a free port. */
async function served(folder: string) {
  const config = JSON.parse(readFileSync(join(folder, 'cms.config.json'), 'utf8'))
  const { port: _, ...address } = config
  return startProduct(address)
}

describe('the first password', () => {
  it('is shown before the port is found taken, and signs in', async () => {
    const { folder, port } = await takenPort()
    const { code, out, err } = await runProduct(['serve'], { cwd: folder })
    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(
      new RegExp(
        `^First administrator: admin@example.com\nPassword, shown only once: \\S{24}\nEditors cannot publish yet[^\n]*\nslugline: port: :${port}: [^\n]*\\(EADDRINUSE\\)\n$`,
      ),
    )
    const { url } = await served(folder)
    expect(await signIn(url, passwordIn(err))).toBe(200)
  })

  it('goes to standard output when nobody reads standard error', async () => {
    const { folder } = await takenPort()
    const { out } = await runProduct(['serve'], { cwd: folder, stderr: closedPipe() })
    const { url } = await served(folder)
    expect(await signIn(url, passwordIn(out))).toBe(200)
  })

  it('is not made while nobody can see it', async () => {
    const { folder } = await takenPort()
    const unseen = await runProduct(['serve'], { cwd: folder, stdout: closedPipe(), stderr: closedPipe() })
    expect(unseen.code).toBe(1)
    const { err } = await runProduct(['serve'], { cwd: folder })
    const { url } = await served(folder)
    expect(await signIn(url, passwordIn(err))).toBe(200)
  })

  const refused = [
    [{ CMS_ADMIN_PASSWORD: 'short' }, 'CMS_ADMIN_PASSWORD: must have at least 8 characters'],
    [{ CMS_ADMIN_PASSWORD: 'x'.repeat(129) }, 'CMS_ADMIN_PASSWORD: must have at most 128 characters'],
    [
      { CMS_ADMIN_PASSWORD: 'Somebody@example.com', CMS_ADMIN_EMAIL: 'somebody@example.com' },
      'CMS_ADMIN_PASSWORD: must not be made of the e-mail address, the username or the name',
    ],
    [{ CMS_ADMIN_EMAIL: 'nobody' }, 'CMS_ADMIN_EMAIL: must be an e-mail address'],
  ] as const

  it('obeys the rules of all accounts', async () => {
    const { folder } = await takenPort()
    for (const [env, sentence] of refused)
      expect(await runProduct(['serve'], { cwd: folder, env })).toEqual({
        code: 1,
        out: '',
        err: `slugline: ${sentence}\n`,
      })
    // Nothing was made by any of them.
    expect(passwordIn((await runProduct(['serve'], { cwd: folder })).err)).not.toBe('')
  })
})
