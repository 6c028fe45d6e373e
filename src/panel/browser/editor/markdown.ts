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

/** HTML of Markdown. */
export const htmlOf = (markdown: string): string => reader.parse(markdown, { async: false })
