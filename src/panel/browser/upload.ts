import { button, element } from './elements.js'
import { say } from './say.js'
import { sendFile } from './send-file.js'
import { t } from './text.js'

const atOnce = 3

type State = 'waiting' | 'sending' | 'done' | 'failed' | 'cancelled'

interface Upload {
  readonly file: File
  readonly row: HTMLLIElement
  readonly bar: HTMLProgressElement
  readonly words: HTMLElement
  readonly actions: HTMLElement
  state: State
  sending: AbortController | undefined
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
  const act = (word: string, label: string, run: () => void) => {
    const made = button(word, run, 'small')
    made.setAttribute('aria-label', label)
    return made
  }
  const { name } = file
  if (state === 'waiting' || state === 'sending')
    actions.replaceChildren(act(t('Cancel'), t('Cancel {name}', { name }), () => cancel(upload)))
  else if (state === 'done') actions.replaceChildren()
  else actions.replaceChildren(act(t('Retry'), t('Retry {name}', { name }), () => retry(upload)))
}

function cancel(upload: Upload): void {
  upload.sending?.abort()
  put(upload, 'cancelled', t('Cancelled'))
  next()
}

function retry(upload: Upload): void {
  put(upload, 'waiting', t('Waiting'))
  next()
}

function rowFor(queue: Element, file: File): Upload {
  const bar = element('progress', { max: '1', value: '0', 'aria-label': file.name })
  const [words, actions] = [element('span', { class: 'quiet' }), element('span')]
  const row = element('li', {}, element('span', { class: 'file-name' }, file.name), bar, words, actions)
  queue.append(row)
  const upload: Upload = { file, row, bar, words, actions, state: 'waiting', sending: undefined }
  put(upload, 'waiting', t('Waiting'))
  return upload
}

const formNow = () => document.querySelector<HTMLFormElement>('form[data-upload]')

async function run(form: HTMLFormElement, upload: Upload): Promise<void> {
  put(upload, 'sending', t('Uploading {n} %', { n: 0 }))
  const folder = form.elements.namedItem('folder_id')
  upload.sending = new AbortController()
  const problem = await sendFile(form.action, upload.file, {
    ...(folder instanceof HTMLInputElement ? { folder: folder.value } : {}),
    signal: upload.sending.signal,
    progress(part) {
      upload.bar.value = part
      upload.words.textContent = t('Uploading {n} %', { n: Math.floor(part * 100) })
    },
  }).then(
    () => undefined,
    (error: Error) => error.message,
  )
  upload.sending = undefined
  if (upload.state !== 'sending') return
  if (problem === undefined) put(upload, 'done', t('Done'))
  else put(upload, 'failed', problem)
  next()
}

function next(): void {
  const form = formNow()
  if (!form) return
  while (inState('sending').length < atOnce) {
    const [upload] = inState('waiting')
    if (!upload) break
    run(form, upload).catch(() => put(upload, 'failed', t('Not uploaded')))
  }
  total(form)
}

function total(form: HTMLFormElement): void {
  const [done, failed] = [inState('done').length, inState('failed').length]
  const isOver = inState('waiting', 'sending').length === 0
  const n = uploads.length
  const words =
    failed > 0
      ? t('{done} of {n} uploaded, {failed} failed', { done, n, failed })
      : t('{done} of {n} uploaded', { done, n })
  const place = form.querySelector('[data-total]')
  if (place) place.textContent = n > 0 ? words : ''
  if (!isOver) return
  say(words)
  // Failed uploads stay in the list for a retry; without any the page loads again and shows the files.
  if (done > 0 && inState('failed', 'cancelled').length === 0) location.reload()
  else if (done > 0) offerToShow(form)
}

function offerToShow(form: HTMLFormElement): void {
  const place = form.querySelector('[data-total]')
  place?.append(
    ' ',
    button(t('Show the uploaded files'), () => location.reload(), 'small'),
  )
}

function begin(form: HTMLFormElement, files: readonly File[]): void {
  const queue = form.querySelector('.queue')
  if (!queue || files.length === 0) return
  uploads.push(...files.map(file => rowFor(queue, file)))
  next()
}

/** Starts uploads of files that are dropped anywhere on the page, or chosen, several at once. */
export function startUpload(): void {
  const prepare = () => {
    const chooser = formNow()?.querySelector<HTMLInputElement>('input[type=file]')
    if (chooser) chooser.multiple = true
  }
  prepare()
  document.addEventListener('htmx:after:swap', prepare)
  document.addEventListener('change', ({ target }) => {
    const form = formNow()
    if (!form || !(target instanceof HTMLInputElement) || target.form !== form || !target.files) return
    begin(form, [...target.files])
    target.value = ''
  })
  document.addEventListener('submit', event => {
    if (event.target === formNow()) event.preventDefault()
  })
  addEventListener('beforeunload', event => {
    if (inState('waiting', 'sending').length > 0) event.preventDefault()
  })
  startDrops()
}

function startDrops(): void {
  const formFor = ({ dataTransfer }: DragEvent) => (dataTransfer?.types.includes('Files') ? formNow() : null)
  document.addEventListener('dragover', event => {
    const form = formFor(event)
    if (!form) return
    event.preventDefault()
    form.classList.add('over')
  })
  document.addEventListener('dragleave', () => formNow()?.classList.remove('over'))
  document.addEventListener('drop', event => {
    const form = formFor(event)
    if (!form) return
    event.preventDefault()
    form.classList.remove('over')
    begin(form, [...(event.dataTransfer?.files ?? [])])
  })
}
