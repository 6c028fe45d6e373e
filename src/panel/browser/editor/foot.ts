import type { Node } from 'prosemirror-model'
import { element } from '../elements.js'
import { say } from '../say.js'
import { count, locale, t } from '../text.js'

const restMs = 600
const wordsAMinute = 230

const word = /[\p{L}\p{N}]+(?:['’.-][\p{L}\p{N}]+)*/gu

function countedIn(doc: Node): string {
  const words = doc.textBetween(0, doc.content.size, ' ', ' ').match(word)?.length ?? 0
  if (words === 0) return t('0 words')
  const minutes = Math.max(1, Math.round(words / wordsAMinute))
  return t('{words} · {minutes} min read', {
    words: count(words, '{n} word', '{n} words', { n: words.toLocaleString(locale) }),
    minutes,
  })
}

/** The line below a text: its length, and problems. */
export class Foot {
  readonly element = element('div', { class: 'rich-foot' })
  private readonly note = element('p', { class: 'rich-note', hidden: '' })
  private readonly words = element('span', { class: 'rich-words' })
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor() {
    this.element.append(this.note, this.words)
  }

  tell(text: string): void {
    this.note.textContent = text
    this.note.hidden = false
    say(text)
  }

  countSoon(doc: () => Node): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.count(doc()), restMs)
  }

  count(doc: Node): void {
    const text = countedIn(doc)
    if (this.words.textContent !== text) this.words.textContent = text
  }

  destroy(): void {
    clearTimeout(this.timer)
  }
}
