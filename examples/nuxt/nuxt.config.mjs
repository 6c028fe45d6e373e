const url = process.env.SLUGLINE_URL ?? 'http://localhost:8080'

export default {
  compatibilityDate: '2026-05-01',
  css: ['~/site.css'],
  telemetry: false,
  runtimeConfig: {
    // The service as the build reads it.
    slugline: url,
    // The address at which browsers find the service, for search and previews.
    public: { slugline: process.env.SLUGLINE_PUBLIC_URL ?? url },
  },
  // The build follows the links of the site. Nothing links to the preview.
  nitro: { prerender: { routes: ['/', '/preview/'], failOnError: true } },
}
