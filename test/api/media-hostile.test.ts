import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { internalTables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { picture, uploader } from '../support/media.js'
import { testStorage } from '../support/storage.js'

const limit = 10 * 2 ** 20
const storage = await testStorage()
const app = await testApp({ ...storage.config, max_upload_size: limit })
const { send, db } = app
const upload = uploader(app)

/** Nothing is left of a refused file, neither a row nor an object. */
async function nothingIsLeft(): Promise<void> {
  expect(await storage.keys()).toEqual([])
  expect(await db.findAll(internalTables.mediaUploads)).toEqual([])
  expect((await app.call('GET', '/api/v1/media')).body).toEqual([])
}

/** A header that claims a size, with next to nothing behind it. */
function claiming(width: number, height: number): Buffer {
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  png.writeUInt32BE(width, 16)
  png.writeUInt32BE(height, 20)
  png.writeUInt32BE(crc(png.subarray(12, 29)), 29)
  return png
}

/** A GIF of this size whose frames change one pixel each. */
function gifOf(width: number, height: number, frames: number): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt16LE(width, 0)
  size.writeUInt16LE(height, 2)
  const head = Buffer.concat([Buffer.from('GIF89a'), size, Buffer.from([0x80, 0, 0, 0, 0, 0, 255, 255, 255])])
  const control = [0x21, 0xf9, 4, 0, 10, 0, 0, 0]
  // A single frame says its size itself.
  const drawn = frames === 1 ? [...size] : [1, 0, 1, 0]
  const pixel = [0x2c, 0, 0, 0, 0, ...drawn, 0, 2, 2, 0x44, 1, 0]
  const frame = Buffer.from([...control, ...pixel])
  return Buffer.concat([head, ...Array.from({ length: frames }, () => frame), Buffer.from([0x3b])])
}

function crc(bytes: Uint8Array): number {
  let value = 0xffffffff
  for (const byte of bytes) {
    value ^= byte
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  }
  return ~value >>> 0
}

describe('a hostile file', async () => {
  const png = await picture(300, 200).png().toBuffer()
  const jpeg = await picture(300, 200).jpeg().toBuffer()
  const gif = await picture(300, 200).gif().toBuffer()
  const html = '<!doctype html><script>alert(document.cookie)</script>'

  it.each([
    ['x.png', html, /ends in \.png, but its content is text\/html/],
    [
      'x.jpg',
      '<svg xmlns="http://www.w3.org/2000/svg"/>',
      /ends in \.jpg, but its content is image\/svg\+xml/,
    ],
    ['x.png', jpeg, /ends in \.png, but its content is image\/jpeg/],
    ['x.pdf', png, /ends in \.pdf, but its content is image\/png/],
    ['x.txt', html, /ends in \.txt, but its content is text\/html/],
    [
      'x.gif',
      Buffer.concat([gif, Buffer.from('/*<script>alert(1)</script>*/')]),
      /its content also matches HTML/,
    ],
    ['x.png', Buffer.concat([png, Buffer.from(html)]), /its content also matches HTML/],
    [
      'x.jpg',
      Buffer.concat([jpeg, Buffer.from('<?php system($_GET[0]); ?>')]),
      /its content also matches PHP/,
    ],
    [
      'x.png',
      Buffer.concat([png, Buffer.from('<svg xmlns="http://www.w3.org/2000/svg">')]),
      /its content also matches SVG/,
    ],
    ['x.pdf', '%PDF-1.4\n<html><script>alert(1)</script>', /its content also matches HTML/],
    ['x.png', png.subarray(0, png.length / 2), /damaged/],
    ['x.jpg', jpeg.subarray(0, jpeg.length / 2), /damaged/],
    ['x.gif', gif.subarray(0, gif.length / 2), /damaged/],
    ['x.png', '', /is empty/],
    ['x.png', claiming(20_001, 1), 'image width 20001 exceeds maximum 20000'],
    ['x.png', claiming(1, 20_001), 'image height 20001 exceeds maximum 20000'],
    ['x.png', claiming(30_000, 30_000), 'image width 30000 exceeds maximum 20000'],
    ['x.png', claiming(20_000, 20_000), /damaged/],
    ['..', 'x', 'file: has no name'],
    ['a/', 'x', 'file: has no name'],
    ['../..', 'x', 'file: has no name'],
    ['a\u0001b.txt', 'x', 'file: its name must not have control characters'],
    ['evil\u202Egpj.txt', 'x', 'file: its name must not have control characters'],
    [' ', 'x', 'file: has no name'],
  ] as const)('called %j is refused', async (name, content, message) => {
    const { status, body } = await upload(name, content)
    expect([status, body.error]).toEqual([400, expect.stringMatching(message)])
    await nothingIsLeft()
  })

  it.each([
    [2000, 2000, 126, 'image pixels 504000000 exceed maximum 500000000'],
    [1, 1, 10_000, 'image frames 10000 exceed maximum 2000'],
  ])('of %i×%i pixels and %i frames is refused', async (width, height, frames, message) => {
    const { status, body } = await upload('x.gif', gifOf(width, height, frames))
    expect([status, body.error]).toEqual([400, expect.stringMatching(message)])
    await nothingIsLeft()
  })

  it('with a large picture that is decoded in one piece stores it, without variants', async () => {
    const flat = sharp({
      create: { width: 12_000, height: 9000, channels: 3, background: 'white' },
      limitInputPixels: false,
    })
    const files: [string, Uint8Array, number, number][] = [
      ['x.png', await flat.clone().png({ progressive: true }).toBuffer(), 12_000, 9000],
      ['x.jpg', await flat.clone().jpeg({ progressive: true }).toBuffer(), 12_000, 9000],
      ['x.gif', gifOf(20_000, 20_000, 1), 20_000, 20_000],
    ]
    for (const [name, bytes, width, height] of files) {
      const { status, body } = await upload(name, bytes)
      expect([name, status, body]).toEqual([
        name,
        201,
        expect.objectContaining({ width, height, variants: [], variants_omitted: true }),
      ])
      const again = await app.call('POST', `/api/v1/media/${body.media_id}/regenerate`)
      expect([name, again.status, again.body.variants]).toEqual([name, 200, []])
      expect((await app.call('DELETE', `/api/v1/media/?q=${body.media_id}`)).status).toBe(204)
    }
    const { body } = await upload(
      'y.png',
      await flat.clone().resize(1200, 900).png({ progressive: true }).toBuffer(),
    )
    expect([body.variants.length > 0, 'variants_omitted' in body]).toEqual([true, false])
    await app.call('DELETE', `/api/v1/media/?q=${body.media_id}`)
    await nothingIsLeft()
  })
})

describe('a hostile form', () => {
  const boundary = 'XYZ'
  const part = (head: string, content = '') => `--${boundary}\r\n${head}\r\n\r\n${content}\r\n`
  const file = (name = 'a.txt') =>
    part(`Content-Disposition: form-data; name="file"; filename="${name}"`, 'some text')
  const field = (name: string, value = 'x') => part(`Content-Disposition: form-data; name="${name}"`, value)
  const end = `--${boundary}--\r\n`
  const sent = (body: BodyInit, type = `multipart/form-data; boundary=${boundary}`) =>
    send('POST', '/api/v1/media/upload', { body, headers: { 'Content-Type': type } })

  it.each([
    ['no boundary', file() + end, 'multipart/form-data', 400],
    ['another boundary', file() + end, 'multipart/form-data; boundary=other', 400],
    ['no last boundary', file(), undefined, 400],
    ['nothing in it', '', undefined, 400],
    ['no file', field('alt_text') + end, undefined, 400],
    ['a file without a name', part('Content-Disposition: form-data; name="file"', 'x') + end, undefined, 400],
    ['two files', file() + file('b.txt') + end, undefined, 400],
    ['a file of another name', file().replace('name="file"', 'name="media"') + end, undefined, 400],
    ['a member twice', field('alt_text') + field('alt_text') + file() + end, undefined, 400],
    [
      '10,000 members',
      Array.from({ length: 10_000 }, (_, i) => field(`f${i}`)).join('') + file() + end,
      undefined,
      400,
    ],
    ['10,000 files', Array.from({ length: 10_000 }, () => file()).join('') + end, undefined, 400],
    [
      'a header of a megabyte',
      part(`Content-Disposition: form-data; name="file"; x="${'y'.repeat(2 ** 20)}"`, 'x') + end,
      undefined,
      400,
    ],
    ['a long member', field('alt_text', 'x'.repeat(70_000)) + file() + end, undefined, 400],
    ['another type', 'file=x', 'application/x-www-form-urlencoded', 415],
  ])('with %s is refused', async (_, body, type, status) => {
    const answer = await sent(body, type)
    expect([answer.status, typeof answer.body.error]).toEqual([status, 'string'])
    await nothingIsLeft()
  })

  it('takes no member for anything else', async () => {
    const { status, body } = await sent(field('media_id', 'x') + field('url', 'x') + file() + end)
    for (const name of ['__proto__', 'constructor', 'search_text'])
      expect((await sent(field(name, '{"admin":true}') + file() + end)).body.code).toBe('unknown_member')
    expect([status, body.name]).toEqual([201, 'a.txt'])
    expect(body.media_id).not.toBe('x')
    await app.call('DELETE', `/api/v1/media/?q=${body.media_id}`)
    await nothingIsLeft()
  })

  /** A body that goes on until its reader stops, and how much was taken of it. */
  function endless() {
    const taken = { bytes: 0 }
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n`
    const piece = new Uint8Array(65_536)
    const body = new ReadableStream<Uint8Array>({
      start: controller => controller.enqueue(new TextEncoder().encode(head)),
      pull(controller) {
        taken.bytes += piece.length
        controller.enqueue(piece)
      },
    })
    return { body, taken }
  }

  it('without an end is refused as soon as the file is too large', async () => {
    const { body, taken } = endless()
    const answer = await sent(body)
    expect([answer.status, answer.body.error]).toEqual([413, `the file is larger than ${limit} bytes`])
    expect(answer.headers.get('connection')).toBe('close')
    expect(taken.bytes).toBeLessThan(limit + 4 * 2 ** 20)
    await nothingIsLeft()
  })

  it('that announces too much is refused before it is read', async () => {
    const { body, taken } = endless()
    const answer = await send('POST', '/api/v1/media/upload', {
      body,
      headers: {
        'Content-Type': `multipart/form-data; boundary=${boundary}`,
        'Content-Length': String(100 * 2 ** 20),
      },
    })
    expect(answer.status).toBe(413)
    expect(taken.bytes).toBeLessThan(2 ** 20)
  })

  it('may have a file of exactly the limit', async () => {
    const exact = await upload('exact.bin', new Uint8Array(limit))
    expect([exact.status, exact.body.size]).toEqual([201, limit])
    const { status } = await upload('more.bin', new Uint8Array(limit + 1))
    expect(status).toBe(413)
    await app.call('DELETE', `/api/v1/media/?q=${exact.body.media_id}`)
    await nothingIsLeft()
  })
})
