import { Header, Pax } from 'tar'

/**
 * The one form of tar that archives have: plain files with their size and time, and in front of one whose name or size
 * has no room in its header the extended header of POSIX. What is read is written again and compared, so that no other
 * form passes: no links, no folders, no other owners.
 */

export const blockBytes = 512
/** Ends an archive. */
export const endBlocks = new Uint8Array(2 * blockBytes)
/** Longer extended headers are refused: names have at most some hundred characters. */
const maxExtendedBytes = 8 * blockBytes

/** Longer names, and sizes that a header has no room for, need the extended header. */
const maxName = 99

const owner = { mode: 0o600, uid: 0, gid: 0, linkpath: '', uname: '', gname: '', devmaj: 0, devmin: 0 }

export const paddingOf = (size: number): number => (blockBytes - (size % blockBytes)) % blockBytes

/** The facts in the header of a file. */
export interface TarFile {
  readonly name: string
  readonly size: number
  /** In seconds since 1970. */
  readonly time: number
}

/** Everything in front of the content of a file. */
export function headerOf({ name, size, time }: TarFile): Buffer {
  const fields = { ...owner, size, mtime: new Date(time * 1000), type: 'File' } as const
  const block = Buffer.alloc(blockBytes)
  // The package divides a longer name among two fields, and does not always read it as the same one.
  if (name.length <= maxName && !new Header({ ...fields, path: name }).encode(block)) return block
  new Header({ ...fields, path: 'file' }).encode(block.fill(0))
  return Buffer.concat([new Pax({ path: name, size }).encode(), block])
}

function decoded(block: Buffer, extended?: Pax): Header | undefined {
  try {
    return new Header(block, 0, extended)
  } catch {
    return undefined
  }
}

/** The length in bytes of the header that begins with this block; undefined if this service did not write it. */
export function headerLength(first: Buffer): number | undefined {
  const { type, size = 0 } = decoded(first) ?? {}
  if (type !== 'ExtendedHeader') return blockBytes
  return size > 0 && size <= maxExtendedBytes ? blockBytes * 2 + size + paddingOf(size) : undefined
}

/** Reads a header; undefined unless it is exactly as `headerOf` writes it. */
export function readHeader(bytes: Buffer): TarFile | undefined {
  const records = bytes.subarray(blockBytes, -blockBytes).toString()
  const { path, size, mtime } =
    decoded(bytes.subarray(-blockBytes), records === '' ? undefined : Pax.parse(records)) ?? {}
  if (!path || size === undefined || mtime === undefined) return undefined
  const file = { name: path, size, time: mtime.getTime() / 1000 }
  if (![file.size, file.time].every(value => Number.isSafeInteger(value) && value >= 0)) return undefined
  return bytes.equals(headerOf(file)) ? file : undefined
}
