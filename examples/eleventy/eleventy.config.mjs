import { picture, post } from './post.mjs'

export default function (eleventy) {
  eleventy.addFilter('post', post)
  eleventy.addFilter('picture', picture)
  // The preview and the search run in the browser.
  for (const file of ['post.mjs', 'preview.mjs', 'search.mjs']) eleventy.addPassthroughCopy({ [file]: file })
  eleventy.addPassthroughCopy('site/site.css')
  return { dir: { input: 'site', output: process.env.SITE_OUTPUT ?? '_site' } }
}
