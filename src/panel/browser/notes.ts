import { offerDrafts } from './draft-offer.js'
import { draftsOf, forgetDraft, type Kept, keepDraft, pageId } from './draft-store.js'
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
/** The note whose response is pending. */
let sent: HTMLFormElement | undefined

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

/** Starts to keep notes. */
export function startNotes(): void {
  meet()
  document.addEventListener('input', event => {
    const form = noteIn(event)
    if (form) keep(form).catch(() => undefined)
  })
  document.addEventListener('submit', event => {
    sent = noteIn(event) ?? undefined
  })
  document.addEventListener('htmx:before:swap', event => {
    const { sourceElement, response } = (event as CustomEvent<Answer>).detail.ctx ?? {}
    // A change by somebody else may come before the response.
    if (!sent || sourceElement !== sent) return
    if (!event.defaultPrevented && (response?.status ?? 500) < 400)
      forgetDraft(draftKey(addressOf(sent))).catch(() => undefined)
    sent = undefined
  })
  document.addEventListener('htmx:error', () => {
    sent = undefined
  })
  document.addEventListener('htmx:after:swap', meet)
}

interface Answer {
  ctx?: { sourceElement?: Element; response?: { status?: number } }
}
