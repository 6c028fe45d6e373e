/** What the runtime supplies. `src/node` has the real ones; tests give their own. */

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
}

export interface Random {
  bytes(length: number): Uint8Array
}

export interface Hashing {
  /** SHA-256 in lower-case hex. */
  sha256(text: string): string
  /** A slow, salted hash that says its own parameters. */
  password(password: string): Promise<string>
  verifyPassword(hash: string, password: string): Promise<boolean>
}

export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export interface Ports {
  clock: Clock
  random: Random
  hashing: Hashing
  log: Log
}
