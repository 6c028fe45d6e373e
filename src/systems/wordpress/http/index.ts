import { HttpError, notFound } from '../../../errors.js'
import type { Ctx } from '../../../middleware/context.js'
import type { Failure } from '../../../middleware/errors.js'
import type { ApiContext } from '../../../routes/context.js'
import { type Endpoints, endpoints } from '../../../routes/endpoints.js'
import {
  type AddressOf,
  type Answering,
  addresses,
  answering,
  compatPrefix,
  hasCredentials,
} from '../../root.js'
import {
  type FiledPart,
  invalidTerm,
  invalidUser,
  wordpressFiled,
  wordpressFiledById,
  wordpressIndex,
  wordpressMediaById,
  wordpressMediaList,
  wordpressTaxonomies,
  wordpressType,
  wordpressTypes,
} from '../find/lists.js'
import { beyondEnd, invalidPost, wordpressPostById, wordpressPosts } from '../find/posts.js'
import { wordpressRequest } from './request.js'

const jsonRoot = '/wp-json'
const version = '/wp/v2'

/** The words of WordPress for what it tells of by a code of its own. */
const codes: Readonly<Record<string, string>> = {
  [invalidPost]: 'rest_post_invalid_id',
  [invalidTerm]: 'rest_term_invalid',
  [invalidUser]: 'rest_user_invalid_id',
  'Invalid post type.': 'rest_type_invalid',
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

const options = { summary: 'As WordPress answers', anyQuery: true } as const
const filed: Readonly<Record<string, FiledPart>> = { categories: 'categories', tags: 'tags', users: 'author' }
const number = ':number{[0-9]{1,15}}'

/** What a request asks for, with the addresses that the answer names. */
const requestAt = (addressOf: AddressOf) => (c: Ctx) => {
  const at = c.req.url.indexOf('?')
  const query = at < 0 ? '' : c.req.url.slice(at)
  return wordpressRequest(
    addressOf(c, c.req.path.slice(`${compatPrefix}/wordpress`.length)) + query,
    addressOf(c, jsonRoot + version),
  )
}

/** Discovery: the root document, and where it is. */
function discovery(api: Endpoints, answer: Answering, addressOf: AddressOf): void {
  const index = (c: Ctx) => {
    const root = addressOf(c, jsonRoot)
    return answer(c, false, site => ({
      ...wordpressIndex(site, root),
      headers: { Link: `<${root}/>; rel="https://api.w.org/"` },
    }))
  }
  for (const path of ['', jsonRoot, jsonRoot + version] as const)
    api.get(path || '/', 'public', options, index)
}

/** What every WordPress has beside its posts. */
function fixedLists(api: Endpoints, answer: Answering, addressOf: AddressOf): void {
  const at = (path: string) => `${jsonRoot}${version}${path}`
  const requestOf = requestAt(addressOf)
  const apiOf = (c: Ctx) => addressOf(c, jsonRoot + version)
  const numberOf = (c: Ctx) => Number(c.req.param('number'))
  for (const [base, part] of Object.entries(filed)) {
    api.get(at(`/${base}`), 'public', options, c => {
      const request = requestOf(c)
      return answer(c, false, site => wordpressFiled(site, part, request))
    })
    api.get(at(`/${base}/${number}`), 'public', options, c => {
      const request = requestOf(c)
      return answer(c, false, site => wordpressFiledById(site, part, numberOf(c), request))
    })
  }
  api.get(at('/media'), 'public', options, c => {
    const request = requestOf(c)
    return answer(c, false, site => wordpressMediaList(site, request))
  })
  api.get(at(`/media/${number}`), 'public', options, c => {
    const request = requestOf(c)
    return answer(c, false, site => wordpressMediaById(site, numberOf(c), request))
  })
  api.get(at('/types'), 'public', options, c => answer(c, false, site => wordpressTypes(site, apiOf(c))))
  api.get(at('/types/:name'), 'public', options, c =>
    answer(c, false, site => wordpressType(site, c.req.param('name') ?? '', apiOf(c))),
  )
  api.get(at('/taxonomies'), 'public', options, c =>
    answer(c, false, site => wordpressTaxonomies(site, apiOf(c))),
  )
}

/** The REST API of WordPress, version 2, read-only. See docs/moving-from/wordpress.md. */
export function wordpressRoutes(context: ApiContext): Endpoints {
  const answer = answering(context)
  const addressOf = addresses(context, 'wordpress')
  const requestOf = requestAt(addressOf)
  const api = endpoints('wordpress', context.authentication)
  discovery(api, answer, addressOf)
  fixedLists(api, answer, addressOf)
  api.get(`${jsonRoot}${version}/:base`, 'public', options, c => {
    const request = requestOf(c)
    const isPublished = request.statuses.size === 1 && request.statuses.has('publish')
    return answer(c, !isPublished, site => wordpressPosts(site, c.req.param('base') ?? '', request))
  })
  api.get(`${jsonRoot}${version}/:base/${number}`, 'public', options, async c => {
    const request = requestOf(c)
    const { base = '', number = '' } = c.req.param()
    const ask = (drafts: boolean) =>
      answer(c, drafts, site => wordpressPostById(site, base, Number(number), request))
    try {
      return await ask(false)
    } catch (error) {
      // Who may change content finds drafts by their id, without having said so.
      const isMissing = error instanceof HttpError && error.message === invalidPost
      if (!isMissing || !hasCredentials(c)) throw error
      return ask(true).catch(second => {
        throw second instanceof HttpError && second.status < 500 ? notFound(invalidPost) : second
      })
    }
  })
  return api
}
