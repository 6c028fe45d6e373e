import { z } from 'zod'
import { actorOf } from '../../middleware/context.js'
import type { Paths } from '../../services/delivery/expand.js'
import { type FormatName, formatNames } from '../../services/delivery/formats/index.js'
import { Page } from '../../services/delivery/formats/shapes.js'
import { PreviewLinkCreate, PreviewLinkMade } from '../../services/delivery/preview-links.js'
import type { ApiContext } from '../context.js'
import { deleteRoute, listRoute } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'
import { deliveries } from '../page-answer.js'
import { expandIn, isOpen, localeOf } from '../page-requests.js'

interface Wanted {
  readonly token: string
  readonly format: FormatName
  readonly isOpen: boolean
  readonly locale: string
  readonly expand: Paths
  readonly sourcemaps: boolean
}

const token = z.string().max(500).meta({ description: 'The token of the preview link.' })
const query = z.object({
  token,
  format: z.enum(formatNames, `must be one of ${formatNames.join(', ')}`).optional(),
  locale: z.string().max(64).optional().meta({ description: 'Values of this locale, or of its fallbacks.' }),
  expand: z
    .string()
    .optional()
    .meta({ description: 'With `format=native`: relations to show with the fields of the related entries.' }),
  sourcemaps: z.enum(['0', '1'], 'must be 0 or 1').optional().meta({
    description:
      'With `1`, invisible characters in each text tell a preview which field to open in the panel.',
  }),
})

const access = 'content:update'

/** Links that show the draft of one page without an account, and the pages that they show. */
export function previewRoutes({
  services: { previewLinks },
  authentication,
  recordResponses,
  config,
}: ApiContext) {
  const api = endpoints('previews', authentication)
  const resource = {
    api,
    path: '/content/preview-links',
    // A preview link shows drafts.
    permission: { read: access, write: access },
    service: previewLinks,
    recordResponses,
  } as const
  const deliver = deliveries<Wanted>('preview', {
    inFormat: (wanted, format) => ({ ...wanted, format }),
    inMemory: () => undefined,
    read: wanted => previewLinks.page(wanted.token, wanted),
  })

  listRoute(resource, ['content_data_id'])
  api.post(
    resource.path,
    access,
    {
      summary: 'Create a preview link',
      description: 'The link shows the draft of one page without an account.',
      secret: true,
      body: PreviewLinkCreate,
      answers: { status: 201, shape: PreviewLinkMade },
    },
    async (c, { body }) => c.json(await previewLinks.create(actorOf(c), body), 201),
  )
  deleteRoute(resource)
  api.get(
    '/preview',
    'public',
    {
      summary: 'Get the draft of the page of a preview link',
      query,
      anyQuery: true,
      fails: [404, 410],
      answers: { shape: Page },
    },
    (c, { query: { token, format: named, locale = '', expand = '', sourcemaps } }) => {
      const format = named ?? config().output_format
      const paths = expandIn(expand, format)
      return deliver(c.req.raw, c.env, {
        token,
        format,
        isOpen: isOpen(named, format, locale, paths),
        locale: localeOf(locale, format),
        expand: paths,
        sourcemaps: sourcemaps === '1',
      })
    },
  )
  return api
}
