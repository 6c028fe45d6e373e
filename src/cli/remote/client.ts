import type { IncomingMessage } from 'node:http'
import { type Call, commandsPath, contentType, type End, framesIn, kinds, type Need } from './protocol.js'

/** A service on another machine, and the key for it. */
export interface Remote {
  /** The URL without a slash at its end. */
  readonly address: string
  readonly key: string
}

/** The part of the command line for commands that run elsewhere. */
export interface Person {
  write(bytes: Uint8Array): void
  writeError(bytes: Uint8Array): void
  drained(): Promise<void>
  input(): AsyncIterable<Uint8Array>
  openFile(path: string): AsyncIterable<Uint8Array>
  readSecret(question: string): Promise<string>
  readonly ask: ((question: string) => Promise<string>) | undefined
  readonly isTerminal: boolean
  readonly hasColour: boolean
  readonly columns?: number | undefined
  readonly zone: string
}

const silentMs = 60_000
const isLoopback = (host: string) =>
  host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)

/**
 * Returns the address of a service as it is stored.
 * @throws Error unless it is a URL with https, or with http to this machine or by the explicit wish
 */
export function addressOf(text: string, isInsecure: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    throw new Error(`${text} is not the URL of a service, such as https://example.com`)
  if (url.username || url.password) throw new Error('the URL must not contain a user or password')
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !isInsecure)
    throw new Error(
      `${url.origin} has no encryption, so others could read the key: use https, or add --insecure-http`,
    )
  return url.origin + url.pathname.replace(/(?<!\/)\/+$/, '')
}

/** Says in words why a service could not be reached. */
function reasonOf(error: NodeJS.ErrnoException, address: string): Error {
  const { code = '', message } = error
  const known: Readonly<Record<string, string>> = {
    ENOTFOUND: 'the host does not exist',
    EAI_AGAIN: 'the name of the host could not be looked up',
    ECONNREFUSED: 'nothing listens there',
    ECONNRESET: 'the connection was broken off',
    ETIMEDOUT: 'the host does not respond',
    EHOSTUNREACH: 'there is no way to the host',
    ENETUNREACH: 'there is no network',
  }
  if (known[code]) return new Error(`${address}: ${known[code]} (${code})`)
  if (/CERT|SIGNATURE|SSL|TLS|ISSUER/.test(code))
    return new Error(
      `${address}: its certificate is not trusted: ${message} (${code}); NODE_EXTRA_CA_CERTS can name another authority`,
    )
  return new Error(`${address}: ${message}`)
}

interface Sent {
  readonly address: string
  /** Behind the address. */
  readonly path: string
  readonly method: 'POST' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: (write: (bytes: Uint8Array) => Promise<void>) => Promise<void>
}

/** Sends one request. @throws Error in words */
async function send({ address, path, method, headers: own, body }: Sent): Promise<IncomingMessage> {
  const url = new URL(`${address}${path}`)
  const { request } = await (url.protocol === 'https:' ? import('node:https') : import('node:http'))
  return new Promise((resolve, reject) => {
    const headers = { 'User-Agent': 'slugline', ...own }
    const outgoing = request(url, { method, headers, agent: false }, resolve)
    outgoing.setTimeout(silentMs, () =>
      outgoing.destroy(Object.assign(new Error('the service does not respond'), { code: 'ETIMEDOUT' })),
    )
    outgoing.on('error', error => reject(reasonOf(error, address)))
    const write = (bytes: Uint8Array) =>
      new Promise<void>(done => {
        if (outgoing.destroyed || outgoing.write(bytes)) return done()
        outgoing.once('drain', done).once('close', done)
      })
    const sent = body ? body(write) : Promise.resolve()
    sent.then(
      () => outgoing.end(),
      error => {
        outgoing.destroy()
        reject(error)
      },
    )
  })
}

async function textOf(answer: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of answer) {
    length += piece.byteLength
    if (length > 65_536) break
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}

/** A refusal of the service, in its words. */
export class Refused extends Error {
  constructor(
    address: string,
    sentence: string,
    /** As docs/errors.md explains it. */
    readonly code: unknown,
  ) {
    super(`${address}: ${sentence}`)
  }
}

/** @throws Error in words for an answer that is not what was asked for */
async function refuse(answer: IncomingMessage, address: string): Promise<never> {
  const { statusCode = 0, headers } = answer
  if (statusCode >= 300 && statusCode < 400 && headers.location)
    throw new Error(`${address} redirects to ${new URL(headers.location, address).origin}: use that URL`)
  const text = await textOf(answer)
  let refusal: { error?: unknown; code?: unknown } | undefined
  try {
    refusal = JSON.parse(text)
  } catch {
    // No Slugline service, or a proxy.
  }
  if (statusCode === 404 || typeof refusal?.error !== 'string')
    throw new Error(
      `${address} runs no commands from other machines (status ${statusCode}): it is no Slugline service, or an older version`,
    )
  throw new Refused(address, refusal.error, refusal.code)
}

/**
 * Posts JSON to the API of a service, without a key.
 * @returns the body of the answer, unchecked
 * @throws Refused for an error of the service; Error in words if it cannot be reached
 */
export async function postJson(address: string, path: string, body: object): Promise<unknown> {
  const answer = await send({
    ...{ address, path: `/api/v1${path}`, method: 'POST' },
    headers: { 'Content-Type': 'application/json' },
    body: write => write(Buffer.from(JSON.stringify(body))),
  })
  if (answer.statusCode !== 200) await refuse(answer, address)
  return JSON.parse(await textOf(answer))
}

const withKey = ({ key }: Remote) => ({ Authorization: `Bearer ${key}` })

/** Ends the key at its service. @throws Error in words */
export async function endKey(remote: Remote): Promise<void> {
  const { address } = remote
  const answer = await send({ address, path: commandsPath, method: 'DELETE', headers: withKey(remote) })
  if (answer.statusCode !== 204) await refuse(answer, address)
  answer.resume()
}

async function attempt(
  remote: Remote,
  call: Call,
  person: Person,
  input: AsyncIterable<Uint8Array> | undefined,
): Promise<End> {
  const { address } = remote
  const answer = await send({
    ...{ address, path: commandsPath, method: 'POST' },
    headers: { ...withKey(remote), 'Content-Type': contentType },
    async body(write) {
      await write(Buffer.from(`${JSON.stringify(call)}\n`))
      for await (const piece of input ?? []) await write(piece)
    },
  })
  if (answer.statusCode !== 200 || answer.headers['content-type'] !== contentType)
    await refuse(answer, address)
  const pieces = async function* () {
    try {
      yield* answer as AsyncIterable<Uint8Array>
    } catch (error) {
      throw reasonOf(error as Error, address)
    }
  }
  for await (const { kind, bytes } of framesIn(pieces())) {
    if (kind === kinds.end) return JSON.parse(Buffer.from(bytes).toString()) as End
    if (kind === kinds.output) person.write(bytes)
    if (kind === kinds.error) person.writeError(bytes)
    await person.drained()
  }
  throw new Error('the connection ended before the command did: it may have been carried out')
}

/** Gets what a command needs. A file is read only if it was named here: the service cannot choose one. */
async function provided(need: Need, call: Call, person: Person) {
  switch (need.kind) {
    case 'input':
      return { call: { ...call, hasInput: true }, input: person.input() }
    case 'file':
      if (!call.args.includes(need.path))
        throw new Error('the service asked for a file that the command does not name')
      return { call: { ...call, hasInput: true }, input: person.openFile(need.path) }
    default: {
      const ask = need.kind === 'secret' ? person.readSecret : person.ask
      if (!ask) throw new Error('the service asked a question, and nobody can answer')
      return { call: { ...call, answers: [...call.answers, await ask(need.question)] }, input: undefined }
    }
  }
}

/**
 * Runs a line on another machine.
 * @returns the exit code of the command
 * @throws Error in words if the service cannot be reached or refuses the key
 */
export async function runRemotely(remote: Remote, args: readonly string[], person: Person): Promise<number> {
  const { isTerminal, hasColour, columns, zone } = person
  const canAsk = person.ask !== undefined
  let call: Call = { args, answers: [], hasInput: false, canAsk, isTerminal, hasColour, columns, zone }
  let input: AsyncIterable<Uint8Array> | undefined
  for (;;) {
    const end = await attempt(remote, call, person, input)
    if ('code' in end) return end.code
    if (call.hasInput) throw new Error('the service asked for more after it had read the input')
    ;({ call, input } = await provided(end.need, call, person))
  }
}
