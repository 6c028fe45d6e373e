import { slugline } from '@slugline/client'

const url = process.env.SLUGLINE_URL ?? 'http://localhost:8080'

/** The service as the build reads it. */
export const cms = slugline({ url })

/** The address at which browsers find the service, for search and previews. */
export const publicUrl = process.env.SLUGLINE_PUBLIC_URL ?? url
