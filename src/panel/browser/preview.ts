import { element } from './elements.js'
import { onContent } from './live.js'
import { say } from './say.js'
import { t } from './text.js'

const storageName = 'preview format'
const maxShown = 100_000
/** A pause in milliseconds, because an own change arrives twice: by its response and by the stream. */
const restMs = 150

let asked: AbortController | undefined
let timer: ReturnType<typeof setTimeout> | undefined

const pane = () => document.querySelector<HTMLElement>('[data-preview]')
const links = () => [...(pane()?.querySelectorAll<HTMLAnchorElement>('a[data-format]') ?? [])]

function chosen(): HTMLAnchorElement | undefined {
  const name = sessionStorage.getItem(storageName) ?? 'clean'
  return links().find(({ dataset }) => dataset.format === name) ?? links()[0]
}

const tokens = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

function coloured(text: string): (Node | string)[] {
  const nodes: (Node | string)[] = []
  let at = 0
  for (const found of text.matchAll(tokens)) {
    const [all, quoted, colon] = found
    nodes.push(text.slice(at, found.index))
    const kind = colon === undefined ? (quoted === undefined ? 'json-value' : 'json-text') : 'json-name'
    nodes.push(element('span', { class: kind }, quoted ?? all), colon ?? '')
    at = found.index + all.length
  }
  nodes.push(text.slice(at))
  return nodes
}

function readable(body: string): string {
  try {
    const text = JSON.stringify(JSON.parse(body), null, 2)
    return text.length > maxShown ? `${text.slice(0, maxShown)}\n…` : text
  } catch {
    return body.slice(0, maxShown)
  }
}

function frame(host: HTMLElement, format: string): HTMLElement {
  const known = host.querySelector('pre')
  const pre = known ?? element('pre', { class: 'preview-text', tabindex: '0', role: 'region' })
  pre.setAttribute('aria-label', t('Preview as {format}', { format }))
  if (!known) host.replaceChildren(pre)
  return pre
}

async function show(): Promise<void> {
  const host = pane()?.querySelector<HTMLElement>('#preview')
  const link = chosen()
  const isShown = pane()?.querySelector('[name=pane][value=data]:checked') != null
  if (!host || !link || !isShown) return
  for (const one of links()) {
    if (one === link) one.setAttribute('aria-current', 'true')
    else one.removeAttribute('aria-current')
  }
  asked?.abort()
  asked = new AbortController()
  const { signal } = asked
  const answer = await fetch(link.href, { signal, headers: { Accept: 'application/json' } })
  const body = await answer.text()
  if (signal.aborted) return
  const pre = frame(host, link.dataset.format ?? '')
  const { scrollTop } = pre
  if (answer.status === 404) pre.textContent = t('There is no page here yet.')
  else pre.replaceChildren(...coloured(readable(body)))
  pre.scrollTop = scrollTop
}

const refresh = () => {
  clearTimeout(timer)
  timer = setTimeout(() => show().catch(() => undefined), restMs)
}

function onClick(event: MouseEvent): void {
  const { target } = event
  const link = target instanceof Element ? target.closest<HTMLAnchorElement>('a[data-format]') : null
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  sessionStorage.setItem(storageName, link.dataset.format ?? '')
  show().then(
    () => say(t('Preview as {format}', { format: link.dataset.format ?? '' })),
    () => say(t('The preview failed')),
  )
}

/** Shows the page of the entry in one of the formats, and updates it after each save, also of somebody else. */
export function startPreview(): void {
  refresh()
  document.addEventListener('click', onClick)
  document.addEventListener('change', ({ target }) => {
    if (target instanceof HTMLInputElement && target.name === 'pane') refresh()
  })
  document.addEventListener('htmx:after:swap', refresh)
  onContent(({ all, slugs }) => {
    const slug = pane()?.dataset.preview
    if (slug !== undefined && (all || slugs.includes(slug))) refresh()
  })
}
