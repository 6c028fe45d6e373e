import { baseNow } from './base.js'
import { focusField } from './focus-field.js'
import { leaveFor } from './in-turn.js'
import { onContent } from './live.js'

/** The page beside the form: it follows saves and typing, and a click in it leads to the field. */

/** A pause in milliseconds, because an own save arrives twice: by its response and by the stream. */
const restMs = 60
const typingMs = 150

let timer: ReturnType<typeof setTimeout> | undefined
let typing: ReturnType<typeof setTimeout> | undefined
let isLoaded = false
let isStale = false
const typed = new Set<string>()

const pane = () => document.querySelector<HTMLElement>('.page-pane')
const box = () => document.querySelector<HTMLElement>('#page-frame')
const frame = () => box()?.querySelector<HTMLIFrameElement>('iframe:not(.coming)')
const originOf = () => pane()?.dataset.origin ?? location.origin
const isOurs = () => pane()?.dataset.origin === undefined

const controls = () =>
  document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(
    '#form input[type=text][name^="fields."], #form textarea[name^="fields."]:not([data-rich])',
  )
const fieldOf = ({ name }: { name: string }) => name.slice('fields.'.length)

/** Sends a message to the page in the frame, and to no page of another origin. */
function tell(message: object): void {
  const { entry, locale } = pane()?.dataset ?? {}
  if (isLoaded) frame()?.contentWindow?.postMessage({ ...message, entry, locale: locale || null }, originOf())
}

function tellTyped(): void {
  const fields: Record<string, string> = {}
  for (const control of controls()) if (typed.has(control.name)) fields[fieldOf(control)] = control.value
  if (Object.keys(fields).length > 0) tell({ type: 'slugline:changed', fields })
}

function tellFocus(): void {
  const field = document.activeElement?.closest('#form .field')
  const named = field?.querySelector<HTMLInputElement>('[name^="fields."]')
  tell({ type: 'slugline:focus', field: named ? fieldOf(named) : null })
}

function onLoad(): void {
  isLoaded = true
  tellTyped()
}

function reload(): void {
  const [host, old] = [box(), frame()]
  const address = pane()?.dataset.frame
  if (!host || !old || address === undefined) return
  if (host.querySelector('.coming')) {
    isStale = true
    return
  }
  isStale = false
  const next = old.cloneNode() as HTMLIFrameElement
  next.className = 'coming'
  next.src = address
  next.addEventListener('load', () => {
    const [from, to] = [old, next].map(one => one.contentDocument?.defaultView)
    if (isOurs() && !to) {
      // The browser's own error page, as without a connection, replaces nothing.
      next.remove()
      if (isStale) refresh()
      return
    }
    if (isOurs() && from) to?.scrollTo({ left: from.scrollX, top: from.scrollY, behavior: 'instant' })
    old.remove()
    next.removeAttribute('class')
    onLoad()
    if (isStale) reload()
  })
  host.append(next)
}

function refresh(): void {
  clearTimeout(timer)
  timer = setTimeout(reload, restMs)
}

function scaleFrame(): void {
  const host = box()
  const width = Number(document.querySelector<HTMLInputElement>('[name=pane-width]:checked')?.value)
  if (!host) return
  const scale = width > 0 ? Math.min(1, host.clientWidth / width) : 1
  host.style.setProperty('--scale', String(scale || 1))
}

function onChange({ target }: Event): void {
  if (!(target instanceof HTMLInputElement) || !target.closest('.page-pane')) return
  const chosen = [...document.querySelectorAll<HTMLInputElement>('.page-pane input:checked')]
  const words = chosen.map(({ id, value }) => (id === 'pane-wide' ? 'wide' : value))
  // biome-ignore lint/suspicious/noDocumentCookie: the server draws the pane as it was, and not every browser has more
  document.cookie = `slugline_pane=${words.join('.')}; path=/admin; max-age=31536000; samesite=lax`
  scaleFrame()
}

interface Edit {
  type?: unknown
  entry?: unknown
  field?: unknown
  locale?: unknown
}

const isText = (value: unknown, form: RegExp): value is string =>
  typeof value === 'string' && form.test(value)

/** Handles messages from the frame. Only the page that belongs there is heard, and it can lead only to forms. */
function onMessage({ data, origin, source }: MessageEvent<Edit | null>): void {
  const shown = pane()
  if (!shown || source !== frame()?.contentWindow || origin !== originOf()) return
  if (typeof data !== 'object' || data?.type !== 'slugline:edit') return
  const { entry, field, locale } = data
  if (!isText(entry, /^[0-9A-Z]{26}$/)) return
  const hash = isText(field, /^\w{1,64}$/) ? `#f-fields.${field}` : ''
  if (entry === shown.dataset.entry && (hash === '' || focusField(hash))) return
  const query = isText(locale, /^[A-Za-z0-9-]{2,35}$/) ? `?locale=${locale}` : ''
  leaveFor(`${baseNow()}/content/entry/${entry}${query}${hash}`)
}

function onInput({ target }: Event): void {
  if (!(target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement)) return
  if (![...controls()].includes(target)) return
  typed.add(target.name)
  clearTimeout(typing)
  typing = setTimeout(tellTyped, typingMs)
}

let watched: HTMLElement | null = null
const sizes = new ResizeObserver(scaleFrame)

/** Meets the frame of this page. @returns whether it is another one than before */
function meet(): boolean {
  const host = box()
  if (!host || host === watched) return false
  sizes.disconnect()
  watched = host
  isLoaded = false
  frame()?.addEventListener('load', () => {
    onLoad()
    tellFocus()
  })
  const { URL: at, readyState } = frame()?.contentDocument ?? {}
  if (at !== 'about:blank' && readyState === 'complete') isLoaded = true
  scaleFrame()
  sizes.observe(host)
  return true
}

/**
 * Starts the page beside the form. It updates after each save, also of somebody else, and while the user types. A new
 * page comes into the page of its form, and so does its frame.
 */
export function startFrame(): void {
  meet()
  addEventListener('message', onMessage)
  document.addEventListener('change', onChange)
  document.addEventListener('input', onInput)
  document.addEventListener('focusin', tellFocus)
  document.addEventListener('htmx:after:swap', () => {
    typed.clear()
    if (!meet()) refresh()
  })
  onContent(({ all, slugs }) => {
    const slug = pane()?.dataset.preview
    if (slug !== undefined && (all || slugs.includes(slug))) refresh()
  })
}
