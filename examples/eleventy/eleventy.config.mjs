import { picture, post } from './post.mjs'

export default function (eleventy) {
  eleventy.addFilter('post', post)
  eleventy.addFilter('picture', picture)
  // The preview page runs in the browser.
  eleventy.addPassthroughCopy({ 'post.mjs': 'post.mjs', 'preview.mjs': 'preview.mjs' })
  return { dir: { input: 'site', output: process.env.SITE_OUTPUT ?? '_site' } }
}
