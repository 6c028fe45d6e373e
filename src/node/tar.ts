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

const [maxNameBytes, maxSize] = [100, 8 ** 11 - 1]
const extendedName = 'PaxHeader'
const [encoder, decoder] = [new TextEncoder(), new TextDecoder('utf-8', { fatal: true })]

const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0')

export const paddingOf = (size: number): number => (blockBytes - (size % blockBytes)) % blockBytes

/** What stands in front of the content of a file. */
export interface TarFile {
  readonly name: string
  readonly size: number
  /** In seconds since 1970. */
  readonly time: number
}

type Type = '0' | 'x'

function block({ name, size, time }: TarFile, type: Type): Uint8Array {
  const bytes = new Uint8Array(blockBytes)
  const put = (at: number, text: string) => bytes.set(encoder.encode(text), at)
  put(0, name)
  put(100, `${octal(0o600, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0${octal(size, 11)}\0${octal(time, 11)}\0`)
  put(148, `        ${type}`)
  put(257, 'ustar\x0000')
  const sum = bytes.reduce((all, byte) => all + byte, 0)
  put(148, `${octal(sum, 6)}\0 `)
  return bytes
}

/** A record of an extended header, which begins with its own length. */
function record(name: string, value: string): string {
  const rest = ` ${name}=${value}\n`
  const bytes = encoder.encode(rest).byteLength
  let length = bytes + String(bytes).length
  if (String(length).length > String(bytes).length) length = bytes + String(length).length
  return `${length}${rest}`
}

const isShort = ({ name, size }: TarFile) =>
  !/[^\x20-\x7e]/.test(name) && name.length <= maxNameBytes && size <= maxSize

/** Everything in front of the content of a file. */
export function headerOf(file: TarFile): Uint8Array {
  if (isShort(file)) return block(file, '0')
  const { name, size, time } = file
  const records = encoder.encode(record('path', name) + record('size', String(size)))
  const extended = block({ name: extendedName, size: records.byteLength, time }, 'x')
  const short = block({ name: 'file', size: size > maxSize ? 0 : size, time }, '0')
  const bytes = new Uint8Array(blockBytes * 2 + records.byteLength + paddingOf(records.byteLength))
  bytes.set(extended)
  bytes.set(records, blockBytes)
  bytes.set(short, bytes.byteLength - blockBytes)
  return bytes
}

const field = (bytes: Uint8Array, from: number, length: number): string => {
  const text = decoder.decode(bytes.subarray(from, from + length))
  const end = text.indexOf('\0')
  return end < 0 ? text : text.slice(0, end)
}
const numberIn = (bytes: Uint8Array, from: number, length: number): number =>
  Number.parseInt(field(bytes, from, length), 8)

/** How many bytes the header has that begins with this block; undefined for what is none of ours. */
export function headerLength(first: Uint8Array): number | undefined {
  if (first[156] !== 'x'.charCodeAt(0)) return blockBytes
  const size = numberIn(first, 124, 12)
  if (!(size > 0 && size <= maxExtendedBytes)) return undefined
  return blockBytes * 2 + size + paddingOf(size)
}

/** What a header says; undefined unless it is exactly as `headerOf` writes it. */
export function readHeader(bytes: Uint8Array): TarFile | undefined {
  try {
    const time = numberIn(bytes, 136, 12)
    const file = { time, ...(bytes.byteLength === blockBytes ? shortFile(bytes) : extendedFile(bytes)) }
    if (![file.size, time].every(value => Number.isSafeInteger(value) && value >= 0)) return undefined
    const again = headerOf(file)
    return again.byteLength === bytes.byteLength && again.every((byte, i) => byte === bytes[i])
      ? file
      : undefined
  } catch {
    // What is no UTF-8.
    return undefined
  }
}

const shortFile = (bytes: Uint8Array) => ({ name: field(bytes, 0, 100), size: numberIn(bytes, 124, 12) })

function extendedFile(bytes: Uint8Array) {
  const records = decoder.decode(bytes.subarray(blockBytes, blockBytes + numberIn(bytes, 124, 12)))
  const match = /^\d+ path=([\s\S]*)\n\d+ size=(\d+)\n$/.exec(records)
  return { name: match?.[1] ?? '', size: Number(match?.[2]) }
}
