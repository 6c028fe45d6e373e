import { offerDrafts } from './draft-offer.js'
import { draftsOf, forgetDraft, type Kept, keepDraft, pageId, type Values } from './draft-store.js'
import { changedFrom, drawnIn, valuesIn } from './form-values.js'
import { restore } from './restore.js'

/** Short texts beside the main form, such as a comment. They are kept as drafts too, until they are sent. */

const marked = 'form[data-note]'
const userNow = () => document.querySelector<HTMLElement>('#app')?.dataset.user ?? ''
const addressOf = (form: HTMLFormElement) => form.getAttribute('action') ?? ''
const draftKey = (address: string) => ({ user: userNow(), address, page: pageId })
const noteIn = ({ target }: Event) =>
  target instanceof Element ? target.closest<HTMLFormElement>(marked) : null

const met = new WeakSet<HTMLFormElement>()
/** The note whose response is pending, and its values. */
let sent: HTMLFormElement | undefined
let sentValues: readonly Values[] = []
/** Notes that are typed while a response replaces the page, by their addresses. */
let during: (readonly [address: string, values: readonly Values[]])[] = []
let caret: { control: HTMLTextAreaElement; address: string; at: [number, number] } | undefined

const typedIn = (form: HTMLFormElement) => changedFrom(drawnIn(form), valuesIn(form))

/** Whether a comment or another short text is typed and not sent. */
export const hasUnsent = (): boolean =>
  [...document.querySelectorAll<HTMLFormElement>(marked)].some(form => typedIn(form).length > 0)

async function keep(form: HTMLFormElement): Promise<void> {
  const [key, values] = [draftKey(addressOf(form)), typedIn(form)]
  if (key.user === '') return
  if (values.length === 0) await forgetDraft(key)
  else await keepDraft({ ...key, seen: '', at: Date.now(), values })
}

async function bringBack(form: HTMLFormElement, draft: Kept): Promise<void> {
  restore(form, draft.values)
  await keep(form)
  await forgetDraft(draft)
}

async function offer(form: HTMLFormElement): Promise<void> {
  const [draft] = await draftsOf(userNow(), addressOf(form))
  if (!draft || !form.isConnected || typedIn(form).length > 0) return
  const details = form.closest('details')
  if (details) details.open = true
  offerDrafts(form, [draft], '', {
    take: one => void bringBack(form, one).catch(() => undefined),
    forget: one => void forgetDraft(one).catch(() => undefined),
  })
}

function meet(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>(marked)) {
    if (met.has(form)) continue
    met.add(form)
    offer(form).catch(() => undefined)
  }
}

/** @param done the note that was just stored: only what was typed into it afterwards is kept */
function remember(done: HTMLFormElement | undefined): void {
  during = [...document.querySelectorAll<HTMLFormElement>(marked)].flatMap(form => {
    const values = form === done ? changedFrom(sentValues, valuesIn(form)) : typedIn(form)
    return values.length === 0 ? [] : [[addressOf(form), values] as const]
  })
  const { activeElement: control } = document
  const form = control?.closest<HTMLFormElement>(marked)
  caret =
    form && control instanceof HTMLTextAreaElement
      ? { control, address: addressOf(form), at: [control.selectionStart, control.selectionEnd] }
      : undefined
}

const plain = (text: string | null | undefined) => text?.replace(/\s+/g, ' ').trim() ?? ''

/** Whether the page shows that a note is stored: its response was lost. */
const isStored = (values: readonly Values[]) => {
  const typed = values.map(([, texts]) => plain(texts.at(-1)))
  const shown = [...document.querySelectorAll('.comment-body')].map(one => plain(one.textContent))
  return typed.some(text => text !== '' && shown.includes(text))
}

/** Puts back what was typed, where the response has a new field for it. */
function putBack(): void {
  const forms = [...document.querySelectorAll<HTMLFormElement>(marked)]
  for (const [address, values] of during) {
    const form = forms.find(one => addressOf(one) === address)
    if (!form || isStored(values) || changedFrom(valuesIn(form), values).length === 0) continue
    restore(form, values)
    keep(form).catch(() => undefined)
  }
  during = []
  if (!caret || caret.control.isConnected || document.activeElement !== document.body) return
  const { address, control, at } = caret
  const again = forms.find(one => addressOf(one) === address)?.elements.namedItem(control.name)
  if (!(again instanceof HTMLTextAreaElement)) return
  again.focus({ preventScroll: true })
  again.setSelectionRange(...at)
}

/** Starts to keep notes. */
export function startNotes(): void {
  meet()
  document.addEventListener('input', event => {
    const form = noteIn(event)
    if (form) keep(form).catch(() => undefined)
  })
  document.addEventListener('submit', event => {
    sent = noteIn(event) ?? undefined
    sentValues = sent ? valuesIn(sent) : []
  })
  document.addEventListener('htmx:before:swap', event => {
    const { sourceElement, response } = (event as CustomEvent<Answer>).detail.ctx ?? {}
    // A change by somebody else may come before the response.
    const isOwn = sent !== undefined && sourceElement === sent
    const isDone = isOwn && !event.defaultPrevented && (response?.status ?? 500) < 400
    remember(isDone ? sent : undefined)
    if (!isOwn || !sent) return
    if (isDone) {
      forgetDraft(draftKey(addressOf(sent))).catch(() => undefined)
      sent.closest('details')?.removeAttribute('open')
    }
    sent = undefined
  })
  document.addEventListener('htmx:error', () => {
    sent = undefined
  })
  document.addEventListener('htmx:after:swap', () => {
    putBack()
    meet()
  })
}

interface Answer {
  ctx?: { sourceElement?: Element; response?: { status?: number } }
}
