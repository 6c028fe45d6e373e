import { pageAt } from '../site.js'

/** What is at an address of the site. The build calls it for each page and puts the answer into the page. */
export default defineEventHandler(async event => {
  const page = await pageAt(decodeURI(String(getQuery(event).path)))
  return page ?? createError({ statusCode: 404, statusMessage: 'Not found' })
})
