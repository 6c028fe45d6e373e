import type { Node } from 'prosemirror-model'
import type { NodeView } from 'prosemirror-view'
import { button, element } from '../elements.js'
import { t } from '../text.js'

const attributes = ['src', 'alt', 'title', 'width', 'height']

/** A picture. Without alt text it has a button that asks for it. */
export class PictureView implements NodeView {
  readonly dom = element('span', { class: 'picture' })
  private readonly image = element('img')
  private readonly ask: HTMLButtonElement

  constructor(node: Node, onAsk: () => void) {
    this.ask = button(t('Add alt text'), onAsk, 'small')
    this.dom.append(this.image, this.ask)
    this.show(node)
  }

  update(node: Node): boolean {
    if (node.type.name !== 'image') return false
    this.show(node)
    return true
  }

  stopEvent(event: Event): boolean {
    return event.target === this.ask
  }

  ignoreMutation(): boolean {
    return true
  }

  private show({ attrs }: Node): void {
    for (const name of attributes) {
      const value = attrs[name]
      if (value === null || (value === '' && name !== 'alt')) this.image.removeAttribute(name)
      else if (this.image.getAttribute(name) !== value) this.image.setAttribute(name, value)
    }
    // The button says that the alt text is missing.
    if (attrs.alt === null) this.image.alt = ''
    this.ask.hidden = attrs.alt !== null
  }
}
