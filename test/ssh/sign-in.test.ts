import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { newKey, sshOf } from '../support/ssh.js'

const app = await testApp()
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
