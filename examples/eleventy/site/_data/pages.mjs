import { languages } from '../../languages.mjs'

const postsOnPage = 20

/** Pages of a list: each with its posts, its address, and the addresses before and after it. */
function pagesOf(posts, address) {
  const count = Math.max(1, Math.ceil(posts.length / postsOnPage))
  const at = n => (n === 0 ? address : `${address}page/${n + 1}/`)
  return Array.from({ length: count }, (_, n) => ({
    url: at(n),
    posts: posts.slice(n * postsOnPage, (n + 1) * postsOnPage),
    newer: n > 0 ? at(n - 1) : undefined,
    older: n < count - 1 ? at(n + 1) : undefined,
  }))
}

/** What one language has: pages of posts, of lists, and the search. */
function contentIn({ code, home, words }, { posts, topics, menus }) {
  const main = menus.find(({ fields }) => fields.name === 'main')
  const items = (main?.children ?? []).map(({ fields }) => ({
    label: fields.label,
    url: fields.target ? `${fields.target.slug}/` : home,
  }))
  const searchAt = `${home}search/`
  const menu = [...items, { label: words.search, url: searchAt }]
  const language = { code, home, words, menu }
  const ofTag = tag => posts.filter(({ fields }) => (fields.tags ?? []).some(({ id }) => id === tag.id))
  return {
    searches: [{ language, title: words.search, url: searchAt, key: 'search' }],
    posts: posts.map(entry => ({ language, entry, url: `${entry.slug}/` })),
    lists: [
      ...pagesOf(posts, home).map(page => ({ ...page, language, title: words.newest, key: 'home' })),
      ...topics.flatMap(tag =>
        pagesOf(ofTag(tag), `${tag.slug}/`).map(page => ({
          ...page,
          language,
          title: tag.fields.name,
          key: tag.id,
        })),
      ),
    ],
  }
}

/** What has no address of its own in a language is at that of the first, and there is one page of it. */
function byAddress(pages) {
  const taken = new Map()
  for (const page of pages) if (!taken.has(page.url)) taken.set(page.url, page)
  return [...taken.values()]
}

/** The same page in every language; of lists the first page. */
function withTranslations(pages, keyOf) {
  const byKey = new Map()
  for (const page of pages) {
    const key = keyOf(page)
    const known = byKey.get(key) ?? []
    if (!known.some(({ code }) => code === page.language.code))
      byKey.set(key, [...known, { code: page.language.code, url: page.url }])
  }
  return pages.map(page => ({ ...page, translations: byKey.get(keyOf(page)) }))
}

/** @param data the lists of the plugin, by name and language */
export default function ({ posts, topics, menus }) {
  const inLanguage = ({ code }) => ({ posts: posts[code], topics: topics[code], menus: menus[code] })
  const all = languages.map(language => contentIn(language, inLanguage(language)))
  return {
    posts: withTranslations(byAddress(all.flatMap(({ posts }) => posts)), ({ entry }) => entry.id),
    searches: withTranslations(
      all.flatMap(({ searches }) => searches),
      ({ key }) => key,
    ),
    lists: withTranslations(byAddress(all.flatMap(({ lists }) => lists)), ({ key }) => key),
  }
}
