import { baseNow } from './base.js'
import type { Chosen } from './chosen.js'
import { button, element, showDialog } from './elements.js'
import { say } from './say.js'
import { takeFiles, upload, uploadAddress } from './send-file.js'
import { t } from './text.js'

const maxOffered = 30
/** Pause after the last key before a search, which looks through all records. In milliseconds. */
const restMs = 120

type Kind = 'entries' | 'media' | 'images' | 'pages'

interface Options {
  readonly of?: string
  readonly many?: boolean
}

/** Opens a search for records, and calls back with each chosen one. */
export type Choose = (kind: Kind, onChoose: (chosen: Chosen) => void, options?: Options) => void

const titles: Readonly<Record<Kind, string>> = {
  entries: t('Search entries'),
  media: t('Search files'),
  images: t('Search images'),
  pages: t('Search pages'),
}

/** Returns a choice as a row: picture, name and hint. */
export function rowOf(tag: 'li' | 'div', { word, hint, picture }: Chosen): HTMLElement {
  return element(
    tag,
    { class: 'choice' },
    ...(picture ? [element('img', { class: 'thumb', src: picture, alt: '', loading: 'lazy' })] : []),
    element('span', { class: 'choice-word' }, word),
    ...(hint ? [element('span', { class: 'hint' }, hint)] : []),
  )
}

function tileOf({ word, hint, picture }: Chosen): HTMLElement {
  const kind = /\.(\w{1,5})$/.exec(word)?.[1] ?? t('file')
  return element(
    'li',
    { class: 'choice' },
    picture
      ? element('img', { class: 'tile', src: picture, alt: '', loading: 'lazy' })
      : element('span', { class: 'tile no-picture', 'aria-hidden': 'true' }, kind),
    element('span', { class: 'choice-word' }, word),
    ...(hint ? [element('span', { class: 'hint' }, hint)] : []),
  )
}

class Picker {
  private readonly dialog = element('dialog', { class: 'picker-dialog' })
  private readonly input: HTMLInputElement
  private readonly list: HTMLElement
  private readonly note = element('p', { class: 'found-note' })
  private found: readonly Chosen[] = []
  private at = 0
  private asked: AbortController | undefined
  private isAsking = false
  private choosesFirst = false
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(
    private readonly kind: Kind,
    private readonly onChoose: (chosen: Chosen) => void,
    private readonly options: Options,
  ) {
    const title = titles[kind]
    const opener = document.activeElement
    const input = element('input', {
      class: 'input',
      type: 'search',
      role: 'combobox',
      autocomplete: 'off',
      placeholder: title,
      'aria-label': title,
      'aria-expanded': 'true',
      'aria-controls': 'found',
      'aria-autocomplete': 'list',
    })
    const list = element('ul', { class: 'found', id: 'found', role: 'listbox', 'aria-label': title })
    const { dialog } = this
    ;[this.input, this.list] = [input, list]
    dialog.setAttribute('aria-label', title)
    dialog.append(input, list, this.note, this.foot())
    input.addEventListener('input', () => this.searchSoon())
    input.addEventListener('keydown', event => this.onKey(event))
    list.addEventListener('click', ({ target }) => {
      const row = target instanceof Element ? target.closest('[role=option]') : null
      if (row) this.choose([...list.children].indexOf(row))
    })
    if (this.isGrid) list.classList.add('grid')
    if (this.isGrid && uploadAddress() !== undefined) takeFiles(dialog, files => this.take(files))
    showDialog(dialog, () => {
      clearTimeout(this.timer)
      this.asked?.abort()
      if (opener instanceof HTMLElement && !document.querySelector('dialog[open]')) opener.focus()
    })
    input.focus()
    this.search()
  }

  private foot(): HTMLElement {
    const close = button(this.options.many ? t('Done') : t('Cancel'), () => this.dialog.close())
    const foot = element('div', { class: 'actions' }, close)
    if (this.isGrid && uploadAddress() !== undefined)
      foot.append(this.uploader(), element('span', { class: 'hint' }, t('or drop files here')))
    return foot
  }

  private get isGrid(): boolean {
    return this.kind === 'media' || this.kind === 'images'
  }

  private uploader(): HTMLElement {
    const input = element('input', { class: 'hidden-text', type: 'file' })
    if (this.kind === 'images') input.accept = 'image/*'
    if (this.options.many) input.multiple = true
    input.addEventListener('change', () => this.take([...(input.files ?? [])]))
    return element('label', { class: 'button' }, t('Upload…'), input)
  }

  private take(files: readonly File[]): void {
    const taken = this.options.many ? files : files.slice(0, 1)
    this.upload(taken).catch((problem: Error) =>
      this.tell(t('Not uploaded: {problem}', { problem: problem.message })),
    )
  }

  private async upload(files: readonly File[]): Promise<void> {
    for (const file of files) {
      const { name } = file
      const wordsAt = (part: number) => t('{name}: Uploading {n} %', { name, n: Math.round(part * 100) })
      const progress = (part: number) => {
        this.note.textContent = wordsAt(part)
      }
      this.tell(wordsAt(0))
      const found = await upload(this.kind === 'images' ? 'images' : 'media', file, { progress })
      this.show([found])
      this.choose(0)
    }
    if (this.options.many) await this.load('')
  }

  private searchSoon(): void {
    this.choosesFirst = false
    clearTimeout(this.timer)
    this.asked?.abort()
    // The results shown belong to other words, so Enter waits for the response.
    this.isAsking = true
    this.timer = setTimeout(() => this.search(), restMs)
  }

  private search(): void {
    this.load(this.input.value).catch(error => {
      if (!this.asked?.signal.aborted || error?.name !== 'AbortError') this.tell(t('The search failed.'))
    })
  }

  private async load(q: string): Promise<void> {
    this.asked?.abort()
    const asked = new AbortController()
    this.asked = asked
    const query = new URLSearchParams({ q, ...(this.options.of ? { of: this.options.of } : {}) })
    const answer = await fetch(`${baseNow()}/pick/${this.kind}?${query}`, { signal: asked.signal })
    if (!answer.ok) throw new Error(`HTTP ${answer.status}`)
    const found = (await answer.json()) as Chosen[]
    if (asked.signal.aborted) return
    this.show(found)
    this.isAsking = false
    const chooses = this.choosesFirst
    this.choosesFirst = false
    if (chooses && found.length > 0) return this.choose(0)
    if (found.length === 0)
      this.tell(q === '' ? t('There is nothing yet.') : t('No results for “{text}”.', { text: q }))
    else if (found.length < maxOffered) say(t('{n} found', { n: found.length }))
    else {
      this.note.textContent = t('Only the first {n} are shown. Type more of the name.', { n: maxOffered })
      say(t('The first {n} results', { n: maxOffered }))
    }
  }

  private show(found: readonly Chosen[]): void {
    this.found = found
    this.note.textContent = ''
    this.list.replaceChildren(
      ...found.map((one, i) => {
        const row = this.isGrid ? tileOf(one) : rowOf('li', one)
        row.id = `found-${i}`
        row.setAttribute('role', 'option')
        return row
      }),
    )
    this.go(0)
  }

  private tell(text: string): void {
    this.found = []
    this.list.replaceChildren()
    this.note.textContent = text
    say(text)
  }

  private go(to: number): void {
    const rows = [...this.list.querySelectorAll('[role=option]')]
    this.at = Math.min(Math.max(0, to), rows.length - 1)
    for (const [i, row] of rows.entries()) row.setAttribute('aria-selected', String(i === this.at))
    const row = rows[this.at]
    row?.scrollIntoView({ block: 'nearest' })
    if (row) this.input.setAttribute('aria-activedescendant', row.id)
    else this.input.removeAttribute('aria-activedescendant')
  }

  private placeFor(key: string): number | undefined {
    const { at, input, list } = this
    const rows = [...list.children].filter((one): one is HTMLElement => one instanceof HTMLElement)
    const columns = Math.max(1, rows.filter(({ offsetTop }) => offsetTop === rows[0]?.offsetTop).length)
    if (key === 'ArrowDown') return at + columns < rows.length ? at + columns : rows.length - 1
    if (key === 'ArrowUp') return Math.max(at - columns, 0)
    if (!this.isGrid || input.selectionStart !== input.value.length) return undefined
    if (key === 'ArrowRight') return at + 1
    return key === 'ArrowLeft' && at > 0 ? at - 1 : undefined
  }

  private onKey(event: KeyboardEvent): void {
    const to = this.placeFor(event.key)
    if (to !== undefined) {
      event.preventDefault()
      this.go(to)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      if (this.isAsking) this.choosesFirst = true
      else this.choose(this.at)
    } else if (event.key === 'Escape') {
      // By itself Esc would only empty the field.
      event.preventDefault()
      this.dialog.close()
    }
  }

  private choose(at: number): void {
    const chosen = this.found[at]
    if (!chosen) return
    if (!this.options.many) this.dialog.close()
    else {
      this.go(at)
      this.list.children[at]?.classList.add('taken')
      say(t('{name} is added', { name: chosen.word }))
    }
    this.onChoose(chosen)
  }
}

export const openPicker: Choose = (kind, onChoose, options = {}) => {
  new Picker(kind, onChoose, options)
}
