import type { Node } from 'prosemirror-model'
import type { EditorView, NodeView } from 'prosemirror-view'
import { openRoughly } from './open.js'

/** A part that is kept as it is, with a way to write in it that says what this costs. */
export class OpaqueView implements NodeView {
  readonly dom = document.createElement('div')

  constructor(node: Node, view: EditorView, position: () => number | undefined) {
    this.dom.className = 'opaque'
    const words = document.createElement('p')
    words.textContent = 'HTML that is kept as it is. '
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'button'
    button.textContent = 'Make it text'
    button.title = 'What the editor does not know goes; Undo brings it back'
    button.addEventListener('click', () => {
      const at = position()
      if (at === undefined) return
      const doc = openRoughly(String(node.attrs.html))
      view.dispatch(view.state.tr.replaceWith(at, at + node.nodeSize, doc.content))
      view.focus()
    })
    const code = document.createElement('pre')
    code.textContent = String(node.attrs.html)
    words.append(button)
    this.dom.append(words, code)
  }

  stopEvent(event: Event): boolean {
    return event.target instanceof HTMLButtonElement
  }

  ignoreMutation(): boolean {
    return true
  }
}
