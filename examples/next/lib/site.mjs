import { translated } from '@slugline/client'
import { cms } from './cms.mjs'
import { languages } from './languages.mjs'

/** @returns the data of a result. @throws its error, which ends the build */
async function dataOf(result) {
  const { data, error } = await result
  if (error) throw error
  return data
}

/** The posts of a language, newest first: one request for 200. */
export const postsIn = code => dataOf(cms.query('post').locale(code).sort('-date').all())

const tagsIn = code => dataOf(cms.query('tag').locale(code).sort('name').all())

/** The menu of a language, with the current address of each page. */
export async function menuIn({ code, home }) {
  const menus = await dataOf(cms.query('menu').locale(code).children(1).all())
  const main = menus.find(({ fields }) => fields.name === 'main')
  return (main?.children ?? []).map(({ fields: { label, target } }) => ({
    label,
    href: target ? target.slug : home,
  }))
}

/** The posts of a tag, newest first. */
export async function taggedWith(tag, code) {
  const posts = await postsIn(code)
  return posts.filter(({ fields }) => fields.tags?.some(({ id }) => id === tag.id))
}

/** Every post and tag at its own address, with its addresses in all languages. */
export async function pages() {
  const lists = {}
  for (const { code } of languages) lists[code] = [...(await postsIn(code)), ...(await tagsIn(code))]
  return translated(lists).map(({ locale, entry, translations }) => ({
    entry,
    language: languages.find(({ code }) => code === locale),
    translations: Object.entries(translations).map(([code, href]) => ({ code, href })),
  }))
}
