import { AllSelection, type EditorState, Plugin, TextSelection } from 'prosemirror-state'
import type { EditorView } from 'prosemirror-view'
import { element, iconAt } from '../elements.js'
import { t } from '../text.js'
import { type Action, markActions } from './commands.js'
import { besideText } from './place.js'

const names = ['strong', 'em', 'code']

const isText = ({ selection }: EditorState): boolean =>
  (selection instanceof TextSelection || selection instanceof AllSelection) &&
  !selection.empty &&
  !selection.$from.parent.type.spec.code

/**
 * The most used marks beside the selection, for the pointer. Keys and screen readers have the toolbar above the text
 * with the same commands.
 */
class Bubble {
  private readonly element = element('div', { class: 'bubble', 'aria-hidden': 'true', hidden: '' })
  private readonly buttons: readonly (readonly [Action, HTMLElement])[]
  private isPressed = false

  constructor(
    private readonly view: EditorView,
    icons: string,
    link: () => void,
  ) {
    const tool = (label: string, icon: string, run: () => void) => {
      const made = element(
        'button',
        { type: 'button', class: 'tool', tabindex: '-1', title: label },
        iconAt(`${icons}#${icon}`),
      )
      made.addEventListener('click', run)
      this.element.append(made)
      return made
    }
    this.buttons = markActions
      .filter(({ name }) => names.includes(name))
      .map(action => [action, tool(action.label, action.icon, () => this.run(action))])
    tool(t('Link'), 'link', link)
    // A press on a button leaves the selection where it is.
    this.element.addEventListener('mousedown', event => event.preventDefault())
    view.dom.parentElement?.append(this.element)
    view.dom.addEventListener('pointerdown', this.onPress)
    document.addEventListener('pointerup', this.onRelease)
  }

  update(view: EditorView, before: EditorState): void {
    const { state } = view
    if (state.selection.eq(before.selection) && state.doc === before.doc) return
    this.show()
  }

  hide(): void {
    this.element.hidden = true
  }

  destroy(): void {
    this.view.dom.removeEventListener('pointerdown', this.onPress)
    document.removeEventListener('pointerup', this.onRelease)
    this.element.remove()
  }

  private run({ run }: Action): void {
    run(this.view.state, this.view.dispatch, this.view)
    this.view.focus()
  }

  private show(): void {
    const { view, element } = this
    element.hidden = !isText(view.state) || this.isPressed || !view.hasFocus()
    if (element.hidden) return
    for (const [{ isOn }, made] of this.buttons)
      made.setAttribute('aria-pressed', String(isOn?.(view.state) ?? false))
    const { from, to } = view.state.selection
    // A touch screen shows its own menu above.
    const side = matchMedia('(pointer: coarse)').matches ? 'below' : 'above'
    element.hidden = !besideText(view, element, from, to, side)
  }

  private readonly onPress = (): void => {
    this.isPressed = true
    this.hide()
  }

  private readonly onRelease = (): void => {
    if (!this.isPressed) return
    this.isPressed = false
    // The editor gets the selection only after this event.
    setTimeout(() => this.show(), 20)
  }
}

/** Shows the bubble where text is selected. */
export const bubbleMenu = (icons: string, link: () => void): Plugin => {
  let bubble: Bubble | undefined
  return new Plugin({
    view(view) {
      bubble = new Bubble(view, icons, link)
      return {
        update: (view, before) => bubble?.update(view, before),
        destroy: () => bubble?.destroy(),
      }
    },
    props: {
      handleDOMEvents: {
        blur() {
          bubble?.hide()
        },
      },
    },
  })
}
