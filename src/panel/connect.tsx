import type { Ctx } from '../middleware/context.js'
import { type DeviceSignIn, DeviceSignInDecision } from '../services/accounts/device-sign-in.js'
import type { PanelContext } from './context.js'
import { Fields } from './controls.js'
import { TitledPage } from './layout.js'
import { pages, showPage } from './pages.js'
import { Act, Moment, Note, Submit } from './parts.js'
import { panelActor, type View } from './view.js'

const path = '/connect'

const AskForCode = ({ view }: { view: View }) => (
  <form method="get" action={`${view.base}${path}`}>
    <Fields view={view} fields={[{ name: 'code', label: view.t('Code'), required: true }]} />
    <Submit kind="next">{view.t('Continue')}</Submit>
  </form>
)

function Question({ view, asked }: { view: View; asked: DeviceSignIn }) {
  const values = { code: asked.code }
  return (
    <>
      <p class="lead">{view.t('A command line asks for an API key of your account. Compare the code:')}</p>
      <p class="device-code">{asked.code}</p>
      <Note view={view}>
        <p>
          {view.parts('Approve only if you have started {command} yourself and it shows this code.', {
            command: <code>slugline login</code>,
          })}
        </p>
      </Note>
      <dl class="facts">
        <dt>{view.t('Machine')}</dt>
        <dd class="mono">{asked.host}</dd>
        <dt>{view.t('IP address')}</dt>
        <dd class="mono">{asked.address}</dd>
        <dt>{view.t('Requested')}</dt>
        <dd>
          <Moment view={view} at={asked.askedAt} />
        </dd>
        <dt>{view.t('Permissions')}</dt>
        <dd>
          {view.t('All that you have, as {name} ({role})', {
            name: view.user?.name ?? '',
            role: view.user?.role ?? '',
          })}
        </dd>
      </dl>
      <div class="actions after">
        <Act view={view} action={`${path}/approve`} kind="next" values={values}>
          {view.t('Approve')}
        </Act>
        <Act view={view} action={`${path}/deny`} kind="bad" values={values}>
          {view.t('Deny')}
        </Act>
      </div>
    </>
  )
}

const Approved = ({ view }: { view: View }) => (
  <>
    <p class="lead" role="status">
      {view.t('The command line is signed in. You can close this page.')}
    </p>
    <p class="quiet">{view.t('To end its access, revoke its key or run slugline logout.')}</p>
    <div class="actions after">
      <a class="button" href={`${view.base}/tokens`}>
        {view.t('API keys')}
      </a>
    </div>
  </>
)

function Answer({ view, asked, isCodeGiven }: { view: View; asked?: DeviceSignIn; isCodeGiven: boolean }) {
  if (asked?.state === 'pending') return <Question view={view} asked={asked} />
  if (asked?.state === 'approved') return <Approved view={view} />
  if (asked)
    return (
      <p class="lead" role="status">
        {view.t('The sign-in is denied. No key was created.')}
      </p>
    )
  return (
    <>
      {isCodeGiven ? (
        <Note view={view} kind="bad">
          <p>{view.t('This code is unknown or has expired. Run slugline login again.')}</p>
        </Note>
      ) : (
        <p class="lead">{view.t('Enter the code that slugline login shows.')}</p>
      )}
      <AskForCode view={view} />
    </>
  )
}

/** Where a person approves or denies the sign-in of a command line. */
export function connectPages(context: PanelContext) {
  const { deviceSignIn } = context.services
  const set = pages(context, 'connect')
  set.get(path, 'tokens:create', async (view, c) => {
    const code = c.req.query('code') ?? ''
    const asked = code === '' ? undefined : await deviceSignIn.find(code)
    const page = (
      <TitledPage view={view} title={view.t('Sign in a command line')} column>
        <Answer view={view} isCodeGiven={code !== ''} {...(asked && { asked })} />
      </TitledPage>
    )
    return showPage(c, page, code !== '' && !asked ? 404 : 200)
  })
  const decides = (verb: 'approve' | 'deny') =>
    set.submit(
      `${path}/${verb}`,
      'tokens:create',
      DeviceSignInDecision,
      (c: Ctx) => ({
        names: [],
        async save({ body }) {
          await deviceSignIn[verb](panelActor(c), body)
          return `${path}?code=${encodeURIComponent(body.code)}`
        },
      }),
      { limited: true },
    )
  decides('approve')
  decides('deny')
  return set
}
