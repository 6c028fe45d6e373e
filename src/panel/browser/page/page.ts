/** The script in the page that the service shows: a click leads to the form's field, and typing there is shown here. */

interface Told {
  type?: unknown
  entry?: unknown
  field?: unknown
  fields?: unknown
}

const marked = '[data-field], [data-entry]'

const blockOf = (entry: unknown) =>
  typeof entry === 'string'
    ? document.querySelector<HTMLElement>(`[data-entry="${CSS.escape(entry)}"]`)
    : null

function fieldsOf(block: Element, field: unknown): HTMLElement[] {
  if (typeof field !== 'string') return []
  const found = block.querySelectorAll<HTMLElement>(`[data-field="${CSS.escape(field)}"]`)
  return [...found].filter(one => one.closest('[data-entry]') === block)
}

function outline(kind: 'here' | 'over', element: Element | null | undefined): void {
  for (const one of document.querySelectorAll(`.${kind}`)) one.classList.remove(kind)
  element?.classList.add(kind)
}

function onClick(event: MouseEvent): void {
  const { target } = event
  if (!(target instanceof Element)) return
  const at = target.closest<HTMLElement>(marked)
  const entry = at?.closest<HTMLElement>('[data-entry]')?.dataset.entry
  if (!at || entry === undefined) return
  event.preventDefault()
  const { field, locale } = at.dataset
  outline('here', at)
  parent.postMessage({ type: 'slugline:edit', entry, field, locale }, location.origin)
}

function show(element: HTMLElement): void {
  outline('here', element)
  const { top, bottom } = element.getBoundingClientRect()
  if (top < 0 || bottom > innerHeight) element.scrollIntoView({ block: 'center' })
}

/** Shows typed values as text: they never become markup. */
function showTyped(block: Element, fields: object): void {
  for (const [name, text] of Object.entries(fields))
    for (const element of fieldsOf(block, name)) {
      if (element.dataset.typed === undefined || typeof text !== 'string') continue
      element.textContent = text
      element.hidden = text === ''
    }
}

function onMessage({ data, origin, source }: MessageEvent<Told | null>): void {
  if (source !== parent || origin !== location.origin || typeof data !== 'object' || !data) return
  const block = blockOf(data.entry)
  if (!block) return
  if (data.type === 'slugline:focus') {
    const [field] = fieldsOf(block, data.field)
    if (field || block.tagName !== 'MAIN') show(field ?? block)
  }
  if (data.type === 'slugline:changed' && typeof data.fields === 'object' && data.fields)
    showTyped(block, data.fields)
}

if (parent !== window) {
  document.documentElement.classList.add('clicks')
  addEventListener('click', onClick)
  addEventListener('message', onMessage)
  addEventListener('pointerover', ({ target }) =>
    outline('over', target instanceof Element ? target.closest(marked) : null),
  )
  document.documentElement.addEventListener('pointerleave', () => outline('over', null))
}
