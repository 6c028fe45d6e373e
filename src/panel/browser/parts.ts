import { focusField } from './focus-field.js'
import { sayRemoval } from './removal.js'
import { say } from './say.js'
import { count as counted, locale, t } from './text.js'
import { hasTypedSince } from './typing.js'

const clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' })
const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'long' })
const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })

function showTimes(): void {
  for (const time of document.querySelectorAll('time')) {
    const at = new Date(time.dateTime)
    if (Number.isNaN(at.valueOf())) continue
    time.title = exact.format(at)
    if (time.dataset.clock !== undefined) time.textContent = clock.format(at)
    else if (/^\d{4}-/.test(time.textContent ?? '')) time.textContent = day.format(at)
  }
}

function showSecret(button: HTMLElement): void {
  const input = document.getElementById(button.dataset.reveal ?? '')
  if (!(input instanceof HTMLInputElement)) return
  const isShown = input.type === 'password'
  input.type = isShown ? 'text' : 'password'
  button.setAttribute('aria-pressed', String(isShown))
  input.focus()
}

function offerReveals(): void {
  for (const button of document.querySelectorAll<HTMLElement>('[data-reveal]')) button.hidden = false
}

/** The heading of a note by the refused action and the number of its fields. A publish is refused after its form was saved. */
const refusedWords = {
  save: (n: number) =>
    n === 0 ? t('Not saved') : counted(n, 'Not saved: {n} field', 'Not saved: {n} fields'),
  publish: (n: number) =>
    `${t('Saved {time}.', { time: clock.format(new Date()) })} ${
      n === 0 ? t('Not published') : counted(n, 'Not published: {n} field', 'Not published: {n} fields')
    }`,
  nothing: () => '',
}
const isRefused = (name: string | undefined): name is keyof typeof refusedWords =>
  name !== undefined && name in refusedWords

function showProblems(): void {
  const note = document.querySelector<HTMLElement>('[data-refused]')
  const saved = document.querySelector('#saved')
  if (!note) {
    if (saved?.textContent?.trim()) say(saved.textContent)
    return
  }
  const { refused } = note.dataset
  const wordsFor = isRefused(refused) ? refusedWords[refused] : refusedWords.nothing
  const links = [...note.querySelectorAll('a')]
  const words = wordsFor(0)
  if (saved) saved.textContent = wordsFor(links.length)
  const problem = (note.querySelector('li') ?? note).textContent
  say(words === '' ? problem : `${words}. ${problem}`)
  // Somebody who types on would type into another field.
  if (hasTypedSince()) return
  const [first] = links
  const href = first?.getAttribute('href') ?? ''
  if (!href.startsWith('#') || !focusField(href)) (first ?? note).focus()
}

/** The text to copy: a path becomes a whole URL, a secret stays as it is. */
const copyOf = (text: string) => (text.startsWith('/') ? new URL(text, location.href).href : text)

function closeMenus(except: Element | null, isChosen = false): void {
  for (const menu of document.querySelectorAll<HTMLDetailsElement>('[data-menu][open]'))
    if (isChosen || menu !== except) menu.open = false
}

function onEscape({ key }: KeyboardEvent): void {
  const menu = document.querySelector<HTMLDetailsElement>('[data-menu][open]')
  if (key !== 'Escape' || !menu) return
  menu.open = false
  menu.querySelector('summary')?.focus()
}

/** Handles clicks. An open dialog's elements may be replaced with the page, so each is looked up by its id. */
function onClick(event: MouseEvent): void {
  const { target } = event
  if (!(target instanceof Element)) return
  closeMenus(target.closest('[data-menu]'), target.closest('.menu-items .button') !== null)
  const opener = target.closest<HTMLElement>('[data-dialog]')
  const dialog = opener && document.getElementById(opener.dataset.dialog ?? '')
  if (dialog instanceof HTMLDialogElement) {
    event.preventDefault()
    dialog.showModal()
    const words = dialog.querySelector<HTMLElement>('[data-counted]')
    if (words) void sayRemoval(words, words.dataset.counted ?? '')
  }
  const closer = target.closest('[data-close]')
  if (closer) {
    const open = closer.closest('dialog')
    if (open) {
      event.preventDefault()
      open.close()
    }
  }
  const link = target.closest('[data-refused] a')?.getAttribute('href')
  if (link?.startsWith('#') && focusField(link)) event.preventDefault()
  const reveal = target.closest<HTMLElement>('[data-reveal]')
  if (reveal) showSecret(reveal)
  const copied = target.closest<HTMLElement>('[data-copy]')
  if (copied?.dataset.copy !== undefined)
    navigator.clipboard.writeText(copyOf(copied.dataset.copy)).then(
      () => say(t('Copied')),
      () => say(t('Copying failed')),
    )
}

function onChange({ target }: Event): void {
  if (!(target instanceof HTMLInputElement)) return
  const { words } = target.dataset
  const word = target.parentElement?.querySelector('[data-switch-word]')
  if (words && word) word.textContent = words.split('|')[target.checked ? 1 : 0] ?? ''
  const cell = target.closest<HTMLElement>('td[data-cell]')
  if (cell) cell.toggleAttribute('data-changed', target.checked !== target.defaultChecked)
}

/** Starts the small scripted parts of pages. */
export function startParts(): void {
  showTimes()
  offerReveals()
  // Previews of front ends link to fields: such a link focuses the control.
  if (location.hash.startsWith('#f-')) focusField(location.hash)
  document.addEventListener('click', onClick)
  document.addEventListener('keydown', onEscape)
  document.addEventListener('change', onChange)
  document.addEventListener('htmx:after:swap', () => {
    showTimes()
    offerReveals()
    showProblems()
  })
}
