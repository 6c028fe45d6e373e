/** The languages of the site; the first one is at `/`, the others under their code. */
export const languages = [
  { code: 'en', home: '/', words: { newest: 'Newest', older: 'Older', newer: 'Newer', search: 'Search' } },
  { code: 'de', home: '/de/', words: { newest: 'Neues', older: 'Ältere', newer: 'Neuere', search: 'Suche' } },
]
