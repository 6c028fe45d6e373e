import { createReadStream } from 'node:fs'
import { NobodyReads } from '../terminal.js'
import { addressOf, endKey, type Person, type Remote, runRemotely } from './client.js'
import { forgetKey, storedKey, storeKey } from './keys.js'

/** The input and output of the process, as far as a command that runs elsewhere needs them. */
interface Terminal extends Omit<Person, 'write' | 'writeError' | 'openFile'> {
  write(text: string): void
  writeError(text: string): void
  writeBytes(bytes: Uint8Array): void
  readonly openFile?: Person['openFile']
  readonly variables: Readonly<Record<string, string | undefined>>
}

/** The options of a line that name the service which runs it. */
export interface Wish {
  readonly url: string | undefined
  readonly isInsecure: boolean
  /** The line without these options. */
  readonly args: readonly string[]
}

/** Takes the options that name a service from a line. They stand before the command. */
export function wishOf(args: readonly string[], variables: Terminal['variables']): Wish {
  const rest = [...args]
  let url = variables.SLUGLINE_URL || undefined
  let isInsecure = false
  for (let first = rest[0]; first !== undefined; first = rest[0])
    if (first === '--insecure-http') {
      isInsecure = true
      rest.shift()
    } else if (first === '--remote') {
      url = rest[1] ?? ''
      rest.splice(0, 2)
    } else if (first.startsWith('--remote=')) {
      url = first.slice('--remote='.length)
      rest.shift()
    } else break
  return { url, isInsecure, args: rest }
}

/** Commands that need no service. */
const here = new Set(['login', 'logout', 'completion', 'version', '--version'])

/** Whether the service of a wish runs the line, and not this process. */
export const isRemote = ({ url, args }: Wish): boolean =>
  url !== undefined && !here.has(args[0] ?? '') && !args.includes('--man')

const personOf = (terminal: Terminal): Person => ({
  write: bytes => terminal.writeBytes(bytes),
  writeError: bytes => terminal.writeError(Buffer.from(bytes).toString()),
  drained: () => terminal.drained(),
  input: () => terminal.input(),
  openFile: path => terminal.openFile?.(path) ?? createReadStream(path),
  readSecret: question => terminal.readSecret(question),
  ask: terminal.ask,
  isTerminal: terminal.isTerminal,
  hasColour: terminal.hasColour,
  columns: terminal.columns,
  zone: terminal.zone,
})

function remoteOf({ url = '', isInsecure }: Wish, { variables }: Terminal): Remote {
  const address = addressOf(url, isInsecure)
  const key = variables.SLUGLINE_KEY || storedKey(address, variables)
  if (key === undefined)
    throw new Error(`there is no key for ${address}: run slugline login ${address}, or set SLUGLINE_KEY`)
  if (!/^[\x21-\x7e]+$/.test(key)) throw new Error('SLUGLINE_KEY is not an API key')
  return { address, key }
}

const worded = async (terminal: Terminal, work: () => Promise<number>): Promise<number> =>
  work().catch(error => {
    // The reader has seen enough, as `head` has.
    if (error instanceof NobodyReads) return 0
    terminal.writeError(`slugline: ${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  })

/** Runs a line on the service that it names. @returns the exit code */
export const runElsewhere = (wish: Wish, terminal: Terminal): Promise<number> =>
  worded(terminal, async () => runRemotely(remoteOf(wish, terminal), wish.args, personOf(terminal)))

const silent = { write() {}, writeError() {} }

/** Stores an API key for a service, after the service has accepted it. */
export async function login(terminal: Terminal, url: string, isInsecure: boolean): Promise<number> {
  const address = addressOf(url, isInsecure)
  const key = (await terminal.readSecret(`API key for ${address}`)).trim()
  if (!/^[\x21-\x7e]+$/.test(key)) throw new Error('this is not an API key')
  await runRemotely({ address, key }, ['help'], { ...personOf(terminal), ...silent })
  storeKey(address, key, terminal.variables)
  terminal.writeError(`The key for ${address} works and is stored.\n`)
  return 0
}

/** Ends the stored key at its service and deletes it here, also when the service cannot be reached. */
export async function logout(terminal: Terminal, url: string, isInsecure: boolean): Promise<number> {
  const address = addressOf(url, isInsecure)
  const key = storedKey(address, terminal.variables)
  if (key === undefined) throw new Error(`there is no stored key for ${address}`)
  const problem = await endKey({ address, key }).catch((error: Error) => error.message)
  forgetKey(address, terminal.variables)
  if (problem === undefined) {
    terminal.writeError(`The key for ${address} is revoked and deleted.\n`)
    return 0
  }
  terminal.writeError(
    `slugline: the key is deleted here, but not revoked: ${problem}; revoke it in the panel\n`,
  )
  return 1
}
