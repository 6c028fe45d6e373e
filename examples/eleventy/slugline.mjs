import { slugline } from '@slugline/client'

const { SLUGLINE_URL: url = 'http://localhost:8080', SLUGLINE_KEY: key, SLUGLINE_PUBLIC_URL } = process.env

/** The service as the build reads it. It needs no key: the datatypes of this site are public. */
export const cms = slugline({ url })

/** With a key the build also reads redirects. */
export const redirects = key ? slugline({ url, key }) : undefined

/** The address at which browsers find the service, for search and previews. */
export const publicUrl = SLUGLINE_PUBLIC_URL ?? url
