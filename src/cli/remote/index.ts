import { createReadStream } from 'node:fs'
import { NobodyReads } from '../terminal.js'
import { visible } from '../visible.js'
import { addressOf, endKey, type Person, type Remote, runRemotely } from './client.js'
import { forgetKey, storedAddresses, storedKey, storeKey } from './keys.js'

/** The input and output of the process, as far as a command that runs elsewhere needs them. */
interface Terminal extends Omit<Person, 'write' | 'writeError' | 'openFile'> {
  write(text: string): void
  writeError(text: string): void
  writeBytes(bytes: Uint8Array): void
  readonly openFile?: Person['openFile']
  readonly isInteractive: boolean
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

/** Asks for an API key for a service, and stores it after the service has accepted it. */
export async function loginWithKey(terminal: Terminal, url: string, isInsecure: boolean): Promise<number> {
  const address = addressOf(url, isInsecure)
  const key = (await terminal.readSecret(`API key for ${address}`)).trim()
  if (!/^[\x21-\x7e]+$/.test(key)) throw new Error('this is not an API key')
  await runRemotely({ address, key }, ['help'], { ...personOf(terminal), ...silent })
  storeKey(address, key, terminal.variables)
  terminal.writeError(`The key for ${address} works and is stored.\n`)
  return 0
}

/** Gets an API key for a service by a sign-in that a person approves in a browser, and stores it. */
export async function login(
  terminal: Terminal,
  url: string,
  isInsecure: boolean,
  wait?: (ms: number) => Promise<unknown>,
): Promise<number> {
  const address = addressOf(url, isInsecure)
  // A file that cannot be used is found before a person has approved anything.
  storedAddresses(terminal.variables)
  const { keyByBrowser } = await import('./device.js')
  const { key, email } = await keyByBrowser(address, terminal, wait)
  storeKey(address, key, terminal.variables)
  terminal.writeError(`Signed in to ${address} as ${visible(email)}. The key is stored.\n`)
  return 0
}

/** The service to sign out of: the named one, else the only one with a key. @throws Error in words */
function signedInTo(url: string, isInsecure: boolean, variables: Terminal['variables']): string {
  const named = url || variables.SLUGLINE_URL
  if (named) return addressOf(named, isInsecure)
  const [first, ...others] = storedAddresses(variables)
  if (first === undefined) throw new Error('there is no stored key')
  if (others.length > 0) throw new Error(`name one of the services: ${[first, ...others].join(', ')}`)
  return first
}

/** Ends the stored key at its service and deletes it here, also when the service cannot be reached. */
export async function logout(terminal: Terminal, url: string, isInsecure: boolean): Promise<number> {
  const address = signedInTo(url, isInsecure, terminal.variables)
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
