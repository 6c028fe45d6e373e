import type { Command, EditorState } from 'prosemirror-state'
import { isInTable } from 'prosemirror-tables'
import type { EditorView } from 'prosemirror-view'
import { element, iconAt } from '../elements.js'
import { t } from '../text.js'
import {
  type Action,
  blockActions,
  historyActions,
  markActions,
  styleOf,
  styles,
  tableActions,
} from './commands.js'

/** A button that opens a dialog, or shows the text as HTML. */
export interface Extra {
  readonly label: string
  readonly icon: string
  readonly keys?: string
  run(): void
  isOn?(state: EditorState): boolean
}

const isApple = /Mac|iP(hone|ad|od)/.test(navigator.platform)
const shownKeys = (keys: string) =>
  keys
    .replace('Mod', isApple ? '⌘' : t('Ctrl'))
    .replace('Shift', t('Shift'))
    .replaceAll('-', isApple ? '' : ' ')
    .replace(/\w$/, key => key.toUpperCase())

const tool = (kind: string, attributes: Readonly<Record<string, string>>, content: Node | string) =>
  element('button', { type: 'button', class: kind, tabindex: '-1', ...attributes }, content)

function iconTool({ label, icon, keys }: { label: string; icon: string; keys?: string }, icons: string) {
  const title = keys ? `${label} (${shownKeys(keys)})` : label
  return tool('tool', { 'aria-label': label, title }, iconAt(`${icons}#${icon}`))
}

const group = (...parts: Element[]) => element('span', { class: 'tools' }, ...parts)

/** The toolbar of an editor: one stop of Tab; arrow keys move between its buttons. */
export class Toolbar {
  readonly element = element('div', { class: 'toolbar', role: 'toolbar' })
  private readonly style = element('select', { class: 'input', 'aria-label': t('Style'), tabindex: '-1' })
  private readonly buttons: {
    element: HTMLButtonElement
    isOn: ((state: EditorState) => boolean) | undefined
    run?: Command
  }[] = []
  private readonly table: HTMLElement

  constructor(
    private readonly view: () => EditorView,
    private readonly icons: string,
    extras: { readonly text: readonly Extra[]; readonly last: readonly Extra[] },
  ) {
    const { element: bar } = this
    this.table = group(...tableActions.map(([word, run]) => this.word(word, run)))
    this.table.hidden = true
    bar.append(
      this.styleChoice(),
      group(...markActions.map(one => this.action(one))),
      group(...extras.text.map(one => this.extra(one))),
      group(...blockActions.map(one => this.action(one))),
      group(...historyActions.map(one => this.action(one)), ...extras.last.map(one => this.extra(one))),
      this.table,
    )
    bar.addEventListener('keydown', event => this.onKey(event))
    // A press on a button leaves the selection where it is.
    bar.addEventListener('mousedown', event => {
      if (!(event.target instanceof HTMLSelectElement)) event.preventDefault()
    })
    this.stops()[0]?.setAttribute('tabindex', '0')
  }

  update(state: EditorState): void {
    this.style.value = styleOf(state)
    this.table.hidden = !isInTable(state)
    for (const { element, isOn, run } of this.buttons) {
      if (isOn) element.setAttribute('aria-pressed', String(isOn(state)))
      if (run) element.setAttribute('aria-disabled', String(!run(state)))
    }
  }

  focus(): void {
    this.stops()
      .find(one => one.tabIndex === 0)
      ?.focus()
  }

  private styleChoice(): HTMLElement {
    const { style } = this
    for (const [value, word] of styles) style.add(new Option(word, value))
    style.addEventListener('input', event => event.stopPropagation())
    style.addEventListener('change', event => {
      event.stopPropagation()
      this.run(styles.find(([value]) => value === style.value)?.[2])
    })
    return style
  }

  private run(command: Command | undefined): void {
    const view = this.view()
    command?.(view.state, view.dispatch, view)
    view.focus()
  }

  private action({ run, isOn, ...shown }: Action): HTMLElement {
    const made = iconTool(shown, this.icons)
    made.addEventListener('click', () => this.run(run))
    this.buttons.push({ element: made, isOn, run })
    return made
  }

  private extra({ run, isOn, ...shown }: Extra): HTMLElement {
    const made = iconTool(shown, this.icons)
    made.addEventListener('click', run)
    this.buttons.push({ element: made, isOn })
    return made
  }

  private word(word: string, run: Command): HTMLElement {
    const made = tool('tool word', {}, word)
    made.addEventListener('click', () => this.run(run))
    return made
  }

  private stops(): HTMLElement[] {
    return [...this.element.querySelectorAll<HTMLElement>('select, button')].filter(
      one => one.closest('[hidden]') === null,
    )
  }

  private onKey(event: KeyboardEvent): void {
    const stops = this.stops()
    const at = stops.indexOf(document.activeElement as HTMLElement)
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: stops.length - 1 }[event.key]
    if (event.key === 'Escape') {
      event.preventDefault()
      this.view().focus()
    }
    if (to === undefined || at < 0) return
    event.preventDefault()
    for (const one of stops) one.tabIndex = -1
    const next = stops.at(to % stops.length)
    if (next) next.tabIndex = 0
    next?.focus()
  }
}
