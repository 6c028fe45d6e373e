import { getCollection } from 'astro:content'
import { translated } from '@slugline/client'
import { languages } from './languages.mjs'

/** The entries of a collection in a language, in the order of their query. */
export async function inLanguage(collection, code) {
  const entries = await getCollection(collection, ({ data }) => data.language === code)
  return entries.map(({ data }) => data).toSorted((a, b) => a.position - b.position)
}

/** The posts of a tag, newest first. */
export async function taggedWith(tag, code) {
  const posts = await inLanguage('posts', code)
  return posts.filter(({ fields }) => fields.tags?.some(({ id }) => id === tag.id))
}

/** The menu of a language, with the current address of each page. */
export async function menuIn({ code, home }) {
  const menus = await inLanguage('menus', code)
  const main = menus.find(({ fields }) => fields.name === 'main')
  return (main?.children ?? []).map(({ fields: { label, target } }) => ({
    label,
    href: target ? `${target.slug}/` : home,
  }))
}

/** Every post and tag at its own address, with its addresses in all languages. */
export async function pages() {
  const lists = {}
  for (const { code } of languages)
    lists[code] = [...(await inLanguage('posts', code)), ...(await inLanguage('tags', code))]
  return translated(lists).map(({ locale, entry, translations }) => ({
    entry,
    language: languages.find(({ code }) => code === locale),
    translations: Object.entries(translations).map(([code, slug]) => ({ code, href: `${slug}/` })),
  }))
}
