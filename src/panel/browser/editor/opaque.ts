import type { Node } from 'prosemirror-model'
import type { EditorView, NodeView } from 'prosemirror-view'
import { blockData } from '../../../services/content/rich-text/rules.js'
import { button, element } from '../elements.js'
import { t } from '../text.js'
import { parsed } from './document.js'
import { openRoughly } from './open.js'
import { typeNamed } from './schema.js'

/** A part that is kept unchanged, with a button to edit it that says what editing would lose. */
export class OpaqueView implements NodeView {
  readonly dom = element('div', { class: 'opaque' })

  constructor(node: Node, view: EditorView, position: () => number | undefined) {
    const open = button(t('Convert to text'), () => {
      const at = position()
      if (at === undefined) return
      const doc = openRoughly(String(node.attrs.html))
      view.dispatch(view.state.tr.replaceWith(at, at + node.nodeSize, doc.content))
      view.focus()
    })
    open.title = t('Unsupported formatting was removed. Undo restores it')
    const html = String(node.attrs.html)
    const block = parsed(html).firstElementChild
    const type = typeNamed(block?.getAttribute(blockData) ?? '')
    const text = block?.textContent ?? ''
    const said = type
      ? [element('b', {}, type), ' ', t('Block, saved unchanged.')]
      : [t('HTML, saved unchanged.')]
    const words = element('p', {}, element('span', {}, ...said), ' ', ...(type && !text ? [] : [open]))
    this.dom.append(words, element('pre', {}, type ? text : html))
  }

  stopEvent(event: Event): boolean {
    return event.target instanceof HTMLButtonElement
  }

  ignoreMutation(): boolean {
    return true
  }
}
