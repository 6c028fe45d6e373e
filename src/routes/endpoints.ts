import { zValidator } from '@hono/zod-validator'
import { type ErrorHandler, Hono, type MiddlewareHandler } from 'hono'
import { createMiddleware } from 'hono/factory'
import { findTargetHandler } from 'hono/utils/handler'
import { z } from 'zod'
import { invalid, malformed, type Status } from '../errors.js'
import { type Authentication, refusingIfReadOnly, requiring } from '../middleware/authenticate.js'
import { type Ctx, type Env, idParam } from '../middleware/context.js'
import { formBody } from '../middleware/form-body.js'
import { idempotent } from '../middleware/idempotency.js'
import { jsonBody } from '../middleware/json-body.js'
import { limiting } from '../middleware/rate-limit.js'
import { refuseOtherForms, refuseUnknownParameters, refusingOddIds } from '../middleware/request-address.js'
import { anonymousBodyBytes, bodyBytes } from '../middleware/request-body.js'
import { refusingForeignPages } from '../middleware/same-origin.js'
import type { Access } from '../services/accounts/access.js'
import { refuseUnknownMembers } from '../services/unknown-members.js'
import { Turns } from '../turns.js'
import { refuseAnyJsonIn } from './body-schemas.js'
import { ofForm } from './form-values.js'

type Method = 'get' | 'post' | 'put' | 'delete'

/** How an answer is described in the OpenAPI document. */
export type AnswerShape =
  | z.ZodType
  | {
      readonly table: import('../db/columns.js').AnyTable
      readonly list?: boolean
      readonly tree?: boolean
      readonly more?: z.ZodObject
    }
  | { readonly parts: Readonly<Record<string, AnswerShape>> }

interface Answers {
  readonly status?: 200 | 201 | 204 | 302
  readonly shape?: AnswerShape
  readonly type?: string
}

interface Described {
  /** One sentence that begins with a verb, without a full stop. */
  summary: string
  summaryOfOne?: string
  description?: string
  /** The name of the function in generated clients, where the one that follows from method and path reads badly. */
  name?: string
  /**
   * The id of the record that `q` names: the endpoint is at `path/:item` too. With GET, `path` itself is described as
   * the list, and `path/:item` as one record of it.
   */
  item?: string
  ifMatch?: true
  fails?: readonly Status[]
  /** The answer of a request that went well; 204 has no shape. */
  answers?: Answers | undefined
  dryRun?: z.ZodType
  /** Counted by the caller's address together with all others that say so. Every public form is. */
  limited?: true
  /** The requested page may have moved: a redirect may lead to its new address. */
  mayHaveMoved?: true
  secret?: true
  drops?: readonly string[]
  /** It changes nothing although its method is not GET, so it works where changes are refused. */
  onlyReads?: true
  /** Parameters that are not declared are ignored: links to pages carry marks of their own. */
  anyQuery?: true
  /** Parameters that the handler reads by rules of its own; they are only described here. */
  parameters?: z.ZodObject
  upload?: z.ZodObject
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

type Body<B extends z.ZodType> = { body?: B; form?: never } | { body?: never; form: B }

/** The id of one record behind a path: it matches no word that an endpoint may end with. */
const idPattern = '{[0-7][0-9A-Za-z]+}'

type Options<B extends z.ZodType, Q extends z.ZodObject> = Described &
  Body<B> & {
    query?: Q
    maxBytes?: number
    refuseForm?: (c: Ctx, form: FormData) => void
  }

interface Input<B, Q> {
  body: B
  query: Q
}

interface Look {
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

/**
 * Stops at the first problem, so that nobody pays for 100,000 others; zod has the option for `validate` and does not
 * type it here.
 */
const untilFirst = { abortEarly: true } as z.core.ParseContext<z.core.$ZodIssue>

/** Checks a body, with a turn for others after a large one. @throws 400 about the first member that is refused */
const checking = (target: 'form' | 'json', schema: z.ZodType) =>
  zValidator(target, schema, refuseFirst('body'), {
    async validationFunction(_, value) {
      const turns = new Turns()
      const result = await schema.safeParseAsync(value, untilFirst)
      await turns.next()
      return result
    },
  })

const refuseQuery = refuseFirst('query')
const noQuery = z.object({})

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
 * @throws 400 about the first parameter that is unknown or that the schema refuses, also for one that is given twice
 */
function queryOf<Q extends z.ZodObject>(c: Ctx, schema: Q, anyQuery: true | undefined): z.output<Q> {
  const given = parametersOf(c)
  refuseOtherForms(given, schema)
  if (!anyQuery) refuseUnknownParameters(given, Object.keys(schema.shape))
  const result = schema.safeParse(given)
  refuseQuery(result)
  return result.data as z.output<Q>
}

function membersOf(shape: AnswerShape | undefined): string[] {
  if (!shape) return []
  if ('parts' in shape) return Object.keys(shape.parts)
  if (!('table' in shape)) return shape instanceof z.ZodObject ? Object.keys(shape.shape) : []
  return Object.entries(shape.table.columns).flatMap(([name, { flags }]) => (flags.secret ? [] : [name]))
}

/**
 * Refuses members that the body cannot have. If the body is a record, its read-only members are dropped instead, so
 * that callers can read it, edit it and send it back.
 */
function refusingUnknown(body: z.ZodType, ignored: readonly string[]) {
  const dropped = new Set(ignored)
  return createMiddleware<Env>(async (c, next) => {
    const turns = new Turns()
    await turns.run(refuseUnknownMembers(body, await c.req.json(), dropped))
    await turns.next()
    await next()
  })
}

const refusing = (refuse: (c: Ctx, form: FormData) => void) =>
  createMiddleware<Env>(async (c, next) => {
    refuse(c, await c.req.formData())
    await next()
  })

function parsing<B extends z.ZodType, Q extends z.ZodObject>(
  method: Method,
  access: Access,
  { body, form, maxBytes: most = bodyBytes, refuseForm, answers, drops = [] }: Options<B, Q>,
): MiddlewareHandler[] {
  const maxBytes = access === 'public' ? anonymousBodyBytes : most
  const isRecord = method === 'put' || answers?.status === 201
  const strict = body && refusingUnknown(body, [...drops, ...(isRecord ? membersOf(answers?.shape) : [])])
  return [
    ...(body && strict ? [jsonBody(maxBytes), strict, checking('json', body)] : []),
    ...(form ? [formBody(maxBytes)] : []),
    ...(refuseForm ? [refusing(refuseForm)] : []),
    ...(form ? [checking('form', ofForm(form))] : []),
  ]
}

/** A public endpoint has no caller whom a key could belong to, and its responses are sessions. */
export const takesKey = (method: Method, access: Access): boolean => method === 'post' && access !== 'public'

const changes = (method: Method, { onlyReads }: { onlyReads?: true }): boolean =>
  method !== 'get' && !onlyReads

function oneOf(answers: Described['answers']): Described['answers'] {
  const { shape } = answers ?? {}
  if (!shape) return answers
  if ('table' in shape) return { ...answers, shape: { table: shape.table } }
  if ('parts' in shape) return answers
  return shape instanceof z.ZodArray ? { ...answers, shape: shape.element as z.ZodType } : answers
}

const declarationOfOne = (whole: Declaration, item: string, query: z.ZodObject): Declaration => ({
  ...whole,
  path: `${whole.path}/:${item}`,
  summary: whole.summaryOfOne ?? whole.summary,
  query,
  answers: oneOf(whole.answers),
})

/**
 * A router whose every endpoint says its method, path, access word and what it takes and gives. The access check, the
 * parsing and the OpenAPI document all come from this one declaration.
 */
export function endpoints(tag: string, authentication: Authentication, { errors }: Look = {}) {
  const app = new Hono<Env>({ strict: false })
  if (errors) app.onError(errors)
  const declarations: Declaration[] = []

  const before = <B extends z.ZodType, Q extends z.ZodObject>(
    at: string,
    access: Access,
    method: Method,
    options: Options<B, Q>,
  ): MiddlewareHandler[] => [
    ...(changes(method, options) ? [refusingIfReadOnly(authentication)] : []),
    ...(method === 'get' ? [] : [refusingForeignPages(authentication, options.form !== undefined)]),
    ...(options.limited ? [limiting(authentication.rateLimiter)] : []),
    requiring(access, authentication, changes(method, options)),
    ...(at.includes('_id') ? [refusingOddIds] : []),
    ...parsing(method, access, options),
    ...(takesKey(method, access) ? [idempotent(authentication.idempotency, options.secret ?? false)] : []),
  ]

  const method =
    (method: Method) =>
    <B extends z.ZodType = z.ZodNever, Q extends z.ZodObject = z.ZodObject<Record<never, never>>>(
      path: string,
      access: Access,
      options: Options<B, Q>,
      handler: (c: Ctx, input: Input<z.output<B>, z.output<Q>>) => Response | Promise<Response>,
    ) => {
      const { body, form, query, refuseForm: _, ...described } = options
      refuseAnyJsonIn(body ?? form, `${method.toUpperCase()} ${path}`)
      const { item, anyQuery } = described
      if (form && access === 'public' && !options.limited)
        throw new Error(`the form at ${path} is public, so it must be limited`)
      const add = (at: string, declaration: Declaration, queried: (c: Ctx) => z.output<Q>) => {
        const last: MiddlewareHandler<Env> = async c => {
          // The validators have put there exactly what the schemas say.
          const valid = c.req as unknown as { valid(target: 'form' | 'json'): never }
          return handler(c, { body: valid.valid(form ? 'form' : 'json'), query: queried(c) })
        }
        const named: MiddlewareHandler<Env> = (c, next) => {
          c.env.route = declaration.path
          return next()
        }
        const chain = [named, ...before(at, access, method, options), last]
        for (const handler of chain) declared.add(handler)
        app.on([method], [at], ...chain)
        declarations.push(declaration)
      }
      const whole = { method, path, access, tag, body, form, query, ...described }
      add(path, whole, c => queryOf(c, (query ?? noQuery) as Q, anyQuery))
      if (item === undefined) return
      const beside = method === 'get' || !query ? noQuery : z.object(query.shape).omit({ q: true })
      add(
        `${path}/:${item}${idPattern}`,
        declarationOfOne(whole, item, beside),
        // The handler finds the id where the other form of the address has it.
        c => ({ ...queryOf(c, beside, anyQuery), q: idParam(c, item) }) as z.output<Q>,
      )
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
