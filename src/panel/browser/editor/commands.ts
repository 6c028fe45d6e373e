import { chainCommands, exitCode, lift, setBlockType, toggleMark, wrapIn } from 'prosemirror-commands'
import { redo, undo } from 'prosemirror-history'
import type { MarkType, NodeType } from 'prosemirror-model'
import { liftListItem, sinkListItem, splitListItem, wrapInList } from 'prosemirror-schema-list'
import { type Command, type EditorState, Selection } from 'prosemirror-state'
import {
  addColumnAfter,
  addRowAfter,
  deleteColumn,
  deleteRow,
  deleteTable,
  goToNextCell,
  isInTable,
  toggleHeaderRow,
} from 'prosemirror-tables'
import { t } from '../text.js'
import { codeByEnter, undoRule } from './input-rules.js'
import { schema } from './schema.js'

const { nodes, marks } = schema
const nodeType = (name: string) => nodes[name] as NodeType
const markType = (name: string) => marks[name] as MarkType

/** An action of a button or of keys. */
export interface Action {
  readonly name: string
  readonly label: string
  readonly icon: string
  readonly keys?: string
  readonly run: Command
  isOn?(state: EditorState): boolean
}

const isMarked = (type: MarkType) => (state: EditorState) => {
  const { from, $from, to, empty } = state.selection
  if (empty) return type.isInSet(state.storedMarks ?? $from.marks()) !== undefined
  return state.doc.rangeHasMark(from, to, type)
}

const isWithin = (state: EditorState, ...names: string[]): boolean => {
  const { $from } = state.selection
  for (let depth = $from.depth; depth > 0; depth--)
    if (names.includes($from.node(depth).type.name)) return true
  return false
}

const marking = (name: string, label: string, icon: string, keys?: string): Action => ({
  name,
  label,
  icon,
  ...(keys ? { keys } : {}),
  run: toggleMark(markType(name)),
  isOn: isMarked(markType(name)),
})

const toggleList =
  (name: string): Command =>
  (state, dispatch, view) => {
    const { $from } = state.selection
    const depth = [...Array($from.depth).keys()].map(i => $from.depth - i)
    const at = depth.find(d => $from.node(d).type.name.endsWith('_list'))
    if (at === undefined) return wrapInList(nodeType(name))(state, dispatch)
    if ($from.node(at).type.name === name) return liftListItem(nodeType('list_item'))(state, dispatch, view)
    dispatch?.(state.tr.setNodeMarkup($from.before(at), nodeType(name)))
    return true
  }

const toggleQuote: Command = (state, dispatch) =>
  isWithin(state, 'blockquote') ? lift(state, dispatch) : wrapIn(nodeType('blockquote'))(state, dispatch)

const insertRule: Command = (state, dispatch) => {
  dispatch?.(state.tr.replaceSelectionWith(nodeType('horizontal_rule').create()).scrollIntoView())
  return true
}

const insertTable: Command = (state, dispatch) => {
  if (isInTable(state)) return false
  // The toolbar asks after each key whether the command is possible.
  if (!dispatch) return true
  const row = (type: string, section: string) =>
    nodeType('table_row').create(
      { section },
      [nodeType(type).createAndFill() ?? [], nodeType(type).createAndFill() ?? []].flat(),
    )
  const table = nodeType('table').create(null, [row('table_header', 'thead'), row('table_cell', 'tbody')])
  const tr = state.tr.replaceSelectionWith(table)
  // The step may have moved it; the cursor goes into its first cell.
  let first: number | undefined
  tr.doc.nodesBetween(0, tr.doc.content.size, (node, at) => {
    if (node === table) first = at + 3
    return first === undefined
  })
  if (first !== undefined) tr.setSelection(Selection.near(tr.doc.resolve(first)))
  dispatch(tr.scrollIntoView())
  return true
}

const addRow: Command = (state, dispatch, view) => {
  if (!isInTable(state)) return false
  if (!dispatch || !view) return true
  addRowAfter(state, dispatch)
  return goToNextCell(1)(view.state, dispatch, view)
}

const insertBreak: Command = chainCommands(exitCode, (state, dispatch) => {
  dispatch?.(state.tr.replaceSelectionWith(nodeType('hard_break').create()).scrollIntoView())
  return true
})

export const markActions: readonly Action[] = [
  marking('strong', t('Bold'), 'bold', 'Mod-b'),
  marking('em', t('Italic'), 'italic', 'Mod-i'),
  marking('underline', t('Underline'), 'underline', 'Mod-u'),
  marking('strike', t('Strikethrough'), 'strike'),
  marking('code', t('Code'), 'code', 'Mod-e'),
  marking('sub', t('Subscript'), 'sub'),
  marking('sup', t('Superscript'), 'sup'),
]

export const blockActions: readonly Action[] = [
  {
    name: 'bullets',
    label: t('List'),
    icon: 'list',
    keys: 'Mod-Shift-8',
    run: toggleList('bullet_list'),
    isOn: state => isWithin(state, 'bullet_list'),
  },
  {
    name: 'numbers',
    label: t('Numbered list'),
    icon: 'numbers',
    keys: 'Mod-Shift-7',
    run: toggleList('ordered_list'),
    isOn: state => isWithin(state, 'ordered_list'),
  },
  {
    name: 'quote',
    label: t('Quote'),
    icon: 'quote',
    keys: 'Mod-Shift-9',
    run: toggleQuote,
    isOn: state => isWithin(state, 'blockquote'),
  },
  { name: 'table', label: t('Table'), icon: 'table', run: insertTable, isOn: isInTable },
  { name: 'rule', label: t('Horizontal line'), icon: 'rule', run: insertRule },
]

export const historyActions: readonly Action[] = [
  { name: 'undo', label: t('Undo'), icon: 'undo', run: undo },
  { name: 'redo', label: t('Redo'), icon: 'redo', run: redo },
]

/** Actions that the editor offers while the cursor is in a table. */
export const tableActions: readonly (readonly [word: string, run: Command])[] = [
  [t('Add row'), addRowAfter],
  [t('Add column'), addColumnAfter],
  [t('Header row'), toggleHeaderRow],
  [t('Remove row'), deleteRow],
  [t('Remove column'), deleteColumn],
  [t('Remove table'), deleteTable],
]

/** Styles of a block of text, as the choices of the toolbar. */
export const styles: readonly (readonly [value: string, word: string, run: Command])[] = [
  ['paragraph', t('Text'), setBlockType(nodeType('paragraph'))],
  ...[1, 2, 3, 4, 5, 6].map(
    level =>
      [`h${level}`, t('Heading {level}', { level }), setBlockType(nodeType('heading'), { level })] as const,
  ),
  ['code_block', t('Code'), setBlockType(nodeType('code_block'))],
]

export function styleOf({ selection: { $from } }: EditorState): string {
  const { type, attrs } = $from.parent
  if (type.name === 'heading') return `h${attrs.level}`
  return type.name === 'code_block' ? 'code_block' : 'paragraph'
}

const item = nodeType('list_item')

export const keys: Readonly<Record<string, Command>> = {
  ...Object.fromEntries(
    [...markActions, ...blockActions].flatMap(({ keys, run }) => (keys ? [[keys, run]] : [])),
  ),
  // The first Undo after an input rule restores the text that was typed; the next ones undo steps.
  'Mod-z': chainCommands(undoRule, undo),
  Backspace: undoRule,
  'Mod-y': redo,
  'Shift-Mod-z': redo,
  ...Object.fromEntries(styles.slice(0, 7).map(([, , run], level) => [`Mod-Alt-${level}`, run])),
  Enter: chainCommands(codeByEnter, splitListItem(item)),
  'Shift-Enter': insertBreak,
  Tab: chainCommands(goToNextCell(1), addRow, sinkListItem(item)),
  'Shift-Tab': chainCommands(goToNextCell(-1), liftListItem(item)),
}
