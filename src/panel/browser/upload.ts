import { element } from './elements.js'
import { say } from './say.js'
import { sendFile } from './send-file.js'

function rowFor(queue: Element, file: File) {
  const bar = element('progress', { max: '1', 'aria-label': file.name })
  const state = element('span', {}, 'Waiting')
  queue.append(element('li', {}, file.name, bar, state))
  return { bar, state }
}

async function upload(form: HTMLFormElement, files: readonly File[]): Promise<void> {
  const queue = form.querySelector('.queue')
  if (!queue || files.length === 0) return
  const rows = files.map(file => ({ file, ...rowFor(queue, file) }))
  const folder = form.elements.namedItem('folder_id')
  let failed = 0
  for (const { file, bar, state } of rows) {
    const progress = (part: number) => {
      bar.value = part
      state.textContent = `Uploading ${Math.round(part * 100)} %`
    }
    progress(0)
    const sending = { progress, ...(folder instanceof HTMLInputElement ? { folder: folder.value } : {}) }
    await sendFile(form.action, file, sending).then(
      () => {
        state.textContent = 'Done'
      },
      (problem: Error) => {
        state.textContent = problem.message
        failed++
      },
    )
    bar.value = 1
  }
  say(`${files.length - failed} of ${files.length} files uploaded`)
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
