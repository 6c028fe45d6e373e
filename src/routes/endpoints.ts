import { zValidator } from '@hono/zod-validator'
import { Hono, type MiddlewareHandler } from 'hono'
import type { z } from 'zod'
import { invalid, malformed } from '../errors.js'
import { type Authentication, requiring } from '../middleware/authenticate.js'
import type { Ctx, Env } from '../middleware/context.js'
import { jsonBody } from '../middleware/json-body.js'
import { limiting } from '../middleware/rate-limit.js'
import type { Access } from '../services/accounts/access.js'

type Method = 'get' | 'post' | 'put' | 'delete'

/** How an answer is described in the OpenAPI document. */
export type AnswerShape =
  | z.ZodType
  | { readonly table: import('../db/columns.js').AnyTable; readonly list?: boolean }

interface Described {
  summary: string
  /** The answer of a request that went well; 204 has no shape. */
  answers?: { status?: 200 | 201 | 204 | 302; shape?: AnswerShape }
  /** Counted by the caller's address together with all others that say so (5.5). */
  limited?: true
  /** What a multipart form has beside its file; the handler reads it. */
  form?: z.ZodType
}

export interface Declaration extends Described {
  method: Method
  path: string
  access: Access
  tag: string
  body: z.ZodType | undefined
  query: z.ZodObject | undefined
}

interface Options<B extends z.ZodType, Q extends z.ZodObject> extends Described {
  body?: B
  query?: Q
}

interface Input<B, Q> {
  body: B
  query: Q
}

const declared = new WeakSet<object>()
/** True for the handlers that came through a declaration; the router holds no others. */
export const isDeclared = (handler: object): boolean => declared.has(handler)

function refuseFirst(result: { success: boolean; error?: { issues: readonly z.core.$ZodIssue[] } }): void {
  const [issue] = result.error?.issues ?? []
  if (result.success || !issue) return
  const path = issue.path.map(String).join('.')
  throw path === '' ? malformed(`body: ${issue.message}`) : invalid(path, issue.message)
}

function queryOf<Q extends z.ZodObject>(c: Ctx, schema: Q): z.output<Q> {
  const result = schema.safeParse(c.req.query())
  refuseFirst(result)
  return result.data as z.output<Q>
}

/**
 * A router whose every endpoint says its method, path, access word and what it takes and gives. The access check, the
 * parsing and the OpenAPI document all come from this one declaration.
 */
export function endpoints(tag: string, authentication: Authentication) {
  const app = new Hono<Env>({ strict: false })
  const declarations: Declaration[] = []

  const method =
    (method: Method) =>
    <B extends z.ZodType = z.ZodNever, Q extends z.ZodObject = z.ZodObject<Record<never, never>>>(
      path: string,
      access: Access,
      { body, query, ...described }: Options<B, Q>,
      handler: (c: Ctx, input: Input<z.output<B>, z.output<Q>>) => Response | Promise<Response>,
    ) => {
      const chain: MiddlewareHandler[] = [requiring(access, authentication)]
      if (described.limited) chain.unshift(limiting(authentication.rateLimiter))
      if (body) chain.push(jsonBody, zValidator('json', body, refuseFirst))
      const last: MiddlewareHandler<Env> = async c => {
        // The validator above has put there exactly what the schema says.
        const valid = (c.req as { valid(target: 'json'): never }).valid('json')
        return handler(c, { body: valid, query: query ? queryOf(c, query) : ({} as never) })
      }
      for (const handler of [...chain, last]) declared.add(handler)
      app.on([method], [path], ...chain, last)
      declarations.push({ method, path, access, tag, body, query, ...described })
    }

  return {
    app,
    declarations,
    get: method('get'),
    post: method('post'),
    put: method('put'),
    delete: method('delete'),
  }
}

export type Endpoints = ReturnType<typeof endpoints>
