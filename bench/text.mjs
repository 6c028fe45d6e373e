// Prints how long rich text takes that is made to be slow: as safe HTML, Contentful's document and Portable Text.

import { safeHtml } from '../dist/src/services/delivery/rich-text/html.js'
import { toContentful } from '../dist/src/systems/contentful/rich-text.js'
import { toPortableText } from '../dist/src/systems/sanity/rich-text.js'

const inputs = {
  nesting: '<div>'.repeat(100_000),
  formatting: '<b><i>'.repeat(50_000),
  'ends before beginnings': '</b>'.repeat(100_000) + '<b>'.repeat(100_000),
  'ends between beginnings': '<div></b>'.repeat(100_000),
  'rows in drawings': `<svg>${'<tr>'.repeat(100_000)}`,
  'names of its own': '<x-a>'.repeat(100_000),
  links: '<a href="x">'.repeat(50_000),
  lists: '<ul><li>'.repeat(50_000),
  lines: '<br>'.repeat(20_000),
}

for (const [name, html] of Object.entries(inputs)) {
  const times = [safeHtml, toContentful, given => toPortableText(given, 'k')].map(convert => {
    const from = performance.now()
    convert(html)
    return `${Math.round(performance.now() - from)} ms`
  })
  process.stdout.write(`${name}: ${times.join(', ')}\n`)
}
