import { z } from 'zod'
import { requireAccess } from '../../middleware/authenticate.js'
import type { Ctx } from '../../middleware/context.js'
import { NativeEntry } from '../../services/delivery/formats/shapes.js'
import { endpoints } from '../endpoints.js'
import { answerWith } from '../page-answer.js'
import { addressOf } from '../page-requests.js'
import type { ApiContext } from './context.js'

const access = 'content:read'

const list = z.object({
  data: z.array(NativeEntry),
  meta: z.object({ next: z.string().nullable(), count: z.int().optional() }),
})

/** Published entries by what is in them. Public datatypes need no credentials; see docs/query.md. */
export function queryRoutes({ services, authentication }: ApiContext) {
  const { queries } = services.space
  const api = endpoints('query', authentication)

  async function answer(c: Ctx, datatype: string, id?: string): Promise<Response> {
    const address = addressOf(c.req.url)
    const at = address.indexOf('?')
    const search = at < 0 ? '' : address.slice(at + 1)
    const allow = async () => void (await requireAccess(c, access, authentication))
    const found = await queries.answer({ datatype, id, search }, allow)
    return answerWith(c.req.raw, c.env, found, found.isPublic ? 'public' : 'private')
  }

  api.get(
    '/query/:datatype_name',
    'public',
    {
      name: 'queryEntries',
      summary: 'Published entries of a datatype by filter and order',
      anyQuery: true,
      fails: [403, 404],
      answers: { shape: list },
    },
    c => answer(c, c.req.param('datatype_name') ?? ''),
  )
  api.get(
    '/query/:datatype_name/:entry',
    'public',
    {
      name: 'queryEntry',
      summary: 'One published entry of a datatype by its id',
      anyQuery: true,
      fails: [403],
      answers: { shape: z.object({ data: NativeEntry }) },
    },
    c => answer(c, c.req.param('datatype_name') ?? '', c.req.param('entry')),
  )
  return api
}
