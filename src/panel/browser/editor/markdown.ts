import { Marked } from 'marked'

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

const reader = new Marked({
  gfm: true,
  renderer: {
    // A block of code has no language here, and its last line does not end.
    code: ({ text }) => `<pre><code>${escaped(text)}</code></pre>`,
    // HTML in Markdown is text, as it was copied.
    html: ({ text }) => escaped(text),
    checkbox: () => '',
  },
})

/** Signs that plain text hardly has. */
const sure =
  /^#{1,6} \S|^ {0,3}(```|~~~)|\[[^\]\n]+\]\((https?:|mailto:|\/)[^\s)]*\)|(?<![\w*])\*\*[^\s*][^*\n]*\*\*|^\|?[ :-]*-{3,}[ :-]*\|/m
const item = /^\s*([-*+]|\d{1,3}[.)]) \S/gm
const hint = /^> \S|(?<![\w`])`[^`\n]+`|(?<![\w~])~~[^\s~][^~\n]*~~/gm

/** Longer texts stay as they are: reading them would take a moment. */
const maxLength = 200_000

export const looksLikeMarkdown = (text: string): boolean =>
  text.length <= maxLength &&
  (sure.test(text) || (text.match(item)?.length ?? 0) + (text.match(hint)?.length ?? 0) > 1)

export const htmlOf = (markdown: string): string => reader.parse(markdown, { async: false })
