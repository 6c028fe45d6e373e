import { closeHistory, undo } from 'prosemirror-history'
import { InputRule, inputRules, textblockTypeInputRule, wrappingInputRule } from 'prosemirror-inputrules'
import type { Attrs, MarkType, NodeType } from 'prosemirror-model'
import type { Command, Transaction } from 'prosemirror-state'
import { isSafe } from '../../../services/content/rich-text/rules.js'
import { schema } from './schema.js'

const nodeType = (name: string) => schema.nodes[name] as NodeType
const markType = (name: string) => schema.marks[name] as MarkType

const marked = (pattern: RegExp, name: string, attrsOf?: (match: RegExpMatchArray) => Attrs | null) =>
  new InputRule(
    pattern,
    ({ tr }, match, start, end) => {
      const [whole, text = ''] = match
      const attrs = attrsOf?.(match)
      if (attrs === null) return null
      const from = start + whole.indexOf(text)
      const to = from + text.length
      if (to < end) tr.delete(to, end)
      if (from > start) tr.delete(start, from)
      const type = markType(name)
      return tr.addMark(start, start + text.length, type.create(attrs)).removeStoredMark(type)
    },
    { inCodeMark: false },
  )

const between = (sign: string) => `([^\\s${sign}](?:[^${sign}]*[^\\s${sign}])?)`

/** Markdown as it is typed. */
export const rules = inputRules({
  rules: [
    textblockTypeInputRule(/^(#{1,6})\s$/, nodeType('heading'), ([, marks = '']) => ({
      level: marks.length,
    })),
    textblockTypeInputRule(/^```[\w+#.-]*\s$/, nodeType('code_block')),
    wrappingInputRule(/^\s*[-*]\s$/, nodeType('bullet_list')),
    wrappingInputRule(/^1[.)]\s$/, nodeType('ordered_list')),
    wrappingInputRule(/^\s*>\s$/, nodeType('blockquote')),
    marked(new RegExp(`(?<![\\w*])\\*\\*${between('*')}\\*\\*$`), 'strong'),
    marked(new RegExp(`(?<![\\w_])__${between('_')}__$`), 'strong'),
    marked(new RegExp(`(?<![\\w*])\\*${between('*')}\\*$`), 'em'),
    marked(new RegExp(`(?<![\\w_])_${between('_')}_$`), 'em'),
    marked(new RegExp(`(?<!~)~~${between('~')}~~$`), 'strike'),
    marked(/(?<![\w`])`([^`]+)`$/, 'code'),
    marked(/(?<!!)\[([^\][]+)\]\(([^\s()]+)\)$/, 'link', ([, , href = '']) =>
      isSafe('href', href) ? { href, title: null } : null,
    ),
  ],
})

/** Undoes an input rule: restores the text that was typed, as a step of its own for Undo. */
export const undoRule: Command = (state, dispatch, view) => {
  const done = rules.getState(state) as { text: string } | null
  if (!done || !dispatch || !view || !undo(state, dispatch)) return false
  dispatch(view.state.tr.insertText(done.text))
  return true
}

/** Makes the result of a rule a step of its own for Undo. */
export const apart = (transaction: Transaction): Transaction =>
  transaction.getMeta(rules) ? closeHistory(transaction) : transaction

/** Turns three backquotes and a language into a code block on Enter; rich text has no place for the language. */
export const codeByEnter: Command = ({ selection: { $from, empty }, tr }, dispatch) => {
  const { parent } = $from
  if (!empty || parent.type.name !== 'paragraph' || !/^```[\w+#.-]*$/.test(parent.textContent)) return false
  if ($from.parentOffset < parent.content.size) return false
  dispatch?.(
    tr.delete($from.start(), $from.end()).setBlockType($from.start(), $from.start(), nodeType('code_block')),
  )
  return true
}
