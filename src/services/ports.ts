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

interface MailServer {
  readonly host: string
  readonly port: number
  readonly username: string | undefined
  readonly password: string | undefined
  /** Whether mail must go out encrypted. */
  readonly tls: boolean
  readonly from: { readonly name: string; readonly address: string }
  readonly replyTo: string | undefined
}

export interface Mail {
  /** @throws when the server has not taken the message */
  send(
    server: MailServer,
    message: { to: string; subject: string; text: string; html: string },
  ): Promise<void>
}

/** How a POST ended. */
export type Posted =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfter: string | null }
  /** No whole answer came; the status is there when its head did. */
  | { readonly kind: 'broken'; readonly status: number | null; readonly reason: string }
  /** The host is, or resolves to, an address that is not permitted. Nothing was opened. */
  | { readonly kind: 'refused' }

/** Calls to servers that settings name. */
export interface Outgoing {
  /**
   * One exchange, its redirects not followed.
   * @param limits `reach` public: addresses of private networks are refused when the socket is made. `patience` for
   * the whole exchange in milliseconds, `bytes` of the answer's body.
   */
  fetch(
    url: string,
    request: { method: string; headers: Record<string, string>; body?: string },
    limits: { reach: 'public' | 'any'; patience: number; bytes: number },
  ): Promise<Response>
  /** False when the host is, or now resolves to, an address of a private network. */
  isPublic(url: string): Promise<boolean>
  /** Every address that a host has now, a literal its own; none when it does not resolve. */
  addresses(host: string): Promise<string[]>
  /**
   * One POST to an address that is permitted, its name resolved once. Never throws.
   * @param limits `permits` judges every address of the name. `patience` for everything in milliseconds, `bytes` of
   * the answer's body, which is read and thrown away.
   */
  post(
    url: string,
    request: { headers: Record<string, string>; body: Uint8Array },
    limits: { permits: (address: string) => boolean; patience: number; bytes: number },
  ): Promise<Posted>
}

/** The file that the configuration comes from. */
export interface ConfigFile {
  /** Undefined while there is none. */
  read(): Promise<string | undefined>
  /**
   * Replaces the file; after a crash there is the old one or the new one, whole.
   * @param before runs when the new text is safe on disk and not yet in its place; if it fails the old file stays
   */
  write(text: string, before: () => Promise<void>): Promise<void>
}

/** Counts tries. Where several instances share a database server they count together. */
export interface Limits {
  /** @returns how long to wait, in milliseconds, when there have been too many; otherwise undefined */
  take(key: string): Promise<number | undefined>
}

export interface Ports {
  clock: Clock
  random: Random
  hashing: Hashing
  log: Log
  mail: Mail
  outgoing: Outgoing
  configFile: ConfigFile
}
