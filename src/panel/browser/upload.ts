import { element } from './elements.js'
import { say } from './say.js'

function rowFor(queue: Element, file: File) {
  const bar = element('progress', { max: '1', 'aria-label': file.name })
  const state = element('span', {}, 'waits')
  queue.append(element('li', {}, file.name, bar, state))
  return { bar, state }
}

/** Sends one file, and resolves to what went wrong. */
function send(form: HTMLFormElement, file: File, bar: HTMLProgressElement): Promise<string | undefined> {
  return new Promise(done => {
    const body = new FormData()
    const folder = form.elements.namedItem('folder_id')
    if (folder instanceof HTMLInputElement) body.set('folder_id', folder.value)
    body.set('file', file)
    const request = new XMLHttpRequest()
    request.open('POST', form.action)
    request.upload.addEventListener('progress', ({ loaded, total }) => {
      bar.value = total > 0 ? loaded / total : 0
    })
    request.addEventListener('error', () => done('no connection'))
    request.addEventListener('load', () => {
      const page = /role="alert"[^>]*>([^<]+)</.exec(request.responseText)
      done(request.status < 400 ? undefined : (page?.[1]?.trim() ?? `refused (${request.status})`))
    })
    request.send(body)
  })
}

async function upload(form: HTMLFormElement, files: readonly File[]): Promise<void> {
  const queue = form.querySelector('.queue')
  if (!queue || files.length === 0) return
  const rows = files.map(file => ({ file, ...rowFor(queue, file) }))
  let failed = 0
  for (const { file, bar, state } of rows) {
    state.textContent = 'sending'
    const problem = await send(form, file, bar)
    bar.value = 1
    state.textContent = problem ?? 'there'
    if (problem) failed++
  }
  say(`${files.length - failed} of ${files.length} files are there`)
  if (failed === 0) location.reload()
}

/** Files are dropped anywhere on the page, or chosen several at once. */
export function startUpload(): void {
  const form = document.querySelector<HTMLFormElement>('form[data-upload]')
  if (!form) return
  const chooser = form.querySelector<HTMLInputElement>('input[type=file]')
  if (chooser) chooser.multiple = true
  const run = (files: Iterable<File> | null | undefined) => {
    upload(form, [...(files ?? [])]).catch(() => say('Could not be uploaded'))
  }
  form.addEventListener('submit', event => {
    event.preventDefault()
    run(chooser?.files)
  })
  const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') ?? false
  document.addEventListener('dragover', event => {
    if (!hasFiles(event)) return
    event.preventDefault()
    form.classList.add('over')
  })
  document.addEventListener('dragleave', () => form.classList.remove('over'))
  document.addEventListener('drop', event => {
    if (!hasFiles(event)) return
    event.preventDefault()
    form.classList.remove('over')
    run(event.dataTransfer?.files)
  })
}
