import { z } from 'zod'
import { tables } from '../../db/tables.js'
import { actorOf, type Ctx, idParam } from '../../middleware/context.js'
import { ImportAddress, ImportUpload } from '../../services/import/jobs.js'
import { importSystems } from '../../services/import/systems.js'
import type { ApiContext } from '../context.js'
import { flag, idOf, idQuery, listAnswer, listQuery } from '../crud-routes.js'
import { type Endpoints, endpoints } from '../endpoints.js'

const names: Readonly<Record<(typeof importSystems)[number], string>> = {
  wordpress: 'WordPress',
  contentful: 'Contentful',
  sanity: 'Sanity',
  strapi: 'Strapi',
  markdown: 'Markdown files',
  ghost: 'Ghost',
  csv: 'CSV tables',
}

const mostRows = 200

const Compared = z.object({ before: z.number(), after: z.number() })
const ReportRow = z.looseObject({
  key: z.string().meta({ description: 'The `after` of the next request.' }),
  kind: z.enum(['entry', 'file', 'unread']),
  source_id: z.string(),
  id: z.string().nullable(),
  old_address: z.string().nullable(),
  address: z.string().nullable(),
  state: z.enum(['published', 'draft', 'scheduled', 'stored', 'left_out']),
  words: Compared.optional(),
  pictures: Compared.optional(),
  links: Compared.optional(),
  left_out: z.array(z.string()),
})

const idIn = (c: Ctx) => idParam(c, 'import_id')
const one = { shape: { table: tables.imports } } as const

/** Imports from other systems, each a job of its own. */
export function importRoutes(context: ApiContext) {
  const api = endpoints('import', context.authentication)
  startEndpoints(api, context)
  recordEndpoints(api, context)
  return api
}

function startEndpoints(api: Endpoints, { services: { importJobs }, recordResponses }: ApiContext) {
  for (const system of importSystems) {
    api.post(
      `/import/${system}`,
      'import:create',
      {
        summary: `Import an export of ${names[system]}`,
        description: 'Upload the exported file. Returns at once: read the record again for the progress.',
        upload: ImportUpload,
        answers: { status: 201, ...one },
        fails: [409],
      },
      async c => recordResponses.answer(c, await importJobs.upload(actorOf(c), system, c.req.raw), 201),
    )
    api.post(
      `/import/${system}/address`,
      'import:create',
      {
        summary: `Import an export of ${names[system]} from a URL`,
        description: 'The URL follows the rules for webhook URLs. Returns at once.',
        body: ImportAddress,
        answers: { status: 201, ...one },
        fails: [409],
      },
      async (c, { body }) => recordResponses.answer(c, await importJobs.fetch(actorOf(c), system, body), 201),
    )
  }
}

function recordEndpoints(api: Endpoints, { services: { importJobs }, recordResponses }: ApiContext) {
  api.get(
    '/import',
    'import:read',
    {
      summary: 'List imports',
      summaryOfOne: 'Get an import',
      description: 'Each record has the state, the progress and the result.',
      item: 'import_id',
      query: listQuery.extend(idQuery.shape),
      answers: { shape: { table: tables.imports, list: true } },
    },
    async (c, { query: { q, ...slice } }) =>
      q === undefined
        ? listAnswer(c, importJobs.list({}, slice), await importJobs.count({}))
        : recordResponses.answer(c, await importJobs.get(q)),
  )
  api.get(
    '/import/:import_id/report',
    'import:read',
    {
      summary: 'Get the report of an import, a row for each record',
      query: z.object({
        problems: flag.meta({ description: 'Only records that need attention.' }),
        after: z.string().max(64).optional().meta({ description: 'Only rows after the one with this key.' }),
      }),
      answers: { shape: z.array(ReportRow) },
    },
    async (c, { query }) => {
      const found = await importJobs.report(idIn(c), { ...query, limit: mostRows })
      return c.json(found.map(({ key, row }) => ({ key, ...row })))
    },
  )
  api.post(
    '/import/:import_id/start',
    'import:update',
    {
      summary: 'Start a waiting import, or continue one that was cancelled or has failed',
      query: z.object({ without_files: flag.meta({ description: 'Do not import files.' }) }),
      answers: one,
      fails: [409],
    },
    async (c, { query }) =>
      recordResponses.answer(c, await importJobs.resume(actorOf(c), idIn(c), query.without_files)),
  )
  api.post(
    '/import/:import_id/cancel',
    'import:update',
    { summary: 'Cancel an import', description: 'Created content stays.', answers: one, fails: [409] },
    async c => recordResponses.answer(c, await importJobs.cancel(actorOf(c), idIn(c))),
  )
  api.delete(
    '/import',
    'import:delete',
    {
      summary: 'Delete the record of an import and its report',
      description: 'The imported content stays.',
      item: 'import_id',
      query: idQuery,
      fails: [409],
      answers: { status: 204 },
    },
    async (c, { query }) => {
      await importJobs.remove(actorOf(c), idOf(query, undefined, 'import_id'))
      return c.body(null, 204)
    },
  )
}
