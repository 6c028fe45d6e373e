import { invalid } from '../../../errors.js'
import { type Ctx, idParam } from '../../../middleware/context.js'
import type { Failure } from '../../../middleware/errors.js'
import type { ApiContext } from '../../../routes/context.js'
import type { CompatSite, Written } from '../../../services/delivery/compat/compat.js'
import { pictureAt, pictureParameters, type WantedPicture } from '../../pictures.js'
import { compatPrefix, door, hasCredentials } from '../../root.js'
import { contentfulAsset, contentfulAssets, contentfulEntries, contentfulEntry } from '../find/entries.js'
import { contentfulSync } from '../find/sync.js'
import {
  contentfulLocales,
  contentfulSpace,
  contentfulTags,
  contentfulType,
  contentfulTypes,
} from '../find/types.js'
import { type ContentfulRequest, requestOf, syncOf } from './request.js'

const ids: Readonly<Record<number, string>> = {
  403: 'AccessDenied',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  429: 'RateLimitExceeded',
}

/** `{sys: {type: 'Error', id}, message, requestId}`. Who has no valid key is not authorized there. */
export function contentfulFailure({ status: given, code, error }: Failure, c: Ctx) {
  const status = code === 'unauthenticated' ? 401 : given
  const id =
    status === 401 ? 'AccessTokenInvalid' : (ids[status] ?? (status < 500 ? 'InvalidQuery' : 'ServerError'))
  return { status, body: { sys: { type: 'Error', id }, message: error, requestId: c.env.requestId } }
}

function pictureOf(c: Ctx): WantedPicture {
  const { number, type, query } = pictureParameters(c)
  const fit = query.get('fit') ?? ''
  return {
    width: number('w'),
    height: number('h'),
    crops: fit === 'fill' || fit === 'crop' || fit === 'thumb',
    types: type ? [type] : [],
  }
}

/** The delivery and preview API of Contentful, read-only. See docs/moving-from/contentful.md. */
export function contentfulRoutes(context: ApiContext) {
  const { api, get, addressOf } = door(context, 'contentful', 'Contentful')
  const imagesOf = (c: Ctx) => addressOf(c, '/images')
  for (const drafts of [false, true]) {
    const space = `${drafts ? '/preview' : ''}/spaces/:space`
    get(space, c => ({ drafts, write: site => contentfulSpace(site, c.req.param('space') ?? '') }))
    for (const at of [space, `${space}/environments/:environment`]) {
      const getAsked = (
        path: string,
        write: (site: CompatSite, request: ContentfulRequest, id: string) => Promise<Written>,
      ) =>
        get(`${at}${path}`, c => {
          const request = requestOf(c, imagesOf(c))
          if (drafts && request.cursor) throw invalid('cursor', 'is not supported for drafts; use skip')
          return { drafts, write: site => write(site, request, c.req.param('id') ?? '') }
        })
      getAsked('/entries', contentfulEntries)
      getAsked('/entries/:id', (site, request, id) => contentfulEntry(site, id, request))
      getAsked('/assets', contentfulAssets)
      getAsked('/assets/:id', (site, { images }, id) => contentfulAsset(site, id, images))
      get(`${at}/content_types`, c => {
        const request = requestOf(c, imagesOf(c))
        // With a key the response is not cached: a build asks for it once.
        const beside = hasCredentials(c) ? null : ''
        return { drafts, write: site => contentfulTypes(site, request), beside }
      })
      getAsked('/content_types/:id', (site, _, id) => contentfulType(site, id))
      get(`${at}/locales`, () => ({ drafts, write: contentfulLocales }))
      get(`${at}/tags`, () => ({ drafts, write: contentfulTags }))
      if (drafts) continue
      get(`${at}/sync`, c => {
        const path = c.req.path.slice(`${compatPrefix}/contentful`.length)
        const withToken = (token: string) => `${addressOf(c, path)}?sync_token=${token}`
        const state = syncOf(c)
        return { write: site => contentfulSync(site, state, imagesOf(c), withToken), beside: null }
      })
    }
  }
  get('/images/:id/:name', c => ({
    write: site => pictureAt(site, idParam(c, 'id'), pictureOf(c)),
    beside: null,
  }))
  return api
}
