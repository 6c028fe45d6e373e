import { z } from 'zod'

import type { Ctx } from '../middleware/context.js'
import { Login, LoginCode } from '../services/accounts/auth.js'
import { ConfirmReset, RequestReset } from '../services/accounts/password-reset.js'
import { languages } from '../texts/language.js'
import type { Wording } from '../texts/wording.js'
import { type PanelContext, panelPath } from './context.js'
import { type Field, Fields } from './controls.js'
import { visitorToken } from './form-token.js'
import { Document } from './layout.js'
import { type Draft, formText, pages, showPage } from './pages.js'
import { Form, Submit } from './parts.js'
import { hostOf, passkeyScript } from './passkeys.js'
import { ChosenLanguage, keepLanguage } from './preferences.js'
import { codeField } from './second-factor.js'
import { panelActor, type View } from './view.js'

const credentials = ({ t }: Wording): readonly Field[] => [
  { name: 'email', label: t('E-mail'), kind: 'email', autocomplete: 'username' },
  { name: 'password', label: t('Password'), kind: 'password', autocomplete: 'current-password' },
]
const forgotten = ({ t }: Wording): readonly Field[] => [
  { name: 'email', label: t('E-mail'), kind: 'email', autocomplete: 'username', required: true },
]
const renewed = ({ t }: Wording): readonly Field[] => [
  {
    name: 'password',
    label: t('New password'),
    kind: 'password',
    autocomplete: 'new-password',
    required: true,
  },
]

const SignIn = Login.omit({ code: true }).extend({ to: z.string().optional() })
const Code = LoginCode.extend({ to: z.string().optional() })

/** Returns a path within the panel only: an address from the request is untrusted. */
const wayTo = (given: string | undefined): string => {
  const path = given ?? ''
  const isOurs = /^\/admin(?:[/?]|$)/.test(path) && !path.includes('\\') && !/[\s\u007f]/.test(path)
  return isOurs && !path.startsWith(`${panelPath}/sign-`) ? path : panelPath
}

interface AloneProps {
  view: View
  title: string
  script?: string
  children?: unknown
}

const Alone = ({ view, title, script, children }: AloneProps) => (
  <Document view={view} title={title} kind="alone" script={script}>
    <main id="app">
      <p class="brand">Slugline</p>
      <h1>{title}</h1>
      {children}
    </main>
    <p id="say" class="hidden-text" role="status" aria-live="polite" />
  </Document>
)

/** Pages to sign in, to sign out, and to reset a forgotten password. */
export function signInPages(context: PanelContext) {
  const set = pages(context, 'sign in')
  signInPage(set, context)
  codePage(set, context)
  languageAction(set, context)
  forgottenPage(set, context)
  newPasswordPage(set, context)
  // For a page that stayed open while its session expired and a new one began.
  set.get('/form-token', 'signed-in', async (view, c) =>
    c.json({ user_id: view.user?.user_id, token: view.token }, 200, { 'Cache-Control': 'no-store' }),
  )
  set.act(
    '/sign-out',
    'public',
    async c => {
      const { auth, cookie } = context.authentication
      const session = cookie.read(c)
      c.env.identity = session ? await auth.identify({ cookie: session, bearer: undefined }) : undefined
      await auth.logout(panelActor(c), session)
      cookie.clear(c)
      return '/sign-in'
    },
    { limited: true },
  )
  return set
}

type Pages = ReturnType<typeof pages>

/** Lets somebody who is not signed in choose the language. It loads the page again, which the script would only change. */
const LanguageChoice = ({ view, to }: { view: View; to: string }) => (
  <Form view={view} action="/sign-in/language" class="languages" whole>
    <input type="hidden" name="to" value={to} />
    {Object.entries(languages).map(([language, name]) => (
      <button
        type="submit"
        class="button bare"
        name="language"
        value={language}
        lang={language}
        aria-current={view.language === language ? 'true' : undefined}
      >
        {name}
      </button>
    ))}
  </Form>
)

const forVisitor = (view: View, c: Ctx, context: PanelContext): View => ({
  ...view,
  token: visitorToken(c, context),
})

function signInPage({ get, submit }: Pages, context: PanelContext): void {
  const { authentication, services } = context
  const draw = (view: View, c: Ctx, to: string, draft?: Draft) => {
    return (
      <Alone view={view} title={view.t('Sign in')} script={passkeyScript}>
        <Form view={view} action="/sign-in">
          <input type="hidden" name="to" value={to} />
          <Fields
            view={view}
            fields={credentials(view)}
            draft={draft}
            storesNothing
            begins={draft === undefined}
          />
          <Submit kind="next">{view.t('Sign in')}</Submit>
        </Form>
        {services.passkeys.isAvailable(hostOf(c)) && (
          <div class="scripted" data-passkey="">
            <button type="button" class="button" data-passkey-to={to}>
              {view.t('Sign in with a passkey')}
            </button>
            <p class="error" role="alert" />
          </div>
        )}
        {services.oauth.offered().map(({ name, url }) => (
          <a class="button" href={url}>
            {name
              ? view.t('Sign in with {provider}', { provider: name })
              : view.t('Sign in with the provider')}
          </a>
        ))}
        <p class="links">
          <a href={`${panelPath}/forgotten`}>{view.t('Forgot your password?')}</a>
        </p>
        <LanguageChoice view={view} to={to} />
      </Alone>
    )
  }
  get('/sign-in', 'public', (view, c) => draw(forVisitor(view, c, context), c, wayTo(c.req.query('to'))))
  submit(
    '/sign-in',
    'public',
    SignIn,
    c => {
      let to = panelPath
      return {
        names: [],
        async save({ body: { to: given, ...login }, view }) {
          to = wayTo(given)
          const { auth, cookie } = authentication
          const opened = await auth.loginByPassword(panelActor(c), login, cookie.read(c))
          if ('ticket' in opened) return showPage(c, <CodePage view={view} to={to} ticket={opened.ticket} />)
          cookie.write(c, opened.cookie)
          return leave(c, to)
        },
        redraw: (view, draft) => draw(view, c, wayTo(String(draft.texts.to ?? to)), draft),
      }
    },
    { limited: true },
  )
}

/** The second step: the ticket stands for the password, so that no page has to carry it. */
const CodePage = ({ view, to, ticket, draft }: { view: View; to: string; ticket: string; draft?: Draft }) => (
  <Alone view={view} title={view.t('Enter the code')}>
    <Form view={view} action="/sign-in/code">
      <input type="hidden" name="to" value={to} />
      <input type="hidden" name="ticket" value={ticket} />
      <Fields view={view} fields={[codeField(view)]} draft={draft} storesNothing begins />
      <Submit kind="next">{view.t('Sign in')}</Submit>
    </Form>
    <p class="links">
      <a href={`${panelPath}/sign-in?to=${encodeURIComponent(to)}`}>{view.t('Cancel')}</a>
    </p>
  </Alone>
)

function codePage({ submit }: Pages, { authentication: { auth, cookie } }: PanelContext): void {
  submit(
    '/sign-in/code',
    'public',
    Code,
    (c, _view, sent) => ({
      names: ['code'],
      async save({ body: { to, ...given } }) {
        cookie.write(c, await auth.loginWithCode(panelActor(c), given, cookie.read(c)))
        return leave(c, wayTo(to))
      },
      redraw: (view, draft) => (
        <CodePage
          view={view}
          to={wayTo(formText(sent, 'to'))}
          ticket={formText(sent, 'ticket')}
          draft={draft}
        />
      ),
    }),
    { limited: true },
  )
}

function languageAction({ submit }: Pages, context: PanelContext): void {
  submit(
    '/sign-in/language',
    'public',
    ChosenLanguage.extend({ to: z.string().optional() }),
    c => ({
      names: [],
      async save({ body: { language, to } }) {
        keepLanguage(c, context, language)
        return `/sign-in?to=${encodeURIComponent(wayTo(to))}`
      },
    }),
    { limited: true },
  )
}

/** Loads the next page as a whole, because it has other parts once the user is signed in. */
function leave(c: Ctx, to: string): Response {
  if (c.req.header('hx-request') !== 'true') return c.redirect(to, 303)
  c.header('HX-Redirect', to)
  return c.body(null, 200)
}

function forgottenPage({ get, submit }: Pages, context: PanelContext): void {
  const { passwordReset } = context.services
  const draw = (view: View, draft?: Draft, isSent = false) => (
    <Alone view={view} title={view.t('Forgot your password?')}>
      {isSent ? (
        <p class="lead" role="status">
          {view.t('If this account exists, we have sent it a mail with a link.')}
        </p>
      ) : (
        <Form view={view} action="/forgotten">
          <Fields view={view} fields={forgotten(view)} draft={draft} storesNothing />
          <Submit kind="next">{view.t('Send me a link')}</Submit>
        </Form>
      )}
      <p class="links">
        <a href={`${panelPath}/sign-in`}>{view.t('Sign in')}</a>
      </p>
    </Alone>
  )
  get('/forgotten', 'public', (view, c) =>
    draw(forVisitor(view, c, context), undefined, c.req.query('sent') !== undefined),
  )
  submit(
    '/forgotten',
    'public',
    RequestReset,
    c => ({
      names: ['email'],
      save: async ({ body }) => {
        passwordReset.request(panelActor(c), body)
        return '/forgotten?sent'
      },
      redraw: draw,
    }),
    { limited: true },
  )
}

function newPasswordPage({ get, submit }: Pages, context: PanelContext): void {
  const draw = (view: View, token: string, draft?: Draft) => (
    <Alone view={view} title={view.t('New password')}>
      <Form view={view} action="/new-password" whole>
        <input type="hidden" name="token" value={token} />
        <Fields view={view} fields={renewed(view)} draft={draft} />
        <Submit kind="next">{view.t('Set the password')}</Submit>
      </Form>
    </Alone>
  )
  get('/new-password', 'public', (view, c) => draw(forVisitor(view, c, context), c.req.query('token') ?? ''))
  submit(
    '/new-password',
    'public',
    ConfirmReset,
    c => ({
      names: ['password'],
      async save({ body }) {
        await context.services.passwordReset.confirm(panelActor(c), body)
        return '/sign-in'
      },
      redraw: (view, draft) => draw(view, String(draft.texts.token ?? ''), draft),
    }),
    { limited: true },
  )
}
