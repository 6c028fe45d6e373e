import { defineCollection } from 'astro:content'
import { entries } from '@slugline/astro'
import { cms } from './cms.mjs'
import { languages } from './languages.mjs'

const locales = languages.map(({ code }) => code)

// One request for 200 entries of a collection, in each language. Pages make none.
export const collections = {
  posts: defineCollection({ loader: entries(cms.query('post').sort('-date'), { locales }) }),
  tags: defineCollection({ loader: entries(cms.query('tag').sort('name'), { locales }) }),
  menus: defineCollection({ loader: entries(cms.query('menu').children(1), { locales }) }),
}
