import { Header, Pax } from 'tar'
import { describe, expect, it } from 'vitest'
import { blockBytes, headerLength, headerOf, readHeader } from '../../src/node/tar.js'

const read = (bytes: Uint8Array) => {
  const header = Buffer.from(bytes)
  return headerLength(header.subarray(0, blockBytes)) === header.byteLength ? readHeader(header) : undefined
}
const file = { name: 'media/a', size: 1, time: 1 }

describe('the header of a file in an archive', () => {
  it.each([
    'a',
    'x'.repeat(99),
    'x'.repeat(100),
    'x'.repeat(300),
    `media/${'y'.repeat(95)}`,
    `media/${'d/'.repeat(60)}z`,
    `${'a'.repeat(156)}/b`,
    'media/a=b',
    'media/日本.png',
    `media/🙂${'k'.repeat(120)}`,
  ])('is read as it is written, with any size: %s', name => {
    for (const size of [0, 511, 8 ** 11 - 1, 8 ** 11, 2 ** 50])
      for (const time of [0, 1_800_000_000])
        expect(read(headerOf({ name, size, time }))).toEqual({ name, size, time })
  })

  it('is the same whenever it is written', () => {
    const first = headerOf(file)
    const later = headerOf({ ...file })
    expect(later).toEqual(first)
    expect(new Header(first)).toMatchObject({ type: 'File', mode: 0o600, uid: 0, gid: 0, cksumValid: true })
  })

  const extended = (records: string) => {
    const bytes = headerOf({ ...file, name: 'é' })
    const pax = new Pax({ path: 'é' }).encode()
    pax.fill(0, blockBytes).write(records, blockBytes)
    new Header({
      path: 'PaxHeader/é',
      mode: 0o644,
      size: Buffer.byteLength(records),
      type: 'ExtendedHeader',
    }).encode(pax)
    return Buffer.concat([pax, bytes.subarray(-blockBytes)])
  }
  const numbered = (at: number, bytes: number[]) => {
    const header = headerOf(file)
    header.set(bytes, at)
    return header
  }

  it.each([
    ['a size of no number', extended('10 path=é\n12 size=NaN\n')],
    ['an endless size', extended('10 path=é\n17 size=Infinity\n')],
    ['a size below zero', extended('10 path=é\n11 size=-1\n')],
    ['a part of a byte', extended('10 path=é\n12 size=0.5\n')],
    [
      'a name that is no UTF-8',
      Buffer.from(extended('10 path=é\n10 size=1\n')).fill(0xff, blockBytes + 8, blockBytes + 9),
    ],
    [
      'a size beyond all numbers',
      numbered(124, [0x80, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255]),
    ],
    ['a size of no form', numbered(124, [0x81])],
    ['no bytes', Buffer.alloc(blockBytes)],
  ])('is refused with %s', (_, bytes) => {
    expect(read(bytes)).toBeUndefined()
  })
})
