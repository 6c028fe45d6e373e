import { generate } from 'otplib'
import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { nodeHashing } from '../../src/node/ports.js'
import { secretBox } from '../../src/services/secret-box.js'
import { testApp } from '../support/app.js'
import { connected, newKey, sshOf } from '../support/ssh.js'

const app = await testApp({ app_secret: 'a secret of the terminal' })
const ssh = await sshOf(app)

describe('who comes over SSH', () => {
  it.each([['ed25519'], ['rsa', '-b', '2048'], ['ecdsa', '-b', '256']])(
    'is let in by a registered key: %s',
    async (...how) => {
      const { file } = await ssh.keyOf('editor', ...how)
      expect(await ssh.ssh('types', { key: file })).toMatchObject({
        code: 0,
        err: '',
        out: expect.stringContaining('export'),
      })
    },
  )

  it('is let in by e-mail address or username, and the password', async () => {
    for (const user of ['admin@example.com', 'admin'])
      expect(await ssh.ssh('types', { user, password: 'correct horse' })).toMatchObject({ code: 0, err: '' })
  })

  it('is refused with one answer, whatever is wrong', async () => {
    const refused = { code: 255, out: '' }
    const wrong = await ssh.ssh('types', { user: 'admin', password: 'wrong horse' })
    expect(wrong).toMatchObject(refused)
    const nobody = await ssh.ssh('types', { user: 'nobody', password: 'wrong horse' })
    expect(nobody.err.replaceAll('nobody@', 'admin@')).toBe(wrong.err)
    expect(await ssh.ssh('types', { user: 'admin', key: newKey() })).toMatchObject(refused)
  })

  it('meets no screens yet without a terminal', async () => {
    const { file } = await ssh.keyOf('viewer')
    expect(await ssh.ssh('', { key: file })).toMatchObject({
      code: 2,
      err: expect.stringContaining('ssh -t'),
      out: expect.stringContaining('Usage: slugline'),
    })
  })
})

describe('a second factor', () => {
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
  const password = 'correct horse'
  const sealed = async (recovery: string) => ({
    secret: `sealed:${await secretBox('a secret of the terminal').seal(secret)}`,
    confirmed_at: '2026-11-21T12:00:00.000Z',
    recovery_codes: [nodeHashing.sha256(recovery.replaceAll('-', ''))],
    recovery_codes_left: 1,
  })
  const code = (steps = 0) => generate({ secret, epoch: Math.floor(app.clock.now() / 1000) + 30 * steps })

  it('is asked for after the password, once for each code; keys and guests have no code', async () => {
    const user = 'admin'
    const { file } = await ssh.keyOf('admin')
    const recovery = 'mfzw-k3ta-ob2g-c5dj'
    await app.db.write(systemActor, async tx =>
      tx.insert(tables.secondFactors, { user_id: app.users.admin, ...(await sealed(recovery)) }),
    )
    const refused = { code: 255, out: '' }
    expect(await ssh.ssh('types', { user, password })).toMatchObject(refused)
    expect(await ssh.ssh('types', { user, password: 'wrong horse', code: await code() })).toMatchObject(
      refused,
    )
    expect(await ssh.ssh('types', { user, password, code: '000000' })).toMatchObject(refused)
    expect(await ssh.ssh('types', { user, password, code: await code() })).toMatchObject({ code: 0, err: '' })
    expect(await ssh.ssh('types', { user, password, code: await code() })).toMatchObject(refused)
    expect(await ssh.ssh('types', { user, password, code: await code(1) })).toMatchObject({ code: 0 })
    expect(await ssh.ssh('types', { user, password, code: recovery })).toMatchObject({ code: 0 })
    expect(await ssh.ssh('types', { user, password, code: recovery })).toMatchObject(refused)
    expect(await ssh.ssh('types', { user, key: file })).toMatchObject({ code: 0, err: '' })
    // An account without one is not asked, whatever the client offers.
    await app.db.write(systemActor, async tx =>
      tx.removeAll(tables.secondFactors, await tx.lockAll(tables.secondFactors, {})),
    )
    expect(await ssh.ssh('types', { user, password, code: '000000' })).toMatchObject({ code: 0, err: '' })
  })

  it('that a role requires is set up elsewhere first', async () => {
    const role = await app.db.find(tables.roles, { label: 'admin' })
    const { file } = await ssh.keyOf('admin')
    const requires = (second_factor: boolean) =>
      app.db.write(systemActor, tx => tx.update(tables.roles, role?.role_id ?? '', { second_factor }))
    await requires(true)
    const refused = { code: 1, out: '', err: expect.stringContaining('your role requires a second factor') }
    for (const how of [{ password }, { key: file }])
      expect(await ssh.ssh('types', { user: 'admin', ...how })).toMatchObject(refused)
    const put = await ssh.sftp(['put /etc/hostname name.txt'], { user: 'admin', key: file })
    expect(put.code).not.toBe(0)
    const screens = await ssh.ssh('', { user: 'admin', key: file, options: ['-tt'] })
    expect(screens.out).toContain('your role requires a second factor')
    await requires(false)
    expect(await ssh.ssh('types', { user: 'admin', password })).toMatchObject({ code: 0 })
  })
})

describe('a guest', () => {
  const guest = { user: 'guest' }
  const setGuest = (ssh_guest: string) =>
    app.call('PUT', '/api/v1/config', { as: 'admin', body: { ssh_guest } })

  const rows = async () => [await app.audits(), await app.db.findAll(tables.sessions)]

  it('is a stranger unless the settings have guests, of a role that is there and not the one of administrators', async () => {
    const refused = { code: 255, out: '' }
    expect(await ssh.ssh('help', guest)).toMatchObject(refused)
    expect(await setGuest('admin')).toMatchObject({ status: 400, body: { member: 'ssh_guest' } })
    expect(await setGuest('nobody')).toMatchObject({ status: 200 })
    expect(await ssh.ssh('help', guest)).toMatchObject(refused)
    expect(await setGuest('viewer')).toMatchObject({ status: 200 })
    expect(await ssh.ssh('help', { user: 'somebody' })).toMatchObject(refused)
  })

  it('reads what the role may read, changes nothing, and leaves no row', async () => {
    await setGuest('editor')
    const before = await rows()
    expect(await ssh.ssh('datatypes list', guest)).toMatchObject({ code: 0, err: '' })
    expect(await ssh.ssh('types', guest)).toMatchObject({ out: expect.stringContaining('export') })
    expect(
      await ssh.ssh('datatypes create', { ...guest, input: '{"label":"Guest","type":"content"}' }),
    ).toMatchObject({ code: 1, out: '', err: 'slugline: guests cannot change anything: sign in first\n' })
    expect(await ssh.ssh('audit list', guest)).toMatchObject({
      code: 1,
      err: expect.stringContaining('audit:read'),
    })
    expect(await ssh.ssh('keys list', guest)).toMatchObject({
      code: 1,
      err: expect.stringContaining('sign in'),
    })
    const put = await ssh.sftp(['put /etc/hostname guest.txt'], guest)
    expect(put.code).not.toBe(0)
    expect(await rows()).toEqual(before)
  })

  it('has three connections from one address, and goes when the settings have none', async () => {
    await setGuest('viewer')
    const open = await Promise.all([1, 2, 3].map(() => connected(ssh.port, { username: 'guest' })))
    expect(await ssh.ssh('help', guest)).toMatchObject({
      code: 1,
      err: 'slugline: too many sessions are open: close one first\r\n',
    })
    const closed = open.map(
      client => new Promise<void>(resolve => void client.once('close', () => resolve())),
    )
    await setGuest('')
    await Promise.all(closed)
    expect(await ssh.ssh('help', guest)).toMatchObject({ code: 255 })
  })
})
