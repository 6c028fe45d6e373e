import { testWords, webhookResource } from '../../resources/webhooks.js'
import { english } from '../../texts/language.js'
import { t } from '../../texts/terminal.js'
import { resourceView, toldView } from '../resource.js'
import type { Session } from '../session.js'
import { deliveriesScreen } from './deliveries.js'

const once = t('The receiver checks signatures with this secret. It is shown only once:')

/** Webhooks and their deliveries. */
export function webhooksScreen(session: Session) {
  const { webhooks } = session.services
  return resourceView(session, {
    ...webhookResource(session),
    byAge: t('Created'),
    made: ({ secret }) => [once, '', secret],
    listKeys: [
      {
        key: 'd',
        does: t('deliveries'),
        run: (shell, record) => shell.open(deliveriesScreen(session, record)),
      },
      {
        key: 't',
        does: t('test'),
        access: 'webhook:update',
        run: (shell, { webhook_id }) =>
          shell.work('webhook:update', async () => {
            const { outcome, answer } = testWords(await webhooks.test(session.actor, webhook_id), english)
            shell.say(`${outcome}. ${answer}.`)
          }),
      },
      {
        key: 'R',
        does: t('new secret'),
        access: 'webhook:update',
        run: (shell, { webhook_id }) =>
          shell.work('webhook:update', async () => {
            const { secret } = await webhooks.rotate(session.actor, webhook_id)
            shell.open(toldView(t('Signing secret'), [once, '', secret]))
          }),
      },
    ],
  })
}
