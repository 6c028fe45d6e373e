import { baseNow } from './base.js'
import { button, element, showDialog } from './elements.js'
import { say } from './say.js'

/** The server offers so many at a time. */
const maxOffered = 30
/** A moment after the last key it is asked, for each search looks through all that there is. */
const restMs = 120

export interface Chosen {
  readonly value: string
  readonly word: string
  readonly hint?: string
  readonly picture?: string
  /** Of an image, in its full size. */
  readonly address?: string
  readonly width?: number | null
  readonly height?: number | null
}

type Kind = 'entries' | 'media' | 'images' | 'pages'

interface Options {
  readonly of?: string
  /** Whether more are chosen until the dialog is closed. */
  readonly many?: boolean
}

/** Offers what there is by a search, and gives what was chosen. */
export type Choose = (kind: Kind, onChoose: (chosen: Chosen) => void, options?: Options) => void

const titles: Readonly<Record<Kind, string>> = {
  entries: 'Find an entry',
  media: 'Find a file',
  images: 'Find an image',
  pages: 'Find a page',
}

/** One choice as a row: picture, words, and what else is known of it. */
export function rowOf(tag: 'li' | 'div', { word, hint, picture }: Chosen): HTMLElement {
  return element(
    tag,
    { class: 'choice' },
    ...(picture ? [element('img', { class: 'thumb', src: picture, alt: '', loading: 'lazy' })] : []),
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
    showDialog(dialog, () => {
      clearTimeout(this.timer)
      this.asked?.abort()
      if (opener instanceof HTMLElement && !document.querySelector('dialog[open]')) opener.focus()
    })
    input.focus()
    this.search()
  }

  private foot(): HTMLElement {
    const close = button(this.options.many ? 'Done' : 'Cancel', () => this.dialog.close())
    const foot = element('div', { class: 'actions' }, close)
    const upload = document.querySelector<HTMLElement>('[data-upload-to]')?.dataset.uploadTo
    if (upload && (this.kind === 'media' || this.kind === 'images')) foot.append(this.uploader(upload))
    return foot
  }

  private uploader(path: string): HTMLElement {
    const input = element('input', { class: 'hidden-text', type: 'file' })
    if (this.kind === 'images') input.accept = 'image/*'
    input.addEventListener('change', () => {
      const [file] = input.files ?? []
      if (file) this.upload(path, file).catch(() => say('Could not be uploaded'))
    })
    return element('label', { class: 'button' }, 'Upload…', input)
  }

  /** Sends a file, and chooses it. */
  private async upload(path: string, file: File): Promise<void> {
    const body = new FormData()
    body.set('file', file)
    this.tell('Sending…')
    const answer = await fetch(path, { method: 'POST', body })
    const id = /\/media\/(\w{26})/.exec(answer.url)?.[1]
    if (!answer.ok || id === undefined) {
      const text = /role="alert"[^>]*>([^<]+)</.exec(await answer.text())?.[1]?.trim()
      this.tell(text ?? `It was refused (${answer.status}).`)
      return
    }
    await this.load(id)
    this.choose(0)
  }

  private searchSoon(): void {
    this.choosesFirst = false
    clearTimeout(this.timer)
    this.asked?.abort()
    // What was found for other words is not what Enter means, so that it waits for the answer.
    this.isAsking = true
    this.timer = setTimeout(() => this.search(), restMs)
  }

  private search(): void {
    this.load(this.input.value).catch(error => {
      if (!this.asked?.signal.aborted || error?.name !== 'AbortError') this.tell('Could not be searched.')
    })
  }

  /** A late answer never replaces a newer one. */
  private async load(q: string): Promise<void> {
    this.asked?.abort()
    const asked = new AbortController()
    this.asked = asked
    const query = new URLSearchParams({ q, ...(this.options.of ? { of: this.options.of } : {}) })
    const answer = await fetch(`${baseNow()}/pick/${this.kind}?${query}`, { signal: asked.signal })
    if (!answer.ok) throw new Error(`refused (${answer.status})`)
    const found = (await answer.json()) as Chosen[]
    if (asked.signal.aborted) return
    this.found = found
    this.note.textContent = ''
    this.list.replaceChildren(
      ...found.map((one, i) => {
        const row = rowOf('li', one)
        row.id = `found-${i}`
        row.setAttribute('role', 'option')
        return row
      }),
    )
    this.go(0)
    this.isAsking = false
    const chooses = this.choosesFirst
    this.choosesFirst = false
    if (chooses && found.length > 0) return this.choose(0)
    if (found.length === 0) this.tell(q === '' ? 'There is nothing yet.' : `No results for “${q}”.`)
    else if (found.length < maxOffered) say(`${found.length} found`)
    else {
      this.note.textContent = `These are the first ${maxOffered}: type more of the name.`
      say(`The first ${maxOffered} found`)
    }
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

  private onKey(event: KeyboardEvent): void {
    const to = { ArrowDown: this.at + 1, ArrowUp: this.at - 1 }[event.key]
    if (to !== undefined) {
      event.preventDefault()
      this.go(to)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      if (this.isAsking) this.choosesFirst = true
      else this.choose(this.at)
    } else if (event.key === 'Escape') {
      // Of itself it would only empty the field.
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
      say(`${chosen.word} is added`)
    }
    this.onChoose(chosen)
  }
}

export const openPicker: Choose = (kind, onChoose, options = {}) => {
  new Picker(kind, onChoose, options)
}
