import type { ErrorHandler } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Ctx, Env } from '../middleware/context.js'
import { type Failure, failureOf } from '../middleware/errors.js'
import { htmlErrors } from '../routes/html-errors.js'
import type { PlainText } from '../texts/text.js'
import type { Wording } from '../texts/wording.js'
import { type PanelContext, panelPath } from './context.js'
import { Document, Page } from './layout.js'
import { toldOf } from './limited.js'
import { factorPath } from './second-factor.js'
import { type View, viewOf } from './view.js'

/** Titles of error pages, by status. */
const titles: Readonly<Record<number, PlainText>> = {
  400: 'The request was rejected',
  401: 'Please sign in',
  403: 'Not allowed',
  404: 'Not found',
  409: 'Not possible in the current state',
  412: 'Somebody else saved first',
  413: 'Too large',
  429: 'Too many attempts',
  500: 'Something went wrong',
  503: 'Not available right now',
}
const titleOf = ({ status }: Failure, { t }: Wording): string => t(titles[status] ?? 'The action failed')

/** The explanation below the title. */
const explained = ({ status, error, code }: Failure, wording: Wording) =>
  toldOf(code, wording) ?? plainlyExplained(status, error, wording)

const plainlyExplained = (status: number, error: string, { t, refusal }: Wording) =>
  status === 404 && error === 'not found'
    ? t('This page does not exist. It may have been deleted or moved.')
    : refusal(error)

const missing = /the permission (\S+) is missing/

async function rolesWith(permission: string, { services }: PanelContext): Promise<string[]> {
  const { permissions, rolePermissions, roles } = services
  for await (const [found] of permissions.list({ label: permission }, { limit: 1 }))
    if (found)
      for await (const mappings of rolePermissions.list(
        { permission_id: found.permission_id },
        { limit: 20 },
      ))
        return Promise.all(mappings.map(async ({ role_id }) => (await roles.get(role_id)).label))
  return ['admin']
}

interface MissingProps {
  view: View
  permission: string
  roles: readonly string[]
}

function Missing({ view, permission, roles }: MissingProps) {
  const values = {
    permission: <code>{permission}</code>,
    roles: roles.map((role, i) => (
      <>
        {i > 0 && ', '}
        <b>{role}</b>
      </>
    )),
  }
  return (
    <p>
      {roles.length > 1
        ? view.parts('This needs the permission {permission}, which the roles {roles} have.', values)
        : view.parts('This needs the permission {permission}, which the role {roles} has.', values)}{' '}
      {view.t('Ask somebody who may change roles.')}
    </p>
  )
}

interface ToldProps {
  view: View
  failure: Failure
  requestId: string
  lack: unknown
}

const Told = ({ view, failure, requestId, lack }: ToldProps) => (
  <>
    <div class="head">
      <h1>{titleOf(failure, view)}</h1>
    </div>
    <p role="alert" class="lead">
      {explained(failure, view)}
      {failure.headers['Retry-After'] &&
        ` ${view.t('Try again in {n} seconds.', { n: failure.headers['Retry-After'] })}`}
    </p>
    {lack}
    <dl class="facts">
      <dt>{view.t('Code')}</dt>
      <dd class="mono">{failure.code}</dd>
      <dt>{view.t('Request')}</dt>
      <dd class="mono">{requestId}</dd>
    </dl>
    <div class="actions after">
      <a class="button" href={panelPath}>
        {view.t('Overview')}
      </a>
    </div>
  </>
)

async function lackOf(view: View, failure: Failure, context: PanelContext) {
  const permission = failure.code === 'missing_permission' && missing.exec(failure.error)?.[1]
  if (!permission) return null
  return <Missing view={view} permission={permission} roles={await rolesWith(permission, context)} />
}

async function viewFor(c: Ctx, context: PanelContext): Promise<View> {
  const { auth, cookie } = context.authentication
  c.env.identity ??= await auth.identify({ cookie: cookie.read(c), bearer: undefined })
  return viewOf(c, context)
}

/**
 * Shows errors in the panel: as a page with the tree and bar if the user is signed in. A signed-out user who wanted to
 * see a page is sent to the sign-in page, and back afterwards.
 */
export function panelErrors(context: PanelContext): ErrorHandler<Env> {
  const plain = htmlErrors(context.log, { signIn: `${panelPath}/sign-in` })
  return async (error, c) => {
    const { requestId } = c.env
    const failure = failureOf(context.log, error, {
      request_id: requestId,
      method: c.req.method,
      path: c.req.path,
    })
    const isOut = failure.code === 'unauthenticated' || failure.code === 'session_expired'
    if (isOut && c.req.method === 'GET') return plain(error, c)
    if (failure.code === 'second_factor_missing' && c.req.method === 'GET')
      return c.redirect(`${panelPath}${factorPath}`, 303)
    try {
      const view = await viewFor(c, context)
      const lack = await lackOf(view, failure, context)
      const told = <Told view={view} failure={failure} requestId={requestId} lack={lack} />
      const title = titleOf(failure, view)
      const page =
        view.user && !isOut ? (
          <Page view={view} title={title} column>
            {told}
          </Page>
        ) : (
          <Document view={view} title={title} kind="alone">
            <main id="app">{told}</main>
          </Document>
        )
      return c.html(`<!doctype html>${await page}`, failure.status as ContentfulStatusCode, {
        'Cache-Control': 'no-store',
        ...(isOut ? { 'X-Signed-Out': 'true' } : {}),
        // For a page that is not replaced by this one.
        'X-Error': encodeURIComponent(explained(failure, view)),
        ...failure.headers,
      })
    } catch {
      // The caller cannot be identified, for example without a database.
      return plain(error, c)
    }
  }
}
