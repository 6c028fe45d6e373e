import { createHash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { storage } from '../../src/node/ports.js'
import type { Bucket, FolderAddress } from '../../src/ports.js'
import { isSigned } from '../../src/signed-address.js'
import { scratchFolder } from '../support/backups.js'

const how = { mimetype: 'text/plain', attachment: true }
const bytesOf = (text: string) => new TextEncoder().encode(text)

function address(folder: string, more: Partial<FolderAddress> = {}): FolderAddress {
  const place = { endpoint: `file:${folder}`, publicEndpoint: '/api/media', pathStyle: true }
  return { ...place, folder, bucket: 'media', appSecret: 'a secret of this test', ...more }
}

const opened = (folder = scratchFolder()) => storage.open(address(folder))

async function listed(bucket: Bucket, prefix = ''): Promise<string[]> {
  const keys: string[] = []
  for await (const page of bucket.list(prefix)) keys.push(...page.map(({ key }) => key))
  return keys.toSorted()
}

async function textOf(bucket: Bucket, key: string): Promise<string | undefined> {
  const file = await bucket.fetch(key)
  const text = file && readFileSync(file.path, 'utf8')
  await file?.discard()
  return text
}

/** Every file below a folder, also those that are no objects. */
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted()

describe('a bucket in a folder', () => {
  it('stores, reads, lists and removes objects, for its own account alone', async () => {
    const folder = join(scratchFolder(), 'new', 'media')
    const bucket = await opened(folder)
    expect(await listed(bucket)).toEqual([])
    await bucket.put('a/b/One.txt', bytesOf('one'), how)
    const path = join(scratchFolder(), 'content')
    const bytes = randomBytes(700_000)
    writeFileSync(path, bytes)
    const hash = createHash('sha256').update(bytes).digest('hex')
    await bucket.put('a/Größe.bin', { path, size: bytes.length, hash, discard: async () => undefined }, how)

    expect(await listed(bucket)).toEqual(['a/Größe.bin', 'a/b/One.txt'])
    expect([await listed(bucket, 'a/b'), await listed(bucket, 'a/b/'), await listed(bucket, 'b')]).toEqual([
      ['a/b/One.txt'],
      ['a/b/One.txt'],
      [],
    ])
    expect(await textOf(bucket, 'a/b/One.txt')).toBe('one')
    const large = await bucket.fetch('a/Größe.bin')
    expect([large?.size, large?.hash]).toEqual([bytes.length, hash])
    await large?.discard()
    for (const [name, mode] of [
      ['media', 0o700],
      ['media/a/b/One.txt', 0o600],
      ['media/a/Größe.bin', 0o600],
    ] as const)
      expect([name, statSync(join(folder, name)).mode & 0o777]).toEqual([name, mode])

    expect(await bucket.remove(['a/b/One.txt', 'a/missing.txt', 'a/Größe.bin'])).toEqual([])
    expect(await listed(bucket)).toEqual([])
    // No empty folder stays.
    expect(existsSync(join(folder, 'media', 'a'))).toBe(false)
    expect(await bucket.fetch('a/b/One.txt')).toBeUndefined()
  })

  it('lists more objects than one page holds', async () => {
    const folder = scratchFolder()
    const bucket = await opened(folder)
    mkdirSync(join(folder, 'media'))
    for (let n = 0; n < 2100; n++) writeFileSync(join(folder, 'media', `f${n}`), '')
    const pages: number[] = []
    for await (const page of bucket.list('')) pages.push(page.length)
    expect(pages).toEqual([1000, 1000, 100])
  })

  const hostile = [
    '../out.txt',
    'a/../../out.txt',
    'a/..',
    '..',
    '.',
    './a',
    '/etc/passwd',
    '//a',
    'a//b',
    'a/',
    '',
    'a\0b',
    'a\\..\\b',
    'C:evil',
    'a\nb',
    '.incoming/a',
    'a/.hidden',
    `a/${'x'.repeat(256)}`,
    Array.from({ length: 200 }, () => 'folder').join('/'),
  ]
  it.each(hostile)('refuses the key %j', async key => {
    const folder = join(scratchFolder(), 'media')
    const bucket = await opened(folder)
    await bucket.put('a/kept.txt', bytesOf('kept'), how)
    await expect(bucket.put(key, bytesOf('x'), how)).rejects.toThrow('not a valid object key')
    expect([await bucket.fetch(key), await bucket.read?.(key)]).toEqual([undefined, undefined])
    expect(await bucket.remove([key])).toEqual([])
    expect(await listed(bucket, key === '' ? 'none' : key)).toEqual(
      key === '' ? [] : expect.not.arrayContaining(['out.txt']),
    )
    expect(filesIn(folder)).toEqual(['media/a/kept.txt'])
  })

  it('follows no link out of its folder', async () => {
    const [folder, outside] = [scratchFolder(), scratchFolder()]
    const bucket = await opened(folder)
    await bucket.put('a/own.txt', bytesOf('own'), how)
    writeFileSync(join(outside, 'secret.txt'), 'secret')
    symlinkSync(outside, join(folder, 'media', 'link'))
    symlinkSync(join(outside, 'secret.txt'), join(folder, 'media', 'a', 'secret.txt'))
    for (const key of ['link/secret.txt', 'a/secret.txt'])
      expect([key, await bucket.fetch(key), await bucket.read?.(key)]).toEqual([key, undefined, undefined])
    await expect(bucket.put('link/new.txt', bytesOf('x'), how)).rejects.toThrow('link')
    expect(await bucket.remove(['link/secret.txt'])).toEqual([])
    // A link in the place of an object is replaced, and what it leads to stays.
    await bucket.put('a/secret.txt', bytesOf('mine'), how)
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe('secret')
    expect(readdirSync(outside)).toEqual(['secret.txt'])
    expect(await listed(bucket)).toEqual(['a/own.txt', 'a/secret.txt'])
  })

  it('may itself be reached by a link', async () => {
    const [folder, elsewhere] = [scratchFolder(), scratchFolder()]
    symlinkSync(elsewhere, join(folder, 'link'))
    const bucket = await opened(join(folder, 'link'))
    await bucket.put('a/b.txt', bytesOf('b'), how)
    expect([await textOf(bucket, 'a/b.txt'), filesIn(elsewhere)]).toEqual(['b', ['media/a/b.txt']])
  })

  it('shows an object whole or not at all, and keeps the old one when a put fails', async () => {
    const folder = scratchFolder()
    const bucket = await opened(folder)
    await bucket.put('a/x', bytesOf('before'), how)
    const gone = { path: join(folder, 'gone'), size: 1, hash: '', discard: async () => undefined }
    await expect(bucket.put('a/x', gone, how)).rejects.toThrow('ENOENT')
    expect([await textOf(bucket, 'a/x'), filesIn(folder)]).toEqual(['before', ['media/a/x']])
    // Readers of the old content and of the new one each get one of them.
    const before = await bucket.read?.('a/x')
    const reader = before?.bytes(0, before.size).getReader()
    const first = await reader?.read()
    await bucket.put('a/x', bytesOf('after!'), how)
    expect(new TextDecoder().decode(first?.value)).toBe('before')
    const after = await bucket.read?.('a/x')
    expect(after?.size).toBe(6)
    expect(after?.version).not.toBe(before?.version)
    // A stream that was not begun is refused: its size and tag were those of the old content.
    await expect(before?.bytes(0, 6).getReader().read()).rejects.toThrow('replaced')
  })

  it('removes what a killed process has left, and what others are writing stays', async () => {
    const folder = scratchFolder()
    const bucket = await opened(folder)
    const incoming = join(folder, 'media', '.incoming')
    mkdirSync(incoming, { recursive: true })
    for (const name of ['old', 'new']) writeFileSync(join(incoming, name), 'half')
    const twoHoursAgo = Date.now() / 1000 - 7200
    utimesSync(join(incoming, 'old'), twoHoursAgo, twoHoursAgo)
    await bucket.put('a/x', bytesOf('x'), how)
    expect(readdirSync(incoming)).toEqual(['new'])
    expect(await listed(bucket)).toEqual(['a/x'])
    expect(await bucket.fetch('.incoming/new')).toBeUndefined()
  })

  it('puts objects while others remove the last ones of their folder', async () => {
    const bucket = await opened()
    const work = Array.from({ length: 40 }, async (_, n) => {
      await bucket.put(`same/${n}`, bytesOf(String(n)), how)
      return n % 2 === 0 ? bucket.remove([`same/${n}`]) : []
    })
    expect((await Promise.all(work)).flat()).toEqual([])
    const odd = Array.from({ length: 20 }, (_, n) => `same/${2 * n + 1}`)
    expect(await listed(bucket)).toEqual(odd.toSorted())
  })

  it('reads the part that is wanted, and notes a file that shrinks', async () => {
    const folder = scratchFolder()
    const bucket = await opened(folder)
    const bytes = randomBytes(600_000)
    await bucket.put('x', bytes, how)
    const object = await bucket.read?.('x')
    const part = await new Response(object?.bytes(299_990, 300_000)).arrayBuffer()
    expect(Buffer.from(part).equals(bytes.subarray(299_990, 599_990))).toBe(true)
    const whole = object?.bytes(0, 600_000).getReader()
    await whole?.read()
    writeFileSync(join(folder, 'media', 'x'), 'short')
    await expect(
      (async () => {
        for (;;) if ((await whole?.read())?.done) return
      })(),
    ).rejects.toThrow('shorter')
  })

  it('leaves no descriptor open behind readers that go away', async () => {
    const bucket = await opened()
    await bucket.put('x', randomBytes(600_000), how)
    const open = () => readdirSync('/proc/self/fd').length
    const before = open()
    for (let n = 0; n < 50; n++) {
      const object = await bucket.read?.('x')
      const reader = object?.bytes(0, 600_000).getReader()
      if (n % 2) await reader?.read()
      await reader?.cancel()
    }
    expect(open()).toBeLessThan(before + 10)
  })

  it('says in words that the folder is a file, or may not be written', async () => {
    const folder = join(scratchFolder(), 'media')
    writeFileSync(folder, '')
    const bucket = await opened(folder)
    expect(await bucket.answers()).toBe(false)
    await expect(bucket.put('x', bytesOf('x'), how)).rejects.toThrow('the media folder is a file')
    expect(await bucket.fetch('x')).toBeUndefined()
    rmSync(folder)
    expect(await bucket.answers()).toBe(true)
    // The superuser may write everywhere.
    if (process.getuid?.() === 0) return
    renameSync(join(folder, 'media'), join(folder, 'was'))
    chmodSync(folder, 0o500)
    expect(await bucket.answers()).toBe(false)
    await expect(bucket.put('x', bytesOf('x'), how)).rejects.toThrow('cannot be written')
    chmodSync(folder, 0o700)
  })

  it('signs addresses of one object, name and time', async () => {
    const bucket = await opened()
    const url = new URL(
      await bucket.signedUrl('a/Größe #1.txt', { name: 'a b.txt', seconds: 300, now: 1_000_400 }),
      'http://x',
    )
    expect(url.pathname).toBe('/api/media/media/a/Gr%C3%B6%C3%9Fe%20%231.txt')
    const [name, expires, signature] = ['name', 'expires', 'signature'].map(one => url.searchParams.get(one))
    expect([name, expires]).toEqual(['a b.txt', '1300'])
    const permit = { bucket: 'media', key: 'a/Größe #1.txt', name: 'a b.txt', expires: 1300 }
    const secret = 'a secret of this test'
    expect(await isSigned(secret, permit, signature ?? '')).toBe(true)
    for (const other of [
      { ...permit, bucket: 'other' },
      { ...permit, key: 'a' },
      { ...permit, name: 'b' },
      { ...permit, expires: 1301 },
    ])
      expect([other, await isSigned(secret, other, signature ?? '')]).toEqual([other, false])
    expect(await isSigned('another secret', permit, signature ?? '')).toBe(false)
    for (const forged of ['', 'A', '!', '*'.repeat(10), (signature ?? '').slice(0, -2), `${signature}AA`])
      expect([forged, await isSigned(secret, permit, forged)]).toEqual([forged, false])
    const without = await storage.open(address(scratchFolder(), { appSecret: undefined }))
    await expect(without.signedUrl('a', { name: 'a', seconds: 1, now: 0 })).rejects.toThrow('app_secret')
  })
})
