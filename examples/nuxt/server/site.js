import { slugline, translated } from '@slugline/client'
import { languageOf, languages } from './languages.js'

/** @returns all entries of a query. @throws its error, which ends the build */
async function all(query) {
  const { data, error } = await query.all()
  if (error) throw error
  return data
}

/** What one language has: three lists, whatever number of pages is made of them. */
async function contentIn({ code, home }) {
  const cms = slugline({ url: useRuntimeConfig().slugline, locale: code })
  const [posts, tags, menus] = await Promise.all([
    all(cms.query('post').sort('-date')),
    all(cms.query('tag').sort('name')),
    all(cms.query('menu').children(1)),
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
  if (import.meta.dev) return read()
  built ??= read()
  return built
}

const searchOf = ({ home }) => `${home}search/`

/** The alternatives of a page that every language has. */
const everywhere = of => languages.map(language => ({ code: language.code, href: of(language) }))

/** The newest posts, the search, the posts of a tag, or a post. */
function contentAt(path, language, { byLanguage, pages }) {
  const { posts } = byLanguage[language.code]
  if (path === language.home)
    return { title: language.words.newest, translations: everywhere(({ home }) => home), posts }
  if (path === searchOf(language))
    return { title: language.words.search, translations: everywhere(searchOf), search: true }
  const page = pages.find(({ entry }) => `${entry.slug}/` === path)
  if (!page) return undefined
  const { entry } = page
  const translations = Object.entries(page.translations).map(([code, slug]) => ({ code, href: `${slug}/` }))
  if (entry.type === 'post') return { title: entry.title, translations, post: entry }
  const isTagged = ({ fields }) => fields.tags?.some(({ id }) => id === entry.id)
  return { title: entry.title, translations, posts: posts.filter(isTagged) }
}

/** What is at an address, with its menu. Undefined if nothing is. */
export async function pageAt(given) {
  const path = given.endsWith('/') ? given : `${given}/`
  const language = languageOf(path)
  const whole = await site()
  const content = contentAt(path, language, whole)
  if (!content) return undefined
  const search = { label: language.words.search, href: searchOf(language) }
  return { ...content, language: language.code, menu: [...whole.byLanguage[language.code].menu, search] }
}
