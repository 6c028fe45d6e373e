import { flushRich, focusRich } from './rich.js'
import { say } from './say.js'
import { t } from './text.js'

type Control = HTMLInputElement | HTMLTextAreaElement

/** The texts that copies have replaced, by the id of their field. */
const replaced = new Map<string, string>()

function put(control: Control, text: string): void {
  control.value = text
  control.dispatchEvent(new Event('input', { bubbles: true }))
  if (!focusRich(control)) control.focus()
}

function onClick({ target }: Event): void {
  const button = target instanceof Element ? target.closest<HTMLElement>('[data-copy-to]') : null
  const id = button?.dataset.copyTo ?? ''
  const control = document.getElementById(id) as Control | null
  const word = button?.querySelector('span')
  if (!button || !word || !control) return
  flushRich()
  const before = replaced.get(id)
  if (before !== undefined) {
    replaced.delete(id)
    put(control, before)
    word.textContent = button.dataset.word ?? ''
    say(t('Undone'))
    return
  }
  replaced.set(id, control.value)
  button.dataset.word = word.textContent ?? ''
  put(control, button.dataset.copyText ?? '')
  word.textContent = t('Undo copy')
  say(t('Copied'))
}

/** Starts the buttons that copy a text of another language into a field; a second press undoes it. */
export function startCopies(): void {
  document.addEventListener('click', onClick)
  // A page that the server sends has its buttons as they were.
  document.addEventListener('htmx:after:swap', () => replaced.clear())
}
