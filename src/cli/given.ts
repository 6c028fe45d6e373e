import type { z } from 'zod'
import { joined } from '../bytes.js'
import { HttpError, invalid, malformed, tooLarge } from '../errors.js'
import { parsedJson } from '../services/json-text.js'
import { refuseUnknownMembers } from '../services/unknown-members.js'
import { Turns } from '../turns.js'
import type { Io } from './command.js'

/** The largest standard input, in bytes: the limit of a request body. */
export const maxBytes = 5 * 2 ** 20

/** Returns the parsed value. @throws 400 about the first invalid member */
export function parsed<S extends z.ZodType>(schema: S, given: unknown): z.output<S> {
  const result = schema.safeParse(given)
  const [issue] = result.error?.issues ?? []
  if (issue) {
    const path = issue.path.map(String).join('.')
    throw path === '' ? malformed(`body: ${issue.message}`) : invalid(path, issue.message)
  }
  return result.data as z.output<S>
}

/** @throws 413 over the limit, 400 if it is not UTF-8 */
export async function inputText(io: Pick<Io, 'input'>): Promise<string> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of io.input()) {
    length += piece.byteLength
    if (length > maxBytes) throw tooLarge(`standard input is larger than ${maxBytes} bytes`)
    pieces.push(piece)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(joined(pieces))
  } catch {
    throw malformed('standard input is not UTF-8')
  }
}

/** @param what the text in words @throws 400 if it is not valid as a request body */
export async function jsonIn(text: string, what = 'standard input'): Promise<unknown> {
  try {
    return await new Turns().run(parsedJson(text))
  } catch (error) {
    // An error about a member already names it.
    if (!(error instanceof HttpError) || error.member !== undefined) throw error
    const sentence = error.message.replace(/^the body/, what)
    throw new HttpError(error.status, error.code, sentence)
  }
}

/**
 * Reads the JSON of standard input, as strictly as the API reads a body.
 * @param shown members that a record has and nobody can set, so that a record can be read, edited and sent back
 */
export async function inputJson<S extends z.ZodType>(
  io: Pick<Io, 'input'>,
  schema: S,
  shown: Iterable<string> = [],
): Promise<z.output<S>> {
  const text = await inputText(io)
  if (text.trim() === '') throw malformed('standard input is empty: it must contain the JSON')
  const value = await jsonIn(text)
  await new Turns().run(refuseUnknownMembers(schema, value, new Set(shown)))
  return parsed(schema, value)
}
