import { encode } from 'uqr'
import { z } from 'zod'
import type { Ctx } from '../middleware/context.js'
import {
  SecondFactorBegin,
  SecondFactorChange,
  SecondFactorConfirm,
} from '../services/accounts/second-factor.js'
import type { Wording } from '../texts/wording.js'
import type { PanelContext } from './context.js'
import { type Field, Fields } from './controls.js'
import { TitledPage } from './layout.js'
import { type Draft, formText, pages, saved, showPage, type Texts } from './pages.js'
import { Act, Form, Moment, Note, State, Submit } from './parts.js'
import { panelActor, type View } from './view.js'

export const factorPath = '/profile/second-factor'
export const passkeyPath = '/profile/passkeys'

/** The field for a code, which browsers and phones fill in. */
export const codeField = ({ t }: Wording): Field => ({
  name: 'code',
  label: t('Code'),
  hint: t('from your app, or a recovery code'),
  autocomplete: 'one-time-code',
  mono: true,
  required: true,
})
export const passwordField = ({ t }: Wording): Field => ({
  name: 'current_password',
  label: t('Current password'),
  kind: 'password',
  autocomplete: 'current-password',
  required: true,
})
const firstCode = (wording: Wording): Field => ({
  ...codeField(wording),
  hint: wording.t('6 digits, as your app shows them'),
})

/** A code as dark squares, each one unit wide, as one path. */
function QrCode({ view, text }: { view: View; text: string }) {
  const { data, size } = encode(text, { border: 4 })
  const path = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : []))).join('')
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${size} ${size}`}
      width="220"
      height="220"
      role="img"
      aria-label={view.t('QR code for your app')}
      shape-rendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}

interface Secret {
  readonly secret: string
  readonly address: string
}

/** The form carries the secret to its page, to be shown again; the service keeps its own. */
const secretOf = (texts: Texts): Secret => ({
  secret: formText(texts, 'secret'),
  address: formText(texts, 'address'),
})
const isSecret = ({ secret, address }: Secret): boolean =>
  /^[A-Z2-7]{1,64}$/.test(secret) && /^otpauth:\/\/totp\/[\x21-\x7e]{1,800}$/.test(address)
const withoutSecret = ({ secret: _, address: __, ...rest }: Texts): Texts => rest

const crumbs = (view: View) => (view.can('signed-in') ? [{ word: view.t('Profile'), path: '/profile' }] : [])

type Part = 'begin' | 'change'
/** One form with a button for each: a page has one field of a name. */
const Change = SecondFactorChange.extend({ what: z.enum(['codes', 'off']) })

const Asked = ({
  view,
  fields,
  draft,
}: {
  view: View
  fields: readonly Field[]
  draft?: Draft | undefined
}) => <Fields view={view} fields={fields} draft={draft} storesNothing />

/** The page before the factor is on: the password begins. */
const Beginning = ({ view, draft }: { view: View; draft?: Draft | undefined }) => (
  <section aria-labelledby="begin">
    <h2 id="begin">{view.t('Set up')}</h2>
    <p class="lead">
      {view.t(
        'You need an authenticator app on your phone. After that you sign in with your password and a code.',
      )}
    </p>
    <Form view={view} action={factorPath}>
      <Asked view={view} fields={[passwordField(view)]} draft={draft} />
      <Submit kind="next">{view.t('Set up')}</Submit>
    </Form>
  </section>
)

const Confirming = ({ view, secret, address, draft }: Secret & { view: View; draft?: Draft }) => (
  <TitledPage view={view} title={view.t('Second factor')} crumbs={crumbs(view)} column>
    <section aria-labelledby="scan">
      <h2 id="scan">{view.t('Scan this code with your app')}</h2>
      <QrCode view={view} text={address} />
      <p class="meta">
        {view.t('Or enter this key:')} <code class="breaks">{secret.replaceAll(/.{4}(?=.)/g, '$& ')}</code>
      </p>
      <p>
        <a href={address}>{view.t('Open in an app on this device')}</a>
      </p>
      <Form view={view} action={`${factorPath}/confirm`}>
        <input type="hidden" name="secret" value={secret} />
        <input type="hidden" name="address" value={address} />
        <Asked view={view} fields={[firstCode(view)]} draft={draft} />
        <p class="meta">{view.t('This ends your other sessions.')}</p>
        <Submit kind="next">{view.t('Turn on')}</Submit>
      </Form>
    </section>
  </TitledPage>
)

const Codes = ({ view, codes }: { view: View; codes: readonly string[] }) => (
  <TitledPage view={view} title={view.t('Your recovery codes')} crumbs={crumbs(view)} column>
    <Note view={view}>
      <p>
        {view.t(
          'They are shown only once. If you lose your phone, each of them works once in place of a code.',
        )}
      </p>
      <pre id="recovery-codes">{codes.join('\n')}</pre>
    </Note>
    <p class="actions">
      <button type="button" class="button scripted" data-copy={codes.join('\n')}>
        {view.t('Copy')}
      </button>
      <a
        class="button"
        download="recovery-codes.txt"
        href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${codes.join('\n')}\n`)}`}
      >
        {view.t('Download')}
      </a>
      <a class="button next" href={`${view.base}${factorPath}`}>
        {view.t('Done')}
      </a>
    </p>
  </TitledPage>
)

async function factorPage(
  view: View,
  c: Ctx,
  { services }: PanelContext,
  refused?: { part: Part; draft: Draft },
) {
  const { enabled, required, recovery_codes_left, confirmed_at } = await services.secondFactor.state(
    panelActor(c),
  )
  const isMissing = required && !view.can('signed-in')
  const hasPasskey = (await services.passkeys.list(panelActor(c))).length > 0
  const draftOf = (part: Part) => (refused?.part === part ? refused.draft : undefined)
  const fields = [passwordField(view), codeField(view)]
  return (
    <TitledPage view={view} title={view.t('Second factor')} crumbs={crumbs(view)} column>
      {isMissing && (
        <Note view={view}>
          {hasPasskey ? (
            <p>{view.t('Your role requires a second factor. Sign out, and sign in with your passkey.')}</p>
          ) : (
            <>
              <p>{view.t('Your role requires a second factor. Set one up to go on.')}</p>
              <p>
                <a href={`${view.base}${passkeyPath}`}>{view.t('Add a passkey')}</a>
              </p>
            </>
          )}
        </Note>
      )}
      {isMissing && hasPasskey ? (
        <Act view={view} action="/sign-out" kind="next" whole>
          {view.t('Sign out')}
        </Act>
      ) : enabled ? (
        <>
          <p>
            <State kind="live">{view.t('On')}</State> <Moment view={view} at={confirmed_at} />
          </p>
          <section aria-labelledby="change">
            <h2 id="change">{view.t('Change')}</h2>
            <p class="meta">
              {view.count(recovery_codes_left, '{n} recovery code left.', '{n} recovery codes left.')}{' '}
              {view.t('New codes replace the old ones.')}{' '}
              {view.t('If you turn it off, your password alone signs you in.')}
            </p>
            <Form view={view} action={`${factorPath}/change`}>
              <Asked view={view} fields={fields} draft={draftOf('change')} />
              <p class="actions">
                <button type="submit" class="button" name="what" value="codes">
                  {view.t('New recovery codes')}
                </button>
                <button type="submit" class="button bad" name="what" value="off">
                  {view.t('Turn off')}
                </button>
              </p>
            </Form>
          </section>
        </>
      ) : (
        <Beginning view={view} draft={draftOf('begin')} />
      )}
    </TitledPage>
  )
}

/** Turns the user's second factor on and off, and shows its secrets once. */
export function secondFactorPages(context: PanelContext) {
  const set = pages(context, 'second factor')
  const { secondFactor } = context.services
  const redraw = (part: Part, c: Ctx) => (view: View, draft: Draft) =>
    factorPage(view, c, context, { part, draft })
  const limited = { limited: true } as const

  set.get(factorPath, 'own-account', (view, c) => factorPage(view, c, context))
  set.submit(
    factorPath,
    'own-account',
    SecondFactorBegin,
    c => ({
      names: ['current_password'],
      save: async ({ body, view }) =>
        showPage(c, <Confirming view={view} {...(await secondFactor.begin(panelActor(c), body))} />),
      redraw: redraw('begin', c),
    }),
    limited,
  )
  set.submit(
    `${factorPath}/confirm`,
    'own-account',
    SecondFactorConfirm,
    (c, _view, sent) => ({
      names: ['code'],
      prepare: withoutSecret,
      async save({ body, view }) {
        const { recovery_codes } = await secondFactor.confirm(panelActor(c), body)
        return showPage(c, <Codes view={view} codes={recovery_codes} />)
      },
      redraw: (view, draft) =>
        isSecret(secretOf(sent)) ? (
          <Confirming view={view} {...secretOf(sent)} draft={draft} />
        ) : (
          factorPage(view, c, context, { part: 'begin', draft })
        ),
    }),
    limited,
  )
  set.submit(
    `${factorPath}/change`,
    'signed-in',
    Change,
    c => ({
      names: ['current_password', 'code'],
      async save({ body: { what, ...given }, view }) {
        if (what === 'codes') {
          const { recovery_codes } = await secondFactor.renewCodes(panelActor(c), given)
          return showPage(c, <Codes view={view} codes={recovery_codes} />)
        }
        await secondFactor.turnOff(panelActor(c), given)
        return saved(factorPath)
      },
      redraw: redraw('change', c),
    }),
    limited,
  )
  return set
}
