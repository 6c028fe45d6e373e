import { tables } from '../../db/tables.js'
import type { ApiContext } from '../context.js'
import { idQuery, listAnswer, listQuery } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'

/** Backups of the whole site. */
export function backupRoutes({ services: { backups }, recordResponses, authentication }: ApiContext) {
  const api = endpoints('backups', authentication)
  api.get(
    '/admin/backups',
    'deploy:read',
    {
      summary: 'List backups',
      summaryOfOne: 'Get a backup',
      description: 'Each record has the status and the location of the backup.',
      item: 'backup_id',
      query: listQuery.extend(idQuery.shape),
      answers: { shape: { table: tables.backups, list: true } },
    },
    async (c, { query: { q, ...slice } }) =>
      q === undefined
        ? listAnswer(c, backups.list({}, slice), await backups.count({}))
        : recordResponses.answer(c, await backups.get(q)),
  )
  api.post(
    '/admin/backups',
    'deploy:create',
    {
      summary: 'Start a backup',
      description: 'Returns at once. Read the record again for the progress.',
      answers: { status: 201, shape: { table: tables.backups } },
      fails: [409],
    },
    c => recordResponses.written(c, actor => backups.begin(actor), { status: 201 }),
  )
  return api
}
