import { button, element } from './elements.js'
import { say } from './say.js'

/** So many are sent at the same time. */
const atOnce = 3

type State = 'waiting' | 'sending' | 'done' | 'failed' | 'cancelled'

interface Upload {
  readonly file: File
  readonly row: HTMLLIElement
  readonly bar: HTMLProgressElement
  readonly words: HTMLElement
  readonly actions: HTMLElement
  state: State
  /** Undefined while nothing is sent. */
  request: XMLHttpRequest | undefined
}

const uploads: Upload[] = []
const inState = (...states: State[]) => uploads.filter(({ state }) => states.includes(state))

function put(upload: Upload, state: State, words: string): void {
  const { bar, actions, file } = upload
  upload.state = state
  upload.words.textContent = words
  upload.row.dataset.state = state
  if (state === 'done') bar.value = 1
  if (state === 'waiting') bar.value = 0
  const act = (word: string, run: () => void) => {
    const made = button(word, run, 'small')
    made.setAttribute('aria-label', `${word} ${file.name}`)
    return made
  }
  if (state === 'waiting' || state === 'sending') actions.replaceChildren(act('Cancel', () => cancel(upload)))
  else if (state === 'done') actions.replaceChildren()
  else actions.replaceChildren(act('Retry', () => retry(upload)))
}

function cancel(upload: Upload): void {
  upload.request?.abort()
  put(upload, 'cancelled', 'Cancelled')
  next()
}

function retry(upload: Upload): void {
  put(upload, 'waiting', 'Waiting')
  next()
}

function rowFor(queue: Element, file: File): Upload {
  const bar = element('progress', { max: '1', value: '0', 'aria-label': file.name })
  const [words, actions] = [element('span', { class: 'quiet' }), element('span')]
  const row = element('li', {}, element('span', { class: 'file-name' }, file.name), bar, words, actions)
  queue.append(row)
  const upload: Upload = { file, row, bar, words, actions, state: 'waiting', request: undefined }
  put(upload, 'waiting', 'Waiting')
  return upload
}

/** Sends one file, and resolves to what went wrong. */
function send(form: HTMLFormElement, upload: Upload): Promise<string | undefined> {
  return new Promise(done => {
    const body = new FormData()
    const folder = form.elements.namedItem('folder_id')
    if (folder instanceof HTMLInputElement) body.set('folder_id', folder.value)
    body.set('file', upload.file)
    const request = new XMLHttpRequest()
    upload.request = request
    request.open('POST', form.action)
    request.upload.addEventListener('progress', ({ loaded, total }) => {
      const part = total > 0 ? loaded / total : 0
      upload.bar.value = part
      upload.words.textContent = `Uploading ${Math.floor(part * 100)} %`
    })
    request.addEventListener('abort', () => done(undefined))
    request.addEventListener('error', () => done('No connection'))
    request.addEventListener('load', () => done(problemIn(request)))
    request.send(body)
  })
}

/** What the answer says was wrong. */
function problemIn(request: XMLHttpRequest): string | undefined {
  if (request.status < 400) return undefined
  const words = decodeURIComponent(request.getResponseHeader('X-Error') ?? '')
  return words || `Refused (${request.status})`
}

const formNow = () => document.querySelector<HTMLFormElement>('form[data-upload]')

async function run(form: HTMLFormElement, upload: Upload): Promise<void> {
  put(upload, 'sending', 'Uploading 0 %')
  const problem = await send(form, upload)
  upload.request = undefined
  if (upload.state !== 'sending') return
  if (problem === undefined) put(upload, 'done', 'Done')
  else put(upload, 'failed', problem)
  next()
}

/** Begins what may begin, and says how far all of it is. */
function next(): void {
  const form = formNow()
  if (!form) return
  while (inState('sending').length < atOnce) {
    const [upload] = inState('waiting')
    if (!upload) break
    run(form, upload).catch(() => put(upload, 'failed', 'Not uploaded'))
  }
  total(form)
}

function total(form: HTMLFormElement): void {
  const [done, failed] = [inState('done').length, inState('failed').length]
  const isOver = inState('waiting', 'sending').length === 0
  const words = `${done} of ${uploads.length} uploaded${failed > 0 ? `, ${failed} failed` : ''}`
  const place = form.querySelector('[data-total]')
  if (place) place.textContent = uploads.length > 0 ? words : ''
  if (!isOver) return
  say(words)
  // What failed stays to be tried again; otherwise the files are shown where they are.
  if (done > 0 && inState('failed', 'cancelled').length === 0) location.reload()
  else if (done > 0) offerToShow(form)
}

function offerToShow(form: HTMLFormElement): void {
  const place = form.querySelector('[data-total]')
  place?.append(
    ' ',
    button('Show the uploaded files', () => location.reload(), 'small'),
  )
}

function begin(form: HTMLFormElement, files: readonly File[]): void {
  const queue = form.querySelector('.queue')
  if (!queue || files.length === 0) return
  uploads.push(...files.map(file => rowFor(queue, file)))
  next()
}

/** Files are dropped anywhere on the page, or chosen several at once, and are sent at once. */
export function startUpload(): void {
  const form = formNow()
  if (!form) return
  const chooser = form.querySelector<HTMLInputElement>('input[type=file]')
  if (chooser) chooser.multiple = true
  chooser?.addEventListener('change', () => {
    begin(form, [...(chooser.files ?? [])])
    chooser.value = ''
  })
  form.addEventListener('submit', event => event.preventDefault())
  addEventListener('beforeunload', event => {
    if (inState('waiting', 'sending').length > 0) event.preventDefault()
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
    begin(form, [...(event.dataTransfer?.files ?? [])])
  })
}
