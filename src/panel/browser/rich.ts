import { openPicker } from './picker.js'
import { upload } from './send-file.js'

/** The address of the editor, which the build puts in, so that no page can name another one. */
declare const editorAddress: string

type Editor = typeof import('./editor/editor.js')

let editor: Promise<Editor> | undefined
let loaded: Editor | undefined

async function mount(): Promise<void> {
  if (document.querySelector('textarea[data-rich]') === null && !loaded) return
  editor ??= import(editorAddress) as Promise<Editor>
  const found = await editor
  await found.styled
  loaded = found
  const writtenIn = document.activeElement
  loaded.mountEditors({ choose: openPicker, upload })
  if (writtenIn) focusRich(writtenIn)
}

const mountOrStay = () => {
  mount().catch(() => {
    editor = undefined
  })
}

/** Writes the texts of the editors into their forms. */
export const flushRich = (): void => loaded?.flushEditors()

/** Puts the cursor into the editor of a textarea. @returns whether it has one */
export function focusRich(area: Element): boolean {
  if (!loaded || !area.matches('textarea[data-rich][hidden]')) return false
  loaded.focusEditor(area)
  return true
}

/** Loads the editor if the page has rich text. Until then, or without it, rich text is HTML in a textarea. */
export function startRich(): void {
  mountOrStay()
  document.addEventListener('submit', flushRich, { capture: true })
  addEventListener('pagehide', flushRich)
  document.addEventListener('visibilitychange', flushRich)
  document.addEventListener('htmx:after:swap', () => mountOrStay())
  document.addEventListener('click', ({ target }) => {
    const label = target instanceof Element ? target.closest('label') : null
    const area = label && document.getElementById(label.htmlFor)
    if (area) focusRich(area)
  })
}
