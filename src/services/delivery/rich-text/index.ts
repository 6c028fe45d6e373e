export { toContentful } from './contentful.js'
export { safeHtml } from './html.js'
export { toPortableText } from './portable-text.js'
