import { offerDrafts } from './draft-offer.js'
import {
  draftsOf,
  forgetDraft,
  forgetDraftsOf,
  forgetOldDrafts,
  type Kept,
  keepDraft,
  pageId,
  type Values,
} from './draft-store.js'
import { changedFrom, drawnIn, valuesIn } from './form-values.js'
import { stopWaiting, whenConnected } from './reconnect.js'
import { restore } from './restore.js'
import { flushRich } from './rich.js'
import { say, status } from './say.js'
import { signInAgain } from './sign-in-again.js'
import { t } from './text.js'

const forms = () => document.querySelectorAll<HTMLFormElement>('form[data-draft]')
const addressOf = (form: HTMLFormElement) => form.getAttribute('action') ?? ''
const formAt = (address: string | undefined) => [...forms()].find(one => addressOf(one) === address)
const userNow = () => document.querySelector<HTMLElement>('#app')?.dataset.user ?? ''

const unsavedWords = t('Unsaved changes')
const maxOffered = 3

let isDirty = false
/** Whether there are unsaved values. */
export const hasUnsaved = (): boolean => isDirty
/** The address of the form whose response is pending; the next page may be a different one. */
let sent: string | undefined
let sentValues: readonly Values[] = []
let typedSince: readonly Values[] = []
/** Restored values whose fields are missing until the choice that they depend on has shown them. */
let awaited: readonly Values[] = []
let dirty: string | undefined
let before: { drawn: string; seen: string } | undefined
const bases = new Map<string, readonly Values[]>()

const seenIn = (form: HTMLFormElement) => {
  const control = form.elements.namedItem('seen')
  return control instanceof HTMLInputElement ? control : undefined
}

const drawn = (form: HTMLFormElement) => JSON.stringify(drawnIn(form))
const isStored = () => document.querySelector('[data-refused=publish]') !== null
const hasProblem = () => document.querySelector('[aria-invalid=true], .note.bad, [data-conflicts]') !== null

/** One write at a time; values typed meanwhile are written after it. */
let writing = false
let isStale = false

function draftOf(form: HTMLFormElement): Kept {
  const address = addressOf(form)
  const values = [...changedFrom(bases.get(address) ?? [], valuesIn(form)), ...awaited]
  return {
    user: userNow(),
    address,
    page: pageId,
    seen: seenIn(form)?.value ?? '',
    at: Date.now(),
    values,
  }
}

async function keep(form: HTMLFormElement): Promise<void> {
  if (userNow() === '') return
  if (writing) {
    isStale = true
    return
  }
  writing = true
  try {
    do {
      isStale = false
      await keepDraft(draftOf(form))
    } while (isStale && isDirty)
    const line = document.querySelector('#saved')
    if (isDirty && line?.textContent === unsavedWords) status(t('Unsaved changes, kept here'))
  } catch {
    // Storage is full or forbidden: the page still holds the typed values.
  } finally {
    writing = false
  }
}

async function offer(form: HTMLFormElement): Promise<void> {
  const found = await draftsOf(userNow(), addressOf(form)).catch(() => [])
  if (!form.isConnected || hasProblem() || isDirty) return
  const now = new Map(valuesIn(form))
  const isOther = ({ values }: Kept) =>
    values.some(([name, texts]) => JSON.stringify(texts) !== JSON.stringify(now.get(name) ?? []))
  offerDrafts(form, found.filter(isOther).slice(0, maxOffered), seenIn(form)?.value ?? '', {
    take: draft => {
      bringBack(form, draft).catch(() => undefined)
    },
    forget: draft => {
      forgetDraft(draft).catch(() => undefined)
    },
  })
}

/** Restores a draft with its own `seen`, so that the next save reports what somebody else has saved since. */
async function bringBack(form: HTMLFormElement, draft: Kept): Promise<void> {
  awaited = draft.values.filter(([name]) => form.elements.namedItem(name) === null)
  restore(form, draft.values)
  const seen = seenIn(form)
  if (seen && draft.seen !== '') seen.value = draft.seen
  say(t('Your text is restored'))
  await keepDraft(draftOf(form))
  await forgetDraft(draft)
}

function onInput({ target }: Event): void {
  const form = target instanceof Element ? target.closest<HTMLFormElement>('form[data-draft]') : null
  if (!form) return
  // Takes the last words out of the editors, which write into the form only a moment later; the draft needs them.
  flushRich()
  if (!isDirty) status(unsavedWords)
  isDirty = true
  dirty = addressOf(form)
  void keep(form)
}

interface Swap {
  ctx?: { sourceElement?: Element; response?: { headers?: Headers; status?: number }; text?: string }
}

function onAnswer(event: Event): void {
  const { response, sourceElement, text = '' } = (event as CustomEvent<Swap>).detail.ctx ?? {}
  const isOut = response?.headers?.get('x-signed-out') != null
  // A refused form has `data-draft`; an error page, ours or that of a proxy, has not.
  const isErrorPage = (response?.status ?? 0) >= 400 && !text.includes('data-draft')
  if (!isOut && !(isDirty && isErrorPage)) return
  event.preventDefault()
  const isSave = !isDirty || sent !== undefined
  const address = sent
  // No later page is the response to this save.
  sent = undefined
  if (isOut) {
    status(t('Not saved: you are signed out. Your text is kept'))
    const note = sourceElement instanceof HTMLFormElement && sourceElement.matches('[data-note]')
    const form = formAt(address) ?? (note ? sourceElement : undefined)
    signInAgain(() => form?.requestSubmit())
    return
  }
  const told = response?.headers?.get('x-error')
  const problem = told
    ? decodeURIComponent(told)
    : t('the service responded with {status}', { status: response?.status ?? 0 })
  const words = isSave
    ? t('Not saved: {problem}. Your text is kept', { problem })
    : t('The action failed: {problem}. Your text is kept', { problem })
  status(words)
  say(words)
}

function onFailure(): void {
  const address = sent
  sent = undefined
  status(t('Not saved: no connection. Your text is kept'))
  whenConnected(() => {
    const form = isDirty && address !== undefined ? formAt(address) : undefined
    // Only saves: publishing stays a decision.
    form?.requestSubmit()
    const words = form ? t('The connection is back. Saving…') : t('The connection is back')
    status(isDirty && !form ? unsavedWords : words)
    say(words)
  })
}

function beforeSwap(): void {
  flushRich()
  const form = formAt(sent ?? (isDirty ? dirty : undefined))
  typedSince = form ? (sent === undefined ? valuesIn(form) : changedFrom(sentValues, valuesIn(form))) : []
  before = form && sent === undefined ? { drawn: drawn(form), seen: seenIn(form)?.value ?? '' } : undefined
}

function meet(): void {
  for (const form of forms()) {
    bases.set(addressOf(form), drawnIn(form))
    void offer(form)
  }
}

function keepTyped(): void {
  const form = formAt(dirty)
  if (!form) {
    isDirty = false
    awaited = []
    meet()
    return
  }
  const seen = seenIn(form)
  // Somebody else has saved meanwhile: the old mark makes the next save report it.
  if (seen && before && before.drawn !== drawn(form)) seen.value = before.seen
  restore(form, [...typedSince, ...awaited])
  awaited = []
  status(unsavedWords)
  void keep(form)
}

function afterSwap(): void {
  if (hasProblem() && !isStored()) {
    // The next response is not about the form that was refused.
    sent = undefined
    return
  }
  if (sent === undefined) {
    if (isDirty) keepTyped()
    else meet()
    return
  }
  const address = sent
  sent = undefined
  isDirty = false
  isStale = false
  awaited = []
  forgetDraft({ user: userNow(), address, page: pageId }).catch(() => undefined)
  meet()
  const form = formAt(address)
  if (form && typedSince.length > 0) keepTypedSince(form)
}

/** Values typed during a save outlive its response: the page may show them still, and they are not stored. */
function keepTypedSince(form: HTMLFormElement): void {
  restore(form, typedSince)
  const address = addressOf(form)
  if (changedFrom(bases.get(address) ?? [], valuesIn(form)).length === 0) return
  isDirty = true
  dirty = address
  status(unsavedWords)
  void keep(form)
}

function onSubmit(event: SubmitEvent): void {
  const form = event.target
  if (!(form instanceof HTMLFormElement)) return
  // A submit that only asks for other fields saves nothing: the form stays unsaved.
  if (event.submitter?.getAttribute('name') === 'form_show') return
  stopWaiting()
  if (isDirty) status(t('Saving…'))
  const isDraft = form.dataset.draft !== undefined
  sent = isDraft ? addressOf(form) : undefined
  sentValues = isDraft ? valuesIn(form) : []
  // A form that loads its answer leaves on purpose.
  if (!form.hasAttribute('hx-post')) isDirty = false
  if (!addressOf(form).endsWith('/sign-out')) return
  event.preventDefault()
  const leave = () => form.submit()
  forgetDraftsOf(userNow()).then(leave, leave)
}

function sayTouched({ target }: Event): void {
  flushRich()
  if (!(target instanceof HTMLFormElement) || target.dataset.draft === undefined) return
  const base = bases.get(addressOf(target))
  const member = target.elements.namedItem('form_touched')
  if (base && member instanceof HTMLInputElement)
    member.value = JSON.stringify(changedFrom(base, valuesIn(target)).map(([name]) => name))
}

/** Starts to keep typed values as drafts. */
export function startDrafts(): void {
  if (!hasProblem()) meet()
  forgetOldDrafts().catch(() => undefined)
  document.addEventListener('input', onInput)
  document.addEventListener('submit', sayTouched, { capture: true })
  document.addEventListener('submit', onSubmit)
  document.addEventListener('htmx:before:swap', onAnswer)
  document.addEventListener('htmx:before:swap', beforeSwap)
  document.addEventListener('htmx:after:swap', afterSwap)
  document.addEventListener('htmx:error', onFailure)
  addEventListener('beforeunload', event => {
    if (isDirty) event.preventDefault()
  })
  addEventListener('pagehide', () => {
    flushRich()
    const form = formAt(isDirty ? dirty : undefined)
    if (form) keepDraft(draftOf(form)).catch(() => undefined)
  })
}
