import htmx from 'htmx.org/dist/htmx.esm.js'
import { hasUnsaved } from './drafts.js'
import { element } from './elements.js'
import { isWriting, writesBegun } from './in-turn.js'
import { onContent } from './live.js'
import { hasUnsent } from './notes.js'
import { say } from './say.js'
import { noteSignedOut } from './sign-in-again.js'
import { t } from './text.js'

const noteMs = 20_000

interface State {
  readonly others: readonly string[]
  readonly mark: string
  readonly talk: string
  readonly root: string
}

const entry = /^(.*)\/content\/entry\/(\w{26})$/
let timer: ReturnType<typeof setInterval> | undefined
let root = ''
/** One request at a time; events during it cause another one afterwards. */
let asking = false
let isStale = false
/** The mark that the page was last reloaded for: it is reloaded once for each. */
let loaded = ''
/** Whether the last reload has come through. */
let isShown = false

function addressOf(): string | undefined {
  const [, base, id] = entry.exec(location.pathname) ?? []
  return id === undefined ? undefined : `${base}/presence/${id}`
}

const talkMark = () => document.querySelector<HTMLElement>('[data-talk]')?.dataset.talk ?? ''
const seenMark = () => document.querySelector<HTMLInputElement>('#form [name=seen]')?.value

function body(): URLSearchParams {
  const token = document.querySelector<HTMLInputElement>('[name=form_token]')?.value ?? ''
  return new URLSearchParams({ form_token: token })
}

function showOthers(others: readonly string[]): void {
  const line = document.querySelector('#presence')
  if (!line) return
  const [first] = others
  const wordsFor = (name: string) =>
    others.length === 1
      ? t('{name} has this page open too', { name })
      : t('{name} and {n} more have this page open too', { name, n: others.length - 1 })
  const text = first === undefined ? '' : wordsFor(first)
  if (line.textContent === text) return
  line.textContent = text
  line.setAttribute('title', others.join(', '))
}

/** Reloads the page, and keeps the caret. @returns whether the page is shown */
async function reload(): Promise<boolean> {
  const at = document.activeElement
  isShown = false
  const page = { target: '#app', select: '#app', swap: 'outerMorph', newsAfter: writesBegun() }
  await htmx.ajax('GET', location.href, page)
  const isLost = document.activeElement === document.body
  if (isLost && at instanceof HTMLElement && at.isConnected) at.focus({ preventScroll: true })
  return isShown
}

interface Answer {
  ctx?: { newsAfter?: number; response?: { status?: number; raw?: { redirected: boolean } } }
}
const answerIn = (event: Event) => (event as CustomEvent<Answer>).detail.ctx

/**
 * Keeps a reload from the page if it may show what was there before a write of this page, or if it is another page, such as
 * the one to sign in.
 */
function onNews(event: Event): void {
  const { newsAfter, response } = answerIn(event) ?? {}
  if (newsAfter === undefined) return
  const isOther = response?.raw?.redirected === true
  isShown = newsAfter === writesBegun() && !isOther && (response?.status ?? 500) < 400
  if (isShown) return
  event.preventDefault()
  event.stopPropagation()
  if (isOther) noteSignedOut()
}

/** @param isSaved whether the entry was saved, and not only a comment or review changed */
async function showChange(mark: string, isSaved: boolean): Promise<void> {
  if (!hasUnsaved() && !hasUnsent()) {
    if (loaded === mark || !(await reload())) return
    loaded = mark
    if (isSaved) say(t('Saved elsewhere. This page is now up to date'))
    return
  }
  if (!isSaved) return
  if (document.querySelector('#elsewhere')) return
  const words = hasUnsaved()
    ? t(
        'This entry was saved elsewhere in the meantime. Your text is still here. Save to see the differences.',
      )
    : t('This entry was saved elsewhere in the meantime. Send your text to see the new version.')
  const note = { id: 'elsewhere', class: 'note', role: 'status' }
  document.querySelector('#form')?.before(element('div', note, element('p', {}, words)))
}

async function ask(): Promise<void> {
  const address = addressOf()
  if (address === undefined || document.hidden) return
  if (asking) {
    isStale = true
    return
  }
  asking = true
  isStale = false
  try {
    const [before, talk] = [seenMark(), talkMark()]
    const answer = await fetch(address, { method: 'POST', body: body() })
    if (answer.headers.has('x-signed-out')) noteSignedOut()
    if (!answer.ok) return
    const state = (await answer.json()) as State
    root = state.root
    showOthers(state.others)
    const shown = seenMark()
    // An own save may have come in between.
    const isSame = shown !== undefined && shown === before && talkMark() === talk
    const isSaved = shown !== state.mark
    if (isSame && !isWriting() && (isSaved || talk !== state.talk))
      await showChange(`${state.mark} ${state.talk}`, isSaved)
  } catch {
    // No connection.: the next request tries again.
  } finally {
    asking = false
    if (isStale) void ask()
  }
}

/** Polls only while the tab is visible. */
function follow(): void {
  clearInterval(timer)
  timer = undefined
  if (document.hidden || addressOf() === undefined) return
  timer = setInterval(() => void ask(), noteMs)
  void ask()
}

/** Starts to show who else has the entry open, and changes saved elsewhere. */
export function startPresence(): void {
  document.addEventListener('visibilitychange', follow)
  document.addEventListener('signed-in', follow)
  document.addEventListener('htmx:before:swap', onNews, { capture: true })
  document.addEventListener(
    'htmx:error',
    event => {
      // The next request tries again; it says nothing of a save.
      if (answerIn(event)?.newsAfter !== undefined) event.stopPropagation()
    },
    { capture: true },
  )
  // A new page comes into the page of its form.
  document.addEventListener('htmx:after:swap', () => (timer === undefined ? follow() : void ask()))
  addEventListener('pagehide', () => {
    const address = addressOf()
    if (address !== undefined) navigator.sendBeacon(`${address}/leave`, body())
  })
  // The stream reports changes of the public space only. The next poll finds those of the admin space.
  onContent(({ all, roots }) => {
    if (all || roots.includes(root)) void ask()
  })
  follow()
}
