import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { Busboy, type BusboyHeaders } from '@fastify/busboy'
import { fileTypeFromFile } from 'file-type'
import { HttpError, invalid, malformed, tooLarge, unsupported } from '../errors.js'
import type { FileKind, Files, ReceivedForm, TemporaryFile } from '../ports.js'
import { temporaryFile } from './temporary-files.js'

const limits = { files: 1, fields: 10, parts: 11, fieldNameSize: 100, fieldSize: 65_536, headerPairs: 20 }
const maxFormBytes = 2 ** 20
/** A form that comes slower than this over a whole window is given up. */
const [minBytesPerSecond, windowMs] = [1024, 20_000]

const closing = { Connection: 'close' }

const retrySeconds = '30'
const noRoom = () =>
  new HttpError(
    503,
    'unavailable',
    'the upload could not be stored: there may be no room for it',
    undefined,
    {
      'Retry-After': retrySeconds,
      ...closing,
    },
  )

const isSystemError = (error: unknown): boolean => error instanceof Error && 'syscall' in error

function reasonOf(error: unknown): HttpError {
  if (error instanceof HttpError) return error
  return isSystemError(error) ? noRoom() : malformed('the form is malformed')
}

/** @throws through `abort` when too little has come for too long */
function paceOf(abort: (reason: HttpError) => void) {
  let before = 0
  let bytes = 0
  const timer = setInterval(() => {
    if (bytes - before < (minBytesPerSecond * windowMs) / 1000)
      abort(new HttpError(400, 'malformed', 'the upload came too slowly', undefined, closing))
    before = bytes
  }, windowMs)
  return {
    came: (count: number) => {
      bytes += count
    },
    end: () => clearInterval(timer),
  }
}

function parserFor(request: Request, maxBytes: number) {
  const type = request.headers.get('content-type') ?? ''
  if (!/^multipart\/form-data\b/i.test(type)) throw unsupported('the body must be multipart/form-data')
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes + maxFormBytes)
    throw tooLarge(`the file is larger than ${maxBytes} bytes`, closing)
  try {
    const headers: BusboyHeaders = { 'content-type': type }
    return new Busboy({ headers, preservePath: true, limits: { ...limits, fileSize: maxBytes } })
  } catch {
    throw malformed('the form has no boundary')
  }
}

function receive(request: Request, maxBytes: number): Promise<ReceivedForm> {
  const form = parserFor(request, maxBytes)
  const { body } = request
  if (!body) throw malformed('the form is empty')
  const fields = new Map<string, string>()
  let file: Promise<TemporaryFile & { name: string }> | undefined
  const stop = new AbortController()
  const abort = (reason: HttpError) => stop.abort(reason)
  const pace = paceOf(abort)

  form.on('field', (name, value, nameTruncated, valueTruncated) => {
    if (nameTruncated || valueTruncated) abort(invalid(name, 'is too long'))
    else if (fields.has(name)) abort(invalid(name, 'is given twice'))
    else fields.set(name, value)
  })
  form.on('file', (name, stream, filename) => {
    if (name !== 'file') abort(invalid(name, 'the file must have the name file'))
    // Also after the form has failed, when nobody reads it any more, and an error that nobody hears ends the process.
    stream.on('error', () => undefined)
    stream.on('limit', () => abort(tooLarge(`the file is larger than ${maxBytes} bytes`, closing)))
    file = temporaryFile(stream, { signal: stop.signal }).then(written => ({
      ...written,
      name: filename ?? '',
    }))
    // A file that cannot be written takes no more of the form, which would then never end.
    file.catch(error => {
      if (isSystemError(error)) abort(noRoom())
    })
  })
  form.on('filesLimit', () => abort(invalid('file', 'is given twice')))
  for (const limit of ['fieldsLimit', 'partsLimit'] as const)
    form.on(limit, () => abort(malformed('the form has too many parts')))

  const source = Readable.fromWeb(body as import('node:stream/web').ReadableStream)
  source.on('data', (piece: Uint8Array) => pace.came(piece.byteLength))
  const parsed = new Promise<void>((resolve, reject) => {
    const fail = () => reject(stop.signal.reason)
    stop.signal.addEventListener('abort', fail)
    form.on('finish', resolve)
    form.on('error', () => reject(malformed('the form is malformed')))
    source.on('error', () => reject(malformed('the upload is incomplete')))
    source.pipe(form)
  })

  return parsed
    .then(async () => {
      const received = await file
      if (stop.signal.aborted) throw stop.signal.reason
      if (!received) throw invalid('file', 'is required')
      return { file: received, fields }
    })
    .catch(async error => {
      const reason = reasonOf(error)
      abort(reason)
      source.unpipe(form)
      source.destroy()
      await file?.then(({ discard }) => discard()).catch(() => undefined)
      throw reason
    })
    .finally(pace.end)
}

const headBytes = 4096
/** Marks that make a browser or a server run a file; long enough not to appear in compressed pixels by chance. */
const active: readonly [mark: RegExp, kind: string][] = [
  [/<script|<!doctype html|<iframe|<html[\s>]|<body[\s>]/i, 'HTML'],
  [/<\?php\s/i, 'PHP'],
  [/www\.w3\.org\/2000\/svg/i, 'SVG'],
]

const prolog =
  /^\uFEFF?\s*(?:<\?[^>]*\?>\s*|<!--[\s\S]*?-->\s*|<!doctype\s+svg[^>[]*(?:\[[\s\S]*?\]\s*)?>\s*)*/i

function textKind(head: Uint8Array, whole: boolean): Pick<FileKind, 'mimetype' | 'extension'> {
  const unknown = { mimetype: 'application/octet-stream', extension: '' }
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: !whole })
  } catch {
    return unknown
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: text has none of these
  if (/[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/.test(text)) return unknown
  const start = text.replace(prolog, '').trimStart().slice(0, 200)
  if (/^<svg[\s>:]/i.test(start) || /^<\w+:svg[\s>]/i.test(start))
    return { mimetype: 'image/svg+xml', extension: 'svg' }
  if (/^<(!doctype html|html|head|body|script|iframe|title|div|p|a|h1|table|style|!--)[\s>-]/i.test(start))
    return { mimetype: 'text/html', extension: 'html' }
  if (/^\uFEFF?\s*<\?xml/i.test(text)) return { mimetype: 'application/xml', extension: 'xml' }
  return { mimetype: 'text/plain', extension: 'txt' }
}

async function activeMarkIn(path: string, maxBytes: number): Promise<string | undefined> {
  const pieces = createReadStream(path, { highWaterMark: 2 ** 20, end: maxBytes - 1 })
  let tail = ''
  for await (const piece of pieces) {
    const text = tail + (piece as Buffer).toString('latin1')
    for (const [mark, kind] of active) if (mark.test(text)) return kind
    tail = text.slice(-30)
  }
  return undefined
}

async function kindOf(path: string): Promise<FileKind> {
  const found = await fileTypeFromFile(path)
  if (found && found.mime !== 'application/xml') {
    // Documents may hold text of any kind, images do not.
    const searched = found.mime.startsWith('image/') ? Number.POSITIVE_INFINITY : headBytes
    const alsoLooksLike = await activeMarkIn(path, searched)
    return { mimetype: found.mime, extension: found.ext, alsoLooksLike }
  }
  const file = await open(path)
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0)
    return { ...textKind(buffer.subarray(0, bytesRead), bytesRead < headBytes), alsoLooksLike: undefined }
  } finally {
    await file.close()
  }
}

export const files: Files = { receive: async (request, maxBytes) => receive(request, maxBytes), kindOf }
