import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ssh2 from 'ssh2'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parseConfig } from '../../src/config.js'
import { hostKey, newHostKey } from '../../src/ssh/host-key.js'
import { callerOf } from '../support/calls.js'
import { migratedDatabase } from '../support/database.js'
import { freePort, startProduct } from '../support/process.js'
import { newKey, openssh, publicKeyOf } from '../support/ssh.js'
import { runHere } from '../support/terminal.js'

/** Only what hangs takes so long. */
const patience = { timeout: 180_000 }

describe('the started service', () => {
  it('serves the terminal, says its fingerprint, keeps its host key, and ends sessions when it stops', async () => {
    const { address, drop } = await migratedDatabase()
    onTestFinished(drop)
    const port = await freePort()
    const ssh_host_key = join(newKey(), '..', `host-${port}`)
    const config = { ssh_port: `127.0.0.1:${port}`, ssh_host_key }
    const first = await startProduct(address, { config })
    const said = /Terminal: ssh -p (\d+) localhost \(host key (SHA256:\S+)\)/
    await expect.poll(first.output, patience).toMatch(said)
    const [, shownPort, fingerprint] = said.exec(first.output()) ?? []
    expect(Number(shownPort)).toBe(port)
    expect(statSync(ssh_host_key).mode & 0o777).toBe(0o600)

    const key = newKey()
    const admin = { user: 'admin@example.com', password: 'correct horse' }
    const added = await openssh('ssh', port, ['keys', 'add'], { ...admin, input: publicKeyOf(key) })
    expect(added).toMatchObject({ code: 0, err: '' })
    const backup = join(first.folder, 'site.tar.gz')
    const { code, bytes } = await openssh('ssh', port, ['backup', 'create'], { key })
    expect(code).toBe(0)
    writeFileSync(backup, bytes)
    expect(await runHere(['backup', 'verify', backup])).toMatchObject({ code: 0, err: '' })

    let told = ''
    const seen = (out: string) => {
      told = out
    }
    const tail = openssh('ssh', port, ['audit', 'tail', '--json'], { key, seen })
    const call = await callerOf(first)
    let made = 0
    const something = async () => {
      await call('POST', '/routes', { slug: `/${++made}`, title: 'One more' })
      return told
    }
    await expect.poll(something, { ...patience, interval: 500 }).toContain('routes')
    expect(await first.stop()).toBe(0)
    expect(await tail).toMatchObject({
      code: 1,
      err: 'slugline: The service stops. Connect again in a moment.\n',
    })
    expect(first.output()).not.toContain('correct horse')

    const second = await startProduct(address, { config })
    await expect.poll(second.output, patience).toContain(fingerprint ?? 'nothing')
    expect((await openssh('ssh', port, ['types'], { key })).code).toBe(0)
  })
})

describe('the host key', () => {
  const lines: string[] = []
  const note = (_fields: object, message: string) => void lines.push(message)
  const log = { debug: note, info: note, warn: note, error: note }

  it('has a host key that can be read, however often one is made', () => {
    // One in 256 of the library's cannot.
    for (let i = 0; i < 2000; i++) expect(ssh2.utils.parseKey(newHostKey())).not.toBeInstanceOf(Error)
  })

  it('is one of the owner, of any kind, and a file that holds none is refused', () => {
    const own = newKey('ecdsa', '-b', '256')
    expect(hostKey(own, log)?.fingerprint).toMatch(/^SHA256:\S{43}$/)
    const wrong = `${own}-wrong`
    onTestFinished(() => rmSync(wrong))
    for (const content of ['', 'nothing', readFileSync(`${own}.pub`, 'utf8')]) {
      writeFileSync(wrong, content)
      expect(() => hostKey(wrong, log)).toThrow('must be a private key without a passphrase')
    }
  })

  it('that cannot be kept serves no terminal', () => {
    expect(hostKey('/nowhere/key', log)).toBeUndefined()
    expect(lines.at(-1)).toContain('the terminal is not served')
  })

  it('and the port are named by the configuration alone', () => {
    expect(parseConfig({}, {}).config).toMatchObject({ ssh_port: ':2233', ssh_enabled: true })
  })
})
