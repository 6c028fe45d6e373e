import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

type Variables = Readonly<Record<string, string | undefined>>
type Keys = Readonly<Record<string, string>>

/** The file with the keys of `slugline login`, by the address of the service. */
export const keyFile = (variables: Variables): string =>
  join(variables.XDG_CONFIG_HOME || join(variables.HOME || homedir(), '.config'), 'slugline', 'keys.json')

/** @throws Error for a file that others may read, or that is damaged */
function keysIn(path: string): Keys {
  let text: string
  try {
    if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0)
      throw new Error(`${path}: others may read it: run chmod 600 ${path}`)
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
  try {
    const keys: unknown = JSON.parse(text)
    if (
      typeof keys === 'object' &&
      keys !== null &&
      Object.values(keys).every(key => typeof key === 'string')
    )
      return keys as Keys
  } catch {
    // Said below.
  }
  throw new Error(`${path} is damaged: delete it, and sign in again with slugline login`)
}

function store(path: string, keys: Keys): void {
  if (Object.keys(keys).length === 0) {
    rmSync(path, { force: true })
    return
  }
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const next = `${path}.${process.pid}`
  writeFileSync(next, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 })
  chmodSync(next, 0o600)
  renameSync(next, path)
}

export const storedKey = (address: string, variables: Variables): string | undefined => {
  const keys = keysIn(keyFile(variables))
  return Object.hasOwn(keys, address) ? keys[address] : undefined
}

/** The addresses of the services with a stored key. */
export const storedAddresses = (variables: Variables): string[] => Object.keys(keysIn(keyFile(variables)))

export function storeKey(address: string, key: string, variables: Variables): void {
  const path = keyFile(variables)
  store(path, { ...keysIn(path), [address]: key })
}

export function forgetKey(address: string, variables: Variables): void {
  const path = keyFile(variables)
  const { [address]: _, ...others } = keysIn(path)
  store(path, others)
}
