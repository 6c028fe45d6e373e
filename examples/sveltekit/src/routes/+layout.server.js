import { languageOf, languages } from '$lib/languages.js'
import { publicUrl } from '$lib/server/cms.js'
import { menuIn } from '$lib/server/site.js'

export const load = async ({ url }) => ({
  menu: await menuIn(languageOf(url.pathname)),
  translations: languages.map(({ code, home }) => ({ code, href: home })),
  publicUrl,
})
