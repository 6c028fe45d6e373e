/** The languages of the site; the first one is at `/`, the others under their code. */
export const languages = [
  { code: 'en', home: '/', words: { newest: 'Newest', search: 'Search', other: 'Deutsch' } },
  { code: 'de', home: '/de/', words: { newest: 'Neues', search: 'Suche', other: 'English' } },
]
