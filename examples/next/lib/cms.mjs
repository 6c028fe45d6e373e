import { slugline } from '@slugline/client'

const url = process.env.SLUGLINE_URL ?? 'http://localhost:8080'

/** The service as pages read it: stored by Next until the webhook says that something has changed. */
export const cms = slugline({ url, cache: 'force-cache', next: { tags: ['slugline'] } })

/** The service as previews read it. */
export const drafts = slugline({ url })

/** The address at which browsers find the service, for search and previews. */
export const publicUrl = process.env.SLUGLINE_PUBLIC_URL ?? url
