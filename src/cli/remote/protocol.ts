/**
 * How a command line talks to a service. The body of a request is one line of JSON, the call, and behind it what the
 * command reads. The answer is frames: a byte for the kind, four for the length, and the bytes.
 */
export const commandsPath = '/api/commands'
export const contentType = 'application/x-slugline-command'

export const kinds = { output: 1, error: 2, end: 3 } as const
type Kind = (typeof kinds)[keyof typeof kinds]

const headBytes = 5
/** The longest frame that a command line accepts. */
const maxFrameBytes = 64 * 2 ** 20

/** One line of a command line, and what the service needs to know about the terminal there. */
export interface Call {
  readonly args: readonly string[]
  /** Answers to the questions that the service asked before, in their order. */
  readonly answers: readonly string[]
  /** Whether input follows in the body. */
  readonly hasInput: boolean
  /** Whether a person can be asked. */
  readonly canAsk: boolean
  readonly isTerminal: boolean
  readonly hasColour: boolean
  readonly columns?: number | undefined
  readonly zone: string
}

/** The input, file or answer that a command is missing. Nothing was changed yet: the call is sent again with it. */
export type Need =
  | { readonly kind: 'input' }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'answer' | 'secret'; readonly question: string }

/** The last frame of an answer, as JSON. */
export type End = { readonly code: number } | { readonly need: Need }

export function frame(kind: Kind, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(headBytes + bytes.byteLength)
  all[0] = kind
  new DataView(all.buffer).setUint32(1, bytes.byteLength)
  all.set(bytes, headBytes)
  return all
}

/** Reads frames from the pieces of an answer. @throws Error for other bytes */
export async function* framesIn(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ kind: number; bytes: Uint8Array }> {
  let held: Uint8Array[] = []
  let length = 0
  const take = (count: number): Uint8Array => {
    const all = held.length === 1 && held[0] ? held[0] : Buffer.concat(held)
    held = [all.subarray(count)]
    length -= count
    return all.subarray(0, count)
  }
  let head: { kind: number; size: number } | undefined
  for await (const piece of pieces) {
    held.push(piece)
    length += piece.byteLength
    for (;;) {
      if (!head && length >= headBytes) {
        const bytes = take(headBytes)
        const size = new DataView(bytes.buffer, bytes.byteOffset).getUint32(1)
        head = { kind: bytes[0] ?? 0, size }
        if (size > maxFrameBytes) throw new Error('the answer is no answer of a Slugline service')
      }
      if (!head || length < head.size) break
      yield { kind: head.kind, bytes: take(head.size) }
      head = undefined
    }
  }
}
