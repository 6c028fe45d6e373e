import { error } from '@sveltejs/kit'
import { pageAt } from '$lib/server/site.js'

export async function load({ url }) {
  const page = await pageAt(decodeURI(url.pathname))
  return page ?? error(404, 'Not found')
}
