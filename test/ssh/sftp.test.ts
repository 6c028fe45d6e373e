import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SFTPWrapper } from 'ssh2'
import { afterAll, describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { picture, uploader } from '../support/media.js'
import { sshOf } from '../support/ssh.js'
import { testStorage } from '../support/storage.js'

const store = await testStorage()
const app = await testApp({ ...store.config, max_upload_size: 200_000 })
const ssh = await sshOf(app)
const { file: key } = await ssh.keyOf('editor')
const { file: viewer } = await ssh.keyOf('viewer')
const upload = uploader(app)
const folder = mkdtempSync(join(tmpdir(), 'slugline-sftp-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const local = (name: string) => join(folder, name)
const media = async () => (await app.call('GET', '/api/v1/media')).body as Record<string, unknown>[]

describe('media by SFTP', () => {
  it('are brought into folders, listed and taken back, byte for byte', async () => {
    const { body: inside } = await app.call('POST', '/api/v1/media-folders', {
      body: { name: 'holiday pictures' },
    })
    const bytes = await picture(300, 200).png().toBuffer()
    writeFileSync(local('sea.png'), bytes)
    const put = await ssh.sftp([`put ${local('sea.png')} "/holiday pictures/sea.png"`], { key })
    expect(put).toMatchObject({ code: 0, err: '' })
    const [item] = await media()
    expect(item).toMatchObject({
      name: 'sea.png',
      folder_id: inside.folder_id,
      author_id: app.users.editor,
      width: 300,
    })
    const audit = (await app.audits()).find(({ record_id }) => record_id === item?.media_id)
    expect(audit).toMatchObject({ surface: 'ssh', user_id: app.users.editor })

    const got = await ssh.sftp(
      ['cd "holiday pictures"', 'ls -l', `get sea.png ${local('back.png')}`, 'cd ..', 'ls -1'],
      { key: viewer },
    )
    expect(got).toMatchObject({ code: 0, err: '' })
    expect(got.out).toContain(`${bytes.byteLength} `)
    expect(got.out).toContain('sea.png')
    expect(got.out).toContain('holiday pictures')
    expect(readFileSync(local('back.png')).equals(bytes)).toBe(true)
  })

  it('tell two of one name apart, and show names that steer nothing', async () => {
    await upload('twice.txt', 'first')
    await upload('twice.txt', 'second')
    await app.call('POST', '/api/v1/media-folders', { body: { name: '\u202eevil\u009b31m' } })
    const listed = await ssh.sftp(['ls -1'], { key })
    expect(listed.out).toMatch(/^twice\.txt$/m)
    const [other = ''] = /^twice~\w{8}\.txt$/m.exec(listed.out) ?? []
    await ssh.sftp([`get ${other} ${local('other.txt')}`], { key })
    expect(readFileSync(local('other.txt'), 'utf8')).toBe('second')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that there are none is what is tested
    expect(listed.out).not.toMatch(/[\u001b\u009b\u202e]/)
  })

  it.each([
    ['get /../../../../etc/passwd', 'not found'],
    ['get /nothing.png', 'not found'],
    ['rm /twice.txt', 'unsupported'],
    ['mkdir /new', 'unsupported'],
    ['rename /twice.txt /thrice.txt', 'unsupported'],
    ['ln -s /etc/passwd /x', 'unsupported'],
    ['ls /nowhere', 'not found'],
  ])('reach nothing else and change nothing: %s', async line => {
    const before = await media()
    const { code, out } = await ssh.sftp([`lcd ${folder}`, line], { key })
    expect(code).not.toBe(0)
    expect(out).not.toContain('root:')
    expect(await media()).toEqual(before)
  })

  it('are refused to whom the API refuses them, and what it refuses', async () => {
    const before = await media()
    writeFileSync(local('note.txt'), 'a note')
    writeFileSync(local('large.txt'), 'x'.repeat(300_000))
    writeFileSync(local('fake.png'), 'no picture')
    writeFileSync(local('empty.txt'), '')
    writeFileSync(local('twice.txt'), 'third')
    expect(await ssh.sftp([`put ${local('note.txt')} /note.txt`], { key: viewer })).toMatchObject({
      code: 1,
      err: expect.stringContaining('Permission denied'),
    })
    for (const name of ['large.txt', 'fake.png', 'empty.txt', 'twice.txt'])
      expect([name, (await ssh.sftp([`put ${local(name)} /${name}`], { key })).code]).toEqual([name, 1])
    expect(await media()).toEqual(before)
  })

  it.each([
    ['twice.txt', 'there is a twice.txt already'],
    ['large.txt', 'the file is larger than 200000 bytes'],
    ['empty.txt', 'empty'],
  ])('T35: OpenSSH shows why %s is refused, once', async (name, why) => {
    const { code, err } = await ssh.sftp([`put ${local(name)} /${name}`], { key })
    expect(code).toBe(1)
    expect(err.split('\n').filter(line => line.startsWith('slugline: '))).toEqual([
      expect.stringContaining(why),
    ])
  })

  it('T35: a missing file and an unknown request say nothing of their own', async () => {
    const { err } = await ssh.sftp(['-get /nothing.png', '-rm /twice.txt'], { key })
    expect(err).not.toContain('slugline: ')
  })

  it('end the channel of a client that asks for more than it takes, and nothing else', async () => {
    const client = await ssh.client({ username: 'admin', password: 'correct horse' })
    const sftp = await new Promise<SFTPWrapper>((resolve, reject) =>
      client.sftp((error, channel) => (error ? reject(error) : resolve(channel))),
    )
    const answers = await Promise.all(
      Array.from(
        { length: 2000 },
        () => new Promise<boolean>(done => sftp.stat('/', error => done(error === undefined))),
      ),
    )
    expect(answers).toContain(false)
    expect((await ssh.sftp(['ls'], { key })).code).toBe(0)
  })
})
