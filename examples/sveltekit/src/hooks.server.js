import { languageOf } from '$lib/languages.js'

/** Puts the language of the address into the page. */
export const handle = ({ event, resolve }) =>
  resolve(event, {
    transformPageChunk: ({ html }) =>
      html.replace('<html lang="en">', `<html lang="${languageOf(event.url.pathname).code}">`),
  })
