import type { HtmlEscapedString } from 'hono/utils/html'
import { z } from 'zod'
import { HttpError } from '../errors.js'
import { storedId } from '../ids.js'
import type { Ctx } from '../middleware/context.js'
import { refusalOf } from '../resources/refusals.js'
import { parsed } from '../routes/form-values.js'
import type { Access } from '../services/accounts/access.js'
import type { Wording } from '../texts/wording.js'
import { type PanelContext, panelPath } from './context.js'
import { refuseForeignForm, tokenMember } from './form-token.js'
import { toldOf } from './limited.js'
import { showMember, withRowStep } from './rows.js'
import { lastSave, type Save } from './savers.js'
import { type View, viewOf } from './view.js'
import { timesInUtc } from './zoned-times.js'

export type Html = HtmlEscapedString | Promise<HtmlEscapedString>

/** The values that a form has sent, as texts. */
export type Texts = Readonly<Record<string, string | readonly string[]>>

/** A refused form, to be shown again with the typed values. */
export interface Draft {
  readonly texts: Texts
  readonly errors: ReadonlyMap<string, string>
  readonly rows?: ReadonlyMap<string, number>
  readonly problem: string | undefined
  readonly changed: boolean
  /** The form is saved, and only the publish after it was refused: `texts` is empty. */
  readonly isStored?: true
  readonly elsewhere?: readonly Elsewhere[]
  readonly saved?: Save | undefined
}

/** A problem in a field of another page. */
export interface Elsewhere {
  readonly words: string
  readonly path: string
}

/** Members that describe the form itself and are not saved. */
export const seenMember = 'seen'
/** The member with the names of the fields that were typed into, which the script adds. */
export const touchedMember = 'form_touched'
const ownMembers = new Set([tokenMember, seenMember, touchedMember, showMember])

/** Every member is accepted here as a list; the schema of the service rejects unknown ones. */
const anyForm = z.record(z.string(), z.array(z.string()))

function textsIn(form: FormData): Texts {
  const lists = new Map<string, string[]>()
  for (const [name, value] of form) {
    const list = lists.get(name)
    if (list) list.push(String(value))
    else lists.set(name, [String(value)])
  }
  return timesInUtc(
    Object.fromEntries([...lists].map(([name, list]) => [name, list.length > 1 ? list : (list[0] ?? '')])),
  )
}

/** The first value of a member; empty without one. */
export const formText = (texts: Texts, name: string): string => [texts[name] ?? ''].flat()[0] ?? ''

/** @throws errors that are not about the form */
export function draftOf(
  texts: Texts,
  error: unknown,
  names: ReadonlySet<string>,
  wording: Wording,
): Draft & { status: number } {
  if (!(error instanceof HttpError) || error.status >= 500 || error.code === 'session_expired') throw error
  const { errors, rows, others } = refusalOf(error, names, wording)
  const problem = toldOf(error.code, wording) ?? (others.length > 0 ? others.join(' ') : undefined)
  return { texts, errors, rows, problem, changed: error.code === 'changed', status: error.status }
}

const shownAgain = (texts: Texts): Draft => ({
  texts: withRowStep(texts),
  errors: new Map(),
  problem: undefined,
  changed: false,
})

interface Sent<B> {
  body: B
  view: View
  seen: string
}

interface Submission<S extends z.ZodType> {
  names: Iterable<string>
  prepare?: (texts: Texts) => Texts
  /** @returns the path to go to, under `/admin` */
  save(sent: Sent<z.output<S>>): Promise<string | Response>
  /** Shows the form again; without it a refusal is an error page. */
  redraw?(view: View, draft: Draft): Promise<Html> | Html
}

interface PageOptions {
  /** Limits requests by the caller's address, together with all other public forms. */
  limited?: true
}

const summary = 'A page of the panel'
/** The largest form without texts of pages, in bytes: several times the size of any. */
const plainFormBytes = 2 ** 20

/**
 * Pages of one subject. Each names its permission; forms are refused without the token of this browser, and parsed with
 * the schema of the service.
 * @param options.hasTexts whether its forms have texts of pages, which may be as long as any body
 */
export function pages(context: PanelContext, subject: string, { hasTexts = false } = {}) {
  const api = context.endpointsOf(subject)
  const { wordOf } = context
  const prefix = context.base.slice(panelPath.length)
  const formOptions = {
    summary,
    form: anyForm,
    ...(hasTexts ? {} : { maxBytes: plainFormBytes }),
    anyQuery: true,
    refuseForm: (c: Ctx, form: FormData) => refuseForeignForm(c, form.get(tokenMember)?.toString(), context),
  } as const
  return {
    api,
    get(path: string, access: Access, draw: (view: View, c: Ctx) => Promise<Html | Response> | Html): void {
      api.get(`${prefix}${path}`, wordOf(access), { summary, anyQuery: true }, async c => {
        const drawn = await draw(await viewOf(c, context), c)
        return drawn instanceof Response ? drawn : showPage(c, drawn)
      })
    },
    /** Adds a request whose body is not a form; `take` reads and checks it. */
    receive(path: string, access: Access, described: string, take: (c: Ctx) => Promise<Response>): void {
      api.post(`${prefix}${path}`, wordOf(access), { summary: described, anyQuery: true }, take)
    },
    /** Adds an action without fields. @param act returns the path to go to, under `/admin` */
    act(
      path: string,
      access: Access,
      act: (c: Ctx, view: View, texts: Texts) => Promise<string | Response>,
      options: PageOptions = {},
    ) {
      api.post(`${prefix}${path}`, wordOf(access), { ...formOptions, ...options }, async c => {
        const done = await act(c, await viewOf(c, context), textsIn(await c.req.formData()))
        return done instanceof Response ? done : goTo(c, context, done)
      })
    },
    submit<S extends z.ZodType>(
      path: string,
      access: Access,
      schema: S,
      submission: (c: Ctx, view: View, sent: Texts) => Promise<Submission<S>> | Submission<S>,
      options: PageOptions = {},
    ): void {
      api.post(`${prefix}${path}`, wordOf(access), { ...formOptions, ...options }, async c => {
        const texts = textsIn(await c.req.formData())
        const view = await viewOf(c, context)
        const parts = await submission(c, view, texts)
        if (parts.redraw && formText(texts, showMember) !== '')
          return showPage(c, await parts.redraw(view, shownAgain(texts)))
        const names = new Set(parts.names)
        try {
          const body = parsed(schema, withoutOwn(parts.prepare?.(texts) ?? texts))
          const done = await parts.save({ body, view, seen: formText(texts, seenMember) })
          return done instanceof Response ? done : goTo(c, context, done)
        } catch (error) {
          if (!parts.redraw) throw error
          const { status, ...draft } = draftOf(texts, error, names, view)
          const record = draft.changed && /\w{26}(?=\W*$)/.exec(c.req.path)?.[0]
          const by = record ? await lastSave(storedId(record), context) : undefined
          return showPage(c, await parts.redraw(view, { ...draft, saved: by }), status)
        }
      })
    },
  }
}

/** The result of `pages`. */
export type Pages = ReturnType<typeof pages>

const withoutOwn = (texts: Texts): Texts =>
  Object.fromEntries(Object.entries(texts).filter(([name]) => !ownMembers.has(name)))

const isScripted = (c: Ctx) => c.req.header('hx-request') === 'true'

/** Responds with a page. */
export async function showPage(c: Ctx, html: Html, status = 200): Promise<Response> {
  // After a change the response is a different page than that of the form.
  if (isScripted(c) && c.req.method === 'GET')
    c.header(
      'HX-Replace-Url',
      addressWithout(c, ['saved', 'beside', 'done', 'new', 'deleted', 'moved', 'undo']),
    )
  // After signing out, the Back button must not show the page.
  c.header('Cache-Control', 'no-store')
  // A page with an awaited part has a promise as its text too.
  return c.html(`<!doctype html>${await (await html).toString()}`, status as 200)
}

function addressWithout(c: Ctx, parameters: readonly string[]): string {
  const url = new URL(c.req.url)
  for (const name of parameters) url.searchParams.delete(name)
  return url.pathname + url.search
}

/** @param path within the space */
const goTo = (c: Ctx, { base }: PanelContext, path: string): Response => c.redirect(`${base}${path}`, 303)

/** Returns the path of a page that confirms a save. */
export const saved = (path: string): string => `${path}${path.includes('?') ? '&' : '?'}saved`

/** Returns the path of a page that was just created, with the focus in its first field. */
export const begun = (path: string): string => `${path}${path.includes('?') ? '&' : '?'}new`
