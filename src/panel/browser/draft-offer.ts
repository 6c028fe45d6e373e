import type { Kept } from './draft-store.js'

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

interface Answers {
  /** @param draft what is wanted back */
  take(draft: Kept): void
  forget(draft: Kept): void
}

function button(text: string, act: () => void): HTMLButtonElement {
  const made = document.createElement('button')
  made.type = 'button'
  made.className = 'button'
  made.textContent = text
  made.addEventListener('click', act)
  return made
}

function noteFor(draft: Kept, isOther: boolean, { take, forget }: Answers): HTMLElement {
  const note = document.createElement('div')
  note.className = 'note offered'
  const words = document.createElement('p')
  const since = isOther ? ' It was saved by somebody since; saving will show what differs.' : ''
  words.textContent = `You typed something here that was not saved, ${moment.format(draft.at)}.${since}`
  const actions = document.createElement('div')
  actions.className = 'actions'
  const answer = (text: string, act: (one: Kept) => void) =>
    button(text, () => {
      act(draft)
      note.remove()
    })
  actions.append(answer('Bring it back', take), answer('Forget it', forget))
  const body = document.createElement('div')
  body.append(words, actions)
  note.append(body)
  return note
}

/** Shows what was typed before and never saved, at the head of its form. @param seen the mark of the record as it is now */
export function offerDrafts(
  form: HTMLFormElement,
  drafts: readonly Kept[],
  seen: string,
  answers: Answers,
): void {
  for (const old of form.querySelectorAll('.offered')) old.remove()
  form.prepend(...drafts.map(draft => noteFor(draft, draft.seen !== seen, answers)))
}
