import { restore } from './restore.js'
import { say, status } from './say.js'
import { t } from './text.js'

const conflicts = () => [...document.querySelectorAll<HTMLElement>('[data-conflict]')]

const textsIn = (text: string | undefined) => JSON.parse(text ?? '[]') as string[]

function chosenText({ dataset }: HTMLElement, take: string): string[] {
  const [mine, theirs] = [textsIn(dataset.mine), textsIn(dataset.theirs)]
  if (take === 'theirs') return theirs
  return take === 'both' ? [[...theirs, ...mine].join('\n')] : mine
}

function onClick({ target }: Event): void {
  const button = target instanceof Element ? target.closest<HTMLElement>('[data-take]') : null
  const conflict = button?.closest<HTMLElement>('[data-conflict]')
  const form = conflict?.closest('form')
  const { conflict: name = '' } = conflict?.dataset ?? {}
  if (!button || !conflict || !form) return
  const values = chosenText(conflict, button.dataset.take ?? '')
  restore(form, [[name, values]])
  for (const other of conflict.querySelectorAll('[data-take]'))
    other.setAttribute('aria-pressed', String(other === button))
  say(`${conflict.getAttribute('aria-label')}: ${button.textContent}`)
}

function show(): void {
  const all = conflicts()
  for (const one of all) one.querySelector('[data-scripted]')?.removeAttribute('hidden')
  if (all.length === 0) return
  status(t('Not saved: somebody else saved'))
  say(t('Not saved: somebody else saved. Choose between the texts above the fields.'))
  all[0]?.closest('.note')?.scrollIntoView({ block: 'nearest' })
}

/** Conflicts with somebody else's changes: the user takes theirs, their own, or both. */
export function startConflicts(): void {
  show()
  document.addEventListener('click', onClick)
  document.addEventListener('htmx:after:swap', show)
}
