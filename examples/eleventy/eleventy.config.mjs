import plugin from '@slugline/eleventy'
import { languages } from './languages.mjs'
import { picture, post } from './post.mjs'
import { cms, redirects } from './slugline.mjs'

export default function (eleventy) {
  eleventy.addPlugin(plugin, {
    queries: {
      posts: cms.query('post').sort('-date'),
      topics: cms.query('tag').sort('name'),
      menus: cms.query('menu').children(1),
    },
    locales: languages.map(({ code }) => code),
    redirects,
  })
  eleventy.addFilter('post', post)
  eleventy.addFilter('picture', picture)
  // The preview and the search run in the browser.
  for (const file of ['post.mjs', 'preview.mjs', 'search.mjs']) eleventy.addPassthroughCopy({ [file]: file })
  eleventy.addPassthroughCopy('site/site.css')
  return { dir: { input: 'site', output: process.env.SITE_OUTPUT ?? '_site' } }
}
