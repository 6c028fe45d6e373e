import { z } from 'zod'
import { MediaFolderCreate, MediaFolderUpdate } from '../../services/media/folders.js'
import type { MediaContext } from '../context.js'
import { crudRoutes } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'

/** Folders of media, and all of them inside each other. */
export function mediaFolderRoutes(context: MediaContext) {
  const { media, prefix, permission, tag, recordResponses, authentication } = context
  const api = endpoints(tag('media folders'), authentication)
  const { folders } = media
  const path = `${prefix}/media-folders` as const
  api.get(
    `${path}/tree`,
    `${permission}:read`,
    { summary: 'Get all media folders as a tree', answers: { shape: z.json() } },
    async c => c.json(await folders.tree()),
  )
  crudRoutes(
    { api, path, permission, service: folders, recordResponses },
    { create: MediaFolderCreate, update: MediaFolderUpdate },
  )
  return api
}
