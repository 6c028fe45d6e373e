import { zValidator } from '@hono/zod-validator'
import { type ErrorHandler, Hono, type MiddlewareHandler } from 'hono'
import { findTargetHandler } from 'hono/utils/handler'
import type { z } from 'zod'
import { invalid, malformed } from '../errors.js'
import { type Authentication, requiring } from '../middleware/authenticate.js'
import type { Ctx, Env } from '../middleware/context.js'
import { formBody } from '../middleware/form-body.js'
import { jsonBody } from '../middleware/json-body.js'
import { limiting } from '../middleware/rate-limit.js'
import { refuseOtherForms, refusingOddIds } from '../middleware/request-address.js'
import { refusingForeignPages } from '../middleware/same-origin.js'
import type { Access } from '../services/accounts/access.js'
import { ofForm } from './form-values.js'

type Method = 'get' | 'post' | 'put' | 'delete'

/** How an answer is described in the OpenAPI document. */
export type AnswerShape =
  | z.ZodType
  | { readonly table: import('../db/columns.js').AnyTable; readonly list?: boolean }

interface Described {
  summary: string
  /** The answer of a request that went well; 204 has no shape. */
  answers?: { status?: 200 | 201 | 204 | 302; shape?: AnswerShape }
  /** Counted by the caller's address together with all others that say so. */
  limited?: true
  /** What a multipart form has beside its file; the handler reads it. */
  upload?: z.ZodType
}

export interface Declaration extends Described {
  method: Method
  path: string
  access: Access
  tag: string
  body: z.ZodType | undefined
  form: z.ZodType | undefined
  query: z.ZodObject | undefined
}

/** A body is JSON or a form without files; the handler gets what its schema makes of it as `body`. */
type Body<B extends z.ZodType> = { body?: B; form?: never } | { body?: never; form: B }

type Options<B extends z.ZodType, Q extends z.ZodObject> = Described & Body<B> & { query?: Q }

interface Input<B, Q> {
  body: B
  query: Q
}

interface Look {
  /** Answers what a handler throws; without it the application's own does. */
  errors?: ErrorHandler<Env>
}

const declared = new WeakSet<object>()
/** True for the handlers that came through a declaration; the router holds no others. */
export const isDeclared = (handler: MiddlewareHandler): boolean => declared.has(findTargetHandler(handler))

type Result = { success: boolean; error?: { issues: readonly z.core.$ZodIssue[] } }

/** @throws 400 about the first member that the schema refuses */
const refuseFirst =
  (whole: 'body' | 'query') =>
  (result: Result): void => {
    const [issue] = result.error?.issues ?? []
    if (result.success || !issue) return
    const path = issue.path.map(String).join('.')
    throw path === '' ? malformed(`${whole}: ${issue.message}`) : invalid(path, issue.message)
  }

const refuseQuery = refuseFirst('query')

/** The parameters by name; one that is given several times is a list, which no schema takes. */
function parametersOf(c: Ctx): Record<string, string | string[]> {
  if (!c.req.url.includes('&')) return c.req.query()
  const lists = Object.entries(c.req.queries())
  return Object.fromEntries(
    lists.map(([name, [first = '', ...more]]) => [name, more.length ? [first, ...more] : first]),
  )
}

/**
 * Parses the query. The validator for bodies parses asynchronously, which costs reads a tenth of their time (D-141).
 * @throws 400 about the first parameter that the schema refuses, also for one that is given twice
 */
function queryOf<Q extends z.ZodObject>(c: Ctx, schema: Q): z.output<Q> {
  const given = parametersOf(c)
  refuseOtherForms(given, schema)
  const result = schema.safeParse(given)
  refuseQuery(result)
  return result.data as z.output<Q>
}

/** What reads, parses and checks the body that an endpoint takes. */
function parsing<B extends z.ZodType, Q extends z.ZodObject>({
  body,
  form,
}: Options<B, Q>): MiddlewareHandler[] {
  return [
    ...(body ? [jsonBody, zValidator('json', body, refuseFirst('body'))] : []),
    ...(form ? [formBody, zValidator('form', ofForm(form), refuseFirst('body'))] : []),
  ]
}

/**
 * A router whose every endpoint says its method, path, access word and what it takes and gives. The access check, the
 * parsing and the OpenAPI document all come from this one declaration.
 */
export function endpoints(tag: string, authentication: Authentication, { errors }: Look = {}) {
  const app = new Hono<Env>({ strict: false })
  if (errors) app.onError(errors)
  const declarations: Declaration[] = []

  const method =
    (method: Method) =>
    <B extends z.ZodType = z.ZodNever, Q extends z.ZodObject = z.ZodObject<Record<never, never>>>(
      path: string,
      access: Access,
      options: Options<B, Q>,
      handler: (c: Ctx, input: Input<z.output<B>, z.output<Q>>) => Response | Promise<Response>,
    ) => {
      const { body, form, query, ...described } = options
      const last: MiddlewareHandler<Env> = async c => {
        // The validators have put there exactly what the schemas say.
        const valid = c.req as unknown as { valid(target: 'form' | 'json'): never }
        return handler(c, {
          body: valid.valid(form ? 'form' : 'json'),
          query: query ? queryOf(c, query) : ({} as never),
        })
      }
      const chain: MiddlewareHandler[] = [
        ...(method === 'get' ? [] : [refusingForeignPages(authentication, form !== undefined)]),
        ...(described.limited ? [limiting(authentication.rateLimiter)] : []),
        requiring(access, authentication),
        ...(path.includes('_id') ? [refusingOddIds] : []),
        ...parsing(options),
        last,
      ]
      for (const handler of chain) declared.add(handler)
      app.on([method], [path], ...chain)
      declarations.push({ method, path, access, tag, body, form, query, ...described })
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
