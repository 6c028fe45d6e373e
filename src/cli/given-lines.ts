import { joined } from '../bytes.js'
import { malformed, tooLarge } from '../errors.js'
import type { Io } from './command.js'
import { maxBytes } from './given.js'

const lineFeed = 10

const decoded = (bytes: Uint8Array, line: number): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw malformed(`line ${line} is not UTF-8`)
  }
}

/** Reads standard input line by line, without empty ones. @throws 413 for a line over the limit of a request body */
export async function* inputLines(io: Pick<Io, 'input'>): AsyncGenerator<{ line: number; text: string }> {
  let [line, length] = [1, 0]
  let pieces: Uint8Array[] = []
  const take = () => {
    const text = decoded(joined(pieces), line)
    const found = text.trim() === '' ? [] : [{ line, text }]
    pieces = []
    length = 0
    line++
    return found
  }
  const keep = (piece: Uint8Array) => {
    length += piece.byteLength
    if (length > maxBytes) throw tooLarge(`line ${line} is larger than ${maxBytes} bytes`)
    pieces.push(piece)
  }
  for await (const given of io.input()) {
    let rest = given
    for (let at = rest.indexOf(lineFeed); at >= 0; at = rest.indexOf(lineFeed)) {
      keep(rest.subarray(0, at))
      yield* take()
      rest = rest.subarray(at + 1)
    }
    keep(rest)
  }
  yield* take()
}
