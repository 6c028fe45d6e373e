import { slugline } from '@slugline/client'

const { SLUGLINE_URL: url = 'http://localhost:8080', SLUGLINE_KEY: key, SLUGLINE_PUBLIC_URL } = process.env

/** Old addresses lead to the current ones. They need a key that may read routes; without one there are none. */
async function redirects() {
  if (!key) return []
  const { data, error } = await slugline({ url, key }).redirects()
  if (error) throw error
  return data
}
const moved = await redirects()

export default {
  compatibilityDate: '2026-05-01',
  css: ['~/site.css'],
  telemetry: false,
  runtimeConfig: {
    // The service as the build reads it.
    slugline: url,
    // The address at which browsers find the service, for search and previews.
    public: { slugline: SLUGLINE_PUBLIC_URL ?? url },
  },
  routeRules: Object.fromEntries(
    moved.map(({ slug, target, status }) => [slug, { redirect: { to: target, statusCode: status } }]),
  ),
  // The build follows the links of the site. Nothing links to the preview and to old addresses.
  nitro: { prerender: { routes: ['/', '/preview/', ...moved.map(({ slug }) => slug)], failOnError: true } },
}
