import { button } from './elements.js'
import { say } from './say.js'
import { count } from './text.js'

/** Comments beside a form: the way to them from a field, and suggestions of names while one is typed. */

const maxNames = 5

type Name = readonly [username: string, name: string]

const box = () => {
  return document.querySelector<HTMLTextAreaElement>('textarea[data-names]') ?? undefined
}
const list = () => document.getElementById('comment-names')

function goTo(mark: HTMLAnchorElement): boolean {
  const text = box()
  const side = text?.closest<HTMLElement>('[popover]')
  if (!text) return false
  if (side && !text.checkVisibility()) side.showPopover()
  const about = document.getElementById('comment-about')
  if (about instanceof HTMLSelectElement) about.value = mark.dataset.about ?? ''
  const group = document.getElementById(mark.hash.slice(1))
  const isSome = group !== null && group.id !== 'comments'
  const target = isSome ? group : text
  target.scrollIntoView({ block: 'center' })
  target.focus({ preventScroll: true })
  return true
}

/** The part of a name before the caret, behind `@`; undefined elsewhere. */
function typedIn({ value, selectionStart }: HTMLTextAreaElement): string | undefined {
  return /(?:^|[\s(["'])@([^\s@]*)$/.exec(value.slice(0, selectionStart))?.[1]
}

function insert(text: HTMLTextAreaElement, typed: string, username: string): void {
  const at = text.selectionStart
  text.setRangeText(`${username} `, at - typed.length, at, 'end')
  hideNames()
  text.focus()
}

function hideNames(): void {
  const names = list()
  if (!names || names.hidden) return
  names.replaceChildren()
  names.hidden = true
}

function namesWith(text: string, { dataset }: HTMLTextAreaElement): readonly Name[] {
  const known = JSON.parse(dataset.names ?? '[]') as readonly Name[]
  return known.filter(name => name.some(part => part.toLowerCase().includes(text))).slice(0, maxNames)
}

function suggest(text: HTMLTextAreaElement): void {
  const names = list()
  const typed = typedIn(text)
  const found = typed === undefined ? [] : namesWith(typed.toLowerCase(), text)
  if (!names || typed === undefined || found.length === 0) {
    hideNames()
    return
  }
  names.replaceChildren(
    ...found.map(([username, name]) => {
      const word = name === username ? `@${username}` : `@${username} · ${name}`
      return button(word, () => insert(text, typed, username), 'small')
    }),
  )
  names.hidden = false
  names.scrollIntoView({ block: 'nearest' })
  say(count(found.length, '{n} person. Press Tab to choose', '{n} people. Press Tab to choose'))
}

/** Starts comments. */
export function startComments(): void {
  document.addEventListener('click', event => {
    const mark = event.target instanceof Element ? event.target.closest('a[data-about]') : null
    if (mark instanceof HTMLAnchorElement && goTo(mark)) event.preventDefault()
  })
  document.addEventListener('input', ({ target }) => {
    const text = box()
    if (text && target === text) suggest(text)
  })
  document.addEventListener('keydown', event => {
    const names = list()
    if (event.key !== 'Escape' || !names || names.hidden) return
    event.stopPropagation()
    hideNames()
    box()?.focus()
  })
}
