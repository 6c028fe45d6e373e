import { button, element, isTyping, showDialog } from './elements.js'
import { toggleTree } from './panes.js'
import { say } from './say.js'
import { t } from './text.js'

let first = ''

function submit(form: HTMLFormElement | null): boolean {
  form?.requestSubmit()
  return form !== null
}

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
  [t('Ctrl K, /'), t('search and commands')],
  [t('Ctrl S'), t('save')],
  [t('Ctrl Enter'), t('main button of a form')],
  ['g h', t('overview')],
  ['g c', t('content')],
  ['g m', t('media')],
  ['g r', t('routes')],
  ['g d', t('datatypes')],
  ['g p', t('people')],
  ['g w', t('webhooks')],
  ['g a', t('audit log')],
  ['g s', t('settings')],
  ['↑ ↓ → ←', t('go through the tree')],
  [t('Alt ↑ ↓'), t('move an entry')],
  [t('Alt → ←'), t('move it in, out')],
  [t('+, Insert'), t('add under an entry')],
  [t('Menu, Shift F10'), t('menu of an entry')],
  [t('Space, Shift ↑ ↓'), t('select several')],
  [t('/ in a text'), t('commands')],
  [t('Alt F10'), t('toolbar of a text')],
  [t('Ctrl Shift F'), t('full page for a text')],
  ['\\', t('show or hide the tree')],
  [t('Esc'), t('close')],
  ['?', t('this list')],
]

function showHelp(): boolean {
  const rows = help.map(([keys, does]) => element('li', {}, does, element('kbd', {}, keys)))
  const dialog = element(
    'dialog',
    { id: 'keys', 'aria-labelledby': 'keys-title' },
    element('h2', { id: 'keys-title' }, t('Keys')),
    element('ul', { class: 'keys' }, ...rows),
    button(t('Close'), () => dialog.close()),
  )
  showDialog(dialog)
  say(t('Keys'))
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
