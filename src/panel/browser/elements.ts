/** Creates an element with attributes and content. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Readonly<Record<string, string>> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  made.append(...children)
  return made
}

/** Creates a button that does not send a form. */
export function button(word: string, act: () => void, kind = ''): HTMLButtonElement {
  const made = element('button', { type: 'button', class: `button ${kind}`.trim() }, word)
  made.addEventListener('click', act)
  return made
}

/** Creates an icon. @param address the file of icons, with the name behind a `#` */
export function iconAt(address: string): SVGElement {
  const space = 'http://www.w3.org/2000/svg'
  const svg = document.createElementNS(space, 'svg')
  svg.setAttribute('class', 'icon')
  svg.setAttribute('aria-hidden', 'true')
  const use = document.createElementNS(space, 'use')
  use.setAttribute('href', address)
  svg.append(use)
  return svg
}

/** Shows a dialog that is removed when it is closed. The page gets no event of keys and input in it. */
export function showDialog(dialog: HTMLDialogElement, closed: () => void = () => undefined): void {
  for (const type of ['input', 'change', 'keydown', 'submit'])
    dialog.addEventListener(type, event => event.stopPropagation())
  dialog.addEventListener('close', () => {
    dialog.remove()
    closed()
  })
  document.body.append(dialog)
  dialog.showModal()
}

/** Whether keys typed there are text. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null
