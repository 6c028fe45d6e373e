import { type Command, type EditorState, Plugin, PluginKey, type Transaction } from 'prosemirror-state'
import type { EditorView } from 'prosemirror-view'
import { element, iconAt } from '../elements.js'
import { say } from '../say.js'
import { count, t } from '../text.js'
import { blockActions, markActions, styles } from './commands.js'
import { besideText } from './place.js'

/** A command of the menu. */
export interface SlashItem {
  readonly label: string
  readonly icon: string
  readonly words: string
  run(view: EditorView): void
}

const byCommand =
  (run: Command): SlashItem['run'] =>
  view => {
    run(view.state, view.dispatch, view)
  }

const styleIcon = (value: string) =>
  value === 'code_block' ? 'html' : value === 'paragraph' ? 'text' : 'heading'

/** The commands of the toolbar that insert something or change the style of a line. */
export const slashItems = (more: readonly SlashItem[]): readonly SlashItem[] => [
  ...styles.map(([value, word, run]) => ({
    label: value === 'code_block' ? t('Code block') : word,
    icon: styleIcon(value),
    words: value,
    run: byCommand(run),
  })),
  ...blockActions.map(({ name, label, icon, run }) => ({ label, icon, words: name, run: byCommand(run) })),
  ...more,
  ...markActions.map(({ name, label, icon, run }) => ({ label, icon, words: name, run: byCommand(run) })),
]

interface Open {
  readonly from: number
  readonly query: string
  readonly at: number
}

const key = new PluginKey<Open | null>('slash')

const found = (items: readonly SlashItem[], query: string) => {
  const asked = query.toLowerCase()
  const isIn = (one: SlashItem) =>
    one.label.toLowerCase().includes(asked) || one.words.split(' ').some(word => word.startsWith(asked))
  const first = items.filter(({ label }) => label.toLowerCase().startsWith(asked))
  return [...first, ...items.filter(one => !first.includes(one) && isIn(one))]
}

function next(transaction: Transaction, open: Open, { doc, selection }: EditorState): Open | null {
  if (!transaction.docChanged && !transaction.selectionSet) return open
  const from = transaction.mapping.map(open.from, -1)
  const { $from, empty, from: cursor } = selection
  if (!empty || cursor <= from || $from.start() > from) return null
  const text = doc.textBetween(from, cursor, '\n', '￼')
  if (!text.startsWith('/') || /\s$/.test(text)) return null
  const query = text.slice(1)
  return { from, query, at: query === open.query ? open.at : 0 }
}

function isPlace({ selection: { $from, empty } }: EditorState): boolean {
  if (!empty || $from.parent.type.spec.code) return false
  const before = $from.parent.textBetween(Math.max(0, $from.parentOffset - 1), $from.parentOffset, null, '￼')
  return before === '' || /\s/.test(before)
}

class Menu {
  private readonly list: HTMLElement
  private shown = ''

  constructor(
    private readonly view: EditorView,
    private readonly items: readonly SlashItem[],
    private readonly id: string,
    private readonly choose: (item: SlashItem) => void,
  ) {
    this.list = element('ul', {
      class: 'slash',
      id,
      role: 'listbox',
      'aria-label': t('Commands'),
      tabindex: '0',
      hidden: '',
    })
    this.list.addEventListener('mousedown', event => {
      event.preventDefault()
      const row = event.target instanceof Element ? event.target.closest('[role=option]') : null
      const item = row && this.rows()[[...this.list.children].indexOf(row)]
      if (item) this.choose(item)
    })
    view.dom.parentElement?.append(this.list)
  }

  rows(): readonly SlashItem[] {
    return found(this.items, key.getState(this.view.state)?.query ?? '')
  }

  update(icons: string): void {
    const open = key.getState(this.view.state)
    this.list.hidden = !open
    if (!open) {
      this.shown = ''
      return
    }
    const rows = this.rows()
    const shown = `/${open.query}`
    if (shown !== this.shown) {
      this.shown = shown
      this.list.replaceChildren(
        ...rows.map(({ label, icon }, i) =>
          element('li', { id: `${this.id}-${i}`, role: 'option' }, iconAt(`${icons}#${icon}`), label),
        ),
      )
      say(count(rows.length, '{n} command', '{n} commands'))
    }
    for (const [i, row] of [...this.list.children].entries())
      row.setAttribute('aria-selected', String(i === open.at))
    besideText(this.view, this.list, open.from, open.from, 'below')
    this.list.children[open.at]?.scrollIntoView({ block: 'nearest' })
  }

  destroy(): void {
    this.list.remove()
  }
}

/** The menu of commands that a slash opens; typing filters it. */
export function slashMenu(items: readonly SlashItem[], id: string, icons: string): Plugin<Open | null> {
  const close = (view: EditorView) => view.dispatch(view.state.tr.setMeta(key, null))
  const choose = (view: EditorView, { run }: SlashItem) => {
    const open = key.getState(view.state)
    if (!open) return
    view.dispatch(view.state.tr.setMeta(key, null).delete(open.from, view.state.selection.from))
    view.focus()
    run(view)
  }
  const go = (view: EditorView, by: number, open: Open, count: number) =>
    view.dispatch(view.state.tr.setMeta(key, { ...open, at: (open.at + by + count) % count }))
  return new Plugin<Open | null>({
    key,
    state: {
      init: () => null,
      apply(transaction, open, _before, state) {
        const told = transaction.getMeta(key) as Open | null | undefined
        if (told !== undefined) return told
        const now = open && next(transaction, open, state)
        return now && found(items, now.query).length > 0 ? now : null
      },
    },
    view(view) {
      const menu = new Menu(view, items, id, item => choose(view, item))
      return { update: () => menu.update(icons), destroy: () => menu.destroy() }
    },
    props: {
      attributes(state): Record<string, string> {
        const open = key.getState(state)
        if (!open) return {}
        return {
          'aria-haspopup': 'listbox',
          'aria-controls': id,
          'aria-activedescendant': `${id}-${open.at}`,
        }
      },
      handleTextInput(view, from, to, text) {
        if (text !== '/' || from !== to || !isPlace(view.state)) return false
        view.dispatch(view.state.tr.insertText('/', from).setMeta(key, { from, query: '', at: 0 }))
        return true
      },
      handleKeyDown(view, event) {
        const open = key.getState(view.state)
        if (!open || event.isComposing) return false
        const rows = found(items, open.query)
        const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
        const item = rows[open.at]
        if (by !== undefined) go(view, by, open, rows.length)
        else if (event.key === 'Escape') close(view)
        else if ((event.key === 'Enter' || event.key === 'Tab') && item) choose(view, item)
        else return false
        return true
      },
      handleDOMEvents: {
        blur(view) {
          if (key.getState(view.state)) close(view)
        },
      },
    },
  })
}
