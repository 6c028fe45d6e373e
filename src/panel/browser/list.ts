import { button, element } from './elements.js'
import { say } from './say.js'
import { t } from './text.js'

const pauseMs = 350

const chosen = new Set<string>()
let anchor: string | undefined

const list = () => document.querySelector<HTMLFormElement>('form.work-list')
const boxes = () => [...(list()?.querySelectorAll<HTMLInputElement>('input[name=ids]') ?? [])]
const selectedWords = () => t('{n} selected', { n: chosen.size })

function draw(): void {
  const all = boxes()
  const there = new Set(all.map(({ value }) => value))
  for (const id of [...chosen]) if (!there.has(id)) chosen.delete(id)
  for (const box of all) box.checked = chosen.has(box.value)
  const form = list()
  const every = form?.querySelector<HTMLInputElement>('[data-pick-all] input')
  if (every) {
    every.checked = all.length > 0 && chosen.size === all.length
    every.indeterminate = chosen.size > 0 && !every.checked
  }
  const bar = form?.querySelector<HTMLElement>('.work-bar')
  if (bar) bar.hidden = chosen.size === 0
  const words = form?.querySelector('[data-picked]')
  if (words) words.textContent = selectedWords()
}

function choose(ids: readonly string[], isChosen: boolean): void {
  for (const id of ids)
    if (isChosen) chosen.add(id)
    else chosen.delete(id)
  draw()
  say(selectedWords())
}

const allIds = () => boxes().map(({ value }) => value)

function addAll(): void {
  const place = list()?.querySelector<HTMLElement>('[data-pick-all]')
  if (place && place.childElementCount === 0) {
    const words = t('Select all {n}', { n: place.dataset.pickAll ?? '' })
    const box = element('input', { type: 'checkbox', 'aria-label': words, title: words })
    box.addEventListener('change', () => choose(allIds(), box.checked))
    place.append(box)
  }
  const bar = list()?.querySelector('.work-bar')
  if (!bar || bar.querySelector('[data-pick-more]')) return
  const more = button(t('Select all {n}', { n: boxes().length }), () => choose(allIds(), true), 'bare')
  more.dataset.pickMore = ''
  const none = button(t('Clear'), () => choose([...chosen], false), 'bare')
  bar.querySelector('[data-picked]')?.after(more, none)
}

/** Chooses a row; with Shift all rows from the last chosen one. */
function onClick(event: MouseEvent): void {
  const { target } = event
  if (!(target instanceof HTMLInputElement) || target.name !== 'ids' || !list()?.contains(target)) return
  const ids = allIds()
  const [from, to] = [ids.indexOf(anchor ?? ''), ids.indexOf(target.value)]
  const isRange = event.shiftKey && from >= 0
  choose(isRange ? ids.slice(Math.min(from, to), Math.max(from, to) + 1) : [target.value], target.checked)
  anchor = target.value
}

function startFilters(): void {
  let waiting: ReturnType<typeof setTimeout> | undefined
  const formOf = (target: EventTarget | null) =>
    target instanceof Element ? target.closest<HTMLFormElement>('form[data-instant]') : null
  const send = (form: HTMLFormElement | null) => {
    clearTimeout(waiting)
    if (form?.isConnected) form.requestSubmit()
  }
  document.addEventListener('change', ({ target }) => {
    if (target instanceof HTMLSelectElement) send(formOf(target))
  })
  document.addEventListener('input', ({ target }) => {
    const form = formOf(target)
    if (!form || !(target instanceof HTMLInputElement)) return
    clearTimeout(waiting)
    waiting = setTimeout(() => send(form), pauseMs)
  })
  document.addEventListener('submit', ({ target }) => {
    if (formOf(target)) clearTimeout(waiting)
    if (target === list()) chosen.clear()
  })
}

/** Starts the selection of rows in the content list and of files in the library, for actions on several. */
export function startList(): void {
  const show = () => {
    addAll()
    draw()
  }
  for (const box of boxes()) if (box.checked) chosen.add(box.value)
  show()
  document.addEventListener('click', onClick)
  document.addEventListener('htmx:after:swap', show)
  startFilters()
}
