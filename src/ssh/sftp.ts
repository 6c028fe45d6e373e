import { type FileHandle, open } from 'node:fs/promises'
import ssh2, { type Attributes, type FileEntry, type SFTPWrapper } from 'ssh2'
import { visible } from '../cli/visible.js'
import { HttpError, tooLarge } from '../errors.js'
import { limits } from '../limits.js'
import { archives } from '../node/ports.js'
import type { ScratchFile, TemporaryFile } from '../ports.js'
import { t } from '../texts/terminal.js'
import type { Connection, Open } from './connection.js'
import { type MediaNode, MediaTree, partsOf } from './media-tree.js'

const { STATUS_CODE: status, OPEN_MODE: mode } = ssh2.utils.sftp

type Handle =
  | { readonly kind: 'folder'; entries: FileEntry[] }
  | {
      readonly kind: 'reading'
      readonly file: TemporaryFile
      readonly from: FileHandle
      readonly attrs: Attributes
    }
  | {
      readonly kind: 'writing'
      readonly to: ScratchFile
      readonly path: string
      size: number
      failed: boolean
    }

const maxHandles = limits.ssh.openFiles
const [maxWaiting, maxWaitingBytes] = [512, 2 ** 25]
const maxReadBytes = 2 ** 18
const entriesAtOnce = 100
const pollMs = 20

const [folderMode, fileMode] = [0o040755, 0o100444]

function attrsOf(node: MediaNode): Attributes {
  const { size, date_modified } = node.kind === 'file' ? node.item : { size: 0, date_modified: 0 }
  const seconds = Math.floor(new Date(date_modified).getTime() / 1000)
  const own = node.kind === 'file' ? fileMode : folderMode
  return { mode: own, uid: 0, gid: 0, size, atime: seconds, mtime: seconds }
}

function entryOf(node: MediaNode): FileEntry {
  const attrs = attrsOf(node)
  const rights = node.kind === 'file' ? '-r--r--r--' : 'drwxr-xr-x'
  const day = new Date(attrs.mtime * 1000).toISOString().slice(0, 10)
  const size = String(attrs.size).padStart(10)
  return { filename: node.name, longname: `${rights} 1 media media ${size} ${day} ${node.name}`, attrs }
}

const statusOf = (error: unknown): number => {
  if (!(error instanceof HttpError)) return status.FAILURE
  if (error.status === 404) return status.NO_SUCH_FILE
  return error.status === 403 ? status.PERMISSION_DENIED : status.FAILURE
}

/** A part of an upload after a refused one: the first refusal has said why. */
class PartMissing extends HttpError {
  constructor() {
    super(400, 'invalid', 'a part of the file is missing: upload it again')
  }
}

/** The parts of the library's channel that it does not name. */
interface Inside {
  readonly outgoing: {
    readonly id: number
    readonly state: string
    window: number
    readonly packetSize: number
  }
  readonly _protocol: { channelExtData(id: number, bytes: Buffer, type: number): void }
}

/** RFC 4254, 5.2. */
const standardError = 1
const maxSentence = 500

class Sftp implements Open {
  readonly #handles = new Map<number, Handle>()
  #lastHandle = 0
  #waiting = 0
  #waitingBytes = 0
  #turn: Promise<void> = Promise.resolve()
  #isGone = false

  constructor(
    private readonly sftp: SFTPWrapper,
    private readonly connection: Connection,
  ) {
    sftp.on('error', () => sftp.end())
    sftp.on('end', () => sftp.end())
    sftp.on('REALPATH', (id, path) => {
      const name = `/${partsOf(path).join('/')}`
      const attrs = { mode: folderMode, uid: 0, gid: 0, size: 0, atime: 0, mtime: 0 }
      this.#answer(id, async () => sftp.name(id, [{ filename: name, longname: name, attrs }]))
    })
    for (const event of ['STAT', 'LSTAT'] as const)
      sftp.on(event as 'STAT', (id, path) =>
        this.#answer(id, async () => sftp.attrs(id, attrsOf(await (await this.#tree()).find(path)))),
      )
    sftp.on('FSTAT', (id, handle) => this.#answer(id, async () => this.#stat(id, handle)))
    // A file that is being uploaded has no times and modes, and clients set them without need.
    sftp.on('FSETSTAT', id => this.#answer(id, async () => sftp.status(id, status.OK)))
    sftp.on('OPENDIR', (id, path) => this.#answer(id, () => this.#openFolder(id, path)))
    sftp.on('READDIR', (id, handle) => this.#answer(id, async () => this.#readFolder(id, handle)))
    sftp.on('OPEN', (id, path, flags) => this.#answer(id, () => this.#openFile(id, path, flags)))
    sftp.on('READ', (id, handle, offset, length) =>
      this.#answer(id, () => this.#read(id, handle, offset, length)),
    )
    sftp.on('WRITE', (id, handle, offset, data) =>
      this.#answer(id, () => this.#write(id, handle, offset, data), data.byteLength),
    )
    sftp.on('CLOSE', (id, handle) => this.#answer(id, () => this.#close(id, handle)))
  }

  end(): void {
    this.sftp.end()
  }

  readonly gone = (): void => {
    this.#isGone = true
    // After the request that is being handled.
    this.#turn = this.#turn.then(async () => {
      for (const handle of this.#handles.values()) await discard(handle)
      this.#handles.clear()
    })
    this.connection.guarded(() => this.#turn)
  }

  #answer(id: number, work: () => Promise<void>, bytes = 0): void {
    this.connection.seen()
    this.#waiting++
    this.#waitingBytes += bytes
    if (this.#waiting > maxWaiting || this.#waitingBytes > maxWaitingBytes) {
      this.sftp.end()
      return
    }
    this.#turn = this.#turn.then(async () => {
      try {
        await this.#room()
        if (!this.#isGone) await work()
      } catch (error) {
        const message =
          error instanceof HttpError
            ? error.message
            : t('something went wrong: the log of the service has the details')
        if (!(error instanceof HttpError))
          this.connection.site.log.error(
            { err: error, ip: this.connection.peer.address },
            'an SFTP request failed',
          )
        // Clients ask for files that may not be there, and OpenSSH itself says that one is missing.
        if (!(error instanceof PartMissing) && statusOf(error) !== status.NO_SUCH_FILE) this.#tell(message)
        this.sftp.status(id, statusOf(error), message)
      } finally {
        this.#waiting--
        this.#waitingBytes -= bytes
      }
    })
  }

  /**
   * Writes a sentence to the standard error of the channel: OpenSSH shows it, and shows no message of a status. The
   * library has no function for it on a channel of SFTP. Without room in the window the sentence is left out.
   */
  #tell(sentence: string): void {
    const { outgoing, _protocol } = this.sftp as unknown as Inside
    const bytes = Buffer.from(`slugline: ${visible(sentence).slice(0, maxSentence)}\n`)
    const room = Math.min(outgoing.window, outgoing.packetSize)
    if (this.#isGone || outgoing.state !== 'open' || bytes.byteLength >= room) return
    outgoing.window -= bytes.byteLength
    _protocol.channelExtData(outgoing.id, bytes, standardError)
  }

  /** Waits while the client or the network accepts no data: the library would keep every response. */
  async #room(): Promise<void> {
    const { _buffer: kept } = this.sftp as unknown as { _buffer: readonly unknown[] }
    while (!this.#isGone && (kept.length > 0 || this.connection.socket.writableNeedDrain))
      await new Promise(resolve => setTimeout(resolve, pollMs))
  }

  async #tree(): Promise<MediaTree> {
    return new MediaTree(this.connection.site, await this.connection.actor())
  }

  #add(id: number, handle: Handle): void {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(++this.#lastHandle)
    this.#handles.set(this.#lastHandle, handle)
    this.sftp.handle(id, bytes)
  }

  #of<K extends Handle['kind']>(handle: Buffer, kind: K): Extract<Handle, { kind: K }> {
    const found = handle.length === 4 ? this.#handles.get(handle.readUInt32BE()) : undefined
    if (found?.kind !== kind) throw new HttpError(400, 'invalid', 'unknown handle')
    return found as Extract<Handle, { kind: K }>
  }

  #refuseMore(): void {
    if (this.#handles.size >= maxHandles) throw new HttpError(409, 'conflict', 'too many files are open')
  }

  async #stat(id: number, handle: Buffer): Promise<void> {
    this.sftp.attrs(id, this.#of(handle, 'reading').attrs)
  }

  async #openFolder(id: number, path: string): Promise<void> {
    this.#refuseMore()
    const entries = (await (await this.#tree()).list(path)).map(entryOf)
    this.#add(id, { kind: 'folder', entries })
  }

  #readFolder(id: number, handle: Buffer): void {
    const folder = this.#of(handle, 'folder')
    const some = folder.entries.slice(0, entriesAtOnce)
    folder.entries = folder.entries.slice(entriesAtOnce)
    if (some.length === 0) this.sftp.status(id, status.EOF)
    else this.sftp.name(id, some)
  }

  async #openFile(id: number, path: string, flags: number): Promise<void> {
    this.#refuseMore()
    const tree = await this.#tree()
    if ((flags & mode.WRITE) !== 0) {
      const place = await tree.place(path)
      const known = await tree.list(path.slice(0, path.lastIndexOf('/') + 1))
      if (known.some(({ name }) => name === place.name))
        throw new HttpError(409, 'duplicate', `there is a ${place.name} already`)
      return this.#add(id, { kind: 'writing', to: await archives.scratch(), path, size: 0, failed: false })
    }
    const node = await tree.find(path)
    if (node.kind === 'folder') throw new HttpError(400, 'invalid', 'is a folder')
    const file = await this.connection.site.services.media.items.original(node.item.media_id)
    this.#add(id, { kind: 'reading', file, from: await open(file.path), attrs: attrsOf(node) })
  }

  async #read(id: number, handle: Buffer, offset: number, length: number): Promise<void> {
    const { from } = this.#of(handle, 'reading')
    const buffer = Buffer.alloc(Math.min(length, maxReadBytes))
    const { bytesRead } = await from.read(buffer, 0, buffer.byteLength, offset)
    if (bytesRead === 0) this.sftp.status(id, status.EOF)
    else this.sftp.data(id, buffer.subarray(0, bytesRead))
  }

  async #write(id: number, handle: Buffer, offset: number, data: Buffer): Promise<void> {
    const writing = this.#of(handle, 'writing')
    const { max_upload_size } = this.connection.site.config()
    if (writing.failed) throw new PartMissing()
    // Until the data is written: an incomplete file is not kept.
    writing.failed = true
    if (offset !== writing.size)
      throw new HttpError(400, 'invalid', 'a file must be uploaded in order, from its beginning to its end')
    if (writing.size + data.byteLength > max_upload_size)
      throw tooLarge(`the file is larger than ${max_upload_size} bytes`)
    await writing.to.write(data)
    writing.size += data.byteLength
    writing.failed = false
    this.sftp.status(id, status.OK)
  }

  /** Closes a handle. An uploaded file becomes a media item then. */
  async #close(id: number, handle: Buffer): Promise<void> {
    const key = handle.length === 4 ? handle.readUInt32BE() : 0
    const closed = this.#handles.get(key)
    if (!closed) throw new HttpError(400, 'invalid', 'unknown handle')
    this.#handles.delete(key)
    if (closed.kind === 'writing') await this.#keep(closed)
    else await discard(closed)
    this.sftp.status(id, status.OK)
  }

  async #keep({ to, path, failed }: Extract<Handle, { kind: 'writing' }>): Promise<void> {
    if (failed) {
      await to.discard()
      throw new PartMissing()
    }
    const { items } = this.connection.site.services.media
    const file = await to.close()
    try {
      // Permissions and folders may have changed meanwhile.
      const actor = await this.connection.actor()
      const { folderId, name } = await new MediaTree(this.connection.site, actor).place(path)
      const fields = new Map(folderId === null ? [] : [['folder_id', folderId]])
      await items.add(actor, { file: { ...file, name }, fields })
    } finally {
      await file.discard()
    }
  }
}

async function discard(handle: Handle): Promise<void> {
  if (handle.kind === 'writing') await handle.to.discard()
  if (handle.kind !== 'reading') return
  await handle.from.close()
  await handle.file.discard()
}

/** Serves media by SFTP. */
export const serveMedia = (sftp: SFTPWrapper, connection: Connection): Open => new Sftp(sftp, connection)
