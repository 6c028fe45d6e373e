import { z } from 'zod'
import { actorOf } from '../../middleware/context.js'
import { MediaFolderCreate, MediaFolderUpdate } from '../../services/media/folders.js'
import { listAnswer, listQuery } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'
import type { MediaContext } from './context.js'

/** Folders of media, by their ids in the path. */
export function mediaFolderRoutes({
  media,
  prefix,
  permission,
  tag,
  recordResponses,
  authentication,
}: MediaContext) {
  const api = endpoints(tag('media folders'), authentication)
  const { folders } = media
  const { table } = folders
  const path = `${prefix}/media-folders` as const
  const idIn = (c: { req: { param(name: string): string | undefined } }) => c.req.param('folder_id') ?? ''

  api.get(
    `${path}/tree`,
    `${permission}:read`,
    { summary: 'All folders inside each other', answers: { shape: z.json() } },
    async c => c.json(await folders.tree()),
  )
  api.get(
    path,
    `${permission}:read`,
    { summary: 'List media folders', query: listQuery, answers: { shape: { table, list: true } } },
    async (c, { query }) => listAnswer(c, folders.list({}, query), await folders.count({})),
  )
  api.post(
    path,
    `${permission}:create`,
    { summary: 'Create a media folder', body: MediaFolderCreate, answers: { status: 201, shape: { table } } },
    async (c, { body }) => recordResponses.answer(c, await folders.create(actorOf(c), body), 201),
  )
  api.get(
    `${path}/:folder_id`,
    `${permission}:read`,
    { summary: 'One media folder', answers: { shape: { table } } },
    async c => recordResponses.answer(c, await folders.get(idIn(c))),
  )
  api.put(
    `${path}/:folder_id`,
    `${permission}:update`,
    {
      ifMatch: true,
      summary: 'Rename or move a media folder',
      body: MediaFolderUpdate,
      answers: { shape: { table } },
    },
    async (c, { body }) =>
      recordResponses.answer(c, await folders.update(actorOf(c), idIn(c), body, recordResponses.ifMatch(c))),
  )
  api.delete(
    `${path}/:folder_id`,
    `${permission}:delete`,
    { ifMatch: true, summary: 'Delete an empty media folder', answers: { status: 204 } },
    async c => {
      await folders.remove(actorOf(c), idIn(c), recordResponses.ifMatch(c))
      return c.body(null, 204)
    },
  )
  return api
}
