/** For how long browsers and caches keep an object of the media storage. */
export const cacheControl = (replaceable = false): string =>
  replaceable ? 'public, max-age=300' : 'public, max-age=31536000, immutable'

/** Returns a `Content-Disposition` that makes browsers store the file, under a name if there is one. */
export function attachment(name?: string): string {
  if (name === undefined) return 'attachment'
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    found => `%${found.charCodeAt(0).toString(16)}`,
  )
  return `attachment; filename*=UTF-8''${encoded}`
}
