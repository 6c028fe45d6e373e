/** The languages of the site; the first one is at `/`, the others under their code. */
export const languages = [
  { code: 'en', home: '/', words: { newest: 'Newest', search: 'Search' } },
  { code: 'de', home: '/de/', words: { newest: 'Neues', search: 'Suche' } },
]

/** The language of an address, such as `/de/beitraege/eins/`. */
export const languageOf = path =>
  languages.find(({ home }) => home !== '/' && path.startsWith(home)) ?? languages[0]
