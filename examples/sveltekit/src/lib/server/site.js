import { translated } from '@slugline/client'
import { dev } from '$app/environment'
import { languages } from '../languages.js'
import { cms } from './cms.js'

/** @returns all entries of a query. @throws its error, which ends the build */
async function all(query) {
  const { data, error } = await query.all()
  if (error) throw error
  return data
}

/** What one language has: three lists, whatever number of pages is made of them. */
async function contentIn({ code, home }) {
  const [posts, tags, menus] = await Promise.all([
    all(cms.query('post').locale(code).sort('-date')),
    all(cms.query('tag').locale(code).sort('name')),
    all(cms.query('menu').locale(code).children(1)),
  ])
  const main = menus.find(({ fields }) => fields.name === 'main')
  const menu = (main?.children ?? []).map(({ fields: { label, target } }) => ({
    label,
    href: target ? `${target.slug}/` : home,
  }))
  return { posts, tags, menu }
}

async function read() {
  const contents = await Promise.all(languages.map(contentIn))
  const byLanguage = Object.fromEntries(languages.map(({ code }, i) => [code, contents[i]]))
  const entries = languages.map(({ code }, i) => [code, [...contents[i].posts, ...contents[i].tags]])
  return { byLanguage, pages: translated(Object.fromEntries(entries)) }
}

let built
/** The whole content: read once by a build, and for each page while you work on the site. */
function site() {
  if (dev) return read()
  built ??= read()
  return built
}

const searchOf = ({ home }) => `${home}search/`

/** The menu of a language, with its search. */
export async function menuIn(language) {
  const { byLanguage } = await site()
  return [...byLanguage[language.code].menu, { label: language.words.search, href: searchOf(language) }]
}

/** The alternatives of a page that every language has. */
const everywhere = of => languages.map(language => ({ code: language.code, href: of(language) }))

/** What is at an address: the newest posts, the search, the posts of a tag, or a post. Undefined for any other. */
export async function pageAt(path) {
  const { byLanguage, pages } = await site()
  for (const language of languages) {
    const { words, home } = language
    if (path === home)
      return {
        title: words.newest,
        translations: everywhere(({ home }) => home),
        posts: byLanguage[language.code].posts,
      }
    if (path === searchOf(language))
      return { title: words.search, translations: everywhere(searchOf), search: language.code }
  }
  const page = pages.find(({ entry }) => `${entry.slug}/` === path)
  if (!page) return undefined
  const { entry, locale } = page
  const translations = Object.entries(page.translations).map(([code, slug]) => ({ code, href: `${slug}/` }))
  if (entry.type === 'post') return { title: entry.title, translations, post: entry }
  const isTagged = ({ fields }) => fields.tags?.some(({ id }) => id === entry.id)
  return { title: entry.title, translations, posts: byLanguage[locale].posts.filter(isTagged) }
}
