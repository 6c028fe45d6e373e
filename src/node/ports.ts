import { hash as digest, randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Logger, pino as Pino } from 'pino'
import { unavailable } from '../errors.js'
import { limits } from '../limits.js'
import type {
  Archives,
  Clock,
  Files,
  Hashing,
  Images,
  Importer,
  Log,
  Mail,
  Outgoing,
  PanelFiles,
  Ports,
  PublicKeys,
  Random,
  Sandbox,
  Storage,
} from '../ports.js'
import { Semaphore } from '../semaphore.js'
import { commonjs } from './commonjs.js'
import { configFileAt } from './config-file.js'
import { imageLibrary } from './image-library.js'
import { standardOutput } from './log.js'
import { exposition, type MetricsOfAll } from './metrics.js'

const clock: Clock = { now: () => Date.now() }
const random: Random = { bytes: length => randomBytes(length) }

/** Argon2id with the parameters that OWASP asks for; they are part of each hash. */
const argon = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const
/** Each takes 19 MiB and a core, so no more than these run at the same time, hashes and comparisons together. */
const maxRunningHashes = limits.accounts.runningHashes
const maxWaitingHashes = limits.accounts.waitingHashes
const hashing = new Semaphore(maxRunningHashes, {
  maxWaiting: maxWaitingHashes,
  error: () => unavailable('too many sign-ins at once, try again'),
})

// Modules that a start does not need are loaded on first use.
const passwords = () => import('@node-rs/argon2')

export const nodeHashing: Hashing = {
  sha256: text => digest('sha256', text, 'hex'),
  password: password => hashing.run(async () => (await passwords()).hash(password, argon)),
  verifyPassword: (stored, password) =>
    hashing.run(async () => {
      const { verify } = await passwords()
      try {
        return await verify(stored, password)
      } catch {
        return false
      }
    }),
}

/**
 * JSON lines, written in batches, once a second at least, so that a line costs no system call of its own.
 * @param output takes whole lines
 */
export function createLog(level: string, output: { write(line: string): void } = standardOutput()): Log {
  // A command of the command line has no log.
  const { pino }: { pino: typeof Pino } = commonjs('pino')
  const logger: Logger = pino({ level, base: null }, { write: line => output.write(line) })
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
  }
}

const mail: Mail = { send: async (...mail) => (await import('./mail.js')).smtpMail.send(...mail) }
const outgoing: Outgoing = {
  fetch: async (...call) => (await import('./outgoing.js')).outgoing.fetch(...call),
  isPublic: async url => (await import('./outgoing.js')).outgoing.isPublic(url),
  addresses: async host => (await import('./outgoing.js')).outgoing.addresses(host),
  post: async (...call) => (await import('./outgoing.js')).outgoing.post(...call),
}

export const files: Files = {
  receive: async (...call) => (await import('./files.js')).files.receive(...call),
  kindOf: async path => (await import('./files.js')).files.kindOf(path),
}
export const archives: Archives = {
  absolute: path => resolve(path),
  remove: path => rm(path, { force: true }),
  scratch: async path => (await import('./archive.js')).archives.scratch(path),
  stored: async path => (await import('./stored-file.js')).storedFile(path),
  removeLeftovers: async folder => (await import('./archive.js')).archives.removeLeftovers(folder),
  async *lines(file) {
    yield* (await import('./archive.js')).archives.lines(file)
  },
  create: async (...call) => (await import('./archive.js')).archives.create(...call),
  async *read(path) {
    yield* (await import('./archive.js')).archives.read(path)
  },
}
export const images: Images = {
  pixels: async (...given) => (await imageLibrary()).images.pixels(...given),
  inspect: async path => (await imageLibrary()).images.inspect(path),
  crop: async (...call) => (await imageLibrary()).images.crop(...call),
  render: async (...call) => (await imageLibrary()).images.render(...call),
}
export const sandbox: Sandbox = {
  run: async (...call) => (await import('./sandbox.js')).sandbox.run(...call),
}
export function importerOf(configPath: string): Importer {
  const own = async () => (await import('./importer.js')).importer(configPath)
  return {
    keep: async file => (await own()).keep(file),
    fetch: async (...call) => (await own()).fetch(...call),
    has: async place => (await own()).has(place),
    remove: async place => (await own()).remove(place),
    run: async (...call) => (await own()).run(...call),
  }
}
export const publicKeys: PublicKeys = {
  parse: async (...call) => (await import('./ssh-keys.js')).publicKeys.parse(...call),
}
export const panelFiles: PanelFiles = {
  read: async () => (await import('./panel-files.js')).panelFiles.read(),
}
export const storage: Storage = {
  async open(address) {
    if ('folder' in address) return (await import('./folder-storage.js')).folderBucket(address)
    // The SDK's version is pinned, so its warnings about future Node versions help nobody.
    process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true'
    return (await import('./storage.js')).storage.open(address)
  },
}

/**
 * @param configPath of the file that `PUT /config` replaces
 * @param workers the processes that serve as one, if there are several
 */
export const nodePorts = (log: Log, configPath = './cms.config.json', workers?: MetricsOfAll): Ports => ({
  clock,
  random,
  sandbox,
  hashing: nodeHashing,
  log,
  mail,
  outgoing,
  archives,
  files,
  images,
  importer: importerOf(configPath),
  storage,
  publicKeys,
  panelFiles,
  configFile: configFileAt(configPath),
  exposition: measure => exposition(measure, workers),
})
