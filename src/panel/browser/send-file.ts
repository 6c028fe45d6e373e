import { baseNow } from './base.js'
import type { Chosen } from './chosen.js'
import { say, status } from './say.js'
import { count, t } from './text.js'

interface Sending {
  readonly folder?: string
  /** @param part from 0 to 1 */
  progress?(part: number): void
  readonly signal?: AbortSignal
}

/**
 * Uploads one file.
 * @returns the id of the media item
 * @throws the reason in words
 */
export function sendFile(address: string, file: File, { folder, progress, signal }: Sending = {}) {
  return new Promise<string>((resolve, reject) => {
    const body = new FormData()
    if (folder !== undefined) body.set('folder_id', folder)
    body.set('file', file)
    const request = new XMLHttpRequest()
    request.open('POST', address)
    request.upload.addEventListener('progress', ({ loaded, total }) =>
      progress?.(total > 0 ? loaded / total : 0),
    )
    request.addEventListener('error', () => reject(new Error(t('No connection.'))))
    request.addEventListener('abort', () => reject(new Error(t('cancelled'))))
    request.addEventListener('load', () => {
      const id = /\/media\/(\w{26})/.exec(request.responseURL)?.[1]
      if (request.status < 400 && id !== undefined) return resolve(id)
      const told = decodeURIComponent(request.getResponseHeader('X-Error') ?? '').replace(/^file: /, '')
      reject(new Error(told || `HTTP ${request.status}`))
    })
    signal?.addEventListener('abort', () => request.abort())
    request.send(body)
  })
}

const running = new Set<Promise<unknown>>()

/** Uploads a file for a field of the form. */
export type Upload = (
  kind: 'images' | 'media',
  file: File,
  sending?: Pick<Sending, 'progress' | 'signal'>,
) => Promise<Chosen>

/** The address for uploads; undefined without the permission. */
export const uploadAddress = (): string | undefined =>
  document.querySelector<HTMLElement>('[data-upload-to]')?.dataset.uploadTo

async function stored(...[kind, file, sending]: Parameters<Upload>): Promise<Chosen> {
  const address = uploadAddress()
  if (address === undefined) throw new Error(t('you may not upload files'))
  const id = await sendFile(address, file, sending)
  const answer = await fetch(`${baseNow()}/pick/${kind}?q=${id}`)
  const [found] = answer.ok ? ((await answer.json()) as Chosen[]) : []
  if (!found) throw new Error(t('it was stored, but cannot be read'))
  return found
}

export const upload: Upload = (...given) => {
  const sent = stored(...given)
  const ended = sent.catch(() => undefined).finally(() => running.delete(ended))
  running.add(ended)
  return sent
}

/** Delays a form that is sent during an upload until the file is stored, so that nothing is missing. */
function waitForUploads(event: SubmitEvent): void {
  const { target: form, submitter } = event
  if (running.size === 0 || !(form instanceof HTMLFormElement)) return
  event.preventDefault()
  event.stopImmediatePropagation()
  const words = count(running.size, 'Waiting for {n} upload', 'Waiting for {n} uploads')
  status(words)
  say(words)
  if (form.dataset.waits !== undefined) return
  form.dataset.waits = ''
  void Promise.all(running).then(() =>
    // The part of the page that the upload belongs to takes its result first.
    setTimeout(() => {
      delete form.dataset.waits
      const isThere = submitter instanceof HTMLElement && submitter.isConnected
      if (form.isConnected) form.requestSubmit(isThere ? submitter : null)
    }),
  )
}

const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') ?? false

/** Stops the browser from replacing the page by a file that was dropped beside a field. */
function refuseFiles(event: DragEvent): void {
  if (event.defaultPrevented || !hasFiles(event) || document.querySelector('[data-draft]') === null) return
  event.preventDefault()
  if (event.dataTransfer) event.dataTransfer.dropEffect = 'none'
}

/** Accepts files dropped on an element. */
export function takeFiles(target: HTMLElement, take: (files: File[]) => void): void {
  target.addEventListener('dragover', event => {
    if (!hasFiles(event)) return
    event.preventDefault()
    target.classList.add('over')
  })
  target.addEventListener('dragleave', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && target.contains(relatedTarget))) target.classList.remove('over')
  })
  target.addEventListener('drop', event => {
    target.classList.remove('over')
    if (!hasFiles(event)) return
    event.preventDefault()
    take([...(event.dataTransfer?.files ?? [])])
  })
}

export function startSending(): void {
  document.addEventListener('submit', waitForUploads, { capture: true })
  document.addEventListener('dragover', refuseFiles)
  document.addEventListener('drop', refuseFiles)
  addEventListener('beforeunload', event => {
    if (running.size > 0) event.preventDefault()
  })
}
