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

/** The menu of a language, with the current address of each page. */
export async function menuIn({ code, home }) {
  const menus = await dataOf(cms.query('menu').locale(code).children(1).all())
  const main = menus.find(({ fields }) => fields.name === 'main')
  return (main?.children ?? []).map(({ fields: { label, target } }) => ({
    label,
    href: target ? target.slug : home,
  }))
}

/** Every post at its own address, with its addresses in all languages. */
export async function pages() {
  const all = []
  for (const language of languages)
    for (const post of await postsIn(language.code)) all.push({ language, post })
  const byAddress = new Map()
  // A post without a translated address has one page, in the first language.
  for (const page of all) if (!byAddress.has(page.post.slug)) byAddress.set(page.post.slug, page)
  const found = [...byAddress.values()]
  return found.map(page => ({
    ...page,
    translations: found
      .filter(({ post }) => post.id === page.post.id)
      .map(({ language, post }) => ({ code: language.code, href: post.slug })),
  }))
}
