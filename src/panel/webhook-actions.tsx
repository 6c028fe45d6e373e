import type { Child } from 'hono/jsx'
import { type Ctx, idParam } from '../middleware/context.js'
import { testWords } from '../resources/webhooks.js'
import { type PanelContext, panelPath } from './context.js'
import { TitledPage } from './layout.js'
import { type Pages, saved, showPage } from './pages.js'
import { Note, State } from './parts.js'
import { panelActor, type View } from './view.js'

const Told = ({
  view,
  title,
  path,
  action,
  children,
}: {
  view: View
  title: string
  path: string
  action?: Child
  children?: Child
}) => (
  <TitledPage view={view} title={title} crumbs={[{ word: view.t('Webhooks'), path: '/webhooks' }]} column>
    {children}
    <p class="actions">
      {action}
      <a class="button next" href={`${panelPath}${path}`}>
        {view.t('Done')}
      </a>
    </p>
  </TitledPage>
)

export const Secret = ({
  view,
  webhook,
}: {
  view: View
  webhook: { webhook_id: string; secret: string }
}) => (
  <Told
    view={view}
    title={view.t('Signing secret')}
    path={`/webhooks/${webhook.webhook_id}`}
    action={
      <button type="button" class="button" data-copy={webhook.secret}>
        {view.t('Copy')}
      </button>
    }
  >
    <Note view={view}>
      <p>{view.t('The receiver checks signatures with this secret. Copy it now: it is shown only once.')}</p>
      <p>
        <code id="secret">{webhook.secret}</code>
      </p>
    </Note>
  </Told>
)

const idIn = (c: Ctx) => idParam(c, 'webhook_id')

const allFailed = { from: '1970-01-01T00:00:00.000Z', to: undefined, status: 'failed' } as const

/** Actions on a webhook: a new secret, a test, and further attempts of one delivery or of all that failed. */
export function webhookActions({ act }: Pages, context: PanelContext): void {
  const { webhooks } = context.services
  act('/webhooks/:webhook_id/rotate', 'webhook:update', async (c, view) => {
    const webhook = await webhooks.rotate(panelActor(c), idIn(c))
    return showPage(c, <Secret view={view} webhook={webhook} />)
  })
  act('/webhooks/:webhook_id/test', 'webhook:update', async (c, view) => {
    const test = await webhooks.test(panelActor(c), idIn(c))
    const { outcome, answer } = testWords(test, view)
    return showPage(
      c,
      <Told view={view} title={view.t('Test')} path={`/webhooks/${idIn(c)}`}>
        <p class="lead">
          <State kind={test.status === 'success' ? 'live' : 'bad'}>{outcome}</State> {answer}.
        </p>
      </Told>,
    )
  })
  act('/webhooks/:webhook_id/replay', 'webhook:update', async c => {
    await webhooks.replay(panelActor(c), idIn(c), allFailed)
    return saved(`/webhooks/${idIn(c)}`)
  })
  act('/webhooks/:webhook_id/deliveries/:delivery_id/retry', 'webhook:update', async c => {
    await webhooks.retry(panelActor(c), idParam(c, 'delivery_id'))
    return saved(`/webhooks/${idIn(c)}`)
  })
}
