import { getCollection } from 'astro:content'
import { languages } from './languages.mjs'

/** The posts of a language, newest first. */
export async function postsIn(code) {
  const posts = await getCollection('posts', ({ data }) => data.language === code)
  return posts.map(({ data }) => data).toSorted((a, b) => a.position - b.position)
}

/** The menu of a language, with the current address of each page. */
export async function menuIn({ code, home }) {
  const menus = await getCollection('menus', ({ data }) => data.language === code)
  const main = menus.find(({ data }) => data.fields.name === 'main')
  return (main?.data.children ?? []).map(({ fields: { label, target } }) => ({
    label,
    href: target ? `${target.slug}/` : home,
  }))
}

/** Every post at its own address, with its addresses in all languages. */
export async function pages() {
  const all = await Promise.all(
    languages.map(async language => (await postsIn(language.code)).map(post => ({ language, post }))),
  )
  const byAddress = new Map()
  // A post without a translated address has one page, in the first language.
  for (const page of all.flat()) if (!byAddress.has(page.post.slug)) byAddress.set(page.post.slug, page)
  const found = [...byAddress.values()]
  return found.map(page => ({
    ...page,
    translations: found
      .filter(({ post }) => post.id === page.post.id)
      .map(({ language, post }) => ({ code: language.code, href: `${post.slug}/` })),
  }))
}
