import { valuesIn } from './form-values.js'
import { flushRich } from './rich.js'

/**
 * One write at a time. What is sent during a write waits for its response, because that has the mark of the last save: with
 * the mark before it, a save would find its own values and take them for somebody else's. A second click that would send the
 * same again sends nothing.
 */

interface Answer {
  ctx?: { request?: { method?: string }; response?: { status?: number } }
}
const ctxOf = (event: Event) => (event as CustomEvent<Answer>).detail.ctx

interface Send {
  readonly form: HTMLFormElement
  readonly address: string | null
  readonly name: string
  readonly value: string
  readonly values: string
}

interface Turn {
  readonly sent?: Send
  take(): void
  /** The write before was refused: what waits was meant for the page after it. */
  drop?(problem: Error): void
}

const pending = new Set<object>()
const waiting: Turn[] = []
let [begun, isTaken] = [0, false]
let last: Send | undefined

/** Whether a response to a write is pending. */
export const isWriting = (): boolean => pending.size > 0 || waiting.length > 0

/** How many writes this page has begun. */
export const writesBegun = (): number => begun

/** Waits until no other write is pending. @throws if the write before was refused */
export const myTurn = (): Promise<void> =>
  new Promise((resolve, drop) => {
    const take = () => {
      last = undefined
      resolve()
    }
    if (isWriting()) waiting.push({ take, drop })
    else take()
  })

function next(): void {
  if (pending.size > 0) return
  const turn = waiting.shift()
  isTaken = true
  turn?.take()
  isTaken = false
  // A turn may have nothing to send any more.
  if (waiting.length > 0) setTimeout(next)
}

const isSameButton = (one: Send, other: Send | undefined) =>
  one.form === other?.form && one.name === other.name && one.value === other.value

/** Sends the form as the new page has it, by the same button. */
function send({ form, address, name, value }: Send): void {
  const isIt = (one: Element) => one.getAttribute('action') === address
  const forms = [form, ...document.querySelectorAll<HTMLFormElement>('form[hx-post]')]
  const now = forms.find(one => one.isConnected && isIt(one))
  const button = [...(now?.elements ?? [])].find(
    (one): one is HTMLButtonElement =>
      one instanceof HTMLButtonElement && one.type === 'submit' && one.name === name && one.value === value,
  )
  if (button || name === '') now?.requestSubmit(button)
}

function onSubmit(event: SubmitEvent): void {
  const { target: form, submitter } = event
  if (!(form instanceof HTMLFormElement) || !form.hasAttribute('hx-post')) return
  flushRich()
  const [name, value] = submitter instanceof HTMLButtonElement ? [submitter.name, submitter.value] : ['', '']
  const address = form.getAttribute('action')
  const sent = { form, address, name, value, values: JSON.stringify(valuesIn(form)) }
  if (isTaken || !isWriting()) {
    last = sent
    return
  }
  event.preventDefault()
  event.stopImmediatePropagation()
  const isDouble = isSameButton(sent, last) && sent.values === last?.values
  if (isDouble || waiting.some(turn => isSameButton(sent, turn.sent))) return
  waiting.push({ sent, take: () => send(sent) })
}

let goal: string | undefined

/** Opens a page once no write is pending: leaving would end its request. After a refusal the page stays. */
export function leaveFor(address: string): void {
  const isWaiting = goal !== undefined
  goal = address
  if (isWaiting) return
  const leave = () => {
    if (goal !== undefined) location.assign(goal)
    goal = undefined
  }
  myTurn().then(leave, () => {
    goal = undefined
  })
}

const withoutHash = (address: string) => address.split('#')[0]

function onLink(event: MouseEvent): void {
  const { target, ctrlKey, metaKey, shiftKey, altKey } = event
  const link = target instanceof Element ? target.closest<HTMLAnchorElement>('a[href]') : null
  const isElsewhere =
    ctrlKey || metaKey || shiftKey || altKey || link?.target || link?.hasAttribute('download')
  if (!link || isElsewhere || event.defaultPrevented || !isWriting()) return
  if (withoutHash(link.href) === withoutHash(location.href)) return
  event.preventDefault()
  leaveFor(link.href)
}

/** Starts to send one after another. */
export function startTurns(): void {
  document.addEventListener('submit', onSubmit, { capture: true })
  // After the handlers of the page.
  addEventListener('click', onLink)
  document.addEventListener('htmx:before:request', event => {
    const ctx = ctxOf(event)
    if (ctx?.request?.method !== 'POST') return
    pending.add(ctx)
    begun++
  })
  document.addEventListener('htmx:finally:request', event => {
    const ctx = ctxOf(event)
    if (!ctx || !pending.delete(ctx)) return
    if ((ctx.response?.status ?? 500) >= 400)
      for (const { drop } of waiting.splice(0)) drop?.(new Error('not sent'))
    setTimeout(next)
  })
}
