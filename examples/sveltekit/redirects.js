import { mkdirSync, writeFileSync } from 'node:fs'
import { slugline } from '@slugline/client'

const { SLUGLINE_URL: url = 'http://localhost:8080', SLUGLINE_KEY: key } = process.env
const marks = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** A page at an old address. The build writes pages into folders. */
function page(target) {
  const address = /^\/[^.?#]*[^./?#]$/.test(target) ? `${target}/` : target
  const to = address.replace(/[&<>"]/g, mark => marks[mark])
  return `<!doctype html>
<meta charset="utf-8">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<meta http-equiv="refresh" content="0; url=${to}">
<link rel="canonical" href="${to}">
<title>Moved</title>
<a href="${to}">${to}</a>
`
}

/** Old addresses lead to the current ones. They need a key that may read routes; without one there are none. */
export const withRedirects = (adapter, folder) => ({
  ...adapter,
  async adapt(builder) {
    await adapter.adapt(builder)
    if (!key) return
    const { data, error } = await slugline({ url, key }).redirects()
    if (error) throw error
    for (const { slug, target } of data) {
      mkdirSync(`${folder}${slug}`, { recursive: true })
      writeFileSync(`${folder}${slug}/index.html`, page(target))
    }
  },
})
