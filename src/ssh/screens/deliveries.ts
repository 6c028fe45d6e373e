import { all } from '../../resources/entries.js'
import { deliveryStates } from '../../resources/webhooks.js'
import { t } from '../../texts/terminal.js'
import { listView } from '../screen/list.js'
import { pageView } from '../screen/page.js'
import { bold } from '../screen/style.js'
import type { Session } from '../session.js'
import { secondWord, stateCell } from './words.js'

const everyMs = 2000

/** The deliveries of a webhook, the newest first. The list updates by itself. */
export function deliveriesScreen(
  session: Session,
  { webhook_id, name, url }: { webhook_id: string; name: string; url: string },
) {
  const { webhooks } = session.services
  return listView({
    title: t('Deliveries of {name}', { name }),
    access: 'webhook:read',
    everyMs,
    async load({ limit, after }) {
      const { batches, total } = await webhooks.deliveries(
        webhook_id,
        {},
        { limit, ...(after ? { before: after } : {}) },
      )
      return { records: await all(batches), total }
    },
    keyOf: ({ delivery_id }) => delivery_id,
    empty: t('No deliveries yet.'),
    columns: [
      { label: t('Event'), of: ({ event }) => event },
      { label: t('State'), of: ({ status }) => stateCell(deliveryStates[status] ?? 'off', status) },
      { label: t('Attempts'), of: ({ attempts }) => String(attempts) },
      { label: t('Response'), of: ({ last_status_code }) => String(last_status_code ?? '–') },
      { label: t('When'), of: ({ created_at }) => secondWord(created_at, session) },
      { label: t('Error'), of: ({ last_error }) => last_error ?? '', wide: true },
    ],
    keys: [
      {
        key: 'Enter',
        does: t('open'),
        run: (shell, delivery) =>
          shell.open(
            pageView(
              delivery.event,
              Object.entries({ url, ...delivery }).flatMap(([label, value]) => [
                { text: label, style: bold },
                label === 'url'
                  ? { text: url, spans: [{ text: url, link: url }], indent: 2 }
                  : { text: typeof value === 'string' ? value : JSON.stringify(value, null, 2), indent: 2 },
              ]),
            ),
          ),
      },
      ...(session.can('webhook:update')
        ? [
            {
              key: 'r',
              does: t('send again'),
              run: (shell, { delivery_id }) =>
                shell.work('webhook:update', async () => {
                  await webhooks.retry(session.actor, delivery_id)
                  shell.say(t('Sending it again.'))
                }),
            } satisfies Parameters<typeof listView<Delivery>>[0]['keys'][number],
          ]
        : []),
    ],
  })
}

type Batches = Awaited<ReturnType<Session['services']['webhooks']['deliveries']>>['batches']
type Delivery = Batches extends AsyncGenerator<(infer One)[]> ? One : never
