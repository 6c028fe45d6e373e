/** The languages of the site; the first one is at `/`, the others under their code. */
export const languages = [
  { code: 'en', home: '/', words: { newest: 'Newest', older: 'Older', newer: 'Newer' } },
  { code: 'de', home: '/de/', words: { newest: 'Neues', older: 'Ältere', newer: 'Neuere' } },
]
