import { button, element, isTyping, showDialog } from './elements.js'
import { toggleTree } from './panes.js'
import { say } from './say.js'

/** The first of two keys, until the second one is pressed. */
let first = ''

function submit(form: HTMLFormElement | null): boolean {
  form?.requestSubmit()
  return form !== null
}

/** Handles keys that work everywhere, also while typing. */
function withControl(event: KeyboardEvent): boolean {
  if (event.key === 's') return submit(document.querySelector('#form'))
  if (event.key === 'Enter') {
    const next = document.querySelector<HTMLButtonElement>('.bar button.next')
    next?.click()
    return next !== null
  }
  return false
}

function single(key: string): boolean {
  if (first === 'g') {
    first = ''
    const link = document.querySelector<HTMLAnchorElement>(`[data-go="${CSS.escape(key)}"]`)
    link?.click()
    return link !== null
  }
  if (key === 'g') {
    first = 'g'
    setTimeout(() => {
      first = ''
    }, 1500)
    return true
  }
  if (key === '?') return showHelp()
  if (key === '\\') return toggleTree()
  return false
}

const help: readonly (readonly [keys: string, does: string])[] = [
  ['Ctrl K, /', 'find or do'],
  ['Ctrl S', 'save'],
  ['Ctrl Enter', 'the next step'],
  ['g h', 'overview'],
  ['g c', 'content'],
  ['g m', 'media'],
  ['g r', 'routes'],
  ['g d', 'datatypes'],
  ['g p', 'people'],
  ['g w', 'webhooks'],
  ['g a', 'audit log'],
  ['g s', 'settings'],
  ['↑ ↓ → ←', 'go through the tree'],
  ['Alt ↑ ↓', 'move an entry'],
  ['Alt → ←', 'move it in, out'],
  ['+, Insert', 'add under an entry'],
  ['Menu, Shift F10', 'menu of an entry'],
  ['Space, Shift ↑ ↓', 'select several'],
  ['/ in a text', 'commands'],
  ['Alt F10', 'toolbar of a text'],
  ['Ctrl Shift F', 'full page for a text'],
  ['\\', 'show or hide the tree'],
  ['Esc', 'close'],
  ['?', 'this list'],
]

function showHelp(): boolean {
  const rows = help.map(([keys, does]) => element('li', {}, does, element('kbd', {}, keys)))
  const dialog = element(
    'dialog',
    { id: 'keys', 'aria-labelledby': 'keys-title' },
    element('h2', { id: 'keys-title' }, 'Keys'),
    element('ul', { class: 'keys' }, ...rows),
    button('Close', () => dialog.close()),
  )
  showDialog(dialog)
  say('Keys')
  return true
}

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return
  const { target } = event
  // A title is one line, even if it wraps.
  if (event.key === 'Enter' && target instanceof HTMLTextAreaElement && target.matches('.page-title *')) {
    event.preventDefault()
    if (!event.ctrlKey && !event.metaKey) target.form?.requestSubmit()
    else withControl(event)
    return
  }
  const isControl = event.ctrlKey || event.metaKey
  const done = isControl
    ? !event.altKey && withControl(event)
    : !event.altKey && !isTyping(event.target) && !document.querySelector('dialog[open]') && single(event.key)
  if (done) event.preventDefault()
}

/** Starts the keyboard shortcuts that work on every page. */
export function startKeys(): void {
  document.addEventListener('keydown', onKey)
}
