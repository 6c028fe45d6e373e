import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { made } from '../support/calls.js'
import { picture, uploader } from '../support/media.js'
import { startedSite, ulid } from '../support/site.js'
import { testStorage } from '../support/storage.js'

/** Media in the words of the product document (2.4, 4.8, 7, 8), at the started product. */

const storage = await testStorage()
const { admin, send } = await startedSite({
  config: { ...storage.config, bucket_public_url: 'https://cdn.example' },
})
const upload = uploader({ send })
const folder = (name: string, parent_id: string | null = null) =>
  admin('POST', '/media-folders', { name, parent_id })
const newFolder = async (name: string, parent_id?: string) =>
  (await made(folder(name, parent_id))).folder_id as string
const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect width="1" height="1"/></svg>'
const bmp = Buffer.from(
  '424d3a0000000000000036000000280000000100000001000000010018000000000004000000130b0000130b0000' +
    '0000000000000000ffffff00',
  'hex',
)

/** The beginning of a PNG that says it is so large. */
function pngOf(width: number, height: number): Buffer {
  const header = Buffer.from('0000000d494844520000000000000000080200000000000000', 'hex')
  header.writeUInt32BE(width, 8)
  header.writeUInt32BE(height, 12)
  header.writeUInt32BE(crc32(header.subarray(4, 21)), 21)
  const rest = Buffer.from('000000004944415435af061e0000000049454e44ae426082', 'hex')
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), header, rest])
}

describe('an upload', () => {
  it('stores the file with alt_text and folder_id and makes variants, none of them larger', async () => {
    const folder_id = await newFolder('Pictures')
    const bytes = await picture(800, 400).jpeg().toBuffer()
    const fields = { alt_text: 'Alt', folder_id }
    const { status, body } = await upload('picture.jpg', bytes, { fields })
    expect([status, body]).toEqual([201, expect.objectContaining({ alt_text: 'Alt', folder_id })])
    expect(body.media_id).toMatch(ulid)
    expect(body.variants.length).toBeGreaterThan(0)
    for (const { width, height } of body.variants) expect([width <= 800, height <= 400]).toEqual([true, true])
    expect(await made(admin('GET', '/media'))).toContainEqual(
      expect.objectContaining({ media_id: body.media_id, alt_text: 'Alt' }),
    )
  })

  it('has a name without the path that was in it', async () => {
    expect((await upload('a/b\\note.txt', 'text')).body.name).toBe('note.txt')
  })

  it.each(['png', 'jpeg', 'webp', 'gif'] as const)('of a %s is optimized', async format => {
    const bytes = await picture(900, 700).toFormat(format).toBuffer()
    const { status, body } = await upload(`picture.${format}`, bytes)
    expect([status, body.variants.length > 0]).toEqual([201, true])
  })

  it('of a BMP, TIFF or SVG is stored as it is, without variants', async () => {
    const tiff = await picture(900, 700).tiff().toBuffer()
    for (const [name, bytes] of [
      ['picture.bmp', bmp],
      ['picture.tiff', tiff],
      ['picture.svg', svg],
    ] as const) {
      const { status, body } = await upload(name, bytes)
      expect([name, status, body.variants]).toEqual([name, 201, []])
    }
  })

  it.each([
    [20_001, 10, 'image width 20001 exceeds maximum 20000'],
    [10, 20_001, 'image height 20001 exceeds maximum 20000'],
  ])('of an image of %i x %i pixels is refused', async (width, height, said) => {
    const { status, body } = await upload('large.png', pngOf(width, height))
    expect([status, body.error]).toEqual([400, expect.stringContaining(said)])
  })

  it('larger than max_upload_size, by default 10485760 bytes, is refused', async () => {
    expect((await upload('large.txt', 'x'.repeat(10_485_761))).status).toBe(413)
  })

  it('with an invalid form is refused', async () => {
    const headers = { 'Content-Type': 'multipart/form-data; boundary=x' }
    const call = { as: 'admin', body: 'nonsense', headers } as const
    expect((await send('POST', '/api/v1/media/upload', call)).status).toBe(400)
  })

  it('has an address at bucket_public_url, path-style', async () => {
    const { body } = await upload('note.txt', 'text')
    expect(body.url.startsWith(`https://cdn.example/${storage.config.bucket_media}/`)).toBe(true)
  })

  it('of admin media goes to the shared bucket when there is no other', async () => {
    const { status, body } = await upload('note.txt', 'text', { space: '/admin' })
    expect([status, body.url]).toEqual([201, expect.stringContaining(`/${storage.config.bucket_media}/`)])
  })

  it('is answered with 503 while the storage does not answer', async () => {
    storage.cut()
    try {
      expect((await upload('note.txt', 'text')).status).toBe(503)
    } finally {
      storage.mend()
    }
    await expect.poll(async () => (await upload('note.txt', 'text')).status, { timeout: 120_000 }).toBe(201)
  })
})

describe('a media item', () => {
  it('is moved to a folder, and by null to the root', async () => {
    const folder_id = await newFolder('Target')
    const { media_id } = (await upload('note.txt', 'text')).body
    const move = (to: string | null) =>
      made(admin('POST', '/media/move', { media_ids: [media_id], folder_id: to }))
    expect(await move(folder_id)).toMatchObject([{ media_id, folder_id }])
    expect(await move(null)).toMatchObject([{ media_id, folder_id: null }])
  })

  it('is deleted', async () => {
    const { media_id } = (await upload('note.txt', 'text')).body
    expect((await admin('DELETE', `/media/?q=${media_id}`)).status).toBe(204)
    expect((await admin('GET', `/media/?q=${media_id}`)).status).toBe(404)
  })
})

describe('a media folder', () => {
  it('that has contents is not deleted, an empty one is', async () => {
    const parent = await newFolder('Parent')
    const child = await newFolder('Child', parent)
    await upload('note.txt', 'text', { fields: { folder_id: parent } })
    const { status, body } = await admin('DELETE', `/media-folders/${parent}`)
    const error = 'cannot delete folder: contains 1 child folder(s) and 1 media item(s)'
    expect([status, body.error]).toEqual([409, error])
    expect((await admin('DELETE', `/media-folders/${child}`)).status).toBe(204)
  })

  it('is at most ten levels deep', async () => {
    let parent: string | undefined
    for (let level = 1; level <= 10; level++) parent = await newFolder(`Level ${level}`, parent)
    const { status, body } = await folder('Level 11', parent)
    const error = 'creating this folder would exceed maximum folder depth of 10'
    expect([status, body.error]).toEqual([400, error])
  })
})

describe('objects without a record', () => {
  it('are found by GET /media/health and deleted by DELETE /media/cleanup, which counts them', async () => {
    await storage.put('orphan.txt', 'x')
    const health = await made(admin('GET', '/media/health'))
    expect(health.orphaned_keys).toContain('orphan.txt')
    const { deleted, deleted_count, failed_count } = await made(admin('DELETE', '/media/cleanup'))
    expect(deleted).toContain('orphan.txt')
    expect([deleted_count, failed_count]).toEqual([deleted.length, 0])
    expect(await storage.keys('orphan')).toEqual([])
  })
})
