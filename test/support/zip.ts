import { crc32, deflateRawSync } from 'node:zlib'

/**
 * A zip archive of these files.
 * @param says what the archive says about a file instead of the truth
 */
export function zipOf(
  files: Readonly<Record<string, string | Uint8Array>>,
  says: { readonly size?: number; readonly mode?: number } = {},
): Buffer {
  const parts: Buffer[] = []
  const ends: Buffer[] = []
  let at = 0
  for (const [path, content] of Object.entries(files)) {
    const name = Buffer.from(path)
    const data = Buffer.from(content)
    const packed = deflateRawSync(data)
    const head = Buffer.alloc(26)
    head.writeUInt16LE(20, 0)
    head.writeUInt16LE(0x0800, 2)
    head.writeUInt16LE(8, 4)
    head.writeUInt32LE(crc32(data), 10)
    head.writeUInt32LE(packed.length, 14)
    head.writeUInt32LE(says.size ?? data.length, 18)
    head.writeUInt16LE(name.length, 22)
    const end = Buffer.alloc(14)
    end.writeUInt32LE(((says.mode ?? 0o100644) << 16) >>> 0, 6)
    end.writeUInt32LE(at, 10)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), head, name, packed])
    ends.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x03', 'latin1'), head, end, name]))
    parts.push(local)
    at += local.length
  }
  const directory = Buffer.concat(ends)
  const last = Buffer.alloc(18)
  last.writeUInt16LE(ends.length, 4)
  last.writeUInt16LE(ends.length, 6)
  last.writeUInt32LE(directory.length, 8)
  last.writeUInt32LE(at, 12)
  return Buffer.concat([...parts, directory, Buffer.from('PK\x05\x06'), last])
}
