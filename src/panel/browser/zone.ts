/** Tells the server the time zone of this browser, for pages that are drawn by day. */
export function tellZone(): void {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  if (!/^[\w+/-]+$/.test(timeZone) || document.cookie.includes(`slugline_zone=${timeZone}`)) return
  // biome-ignore lint/suspicious/noDocumentCookie: not every browser has the cookie store
  document.cookie = `slugline_zone=${timeZone}; path=/admin; max-age=31536000; samesite=lax`
}
