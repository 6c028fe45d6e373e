import { z } from 'zod'
import { actorOf, type Ctx, idParam } from '../../middleware/context.js'
import { MediaCrop } from '../../services/media/crops.js'
import { MediaCleanup, MediaHealth } from '../../services/media/health.js'
import { MediaList, MediaMove, MediaUpdate, MediaUpload } from '../../services/media/input.js'
import { MediaRecord } from '../../services/media/record.js'
import type { MediaContext } from '../context.js'
import { flag, idOf, idQuery, listAnswer, listQuery } from '../crud-routes.js'
import { type Endpoints, endpoints } from '../endpoints.js'

const Reference = z.object({
  content_field_id: z.string(),
  content_data_id: z.string(),
  field_id: z.string(),
  locale: z.string(),
  root_id: z.string(),
})
const force = flag.meta({ description: 'Proceed despite the warning of the 409 response.' })

const shape = { answers: { shape: MediaRecord } }
const idIn = (c: Ctx) => idParam(c, 'media_id')

/** Media and their variants. */
export function mediaRoutes(context: MediaContext) {
  const api = endpoints(context.tag('media'), context.authentication)
  libraryEndpoints(api, context)
  storageEndpoints(api, context)
  itemEndpoints(api, context)
  fileEndpoints(api, context)
  return api
}

const pathIn = ({ prefix }: MediaContext) => `${prefix}/media` as const

function libraryEndpoints(api: Endpoints, context: MediaContext) {
  const { items } = context.media
  const { recordResponses, permission } = context
  const path = pathIn(context)
  api.get(
    path,
    `${permission}:read`,
    {
      summary: 'List media items',
      summaryOfOne: 'Get a media item',
      item: 'media_id',
      query: MediaList.extend({ ...idQuery.shape, ...listQuery.shape }),
      answers: { shape: z.array(MediaRecord) },
    },
    async (c, { query: { q, limit, offset, after, ...filter } }) => {
      if (q !== undefined) return recordResponses.answer(c, await items.get(q))
      return listAnswer(c, items.list(filter, { limit, offset, after }), await items.count(filter))
    },
  )
  api.post(
    `${path}/upload`,
    `${permission}:create`,
    { summary: 'Upload a file', upload: MediaUpload, answers: { status: 201, shape: MediaRecord } },
    async c => recordResponses.answer(c, await items.upload(actorOf(c), c.req.raw), 201),
  )
  api.post(
    `${path}/move`,
    `${permission}:update`,
    { summary: 'Move media items to a folder', body: MediaMove, answers: { shape: z.array(MediaRecord) } },
    async (c, { body }) => c.json(await items.move(actorOf(c), body)),
  )
}

function storageEndpoints(api: Endpoints, context: MediaContext) {
  const { health } = context.media
  const { permission, prefix } = context
  const path = pathIn(context)
  api.get(
    `${path}/health`,
    `${permission}:admin`,
    {
      summary: 'Compare the files in the storage with the records',
      fails: [409],
      answers: { shape: MediaHealth },
    },
    async c => c.json(await health.health()),
  )
  api.delete(
    `${path}/cleanup`,
    `${permission}:admin`,
    {
      summary: 'Delete files in the storage that have no record',
      name: `cleanUp${prefix === '' ? '' : 'Admin'}Media`,
      query: z.object({ force }),
      answers: { shape: MediaCleanup },
    },
    async (c, { query }) => c.json(await health.cleanup(query.force === true)),
  )
}

function itemEndpoints(api: Endpoints, context: MediaContext) {
  const { items } = context.media
  const { recordResponses, permission } = context
  const path = pathIn(context)
  api.put(
    path,
    `${permission}:update`,
    {
      summary: 'Update a media item',
      description: 'Sets its texts, folder or focal point.',
      item: 'media_id',
      ifMatch: true,
      query: idQuery,
      body: MediaUpdate,
      ...shape,
    },
    async (c, { body, query }) => {
      const id = idOf(query, await c.req.json(), 'media_id')
      return recordResponses.answer(c, await items.update(actorOf(c), id, body, recordResponses.ifMatch(c)))
    },
  )
  api.delete(
    path,
    `${permission}:delete`,
    {
      summary: 'Delete a media item',
      description: 'Returns 409 while a field value uses it.',
      item: 'media_id',
      ifMatch: true,
      query: idQuery.extend({ force }),
      answers: { status: 204 },
    },
    async (c, { query }) => {
      await items.remove(
        actorOf(c),
        idOf(query, undefined, 'media_id'),
        recordResponses.ifMatch(c),
        query.force === true,
      )
      return c.body(null, 204)
    },
  )
  api.get(
    `${path}/:media_id/references`,
    `${permission}:read`,
    { summary: 'List the field values that use a media item', answers: { shape: z.array(Reference) } },
    async c => c.json(await items.references(actorOf(c), idIn(c))),
  )
}

function fileEndpoints(api: Endpoints, context: MediaContext) {
  const { items } = context.media
  const { recordResponses, permission } = context
  const path = pathIn(context)
  api.get(
    `${path}/:media_id/download`,
    `${permission}:read`,
    { summary: 'Redirect to the original file', answers: { status: 302 } },
    async c => {
      c.header('Cache-Control', 'no-store')
      return c.redirect(await items.download(idIn(c)), 302)
    },
  )
  api.put(
    `${path}/:media_id/file`,
    `${permission}:update`,
    {
      summary: 'Replace the file of a media item, which keeps its id and address',
      ifMatch: true,
      upload: z.object({}),
      fails: [409],
      ...shape,
    },
    async c => {
      const { ifMatch } = recordResponses
      return recordResponses.answer(c, await items.replaceFile(actorOf(c), idIn(c), c.req.raw, ifMatch(c)))
    },
  )
  api.put(
    `${path}/:media_id/crop`,
    `${permission}:update`,
    {
      summary: 'Crop an image, which keeps its id and address',
      description: 'The uploaded file is kept. The whole image as the part removes the crop.',
      ifMatch: true,
      body: MediaCrop,
      fails: [409],
      ...shape,
    },
    async (c, { body }) => {
      const { ifMatch } = recordResponses
      return recordResponses.answer(c, await items.crop(actorOf(c), idIn(c), body, ifMatch(c)))
    },
  )
  api.delete(
    `${path}/:media_id/crop`,
    `${permission}:update`,
    { summary: 'Remove the crop of an image', ifMatch: true, fails: [409], ...shape },
    async c => {
      const { ifMatch } = recordResponses
      return recordResponses.answer(c, await items.crop(actorOf(c), idIn(c), null, ifMatch(c)))
    },
  )
  api.post(
    `${path}/:media_id/regenerate`,
    `${permission}:update`,
    { summary: 'Generate the image variants again', ...shape },
    async c => recordResponses.answer(c, await items.regenerate(actorOf(c), idIn(c))),
  )
}
