export { contentfulOf, toContentful } from './contentful.js'
export { entriesLinked } from './entry-links.js'
export { htmlOf, safeHtml } from './html.js'
export { portableTextOf, toPortableText } from './portable-text.js'
