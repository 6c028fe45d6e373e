import { HttpError, notFound } from '../../../errors.js'
import type { Ctx } from '../../../middleware/context.js'
import type { Failure } from '../../../middleware/errors.js'
import type { ApiContext } from '../../../routes/context.js'
import type { Endpoints } from '../../../routes/endpoints.js'
import type { CompatSite, Written } from '../../../services/delivery/compat/compat.js'
import { compatPrefix, door, hasCredentials, searchOf } from '../../root.js'
import {
  type FiledPart,
  invalidTerm,
  invalidUser,
  wordpressComments,
  wordpressFiled,
  wordpressFiledById,
  wordpressIndex,
  wordpressMediaById,
  wordpressMediaList,
  wordpressTaxonomies,
  wordpressTaxonomy,
  wordpressType,
  wordpressTypes,
} from '../find/lists.js'
import { beyondEnd, invalidPost, wordpressPostById, wordpressPosts } from '../find/posts.js'
import { type WordpressRequest, wordpressRequest } from './request.js'

const prefix = `${compatPrefix}/wordpress`
const jsonRoot = '/wp-json'
const version = '/wp/v2'

const codes: Readonly<Record<string, string>> = {
  [invalidPost]: 'rest_post_invalid_id',
  [invalidTerm]: 'rest_term_invalid',
  [invalidUser]: 'rest_user_invalid_id',
  'Invalid post type.': 'rest_type_invalid',
  'Invalid taxonomy.': 'rest_taxonomy_invalid',
}

function codeOf({ status, error }: Failure): string {
  if (error.endsWith(beyondEnd)) return 'rest_post_invalid_page_number'
  if (status === 404) return codes[error] ?? 'rest_no_route'
  if (status === 400) return 'rest_invalid_param'
  return status < 500 ? 'rest_forbidden' : 'internal_server_error'
}

/** `{code, message, data: {status}}`. Who has no valid key is not signed in there. */
export function wordpressFailure(failure: Failure) {
  const status = failure.code === 'unauthenticated' ? 401 : failure.status
  const code = codeOf(failure)
  const { member, error } = failure
  const params = code === 'rest_invalid_param' && member ? { params: { [member]: error } } : {}
  const isRoute = code === 'rest_no_route'
  const message = isRoute ? 'No route was found matching the URL and request method.' : error
  return { status, body: { code, message, data: { status, ...params } } }
}

const filed: Readonly<Record<string, FiledPart>> = { categories: 'categories', tags: 'tags', users: 'author' }
const number = ':number{[0-9]{1,15}}'

/** Asks for one post. Who may change content finds drafts by their id, without having said so. */
async function published(c: Ctx, ask: (drafts: boolean) => Promise<Response>): Promise<Response> {
  try {
    return await ask(false)
  } catch (error) {
    const isMissing = error instanceof HttpError && error.message === invalidPost
    if (!isMissing || !hasCredentials(c)) throw error
    return ask(true).catch(second => {
      throw second instanceof HttpError && second.status < 500 ? notFound(invalidPost) : second
    })
  }
}

/** The REST API of WordPress, version 2, read-only. See docs/moving-from/wordpress.md. */
export function wordpressRoutes(context: ApiContext): Endpoints {
  const { api, options, answer, get, addressOf } = door(context, 'wordpress', 'WordPress')
  const at = (path: string) => `${jsonRoot}${version}${path}`
  const apiOf = (c: Ctx) => addressOf(c, at(''))
  const requestOf = (c: Ctx) => {
    const query = c.req.url.includes('?') ? `?${searchOf(c.req.url)}` : ''
    return wordpressRequest(addressOf(c, c.req.path.slice(prefix.length)) + query, apiOf(c))
  }
  const getFixed = (
    path: string,
    write: (site: CompatSite, request: WordpressRequest, number: number) => Promise<Written>,
  ) =>
    get(at(path), c => {
      const request = requestOf(c)
      return site => write(site, request, Number(c.req.param('number')))
    })

  for (const path of ['/', jsonRoot, at('')])
    get(path, c => {
      const root = addressOf(c, jsonRoot)
      const headers = { Link: `<${root}/>; rel="https://api.w.org/"` }
      return site => ({ ...wordpressIndex(site, root), headers })
    })
  for (const [base, part] of Object.entries(filed)) {
    getFixed(`/${base}`, (site, request) => wordpressFiled(site, part, request))
    getFixed(`/${base}/${number}`, (site, request, id) => wordpressFiledById(site, part, id, request))
  }
  getFixed('/media', wordpressMediaList)
  getFixed(`/media/${number}`, (site, request, id) => wordpressMediaById(site, id, request))
  get(at('/types'), c => site => wordpressTypes(site, apiOf(c)))
  get(at('/types/:name'), c => site => wordpressType(site, c.req.param('name') ?? '', apiOf(c)))
  get(at('/taxonomies'), c => site => wordpressTaxonomies(site, apiOf(c)))
  get(at('/taxonomies/:name'), c => site => wordpressTaxonomy(site, c.req.param('name') ?? '', apiOf(c)))
  getFixed('/comments', async (site, request) => wordpressComments(site, request))
  get(at('/:base'), c => {
    const request = requestOf(c)
    const isPublished = request.statuses.size === 1 && request.statuses.has('publish')
    return { drafts: !isPublished, write: site => wordpressPosts(site, c.req.param('base') ?? '', request) }
  })
  api.get(at(`/:base/${number}`), 'public', options, async c => {
    const request = requestOf(c)
    const { base = '', number = '' } = c.req.param()
    const write = (site: CompatSite) => wordpressPostById(site, base, Number(number), request)
    return published(c, drafts => answer(c, { drafts, write }))
  })
  return api
}
