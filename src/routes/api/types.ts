import { z } from 'zod'
import { matches } from '../accepted.js'
import type { ApiContext } from '../context.js'
import { endpoints } from '../endpoints.js'

const Types = z.string().meta({ examples: ['export interface Article {\n  title: string\n}\n'] })

/** The content model for programs that read content; see docs/types.md. */
export function typeRoutes({ services, authentication }: ApiContext) {
  const api = endpoints('query', authentication)
  api.get(
    '/types.ts',
    'datatypes:read',
    {
      name: 'getTypes',
      summary: 'Get TypeScript types of the content model',
      answers: { shape: Types, type: 'text/plain' },
    },
    async c => {
      const { text, etag } = await services.space.modelTypes.typeScript()
      c.header('ETag', etag)
      return matches(c.req.header('if-none-match'), etag) ? c.body(null, 304) : c.text(text)
    },
  )
  return api
}
