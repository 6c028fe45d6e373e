// How a post looks: for the build, and in the browser for previews.
import { image } from '@slugline/client'

const marks = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = text => String(text ?? '').replace(/[&<>"']/g, mark => marks[mark])
const attributes = of =>
  Object.entries(of)
    .map(([name, value]) => ` ${name}="${escaped(value)}"`)
    .join('')

/** @param sizes how wide the picture is shown, as the attribute `sizes` says it */
export function picture(media, sizes = '100vw') {
  const shown = image(media, { sizes })
  if (!shown) return ''
  const sources = shown.sources.map(source => `<source${attributes(source)}>`).join('')
  return `<picture>${sources}<img${attributes(shown.img)} loading="lazy"></picture>`
}

/** @param entry in the format `native`, whose rich text is safe to insert */
export function article({ title, fields }) {
  const tags = (fields.tags ?? []).map(
    tag => `<li><a href="${escaped(tag.slug)}/">${escaped(tag.title)}</a></li>`,
  )
  return `<article>
<h1>${escaped(title)}</h1>
${fields.date ? `<time datetime="${escaped(fields.date)}">${escaped(fields.date)}</time>` : ''}
<p>${escaped(fields.teaser)}</p>
${picture(fields.picture, '(min-width: 60rem) 60rem, 100vw')}
${fields.body ?? ''}
<ul class="tags">${tags.join('')}</ul>
</article>`
}
