import { Marked } from 'marked'

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

const reader = new Marked({
  gfm: true,
  renderer: {
    // A code block has no language here, and its last line has no line break.
    code: ({ text }) => `<pre><code>${escaped(text)}</code></pre>`,
    // HTML in Markdown stays text, as it was copied.
    html: ({ text }) => escaped(text),
    checkbox: () => '',
  },
})

/** Returns the HTML of Markdown. */
export const htmlOf = (markdown: string): string => reader.parse(markdown, { async: false })
