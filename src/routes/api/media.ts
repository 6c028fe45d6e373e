import { z } from 'zod'
import { actorOf } from '../../middleware/context.js'
import { MediaDimensionCreate, MediaDimensionUpdate } from '../../services/media/dimensions.js'
import { MediaFolderCreate, MediaFolderUpdate } from '../../services/media/folders.js'
import { MediaList, MediaMove, MediaUpdate, MediaUpload } from '../../services/media/input.js'
import { crudRoutes, idOf, idQuery, listAnswer, listQuery } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'
import type { ApiKit, MediaKit } from './kit.js'

const Variant = z.object({
  name: z.string(),
  width: z.int(),
  height: z.int(),
  mimetype: z.string(),
  size: z.int(),
  url: z.string(),
})
const Media = z.object({
  media_id: z.string(),
  numeric_id: z.int(),
  name: z.string(),
  display_name: z.string(),
  alt_text: z.string(),
  caption: z.string(),
  description: z.string(),
  mimetype: z.string(),
  size: z.int(),
  width: z.int().nullable(),
  height: z.int().nullable(),
  focal_x: z.int().nullable(),
  focal_y: z.int().nullable(),
  url: z.string(),
  variants: z.array(Variant),
  folder_id: z.string().nullable(),
  author_id: z.string(),
  date_created: z.string(),
  date_modified: z.string(),
})
const Health = z.object({
  total_objects: z.int(),
  tracked_objects: z.int(),
  orphaned_objects: z.int(),
  orphaned_keys: z.array(z.string()),
  missing_objects: z.int(),
})
const Cleanup = z.object({
  deleted: z.array(z.string()),
  deleted_count: z.int(),
  failed: z.array(z.string()),
  failed_count: z.int(),
})
const Reference = z.object({
  content_field_id: z.string(),
  content_data_id: z.string(),
  field_id: z.string(),
  locale: z.string(),
  root_id: z.string(),
})
const force = z.enum(['true', 'false']).optional().meta({ description: 'Does it against the warning.' })
const isForced = ({ force }: { force?: string | undefined }) => force === 'true'

/** Media and their variants (4.8). */
export function mediaRoutes({ media, prefix, permission, tag, records, authentication }: MediaKit) {
  const api = endpoints(tag('media'), authentication)
  const { items, health } = media
  const path = `${prefix}/media` as const
  const may = permission
  const shape = { answers: { shape: Media } }
  const idIn = (c: { req: { param(name: string): string | undefined } }) => c.req.param('media_id') ?? ''

  api.get(
    path,
    `${may}:read`,
    {
      summary: 'List media, or get one by q',
      query: MediaList.extend({ ...idQuery.shape, ...listQuery.shape }),
      answers: { shape: z.union([z.array(Media), Media]) },
    },
    async (c, { query: { q, limit, offset, after, ...filter } }) => {
      if (q !== undefined) return records.answer(c, await items.get(q))
      return listAnswer(c, items.list(filter, { limit, offset, after }), await items.count(filter))
    },
  )
  api.post(
    `${path}/upload`,
    `${may}:create`,
    { summary: 'Upload a file', upload: MediaUpload, answers: { status: 201, shape: Media } },
    async c => records.answer(c, await items.upload(actorOf(c), c.req.raw), 201),
  )
  api.post(
    `${path}/move`,
    `${may}:update`,
    { summary: 'Move media to a folder', body: MediaMove, answers: { shape: z.array(Media) } },
    async (c, { body }) => c.json(await items.move(actorOf(c), body)),
  )
  api.get(
    `${path}/health`,
    `${may}:admin`,
    { summary: 'Compare the storage with the records', answers: { shape: Health } },
    async c => c.json(await health.health()),
  )
  api.delete(
    `${path}/cleanup`,
    `${may}:admin`,
    {
      summary: 'Delete objects that have no record',
      query: z.object({ force }),
      answers: { shape: Cleanup },
    },
    async (c, { query }) => c.json(await health.cleanup(isForced(query))),
  )
  api.put(
    path,
    `${may}:update`,
    { summary: 'Update the texts, folder or focal point', query: idQuery, body: MediaUpdate, ...shape },
    async (c, { body, query }) => {
      const id = idOf(query, await c.req.json(), 'media_id')
      return records.answer(c, await items.update(actorOf(c), id, body, records.ifMatch(c)))
    },
  )
  api.delete(
    path,
    `${may}:delete`,
    {
      summary: 'Delete a media item; refused while content uses it',
      query: idQuery.extend({ force }),
      answers: { status: 204 },
    },
    async (c, { query }) => {
      await items.remove(actorOf(c), idOf(query, undefined, 'media_id'), records.ifMatch(c), isForced(query))
      return c.body(null, 204)
    },
  )
  api.get(
    `${path}/:media_id/references`,
    `${may}:read`,
    { summary: 'The field values that name a media item', answers: { shape: z.array(Reference) } },
    async c => c.json(await items.references(idIn(c))),
  )
  api.get(
    `${path}/:media_id/download`,
    `${may}:read`,
    { summary: 'Download the original', answers: { status: 302 } },
    async c => {
      c.header('Cache-Control', 'no-store')
      return c.redirect(await items.download(idIn(c)), 302)
    },
  )
  api.post(
    `${path}/:media_id/regenerate`,
    `${may}:update`,
    { summary: 'Make the variants again', ...shape },
    async c => records.answer(c, await items.regenerate(actorOf(c), idIn(c))),
  )
  return api
}

/** Folders of media, by their ids in the path (4.8). */
export function mediaFolderRoutes({ media, prefix, permission, tag, records, authentication }: MediaKit) {
  const api = endpoints(tag('media folders'), authentication)
  const { folders } = media
  const { table } = folders
  const path = `${prefix}/media-folders` as const
  const may = permission
  const idIn = (c: { req: { param(name: string): string | undefined } }) => c.req.param('folder_id') ?? ''

  api.get(
    `${path}/tree`,
    `${may}:read`,
    { summary: 'All folders inside each other', answers: { shape: z.json() } },
    async c => c.json(await folders.tree()),
  )
  api.get(
    path,
    `${may}:read`,
    { summary: 'List media folders', query: listQuery, answers: { shape: { table, list: true } } },
    async (c, { query }) => listAnswer(c, folders.list({}, query), await folders.count({})),
  )
  api.post(
    path,
    `${may}:create`,
    { summary: 'Create a media folder', body: MediaFolderCreate, answers: { status: 201, shape: { table } } },
    async (c, { body }) => records.answer(c, await folders.create(actorOf(c), body), 201),
  )
  api.get(
    `${path}/:folder_id`,
    `${may}:read`,
    { summary: 'One media folder', answers: { shape: { table } } },
    async c => records.answer(c, await folders.get(idIn(c))),
  )
  api.put(
    `${path}/:folder_id`,
    `${may}:update`,
    { summary: 'Rename or move a media folder', body: MediaFolderUpdate, answers: { shape: { table } } },
    async (c, { body }) =>
      records.answer(c, await folders.update(actorOf(c), idIn(c), body, records.ifMatch(c))),
  )
  api.delete(
    `${path}/:folder_id`,
    `${may}:delete`,
    { summary: 'Delete an empty media folder', answers: { status: 204 } },
    async c => {
      await folders.remove(actorOf(c), idIn(c), records.ifMatch(c))
      return c.body(null, 204)
    },
  )
  return api
}

/** Size presets of image variants, for both spaces. */
export function mediaDimensionRoutes({ services, records, authentication }: ApiKit) {
  const api = endpoints('media dimensions', authentication)
  crudRoutes(
    {
      api,
      path: '/media-dimensions',
      permission: { read: 'media:read', write: 'media:admin' },
      service: services.mediaDimensions,
      records,
    },
    { create: MediaDimensionCreate, update: MediaDimensionUpdate, filters: ['label'] },
  )
  return api
}
