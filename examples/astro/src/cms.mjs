import { slugline } from '@slugline/client'

/** The service as the build reads it. */
export const cms = slugline({
  url: process.env.SLUGLINE_URL ?? 'http://localhost:8080',
  key: process.env.SLUGLINE_KEY,
})

/** The address at which browsers find the service, for search and previews. */
export const publicUrl =
  process.env.SLUGLINE_PUBLIC_URL ?? process.env.SLUGLINE_URL ?? 'http://localhost:8080'
