import type { Kept } from './draft-store.js'
import { button, element } from './elements.js'
import { locale, t } from './text.js'

const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })

interface Answers {
  /** @param draft the draft to restore */
  take(draft: Kept): void
  forget(draft: Kept): void
}

function noteFor(draft: Kept, isOther: boolean, { take, forget }: Answers): HTMLElement {
  const typed = t('Unsaved text from {time}.', { time: moment.format(draft.at) })
  const since = isOther ? [t('Somebody else has saved this entry since. Save to see the differences.')] : []
  const words = [typed, ...since].join(' ')
  const answer = (text: string, act: (one: Kept) => void) =>
    button(text, () => {
      act(draft)
      note.remove()
    })
  const actions = element(
    'div',
    { class: 'actions' },
    answer(t('Restore'), take),
    answer(t('Discard'), forget),
  )
  const body = element('div', {}, element('p', {}, words), actions)
  const note = element('div', { class: 'note offered' }, body)
  return note
}

/** Offers drafts that were never saved, at the head of their form. @param seen the mark of the record as it is now */
export function offerDrafts(
  form: HTMLFormElement,
  drafts: readonly Kept[],
  seen: string,
  answers: Answers,
): void {
  for (const old of form.querySelectorAll('.offered')) old.remove()
  form.prepend(...drafts.map(draft => noteFor(draft, draft.seen !== seen, answers)))
}
