// How a post looks: for the build, and in the browser for previews.

const marks = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
export const escaped = text => String(text ?? '').replace(/[&<>"']/g, mark => marks[mark])

/** Variants that show the whole picture, as `srcset` wants them. */
const sourceSet = (variants, type) =>
  variants
    .filter(({ fit, mimetype }) => fit === 'inside' && mimetype === type)
    .sort((a, b) => a.width - b.width)
    .map(({ url, width }) => `${escaped(url)} ${width}w`)
    .join(', ')

/** @param sizes how wide the picture is shown, as the attribute `sizes` says it */
export function picture(media, sizes = '100vw') {
  if (!media) return ''
  const { url, alt, width, height, mimetype, variants, focal } = media
  const sources = ['image/avif', 'image/webp']
    .filter(type => type !== mimetype)
    .map(type => [type, sourceSet(variants, type)])
    .filter(([, set]) => set)
    .map(([type, set]) => `<source type="${type}" srcset="${set}" sizes="${sizes}">`)
  const own = sourceSet(variants, mimetype)
  const position = focal ? ` style="object-position: ${focal.x}% ${focal.y}%"` : ''
  return `<picture>
  ${sources.join('')}
  <img src="${escaped(url)}" ${own ? `srcset="${own}" sizes="${sizes}" ` : ''}width="${width}" height="${height}" alt="${escaped(alt)}" loading="lazy"${position}>
</picture>`
}

/** @param entry in the format `native`, whose rich text is safe to insert */
export function post({ title, fields }) {
  const tags = (fields.tags ?? []).map(
    tag => `<li><a href="${escaped(tag.slug)}/">${escaped(tag.title)}</a></li>`,
  )
  return `<article>
<h1>${escaped(title)}</h1>
<time datetime="${escaped(fields.date)}">${escaped(fields.date)}</time>
<p>${escaped(fields.teaser)}</p>
${picture(fields.picture, '(min-width: 60rem) 60rem, 100vw')}
${fields.body ?? ''}
<ul class="tags">${tags.join('')}</ul>
</article>`
}
