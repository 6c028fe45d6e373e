// An Eleventy plugin: entries of a Slugline service as data of the site. index.d.ts describes it.

/** Names that mean something else to Eleventy in the data of every page. */
const taken = 'collections content date eleventy layout page pagination permalink tags'.split(' ')

/** @returns the data of a result. @throws its error, which ends the build */
async function dataOf(result) {
  const { data, error } = await result
  if (error) throw error
  return data
}

async function read(query, locales) {
  if (!locales) return dataOf(query.all())
  const lists = await Promise.all(locales.map(locale => dataOf(query.locale(locale).all())))
  return Object.fromEntries(locales.map((locale, i) => [locale, lists[i]]))
}

const marks = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** A page at an old address. A path leads to the folder in which Eleventy writes the page. */
function moved({ redirect: { target } }) {
  const address = /^\/[^.?#]*[^./?#]$/.test(target) ? `${target}/` : target
  const to = address.replace(/[&<>"]/g, mark => marks[mark])
  return `<!doctype html>
<meta charset="utf-8">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<meta http-equiv="refresh" content="0; url=${to}">
<link rel="canonical" href="${to}">
<title>Moved</title>
<a href="${to}">${to}</a>
`
}

export default function slugline(eleventy, { queries = {}, locales, redirects } = {}) {
  for (const [name, query] of Object.entries(queries)) {
    if (taken.includes(name)) throw new Error(`Eleventy has its own "${name}": give the query another name`)
    eleventy.addGlobalData(name, () => read(query, locales))
  }
  if (!redirects) return
  eleventy.addGlobalData('sluglineRedirects', () => dataOf(redirects.redirects()))
  eleventy.addTemplate('slugline-redirects.11ty.js', moved, {
    pagination: { data: 'sluglineRedirects', size: 1, alias: 'redirect' },
    permalink: ({ redirect }) => `${redirect.slug}/index.html`,
    eleventyExcludeFromCollections: true,
  })
}
