/** For how long browsers and caches keep an object of the media storage. */
export const cacheControl = (replaceable = false): string =>
  replaceable ? 'public, max-age=300' : 'public, max-age=31536000, immutable'
