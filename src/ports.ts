import type { Actor } from './actor.js'
import type { Config } from './config.js'
import type { Exposition, Measured } from './metrics.js'

/** The functions that the runtime supplies. `src/node` has the real ones; tests give their own. */

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
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly retryAfter: string | null
      readonly body: Uint8Array
    }
  /** The response was incomplete; the status is known if its head arrived. */
  | { readonly kind: 'broken'; readonly status: number | null; readonly reason: string }
  /** The host is, or resolves to, an address that is not permitted. Nothing was opened. */
  | { readonly kind: 'refused' }

/** Calls to servers that settings name. */
export interface Outgoing {
  /**
   * One exchange, its redirects not followed.
   * @param limits `allowedAddresses` public: those of private networks are refused when the socket is made.
   * `timeoutMs` is for the whole exchange, `maxBytes` for the answer's body.
   */
  fetch(
    url: string,
    request: { method: string; headers: Record<string, string>; body?: string },
    limits: { allowedAddresses: 'public' | 'any'; timeoutMs: number; maxBytes: number },
  ): Promise<Response>
  /** False when the host is, or now resolves to, an address of a private network. */
  isPublic(url: string): Promise<boolean>
  /** The addresses of a host; a literal address gives itself. Empty if it does not resolve. */
  addresses(host: string): Promise<string[]>
  /**
   * One POST to an address that is permitted, its name resolved once. Never throws.
   * @param limits `permits` judges every address of the name. `timeoutMs` is for everything, `maxBytes` for the
   * answer's body, which is read and thrown away.
   */
  post(
    url: string,
    request: { headers: Record<string, string>; body: Uint8Array },
    limits: { permits: (address: string) => boolean; timeoutMs: number; maxBytes: number },
  ): Promise<Posted>
}

/** The file that the configuration comes from. */
export interface ConfigFile {
  /** Undefined while the file is missing. */
  read(): Promise<string | undefined>
  /**
   * Replaces the file; after a crash there is the old one or the new one, whole.
   * @param before runs when the new text is safe on disk and not yet in its place; if it fails the old file stays
   */
  write(text: string, before: () => Promise<void>): Promise<void>
  isWritable(): Promise<boolean>
  /** @throws ConfigError for a configuration that the next start would refuse because of the files of this machine */
  check(config: Config): void
}

/** Counts tries. Where several instances share a database server they count together. */
export interface RateLimiter {
  /**
   * Counts a try of the key.
   * @param most the tries that are allowed in a minute, if not as many as of everybody
   * @returns how long to wait, in milliseconds, when there have been too many; otherwise undefined
   */
  consume(key: string, most?: number): Promise<number | undefined>
}

/** A file in a place of its own, there until it is discarded. */
export interface TemporaryFile {
  readonly path: string
  /** In bytes. */
  readonly size: number
  readonly hash: string
  discard(): Promise<void>
}

/** An archive that is not exactly what the service writes. */
export class ArchiveError extends Error {
  constructor(problem: string) {
    super(`the archive ${problem}`)
  }
}

/** One file of an archive. Its content must be read before the next file, or is skipped. */
export interface ArchiveEntry {
  readonly name: string
  /** In bytes. */
  readonly size: number
  readonly content: AsyncIterable<Uint8Array>
  /** SHA-256 of its bytes, once they have been read, in lower-case hex. */
  hash(): string
}

export interface ArchiveWriter {
  /** Adds a file, in bounded memory. @returns the SHA-256 of its bytes in lower-case hex */
  add(name: string, content: string | TemporaryFile): Promise<string>
  /**
   * Puts the archive in its place, whole and on disk. Size and hash are those of the archive.
   * @param check gets the path where it is before that, and throws what is wrong with it
   */
  close(check: (path: string) => Promise<void>): Promise<{ size: number; hash: string }>
  discard(): Promise<void>
}

/** A file that is written a piece at a time, until it is closed or discarded. */
export interface ScratchFile {
  write(some: string | Uint8Array): Promise<void>
  close(): Promise<TemporaryFile>
  discard(): Promise<void>
}

/** Archives of a backup, which only the account of the service can read. */
export interface Archives {
  /** @param path where there is room for it; without one it is among the temporary files */
  scratch(path?: string): Promise<ScratchFile>
  absolute(path: string): string
  /** Removes a file; one that is not there counts as removed. */
  remove(path: string): Promise<void>
  /** A file as it is, which is opened on the first read; undefined if it is missing. */
  stored(path: string): Promise<{ size: number; bytes: ReadableStream<Uint8Array> } | undefined>
  /** Removes files that an interrupted backup left in a folder; called while no other backup writes there. */
  removeLeftovers(folder: string): Promise<void>
  lines(file: TemporaryFile): AsyncIterable<string>
  /** @param time of its files, in milliseconds since 1970 */
  create(path: string, time: number): Promise<ArchiveWriter>
  /**
   * Its files in their order, in bounded memory.
   * @throws ArchiveError for anything that `create` does not write, at the latest after the last file
   */
  read(path: string): AsyncIterable<ArchiveEntry>
}

/** The files of an export: one, those of a folder, or those of an archive. */
export interface ExportFiles {
  /** In no order, with `/` between folders, such as `assets/uploads/a.jpg`; the name itself for a single file. */
  readonly names: readonly string[]
  /** As UTF-8. @throws 400 for a file of more than `maxBytes` */
  text(name: string, maxBytes?: number): Promise<string>
  lines(name: string): AsyncIterable<string>
  /** The text in pieces of any length, for a file that is one long text; where it is missing, `text` is read. */
  pieces?(name: string): AsyncIterable<string>
}

/** A list whose records may be outside the memory. Each look at one may make it anew, so nothing may change it. */
export interface Records<T> extends Iterable<T> {
  readonly length: number
  at(i: number): T | undefined
}

/** A list that grows at its end. A record must not be changed after it was added. */
export interface GrowingRecords<T> extends Records<T> {
  push(one: T): unknown
}

/** Makes lists for the records of an export. */
export interface Lists {
  make<T>(): GrowingRecords<T>
}

/** The type of a file, recognised by its bytes. */
export interface FileKind {
  readonly mimetype: string
  /** The usual ending of its name, without a dot; `''` if there is no usual one. */
  readonly extension: string
  /** Another type that it could pass for, such as HTML inside an image. */
  readonly alsoLooksLike: string | undefined
}

export interface ReceivedForm {
  readonly file: TemporaryFile & { readonly name: string }
  readonly fields: ReadonlyMap<string, string>
}

export interface Files {
  /**
   * Streams a multipart form with one file `file` to disk; nothing of it is held in memory.
   * @throws 400 when malformed or too slow, 413 as soon as the file is longer than `maxBytes`, 415 for another type,
   * 503 as soon as it cannot be written
   */
  receive(request: Request, maxBytes: number): Promise<ReceivedForm>
  kindOf(path: string): Promise<FileKind>
}

export interface ImageFacts {
  /** In pixels of one frame, after the camera's rotation. */
  readonly width: number
  readonly height: number
  readonly frames: number
  /** True if decoding needs the whole image in memory, as for interlaced images. */
  readonly whole: boolean
}

/** A part of an image, in pixels after the camera's rotation. */
interface ImagePart {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** One rendition to make: a part of the image, scaled down to a size. In pixels after the camera's rotation. */
export interface Rendition {
  readonly name: string
  readonly width: number
  readonly height: number
  readonly part: { left: number; top: number; width: number; height: number }
}

/** A format of variants beside the image's own one. */
export type ImageFormat = 'webp' | 'avif'

export interface RenderedImage {
  readonly name: string
  readonly width: number
  readonly height: number
  readonly mimetype: string
  readonly extension: string
  readonly bytes: Uint8Array
}

/** The points of a small picture, row by row, with a byte each for red, green and blue. */
export interface Pixels {
  readonly width: number
  readonly height: number
  readonly rgb: Uint8Array
}

export interface Images {
  /** Scales an image down to fit into a size in pixels, upright, and on black where it has no colour. @throws if it is damaged */
  pixels(path: string, size: { readonly width: number; readonly height: number }): Promise<Pixels>
  /** Cuts a part out of a still image, upright and without metadata. @throws if it is damaged */
  crop(path: string, mimetype: string, facts: ImageFacts, part: ImagePart): Promise<TemporaryFile>
  /** Reads the header; no pixel is decoded. @throws if it is not an image, or damaged */
  inspect(path: string): Promise<ImageFacts>
  /**
   * Makes each rendition in the image's own type and in the formats, without metadata. Frames stay, so an animation
   * has no AVIF. The image is decoded to its end even without a rendition to make. @throws if it is damaged
   */
  render(
    path: string,
    mimetype: string,
    facts: ImageFacts,
    wanted: { readonly renditions: readonly Rendition[]; readonly formats: readonly ImageFormat[] },
  ): Promise<{ readonly images: readonly RenderedImage[]; readonly thumbhash: string }>
}

interface AnyBucketAddress {
  readonly endpoint: string
  readonly bucket: string
  /** `endpoint/bucket/key` instead of `bucket.endpoint/key`. */
  readonly pathStyle: boolean
  readonly publicEndpoint: string
}

/** Where a bucket of an S3-compatible store is, and by what right it is used. */
export interface StoreAddress extends AnyBucketAddress {
  readonly region: string
  readonly accessKey: string
  readonly secretKey: string
}

/** A bucket that is a folder of this machine. */
export interface FolderAddress extends AnyBucketAddress {
  /** The folder of all buckets. */
  readonly folder: string
  /** Signs the addresses of downloads. */
  readonly appSecret: string | undefined
}

export type BucketAddress = StoreAddress | FolderAddress

export interface StoredObject {
  readonly key: string
  readonly size: number
}

/** A failure of a store, in words that a caller may read. */
export class StorageError extends Error {}

/** An object that the service itself serves. */
export interface ReadableObject {
  readonly size: number
  /** In milliseconds since 1970. */
  readonly modified: number
  /** Differs for each content that the object had. */
  readonly version: string
  /** Some of its bytes. The file is opened on the first read; a stream that is not read needs no end. */
  bytes(from: number, length: number): ReadableStream<Uint8Array>
}

/**
 * Every call ends within seconds, and throws when the store did not do it. Browsers keep an object for five minutes if
 * it is `replaceable`, otherwise for a year.
 */
export interface Bucket {
  put(
    key: string,
    content: Uint8Array | TemporaryFile,
    how: { mimetype: string; attachment: boolean; replaceable?: boolean },
  ): Promise<void>
  /** Undefined when there is no such object. */
  fetch(key: string): Promise<TemporaryFile | undefined>
  /** @returns the keys that could not be removed; one that is not there counts as removed */
  remove(keys: readonly string[]): Promise<string[]>
  list(prefix: string): AsyncIterable<readonly StoredObject[]>
  /** An object to serve; undefined if it is missing. Only buckets have it that do not serve their objects themselves. */
  read?(key: string): Promise<ReadableObject | undefined>
  /** An address that downloads the object, valid for this many seconds. @param how `now` in milliseconds since 1970 */
  signedUrl(key: string, how: { name: string; seconds: number; now: number }): Promise<string>
  answers(): Promise<boolean>
}

export interface Storage {
  open(address: BucketAddress): Promise<Bucket>
}

export interface PublicKey {
  /** The length of the modulus of an RSA key; 0 for other keys. */
  readonly bits: number
  /** As `ssh-keygen -l` shows it. */
  readonly fingerprint: string
}

/** A certificate with its private key. */
export interface Certificate {
  /** The private key and the chain, PEM. */
  readonly pem: string
  readonly names: readonly string[]
  readonly notBefore: number
  readonly notAfter: number
}

/** How a certificate authority makes sure of a domain. */
export type AcmeChallenge = 'http-01' | 'tls-alpn-01'

export interface CertificateOrder {
  readonly directoryUrl: string
  readonly email: string | undefined
  readonly names: readonly string[]
  readonly challenge: AcmeChallenge
  /**
   * Makes reachable what the certificate authority looks for.
   * @param subject the token of HTTP-01, the host of TLS-ALPN-01
   */
  present(subject: string, keyAuthorization: string): Promise<void>
  withdraw(subject: string): Promise<void>
  readonly signal: AbortSignal
}

/** How an order ended. */
export type Ordered =
  | { readonly kind: 'issued'; readonly certificate: Certificate }
  /** `retryAfterMs` is the wait that the certificate authority asked for. */
  | { readonly kind: 'failed'; readonly reason: string; readonly retryAfterMs: number | undefined }

/** The certificates of HTTPS: where they are kept and how they are had. */
export interface Certificates {
  /** Reads a private key and its certificate; undefined if the text is not such a pair. */
  read(pem: string): Certificate | undefined
  /** New connections get it; those that are open stay as they are. */
  use(certificate: Certificate): void
  load(name: string): Promise<Certificate | undefined>
  /** Keeps it for the account of the service alone; after a crash there is the old one or the new one, whole. */
  store(name: string, certificate: Certificate): Promise<void>
  selfSigned(names: readonly string[]): Promise<Certificate>
  /** Orders one from a certificate authority. Never throws. */
  order(order: CertificateOrder): Promise<Ordered>
  /**
   * The operator's own files when they have changed since the last call.
   * @throws ConfigError when they cannot be read or do not belong together
   */
  ownFiles(): Promise<Certificate | undefined>
}

/** Public keys of SSH. */
export interface PublicKeys {
  /**
   * @param type such as `ssh-ed25519`
   * @param blob what the base64 of an `authorized_keys` line means
   * @returns undefined unless it is a key of that type and nothing else
   */
  parse(type: string, blob: Uint8Array): Promise<PublicKey | undefined>
}

/** A file that the panel gives to browsers, and its compressed forms by their content codings. */
export interface PanelFile {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly encoded: ReadonlyMap<'br' | 'gzip', Uint8Array<ArrayBuffer>>
  /** SHA-256 of its bytes, in lower-case hex. */
  readonly hash: string
}

export interface PanelFiles {
  /** The files by their names, such as `panel.js`. @throws if they have not been built */
  read(): Promise<ReadonlyMap<string, PanelFile>>
}

/** A computation that gave no result: it refused its input, or needed more than there is for it. */
export class ComputationError extends Error {
  constructor(
    readonly reason: 'refused' | 'time' | 'memory' | 'size',
    message: string,
  ) {
    super(message)
  }
}

/**
 * Runs computations chosen by callers, such as queries, without blocking or ending anything else: each has its own
 * process, and limits of time, memory and size of its result.
 */
export interface Sandbox {
  /**
   * Runs a computation of `src/computing`.
   * @param input plain data
   * @throws ComputationError when it refuses its input or needs too much, 503 when too many wait
   */
  run(name: string, input: unknown): Promise<string>
}

/** The work of an import in a process of its own. */
export interface ImportWork {
  readonly importId: string
  readonly system: string
  /** The file of the export. */
  readonly path: string
  /** Only says what is in the export. */
  readonly isPreview: boolean
  readonly isPublic: boolean
  readonly withFiles: boolean
  /** For whom records are made. */
  readonly actor: Actor
}

/** A message of such a process. */
export type ImportMessage =
  | { readonly kind: 'progress'; readonly doing: string; readonly done: number; readonly total: number }
  | { readonly kind: 'preview'; readonly preview: Record<string, unknown> }
  | { readonly kind: 'made'; readonly made: Record<string, unknown> }
  /** Words about a failure that a caller may read; undefined where only the log has them. */
  | { readonly kind: 'refused'; readonly message: string | undefined }

/** Runs imports, and keeps their files until they have ended. */
export interface Importer {
  /** Keeps an uploaded file. @returns its place */
  keep(file: TemporaryFile & { readonly name: string }): Promise<string>
  /**
   * Fetches a file from an address that is permitted; its redirects are not followed.
   * @param limits `permits` judges every address of the name when the socket is made
   * @returns its place, or where it is instead
   * @throws HttpError with words for the caller
   */
  fetch(
    url: string,
    limits: { permits: (address: string) => boolean; maxBytes: number; signal: AbortSignal },
  ): Promise<{ readonly place: string } | { readonly location: string }>
  /** Whether this machine has the file. */
  has(place: string): Promise<boolean>
  /** Removes a file; a missing one counts as removed. */
  remove(place: string): Promise<void>
  /**
   * Runs an import in a process of its own, within limits of memory and time. The process ends with this one.
   * @returns how it has ended: what it said last
   */
  run(
    work: ImportWork,
    config: Config,
    more: { readonly signal: AbortSignal; heard(message: ImportMessage): void },
  ): Promise<ImportMessage>
}

/** Facts about a request for its span, known when it is answered. */
interface RequestFacts {
  /** A pattern such as `/api/v1/routes`, if the request has come to an endpoint. */
  readonly route: string | undefined
  readonly surface: string
  readonly requestId: string
}

/** Spans of requests and of the statements that they need, for a receiver of traces. */
export interface Tracing {
  /**
   * Runs `answer` as a span, under the span that the header `traceparent` names, if it does.
   * @param describe is called when the request is answered
   */
  request(
    request: Request,
    answer: () => Response | Promise<Response>,
    describe: () => RequestFacts,
  ): Response | Promise<Response>
  /**
   * Runs a statement as a span under that of the request in whose course it runs; without one, it only runs it.
   * @param system `sqlite`, `postgresql` or `mysql`
   * @param sql with placeholders in place of values
   */
  statement<T>(system: string, sql: string, run: () => Promise<T>): Promise<T>
  /** Sends what has not been sent, for two seconds at most. It does not throw. */
  stop(): Promise<void>
}

export interface Ports {
  /** Only where a receiver of traces is named. */
  tracing?: Tracing | undefined
  importer: Importer
  archives: Archives
  files: Files
  images: Images
  storage: Storage
  clock: Clock
  random: Random
  sandbox: Sandbox
  hashing: Hashing
  log: Log
  mail: Mail
  outgoing: Outgoing
  publicKeys: PublicKeys
  panelFiles: PanelFiles
  configFile: ConfigFile
  exposition(measure: () => Promise<Measured>): () => Promise<Exposition>
}
