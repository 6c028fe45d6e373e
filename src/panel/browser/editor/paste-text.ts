import { closeHistory } from 'prosemirror-history'
import { Fragment, type MarkType, type Node, Slice } from 'prosemirror-model'
import { type Command, NodeSelection, TextSelection } from 'prosemirror-state'
import type { EditorView } from 'prosemirror-view'
import { isSafe } from '../../../services/content/rich-text/rules.js'
import { say } from '../say.js'
import { t } from '../text.js'
import { schema } from './schema.js'

/** Address of the Markdown parser, from the build. It has a fifth of the editor's size and is rarely needed. */
declare const markdownAddress: string

const sure =
  /^#{1,6} \S|^ {0,3}(```|~~~)|\[[^\]\n]{1,200}\]\((https?:|mailto:|\/)[^\s)]{0,2000}\)|(?<![\w*])\*\*[^\s*][^*\n]*\*\*|^\|? ?:?-{3,}:? ?\|/m
const item = /^[ \t]*([-*+]|\d{1,3}[.)]) \S/gm
const hint = /^> \S|(?<![\w`])`[^`\n]+`|(?<![\w~])~~[^\s~][^~\n]*~~/gm

/** Longer texts stay plain text: parsing would take noticeable time. */
const maxLength = 200_000

const looksLikeMarkdown = (text: string): boolean =>
  text.length <= maxLength &&
  (sure.test(text) || (text.match(item)?.length ?? 0) + (text.match(hint)?.length ?? 0) > 1)

const link = schema.marks.link as MarkType
const address = /^(https?:\/\/|mailto:)[^\s<>"]+$/i

const linkTo =
  (href: string): Command =>
  ({ selection, tr }, dispatch) => {
    const { from, to, empty, $from } = selection
    if (empty || selection instanceof NodeSelection || $from.parent.type.spec.code) return false
    if (!address.test(href) || !isSafe('href', href)) return false
    dispatch?.(tr.removeMark(from, to, link).addMark(from, to, link.create({ href })))
    return true
  }

const paragraphs = (text: string): Node[] =>
  text
    .split(/(?:\r\n?|\n)+/)
    .map(line => schema.node('paragraph', null, line === '' ? undefined : schema.text(line)))

/** Inserts the plain text first and then its meaning as a step of its own, so that one Undo restores the plain text. */
async function asRichText(view: EditorView, text: string): Promise<void> {
  const { from } = view.state.selection
  const plain = new Slice(Fragment.from(paragraphs(text)), 1, 1)
  view.dispatch(closeHistory(view.state.tr).replaceSelection(plain))
  const { doc, selection } = view.state
  const { htmlOf } = (await import(markdownAddress)) as typeof import('./markdown.js')
  // The text has changed meanwhile: it keeps the plain text.
  if (view.isDestroyed || view.state.doc !== doc) return
  view.dispatch(closeHistory(view.state.tr).setSelection(TextSelection.create(doc, from, selection.to)))
  view.pasteHTML(htmlOf(text))
}

/** Pastes plain text as a link over the selected words, or as Markdown. @returns whether it was one of these */
export function pasteText(view: EditorView, { clipboardData }: ClipboardEvent, isPlain: boolean): boolean {
  const text = clipboardData?.getData('text/plain') ?? ''
  if (text === '' || !clipboardData) return false
  if (linkTo(text.trim())(view.state, view.dispatch, view)) return true
  const { $from } = view.state.selection
  // A code editor copies the same text as coloured HTML.
  const { types } = clipboardData
  const isText = !types.includes('text/html') || types.includes('vscode-editor-data')
  if (isPlain || !isText || $from.parent.type.spec.code || !looksLikeMarkdown(text)) return false
  asRichText(view, text).catch(() => say(t('The Markdown is not valid')))
  return true
}
