import { element, iconAt, isTyping } from './elements.js'
import { leaveFor } from './in-turn.js'
import { type Place, placeNow, recentPlaces } from './recent.js'
import { say } from './say.js'
import { t } from './text.js'

interface Offer extends Place {
  act?: () => void
}

interface Group {
  readonly name: string
  readonly items: readonly Offer[]
}

const opener = () => document.querySelector<HTMLAnchorElement>('[data-palette]')

const pauseMs = 90
/** The number of the last request: responses to earlier ones are dropped. */
let asked = 0
let timer: ReturnType<typeof setTimeout> | undefined

function iconOf(name: string): SVGElement {
  const known = document.querySelector('.rail use, [data-palette] use')?.getAttribute('href') ?? ''
  return iconAt(`${known.split('#')[0]}#${name}`)
}

function ofThisPage(text: string): Offer[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  const buttons = document.querySelectorAll<HTMLElement>('.bar .button:not([data-palette]), .side .button')
  return [...buttons].flatMap(button => {
    // The visible words only: the hidden text has the page's name, which would find "Delete…" first.
    const shown = [...button.childNodes].filter(
      node => !(node instanceof Element && node.matches('.hidden-text')),
    )
    const word = shown
      .map(node => node.textContent)
      .join(' ')
      .replaceAll(/\s+/g, ' ')
      .trim()
    const said = `${word} ${t('this page')}`.toLowerCase()
    if (word === '' || !words.every(one => said.includes(one))) return []
    return [{ word, hint: t('this page'), path: '', icon: 'check', act: () => button.click() }]
  })
}

class Palette {
  readonly dialog: HTMLDialogElement
  readonly #input: HTMLInputElement
  readonly #list: HTMLElement
  #offers: Offer[] = []
  #chosen = 0
  #hasMoved = false
  #isAsking = false
  /** Set if Enter was pressed before the response; whether it opens a new tab. */
  #wanted: boolean | undefined

  constructor() {
    this.#input = element('input', {
      class: 'input',
      type: 'text',
      role: 'combobox',
      'aria-label': t('Page, file, person or command'),
      placeholder: t('Page, file, person or command'),
      'aria-expanded': 'true',
      'aria-controls': 'palette-list',
      'aria-autocomplete': 'list',
      autocomplete: 'off',
      spellcheck: 'false',
      maxlength: '200',
    })
    this.#list = element('div', {
      id: 'palette-list',
      role: 'listbox',
      'aria-label': t('Found'),
      tabindex: '-1',
    })
    this.dialog = element(
      'dialog',
      { id: 'palette', 'aria-label': t('Search and commands') },
      this.#input,
      this.#list,
    )
    this.#input.addEventListener('input', () => {
      clearTimeout(timer)
      // A pending response belongs to other words.
      asked++
      this.#isAsking = true
      this.#hasMoved = false
      this.#wanted = undefined
      timer = setTimeout(() => void this.#ask(), pauseMs)
    })
    this.dialog.addEventListener('keydown', event => this.#onKey(event))
    this.dialog.addEventListener('click', event => this.#onClick(event))
    document.body.append(this.dialog)
  }

  open(): void {
    this.#input.value = ''
    this.#isAsking = false
    this.#wanted = undefined
    this.#offers = []
    this.#list.replaceChildren()
    this.dialog.showModal()
    this.#input.focus()
    void this.#ask()
  }

  async #ask(): Promise<void> {
    const text = this.#input.value.trim()
    const number = ++asked
    this.#hasMoved = false
    const own = ofThisPage(text)
    const address = `${opener()?.dataset.palette ?? ''}?q=${encodeURIComponent(text)}`
    const answer = await fetch(address, { headers: { Accept: 'application/json' } }).catch(() => undefined)
    if (number !== asked || !this.dialog.open) return
    const { groups = [] } = answer?.ok ? ((await answer.json()) as { groups?: Group[] }) : {}
    const recent = text === '' ? [{ name: t('Recent'), items: recentPlaces() }] : []
    if (number === asked)
      this.#show([...recent, { name: t('This page'), items: own }, ...groups], answer?.ok !== true)
  }

  #show(groups: readonly Group[], failed: boolean): void {
    const kept = this.#hasMoved ? this.#offers[this.#chosen] : undefined
    const shown = groups.filter(({ items }) => items.length > 0)
    this.#offers = shown.flatMap(({ items }) => items)
    this.#list.replaceChildren(
      ...shown.map(({ name, items }) =>
        element(
          'div',
          { role: 'group', 'aria-label': name },
          element('p', { class: 'group-name', 'aria-hidden': 'true' }, name),
          ...items.map(item => this.#option(item)),
        ),
      ),
    )
    const text = this.#input.value.trim()
    const nothing = failed
      ? t('No connection.')
      : text === ''
        ? t('There is nothing yet.')
        : t('No results for “{text}”.', { text })
    if (this.#offers.length === 0) this.#list.append(element('p', { class: 'group-name' }, nothing))
    const at = kept ? this.#offers.findIndex(({ path, word }) => path === kept.path && word === kept.word) : 0
    this.#choose(Math.max(0, at))
    this.#isAsking = false
    const wanted = this.#wanted
    this.#wanted = undefined
    if (wanted !== undefined && this.#offers.length > 0) this.#go(wanted)
    else say(this.#offers.length === 0 ? nothing : t('{n} found', { n: this.#offers.length }))
  }

  #option(offer: Offer): HTMLElement {
    const id = `o-${this.#offers.indexOf(offer)}`
    const hint = element('span', { class: 'hint' }, offer.hint)
    return element(
      'div',
      { role: 'option', id, 'aria-selected': 'false' },
      iconOf(offer.icon),
      offer.word,
      hint,
    )
  }

  #choose(at: number): void {
    const options = [...this.#list.querySelectorAll<HTMLElement>('[role=option]')]
    this.#chosen = at
    for (const [i, option] of options.entries()) option.setAttribute('aria-selected', String(i === at))
    const chosen = options[at]
    chosen?.scrollIntoView({ block: 'nearest' })
    if (chosen) this.#input.setAttribute('aria-activedescendant', chosen.id)
    else this.#input.removeAttribute('aria-activedescendant')
  }

  #onKey(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const { length } = this.#offers
    if (step !== undefined && length > 0) {
      this.#hasMoved = true
      this.#choose((this.#chosen + step + length) % length)
    } else if (event.key === 'Enter' && !event.isComposing) this.#enter(event.ctrlKey || event.metaKey)
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  /** Opens the chosen option. Enter right after typing waits for the results of these words. */
  #enter(inNewTab: boolean): void {
    if (this.#isAsking && !this.#hasMoved) this.#wanted = inNewTab
    else this.#go(inNewTab)
  }

  #onClick({ target, ctrlKey, metaKey }: MouseEvent): void {
    if (target === this.dialog) this.dialog.close()
    const option = target instanceof Element ? target.closest('[role=option]') : null
    if (!option) return
    this.#chosen = Number(option.id.slice(2))
    this.#go(ctrlKey || metaKey)
  }

  #go(inNewTab: boolean): void {
    const offer = this.#offers[this.#chosen]
    if (!offer) return
    this.dialog.close()
    if (offer.act) offer.act()
    else if (inNewTab) window.open(offer.path, '_blank', 'noopener')
    else leaveFor(offer.path)
  }
}

let palette: Palette | undefined

function open(): void {
  palette ??= new Palette()
  if (!palette.dialog.open) palette.open()
}

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || !opener()) return
  const isControl = (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'k'
  const isSlash = event.key === '/' && !isTyping(event.target) && !document.querySelector('dialog[open]')
  if (!isControl && !isSlash) return
  event.preventDefault()
  open()
}

/** Starts the palette, which finds everything by keys. */
export function startPalette(): void {
  placeNow()
  document.addEventListener('keydown', onKey)
  document.addEventListener('click', event => {
    const { target } = event
    const isOpener = target instanceof Element && target.closest('[data-palette]') !== null
    if (!isOpener || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    open()
  })
}
